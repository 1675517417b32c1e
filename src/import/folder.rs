//! The task directory while it is made: a hidden neighbour of its place, renamed when it is whole.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::ImportError;
use crate::tree::patch::{Change, write};
use crate::tree::{Kind, Snapshot, TreeError};

/// A directory that is not at its place yet; dropped, it leaves nothing behind.
pub(super) struct Folder {
    place: PathBuf,
    /// Holds the directory `task`, for what a temporary directory is made with only its owner may read.
    around: TempDir,
}

impl Folder {
    /// Begins a directory that is to stand at `place`, where nothing or an empty directory may be.
    pub(super) fn begin(place: &Path) -> Result<Self, ImportError> {
        let fault = |what: String| ImportError::output(place, what);
        let real = match fs::symlink_metadata(place) {
            Ok(met) if !met.is_dir() => {
                return Err(fault("is no directory; name a new or an empty one".to_owned()));
            }
            Ok(_) => {
                let mut inside =
                    fs::read_dir(place).map_err(|e| fault(format!("cannot be read: {e}")))?;
                if inside.next().is_some() {
                    let what = "is a directory with something in it; name a new or an empty one";
                    return Err(fault(what.to_owned()));
                }
                place.canonicalize().map_err(|error| fault(format!("cannot be found: {error}")))?
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => place.to_owned(),
            Err(error) => return Err(fault(format!("cannot be looked at: {error}"))),
        };
        let above = real.parent().ok_or_else(|| fault("cannot be replaced".to_owned()))?;
        let above = if above.as_os_str().is_empty() { Path::new(".") } else { above };
        if !above.is_dir() {
            return Err(fault(
                "is to stand in a directory that is not there; make that first".to_owned(),
            ));
        }
        let around = tempfile::Builder::new().prefix(".adequacy-import-").tempdir_in(above);
        let around = around.map_err(|error| fault(format!("cannot be made: {error}")))?;
        let folder = Self { place: real, around };
        folder.directory("")?;
        Ok(folder)
    }

    /// A path below it.
    pub(super) fn path(&self, below: &str) -> PathBuf {
        self.around.path().join("task").join(below)
    }

    /// Makes a directory below it.
    pub(super) fn directory(&self, below: &str) -> Result<PathBuf, ImportError> {
        let path = self.path(below);
        match fs::create_dir_all(&path) {
            Ok(()) => Ok(path),
            Err(error) => Err(TreeError::io("make", &path, error).into()),
        }
    }

    /// Writes a file below it, making the directories above.
    pub(super) fn file(&self, below: &str, bytes: impl AsRef<[u8]>) -> Result<(), ImportError> {
        if let Some((above, _)) = below.rsplit_once('/') {
            self.directory(above)?;
        }
        let path = self.path(below);
        fs::write(&path, bytes).map_err(|error| TreeError::io("write", &path, error).into())
    }

    /// Copies a tree into a directory below it, and makes `changes` there.
    pub(super) fn tree(
        &self,
        below: &str,
        tree: &Snapshot,
        changes: &[Change],
    ) -> Result<(), ImportError> {
        let root = self.directory(below)?;
        for entry in tree.entries() {
            match entry.kind {
                Kind::Directory { .. } => {
                    let path = entry.path.below(&root);
                    fs::create_dir_all(&path).map_err(|e| TreeError::io("make", &path, e))?;
                }
                Kind::File { .. } | Kind::Link { .. } => {
                    let (path, after) = (entry.path.clone(), tree.state(&entry.path)?);
                    write(&[Change { path, before: None, after }], &root)?;
                }
            }
        }
        Ok(write(changes, &root)?)
    }

    /// Puts it at its place.
    pub(super) fn finish(self) -> Result<(), ImportError> {
        fs::rename(self.path(""), &self.place).map_err(|error| {
            ImportError::output(&self.place, format!("cannot be put at its place: {error}"))
        })
    }
}
