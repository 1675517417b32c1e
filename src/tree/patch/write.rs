//! Writes what a patch makes into a directory that is a copy of the tree.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{OpenOptionsExt as _, symlink};
use std::path::Path;

use crate::base::RelPath;
use crate::tree::TreeError;

use super::{Change, FileKind, FileState};

/// Makes the changes below `root`: what was goes first, with the directories that it leaves empty, as
/// git keeps none; then what comes is written. Execute bits come and go beside the read bits.
///
/// `root` must hold what the changes were made for, and be nobody else's.
///
/// # Errors
/// [`TreeError::Io`]: something cannot be removed or written, as where a directory stands.
pub fn write(changes: &[Change], root: &Path) -> Result<(), TreeError> {
    for change in changes.iter().filter(|change| change.before.is_some()) {
        let path = change.path.below(root);
        fs::remove_file(&path).map_err(|error| TreeError::io("remove", &path, error))?;
    }
    for change in changes.iter().filter(|change| change.after.is_none()) {
        remove_empty(&change.path, root)?;
    }
    for change in changes {
        if let Some(file) = &change.after {
            let path = change.path.below(root);
            write_file(file, &path).map_err(|error| TreeError::io("write", &path, error))?;
        }
    }
    Ok(())
}

/// Removes the directories above a path that hold nothing.
fn remove_empty(path: &RelPath, root: &Path) -> Result<(), TreeError> {
    let below = path.as_path().ancestors().skip(1).filter(|above| !above.as_os_str().is_empty());
    for above in below {
        let above = root.join(above);
        match fs::remove_dir(&above) {
            Ok(()) => {}
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::NotFound
                ) =>
            {
                return Ok(());
            }
            Err(error) => return Err(TreeError::io("remove", &above, error)),
        }
    }
    Ok(())
}

fn write_file(file: &FileState, path: &Path) -> io::Result<()> {
    if let Some(above) = path.parent() {
        fs::create_dir_all(above)?;
    }
    if file.kind == FileKind::Link {
        return symlink(OsStr::from_bytes(&file.bytes), path);
    }
    let mode = if file.kind == FileKind::Executable { 0o777 } else { 0o666 };
    let mut made = fs::OpenOptions::new().write(true).create_new(true).mode(mode).open(path)?;
    io::Write::write_all(&mut made, &file.bytes)
}
