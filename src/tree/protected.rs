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

use rustix::fs::{Dir, FileType, OFlags, readlinkat};
use rustix::io::Errno;
use sha2::Digest as _;

use super::TreeError;
use super::open::{Met, open_below, open_root, stat_at, stat_fd};
use super::walk::hash;
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
    Ok(tree.hash(path)?)
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
    let excluded = |path: &RelPath| {
        exclude.iter().any(|item| match item.contains('/') {
            true => RelPath::new(item.as_bytes()).is_ok_and(|item| path.is_under(&item)),
            false => path.name() == item.as_bytes(),
        })
    };
    let mut files = Vec::new();
    for (path, met) in tree.below(Some(path), excluded)? {
        tree.check_control(&path)?;
        tree.refuse_special(&path, &met)?;
        let sha256 = tree.hash(&path)?;
        files.push((path, sha256));
    }
    if files.is_empty() {
        return Err(ProtectedError::NoFiles(path.below(root)));
    }
    let lines = files.iter().map(|(path, sha256)| (path, sha256.to_string()));
    Ok(Covered { sha256: digest_lines(lines), files })
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
            FileType::RegularFile if met.permissions() & 0o111 != 0 => {
                format!("x:{}", tree.hash(&path)?)
            }
            FileType::RegularFile => tree.hash(&path)?.to_string(),
            FileType::Symlink => {
                let target = readlinkat(&tree.fd, path.as_path(), Vec::new())
                    .map_err(|error| tree.failed(&path, error))?;
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

    fn failed(&self, path: &RelPath, error: Errno) -> TreeError {
        TreeError::io("read", &path.below(self.root), error)
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
            let bytes = directory.as_ref().map_or(b".".as_slice(), RelPath::as_bytes);
            let shown =
                directory.as_ref().map_or_else(|| self.root.to_owned(), |p| p.below(self.root));
            let failed = |error: Errno| TreeError::io("read", &shown, error);
            let fd = open_below(self.fd.as_fd(), bytes, OFlags::RDONLY | OFlags::DIRECTORY);
            let fd = fd.map_err(failed)?;
            for entry in Dir::read_from(&fd).map_err(failed)? {
                let entry = entry.map_err(failed)?;
                let name = OsStr::from_bytes(entry.file_name().to_bytes());
                if name == "." || name == ".." {
                    continue;
                }
                let path = match &directory {
                    Some(directory) => directory.join(name),
                    None => {
                        RelPath::new(name.as_bytes()).expect("a listed name is one good segment")
                    }
                };
                if excluded(&path) {
                    continue;
                }
                let met = stat_at(fd.as_fd(), name).map_err(|error| self.failed(&path, error))?;
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

    fn hash(&self, path: &RelPath) -> Result<Sha256, TreeError> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK;
        let fd = open_below(self.fd.as_fd(), path.as_bytes(), flags);
        let fd = fd.map_err(|error| self.failed(path, error))?;
        let before = stat_fd(&fd).map_err(|error| self.failed(path, error))?;
        let file = std::fs::File::from(fd);
        let (sha256, size) = hash(&file, &path.below(self.root))?;
        if !before.is_file() || size != before.size || stat_fd(&file).ok() != Some(before) {
            return Err(TreeError::Changed(path.below(self.root)));
        }
        Ok(sha256)
    }
}
