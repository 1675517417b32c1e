//! What can go wrong with a workspace, and the one place where a full disk gets its name.

use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::statvfs;
use rustix::io::Errno;

use crate::base::RelPath;

/// A workspace could not be made, filled or brought back.
#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    /// The disk or the quota is full, or would be.
    #[error(
        "no space at {path:?}: {needed} bytes are needed and {free} are free; free some, use fewer jobs, or choose another scratch directory"
    )]
    NoSpace {
        /// Where it was to be written.
        path: PathBuf,
        /// Bytes this step needs.
        needed: u64,
        /// Bytes that are free there.
        free: u64,
    },
    /// The file system has no room for more files, however small.
    #[error(
        "no room at {path:?} for {needed} more files, {free} are free; choose another scratch directory"
    )]
    NoInodes {
        /// Where they were to be made.
        path: PathBuf,
        /// Files and directories needed.
        needed: u64,
        /// How many more the file system can hold.
        free: u64,
    },
    /// A scratch directory in the tree would be listed as a part of it.
    #[error("the scratch directory {scratch:?} lies inside the tree {tree:?}; choose another")]
    InsideTree {
        /// Where scratch was asked for.
        scratch: PathBuf,
        /// The tree.
        tree: PathBuf,
    },
    /// The source is no longer what was listed.
    #[error("{0:?} changed while it was being copied; run again when nothing writes to it")]
    Changed(PathBuf),
    /// The engine's own copy is not what was stored.
    #[error(
        "the engine's own copy {0:?} was altered, as by a command that writes outside its workspace"
    )]
    Altered(PathBuf),
    /// A link cannot be added to the copy.
    #[error("cannot add a link at `{0}`: the tree has something there, or no directory to hold it")]
    CannotLink(RelPath),
    /// A mutant can only replace a regular file.
    #[error("`{0}` is no regular file of the tree, so no mutant can be put there")]
    NotAFile(RelPath),
    /// What is on disk is not what was put there.
    #[error("`{0}` does not hold what was written to it")]
    NotWritten(RelPath),
    /// Waiting for the clock to pass what was just written took too long.
    #[error("the system clock was set back while {0:?} was being restored")]
    Clock(PathBuf),
    /// The system refused.
    #[error("cannot {action} {path:?}: {source}")]
    Io {
        /// What was tried, a verb.
        action: &'static str,
        /// Where.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
}

impl WorkspaceError {
    /// Whether room, memory or file handles ran out: it may go well with fewer workers.
    #[must_use]
    pub fn is_want(&self) -> bool {
        const WANT: [Errno; 4] = [Errno::NOMEM, Errno::AGAIN, Errno::MFILE, Errno::NFILE];
        match self {
            Self::NoSpace { .. } | Self::NoInodes { .. } => true,
            Self::Io { source, .. } => {
                Errno::from_io_error(source).is_some_and(|errno| WANT.contains(&errno))
            }
            _ => false,
        }
    }

    /// The error of a step that writes at most `needed` bytes at `path`.
    pub(super) fn io(
        action: &'static str,
        path: &Path,
        needed: u64,
        source: impl Into<io::Error>,
    ) -> Self {
        let source = source.into();
        let full = [Errno::NOSPC, Errno::DQUOT].map(|errno| Some(errno.raw_os_error()));
        if full.contains(&source.raw_os_error()) {
            let free = path.ancestors().find_map(|at| statvfs(at).ok());
            let free = free.map_or(0, |stat| stat.f_bavail.saturating_mul(stat.f_frsize));
            return Self::NoSpace { path: path.to_owned(), needed, free };
        }
        Self::Io { action, path: path.to_owned(), source }
    }
}
