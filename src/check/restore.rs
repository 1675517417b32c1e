//! A fresh copy of the final tree with the sealed files back in their places.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::CheckError;
use crate::base::{RelPath, Silent};
use crate::bundle::{Bundle, PROTECTED};
use crate::contract::Kind;
use crate::tree::{self, Choice, Snapshot, Standing, TreeError};

/// The copy that commands run on.
pub(super) struct Fresh {
    /// Its listing; `None` when it holds no file.
    pub(super) tree: Option<Snapshot>,
    /// The sealed files in it with their bytes, to be put there again before each command.
    pub(super) sealed: Vec<(RelPath, Vec<u8>)>,
    /// Where logs may go, beside the copy.
    pub(super) logs: PathBuf,
    _folder: TempDir,
}

/// Copies what was listed of the final tree, and with a bundle puts the protected files back.
pub(super) fn fresh(
    bundle: &Bundle,
    listed: Option<&Snapshot>,
    scratch: &Path,
) -> Result<Fresh, CheckError> {
    let folder = tempfile::Builder::new().prefix("adequacy-check-").tempdir_in(scratch);
    let folder = folder.map_err(|error| TreeError::io("make a directory in", scratch, error))?;
    let (root, logs) = (folder.path().join("tree"), folder.path().join("logs"));
    let make = |path: &Path| fs::create_dir(path).map_err(|e| TreeError::io("make", path, e));
    match listed {
        Some(listed) => listed.copy_to(&root)?,
        None => make(&root)?,
    }
    make(&logs)?;
    let mut sealed = Vec::new();
    if bundle.compile.is_some() {
        for entry in &bundle.record.protected_paths {
            let path = RelPath::new(entry.path.as_bytes()).expect("the record's rules");
            let exclude = entry.exclude.as_deref().unwrap_or_default();
            let files = put_back(bundle, &root, &path, entry.kind, exclude)?;
            sealed.extend(files);
        }
    }
    sealed.sort();
    sealed.dedup();
    let everything = Choice { all: true, ..Choice::default() };
    let tree = super::listing(&root, &everything, &Silent)?;
    Ok(Fresh { tree, sealed, logs, _folder: folder })
}

/// Makes an entry what it was when it was sealed, and gives its files.
fn put_back(
    bundle: &Bundle,
    root: &Path,
    path: &RelPath,
    kind: Kind,
    exclude: &[String],
) -> Result<Vec<(RelPath, Vec<u8>)>, CheckError> {
    let store = bundle.root.join(PROTECTED);
    let paths = match kind {
        Kind::File => vec![path.clone()],
        Kind::Directory => {
            if let Standing::Directory(seen) = tree::standing(root, path, exclude)? {
                for (path, _) in seen {
                    remove(&path.below(root))?;
                }
            }
            let files = tree::directory(&store, path, exclude)?.files;
            files.into_iter().map(|(path, _)| path).collect()
        }
    };
    let mut files = Vec::new();
    for path in paths {
        make_room(root, &path)?;
        let (from, to) = (path.below(&store), path.below(root));
        fs::copy(&from, &to).map_err(|error| TreeError::io("write", &to, error))?;
        let bytes = fs::read(&from).map_err(|error| TreeError::io("read", &from, error))?;
        files.push((path, bytes));
    }
    Ok(files)
}

/// Makes real directories of everything above `path`, and removes what stands at it. No link is
/// followed: what the final tree has there goes.
fn make_room(root: &Path, path: &RelPath) -> Result<(), TreeError> {
    let bytes = path.as_bytes();
    for end in (0..bytes.len()).filter(|&at| bytes[at] == b'/') {
        let above = root.join(std::ffi::OsStr::from_bytes(&bytes[..end]));
        if !fs::symlink_metadata(&above).is_ok_and(|met| met.is_dir()) {
            remove(&above)?;
            fs::create_dir(&above).map_err(|error| TreeError::io("make", &above, error))?;
        }
    }
    remove(&path.below(root))
}

/// Removes whatever stands there, if anything does.
fn remove(path: &Path) -> Result<(), TreeError> {
    let done = match fs::symlink_metadata(path) {
        Ok(met) if met.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    };
    done.map_err(|error| TreeError::io("remove", path, error))
}
