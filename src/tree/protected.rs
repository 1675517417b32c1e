//! Digests of what a record protects, taken over what is really on disk.
//!
//! They do not go through a [`Snapshot`](super::Snapshot): what a copy leaves out still counts here,
//! because a reader will find it in the final tree. The rules are those of the record's predicate:
//! a reader must get the same bytes, and what it could not agree on is refused when sealing.

use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use rustix::fs::{FileType, readlinkat};
use rustix::io::Errno;
use sha2::Digest as _;

use super::TreeError;
use super::open::{Met, hash_listed, list, open_root, stat_at};
use crate::base::{RelPath, Sha256};

/// What a protected directory covers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Covered {
    /// The digest for the record.
    pub sha256: Sha256,
    /// The files it covers with their digests, by path bytes; paths below the tree's root.
    pub files: Vec<(RelPath, Sha256)>,
}

/// Why a path cannot be protected.
#[derive(Debug, thiserror::Error)]
pub enum ProtectedError {
    /// Nothing is there.
    #[error("{0:?} does not exist")]
    Missing(PathBuf),
    /// It is a link, or a link stands above it or inside it.
    #[error("{0:?} is a symbolic link, and a reader counts any link here as a change")]
    Link(PathBuf),
    /// It is a socket, pipe or device, or holds one.
    #[error("{0:?} is no regular file, and a reader counts it as a change")]
    Special(PathBuf),
    /// A file was asked for and a directory is there, or the reverse.
    #[error("{path:?} is not a {wanted}")]
    Kind {
        /// Where.
        path: PathBuf,
        /// `file` or `directory`.
        wanted: &'static str,
    },
    /// A directory that covers no file protects nothing.
    #[error("{0:?} holds no file that is not excluded, so protecting it means nothing")]
    NoFiles(PathBuf),
    /// A control character in a path could forge a line of the digest.
    #[error("{0:?} holds a control character, which could forge a line of the digest")]
    Control(PathBuf),
    /// It cannot be read, or changed meanwhile.
    #[error(transparent)]
    Tree(#[from] TreeError),
}

/// The digest of the regular file at `path` below `root`: SHA-256 of its bytes.
///
/// # Errors
/// [`ProtectedError`]: missing, no regular file, a link at or above it, unreadable.
pub fn file(root: &Path, path: &RelPath) -> Result<Sha256, ProtectedError> {
    let tree = Tree::open(root)?;
    tree.check_control(path)?;
    let met = tree.find(path)?;
    if met.is_directory() {
        return Err(ProtectedError::Kind { path: path.below(root), wanted: "file" });
    }
    tree.refuse_special(path, &met)?;
    Ok(hash_listed(root, &tree.fd, path, &met)?)
}

/// The digest of the directory at `path` below `root`.
///
/// SHA-256 over one line for every regular file below it, `<64 hex><two spaces><path><LF>` with the
/// path from the root of the tree, sorted by path bytes: what `sha256sum` prints. `exclude` takes
/// items as the record does: without `/`, the name of any segment below the entry; with `/`, a path
/// from the root of the tree, left out with all below it. Empty directories and mode bits do not count.
///
/// # Errors
/// [`ProtectedError`]: missing, no directory, no file left, a link above, at or inside it or a special
/// file inside it (unless excluded), a control character in a path, unreadable.
pub fn directory(
    root: &Path,
    path: &RelPath,
    exclude: &[String],
) -> Result<Covered, ProtectedError> {
    let tree = Tree::open(root)?;
    if !tree.find(path)?.is_directory() {
        return Err(ProtectedError::Kind { path: path.below(root), wanted: "directory" });
    }
    let mut files = Vec::new();
    for (path, met) in tree.below(Some(path), |path| is_excluded(path, exclude))? {
        tree.check_control(&path)?;
        tree.refuse_special(&path, &met)?;
        let sha256 = hash_listed(root, &tree.fd, &path, &met)?;
        files.push((path, sha256));
    }
    if files.is_empty() {
        return Err(ProtectedError::NoFiles(path.below(root)));
    }
    Ok(Covered { sha256: digest_of(&files), files })
}

/// What stands at a protected path of a tree that somebody else made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// Nothing.
    Nothing,
    /// A link at it, or above it: where.
    Link(PathBuf),
    /// A regular file.
    File(Sha256),
    /// A socket, pipe or device.
    Special,
    /// A directory, and what is below it but for what is excluded, by path bytes.
    Directory(Vec<(RelPath, Seen)>),
}

/// What stands below a protected directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// A regular file.
    File(Sha256),
    /// A link, whatever it points to.
    Link,
    /// A socket, pipe or device.
    Special,
}

/// Looks at `path` below `root`; `exclude` is that of [`directory`]. Where that refuses, this tells.
///
/// # Errors
/// [`ProtectedError`]: the root is no directory, or something cannot be read.
pub fn standing(
    root: &Path,
    path: &RelPath,
    exclude: &[String],
) -> Result<Standing, ProtectedError> {
    let tree = Tree::open(root)?;
    let met = match tree.find(path) {
        Ok(met) => met,
        Err(ProtectedError::Missing(_)) => return Ok(Standing::Nothing),
        Err(ProtectedError::Link(path)) => return Ok(Standing::Link(path)),
        Err(error) => return Err(error),
    };
    match FileType::from_raw_mode(met.mode) {
        FileType::RegularFile => Ok(Standing::File(hash_listed(root, &tree.fd, path, &met)?)),
        FileType::Directory => {
            let below = tree.below(Some(path), |path| is_excluded(path, exclude))?;
            let look = |(path, met): (RelPath, Met)| {
                let seen = match FileType::from_raw_mode(met.mode) {
                    FileType::RegularFile => Seen::File(hash_listed(root, &tree.fd, &path, &met)?),
                    FileType::Symlink => Seen::Link,
                    _ => Seen::Special,
                };
                Ok((path, seen))
            };
            let seen = below.into_par_iter().map(look).collect::<Result<_, TreeError>>()?;
            Ok(Standing::Directory(seen))
        }
        _ => Ok(Standing::Special),
    }
}

/// The digest of a protected directory that covers these files, which stand by path bytes.
#[must_use]
pub fn digest_of(files: &[(RelPath, Sha256)]) -> Sha256 {
    digest_lines(files.iter().map(|(path, sha256)| (path, sha256.to_string())))
}

/// Whether an item of `exclude` names `path`; what is excluded is not walked into, so that all below
/// it is left out as well.
fn is_excluded(path: &RelPath, exclude: &[String]) -> bool {
    let by = |item: &String| if item.contains('/') { path.as_bytes() } else { path.name() };
    exclude.iter().any(|item| item.as_bytes() == by(item))
}

/// The digest of a whole held-out directory (`probity-tree/v2`), nothing excluded.
///
/// Lines as for [`directory`], paths from `root`, for everything but directories; before the hex
/// stands `x:` for a file with any execute bit and `l:` for a link (digest of its target); instead of
/// it `s:fifo`, `s:socket`, `s:char` or `s:block`.
///
/// # Errors
/// [`ProtectedError`]: missing, no directory, nothing in it, a control character in a path, unreadable.
pub fn heldout(root: &Path) -> Result<Sha256, ProtectedError> {
    let tree = Tree::open(root)?;
    let mut lines = Vec::new();
    for (path, met) in tree.below(None, |_| false)? {
        tree.check_control(&path)?;
        let mark = match FileType::from_raw_mode(met.mode) {
            FileType::RegularFile => {
                let execute = if met.permissions() & 0o111 == 0 { "" } else { "x:" };
                format!("{execute}{}", hash_listed(root, &tree.fd, &path, &met)?)
            }
            FileType::Symlink => {
                let target = readlinkat(&tree.fd, path.as_path(), Vec::new())
                    .map_err(|error| TreeError::io("read", &path.below(root), error))?;
                format!("l:{}", Sha256::of(target.as_bytes()))
            }
            FileType::Fifo => "s:fifo".to_owned(),
            FileType::Socket => "s:socket".to_owned(),
            FileType::CharacterDevice => "s:char".to_owned(),
            _ => "s:block".to_owned(),
        };
        lines.push((path, mark));
    }
    if lines.is_empty() {
        return Err(ProtectedError::NoFiles(root.to_owned()));
    }
    Ok(digest_lines(lines.iter().map(|(path, mark)| (path, mark.clone()))))
}

fn digest_lines<'a>(lines: impl Iterator<Item = (&'a RelPath, String)>) -> Sha256 {
    let mut hash = sha2::Sha256::new();
    for (path, mark) in lines {
        hash.update(mark);
        hash.update(b"  ");
        hash.update(path.as_bytes());
        hash.update(b"\n");
    }
    Sha256::from_raw(hash.finalize().into())
}

struct Tree<'a> {
    root: &'a Path,
    fd: OwnedFd,
}

impl<'a> Tree<'a> {
    fn open(root: &'a Path) -> Result<Self, ProtectedError> {
        match open_root(root) {
            Ok(fd) => Ok(Self { root, fd }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(ProtectedError::Missing(root.to_owned()))
            }
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
                Err(ProtectedError::Kind { path: root.to_owned(), wanted: "directory" })
            }
            Err(error) => Err(TreeError::io("read", root, error).into()),
        }
    }

    /// Looks at `path`, refusing a link there or above it.
    fn find(&self, path: &RelPath) -> Result<Met, ProtectedError> {
        let bytes = path.as_bytes();
        let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
        let mut last = None;
        for end in ends.chain([bytes.len()]) {
            let shown = || self.root.join(OsStr::from_bytes(&bytes[..end]));
            match stat_at(self.fd.as_fd(), OsStr::from_bytes(&bytes[..end])) {
                Ok(met) if met.is(FileType::Symlink) => return Err(ProtectedError::Link(shown())),
                Ok(met) => last = Some(met),
                Err(Errno::NOENT | Errno::NOTDIR) => {
                    return Err(ProtectedError::Missing(path.below(self.root)));
                }
                Err(error) => return Err(TreeError::io("look at", &shown(), error).into()),
            }
        }
        Ok(last.expect("a path has at least one segment"))
    }

    fn refuse_special(&self, path: &RelPath, met: &Met) -> Result<(), ProtectedError> {
        match FileType::from_raw_mode(met.mode) {
            FileType::RegularFile => Ok(()),
            FileType::Symlink => Err(ProtectedError::Link(path.below(self.root))),
            _ => Err(ProtectedError::Special(path.below(self.root))),
        }
    }

    fn check_control(&self, path: &RelPath) -> Result<(), ProtectedError> {
        if path.has_control() {
            return Err(ProtectedError::Control(path.below(self.root)));
        }
        Ok(())
    }

    /// Everything but directories below `path` (the root if `None`), by path bytes.
    fn below(
        &self,
        path: Option<&RelPath>,
        excluded: impl Fn(&RelPath) -> bool,
    ) -> Result<Vec<(RelPath, Met)>, TreeError> {
        let mut found = Vec::new();
        let mut pending = vec![path.cloned()];
        while let Some(directory) = pending.pop() {
            for (path, met) in list(self.root, &self.fd, directory.as_ref())? {
                if excluded(&path) {
                    continue;
                }
                if met.is_directory() {
                    pending.push(Some(path));
                } else {
                    found.push((path, met));
                }
            }
        }
        found.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::testing::{as_ordinary_user, python};
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    /// What `sha256sum` over the sorted paths prints, hashed; kinds of entries marked as held-out
    /// digests want it if asked.
    const OWN: &str = r"
import hashlib, os, stat, sys
root, entry, marks, excluded = sys.argv[1], sys.argv[2], sys.argv[3] == 'marks', sys.argv[4:]
lines = {}
for folder, folders, files in os.walk(os.fsencode(os.path.join(root, entry))):
    for name in files + [f for f in folders if os.path.islink(os.path.join(folder, f))]:
        path = os.path.join(folder, name)
        shown = os.path.relpath(path, os.fsencode(root))
        below = os.path.relpath(path, os.fsencode(os.path.join(root, entry))).split(b'/')
        if any(os.fsencode(x) in below or (shown + b'/').startswith(os.fsencode(x) + b'/') for x in excluded):
            continue
        mode = os.lstat(path).st_mode
        if marks and stat.S_ISLNK(mode):
            mark = 'l:' + hashlib.sha256(os.readlink(path)).hexdigest()
        elif marks and stat.S_ISFIFO(mode):
            mark = 's:fifo'
        else:
            with open(path, 'rb') as f:
                mark = hashlib.sha256(f.read()).hexdigest()
            if marks and mode & 0o111:
                mark = 'x:' + mark
        lines[shown] = mark.encode() + b'  ' + shown + b'\n'
print(hashlib.sha256(b''.join(lines[k] for k in sorted(lines))).hexdigest())
";

    fn own(root: &Path, entry: &str, marks: &str, excluded: &[String]) -> String {
        let mut arguments = vec![root, Path::new(entry), Path::new(marks)];
        arguments.extend(excluded.iter().map(Path::new));
        python(root, OWN, &arguments).trim().to_owned()
    }

    fn rel(path: &str) -> RelPath {
        RelPath::new(path.as_bytes()).unwrap()
    }

    fn fixture() -> tempfile::TempDir {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path();
        for directory in
            ["tests/a", "tests/a-b", "tests/__pycache__/x", "tests/data/big", "tests/none"]
        {
            fs::create_dir_all(root.join(directory)).unwrap();
        }
        for file in [
            "tests/a/f",
            "tests/a-b/f",
            "tests/a.py",
            "tests/é",
            "tests/__pycache__/x/y",
            "tests/a/__pycache__",
            "tests/data/big/1",
            "tests/data/small",
            "tests/.git",
            "data",
            "tests2",
        ] {
            fs::write(root.join(file), file).unwrap();
        }
        fs::write(root.join(OsStr::from_bytes(b"tests/\xff")), "raw").unwrap();
        fs::set_permissions(root.join("tests/a.py"), Permissions::from_mode(0o755)).unwrap();
        scratch
    }

    #[test]
    fn a_directory_has_the_digest_that_sha256sum_gives() {
        let scratch = fixture();
        let root = scratch.path();
        let tables: [&[&str]; 5] = [
            &[],
            &["__pycache__", ".pytest_cache"],
            &["__pycache__", "tests/data/big"],
            &["tests/data", "tests/a.py"],
            &["data", "[a]", "a*"],
        ];
        let mut seen = Vec::new();
        for exclude in tables {
            let exclude: Vec<_> = exclude.iter().map(ToString::to_string).collect();
            let covered = directory(root, &rel("tests"), &exclude).unwrap();
            assert_eq!(
                covered.sha256.to_string(),
                own(root, "tests", "plain", &exclude),
                "{exclude:?}"
            );
            assert!(!seen.contains(&covered.sha256));
            seen.push(covered.sha256);
        }
        let covered =
            directory(root, &rel("tests"), &["__pycache__".into(), "tests/data".into()]).unwrap();
        let files: Vec<_> = covered.files.iter().map(|(path, _)| path.to_string()).collect();
        assert_eq!(
            files,
            ["tests/.git", "tests/a-b/f", "tests/a.py", "tests/a/f", "tests/é", "tests/\\xff"]
        );
        let deep = directory(root, &rel("tests/data"), &[]).unwrap();
        assert_eq!(deep.sha256.to_string(), own(root, "tests/data", "plain", &[]));
    }

    #[test]
    fn a_file_has_the_digest_of_its_bytes() {
        let scratch = fixture();
        assert_eq!(file(scratch.path(), &rel("tests/a.py")).unwrap(), Sha256::of(b"tests/a.py"));
    }

    #[test]
    fn what_a_reader_would_call_a_change_is_refused() {
        let scratch = fixture();
        let root = scratch.path();
        let tests = rel("tests");
        symlink("tests", root.join("linked")).unwrap();
        symlink("a.py", root.join("tests/a/link")).unwrap();
        python(
            root,
            "import os; os.mkfifo('tests/data/pipe'); open('tests/a-b/new\\nline', 'w')",
            &[],
        );
        let link = root.join("tests/a/link");
        let all = |exclude: &[&str]| {
            let exclude: Vec<_> = exclude.iter().map(ToString::to_string).collect();
            directory(root, &tests, &exclude)
        };
        assert!(matches!(all(&["data", "a-b"]), Err(ProtectedError::Link(path)) if path == link));
        assert!(matches!(all(&["a", "a-b"]), Err(ProtectedError::Special(_))));
        assert!(matches!(all(&["a", "data"]), Err(ProtectedError::Control(_))));
        assert!(all(&["a", "data", "tests/a-b"]).is_ok());
        assert!(matches!(directory(root, &rel("linked"), &[]), Err(ProtectedError::Link(_))));
        assert!(matches!(directory(root, &rel("linked/a"), &[]), Err(ProtectedError::Link(_))));
        assert!(matches!(file(root, &rel("linked/a.py")), Err(ProtectedError::Link(_))));
        assert!(matches!(file(root, &rel("tests/a/link")), Err(ProtectedError::Link(_))));
        assert!(matches!(file(root, &rel("tests/data/pipe")), Err(ProtectedError::Special(_))));
        assert!(matches!(file(root, &rel("tests/a-b/new\nline")), Err(ProtectedError::Control(_))));
        assert!(matches!(file(root, &tests), Err(ProtectedError::Kind { wanted: "file", .. })));
        let data = directory(root, &rel("data"), &[]);
        assert!(matches!(data, Err(ProtectedError::Kind { wanted: "directory", .. })));
        assert!(matches!(
            directory(root, &rel("tests/none"), &[]),
            Err(ProtectedError::NoFiles(_))
        ));
        assert!(matches!(directory(root, &rel("absent"), &[]), Err(ProtectedError::Missing(_))));
        assert!(matches!(file(root, &rel("data/below")), Err(ProtectedError::Missing(_))));
        assert!(matches!(file(&root.join("no"), &tests), Err(ProtectedError::Missing(_))));
    }

    #[test]
    fn an_unreadable_part_is_an_error_not_an_omission() {
        as_ordinary_user(|| {
            let scratch = fixture();
            let root = scratch.path();
            for path in ["tests/data/big/1", "tests/data/big", "tests"] {
                fs::set_permissions(root.join(path), Permissions::from_mode(0o0)).unwrap();
                let error = directory(root, &rel("tests"), &[]).unwrap_err();
                assert!(matches!(error, ProtectedError::Tree(TreeError::Io { .. })), "{error}");
            }
            fs::set_permissions(root.join("tests"), Permissions::from_mode(0o755)).unwrap();
            fs::set_permissions(root.join("tests/data/big"), Permissions::from_mode(0o755))
                .unwrap();
        });
    }

    #[test]
    fn a_held_out_directory_counts_links_pipes_and_execute_bits() {
        let scratch = fixture();
        let root = scratch.path();
        symlink("/no/where", root.join("tests/dangling")).unwrap();
        symlink("a", root.join("tests/to directory")).unwrap();
        python(root, "import os; os.mkfifo('tests/pipe')", &[]);
        let tests = root.join("tests");
        let first = heldout(&tests).unwrap();
        assert_eq!(first.to_string(), own(&tests, ".", "marks", &[]));
        fs::set_permissions(tests.join("a.py"), Permissions::from_mode(0o644)).unwrap();
        assert_ne!(heldout(&tests).unwrap(), first);
        assert!(matches!(heldout(&tests.join("none")), Err(ProtectedError::NoFiles(_))));
        assert!(matches!(heldout(&tests.join("absent")), Err(ProtectedError::Missing(_))));
    }
}
