//! Unified diffs, as git and plain `diff -u` write them: read, and applied to what stands in a tree.
//!
//! Nothing is guessed. A hunk applies where every one of its old lines stands, at the stated line or at
//! the nearest other place where they all stand; a file that a diff names without its content, a path
//! that leaves the tree, a submodule are refused. Memory is bounded by the patch and [`LIMIT`].

mod apply;
mod binary;
mod error;
mod file;
mod header;
mod hunk;
mod lines;
mod name;
mod place;
#[cfg(test)]
mod tests;
mod write;

use crate::base::RelPath;

use super::TreeError;
pub use error::{Misfit, PatchError};
use file::FileDiff;
pub use write::write;

/// Most bytes that the files of one applied patch may hold together, and so each of them: 256 MiB.
pub const LIMIT: u64 = 1 << 28;

/// A patch that was read: the diffs of one file each, in order.
#[derive(Debug, Clone)]
pub struct Patch {
    files: Vec<FileDiff>,
}

/// A file of a tree at one moment, or a symbolic link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileState {
    /// Its content; of a link the text of the link.
    pub bytes: Vec<u8>,
    /// What it is.
    pub kind: FileKind,
}

/// What a patch can tell about a file beside its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// A regular file that nobody executes (git's mode 100644).
    Plain,
    /// A regular file with execute bits (git's mode 100755).
    Executable,
    /// A symbolic link (git's mode 120000).
    Link,
}

/// What a patch makes of one path; the two states are never equal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Where.
    pub path: RelPath,
    /// What stood there, if anything.
    pub before: Option<FileState>,
    /// What stands there then, if anything.
    pub after: Option<FileState>,
}

impl Patch {
    /// Reads a patch: any number of file diffs, with any other text before, between and after them.
    ///
    /// # Errors
    /// [`PatchError`] with the line: what is no well-formed diff, what has no meaning here (a
    /// submodule, a binary file without its content, a combined diff), a path that leaves the tree.
    /// Text without a file diff is [`PatchError::Empty`].
    pub fn parse(bytes: &[u8]) -> Result<Self, PatchError> {
        let files = file::files(bytes)?;
        if files.is_empty() {
            return Err(PatchError::Empty);
        }
        Ok(Self { files })
    }

    /// Applies the patch to the tree that `before` shows, which gives the file or link at a path, and
    /// `None` where nothing or a directory stands. Nothing is written: see [`write()`].
    ///
    /// File diffs apply in order, each to what those before it left. The source of a rename or a copy
    /// is the file as it stood before the diffs that no other text parts from this one, as in one
    /// `git diff` their order means nothing. The changes are sorted by the bytes of their paths.
    ///
    /// # Errors
    /// [`PatchError`] with path and line: what does not apply, or is applied already; a result of more
    /// than [`LIMIT`] bytes; and whatever `before` returns.
    pub fn apply(
        &self,
        before: &dyn Fn(&RelPath) -> Result<Option<FileState>, TreeError>,
    ) -> Result<Vec<Change>, PatchError> {
        let mut desk = apply::Desk::new(before);
        for file in &self.files {
            desk.apply(file, &self.files)?;
        }
        desk.changes()
    }
}
