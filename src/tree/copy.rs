//! A listed tree as a directory again, for a patch to change.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use super::{Kind, Snapshot, TreeError};

impl Snapshot {
    /// Writes everything in the listing below `root`, a directory that is not there yet. Directories
    /// stay open to their owner whatever their mode.
    ///
    /// # Errors
    /// [`TreeError::Changed`] when a file is no longer as listed, [`TreeError::Io`] when something
    /// cannot be written.
    pub fn copy_to(&self, root: &Path) -> Result<(), TreeError> {
        fs::create_dir(root).map_err(|error| TreeError::io("make", root, error))?;
        for entry in self.entries() {
            let path = entry.path.below(root);
            let done = match &entry.kind {
                Kind::Directory { mode } => fs::create_dir(&path).and_then(|()| {
                    fs::set_permissions(&path, Permissions::from_mode(mode | 0o700))
                }),
                Kind::Link { target } => symlink(target, &path),
                Kind::File { mode, .. } => fs::write(&path, self.read(&entry.path)?)
                    .and_then(|()| fs::set_permissions(&path, Permissions::from_mode(*mode))),
            };
            done.map_err(|error| TreeError::io("write", &path, error))?;
        }
        Ok(())
    }
}
