//! Why a record becomes no task.

use std::io;
use std::path::{Path, PathBuf};

use crate::tree::TreeError;
use crate::tree::patch::PatchError;

/// An import that made nothing.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// A file that was named cannot be read.
    #[error("cannot read {path:?}: {source}")]
    Read {
        /// Which.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The record that is meant cannot be told, or is not there.
    #[error("{path:?}: {what}")]
    Choice {
        /// The file of records.
        path: PathBuf,
        /// What to do.
        what: String,
    },
    /// The record is none of this kind.
    #[error("{path:?}: the record {what}")]
    Record {
        /// The file of records.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// A patch of the record cannot be used.
    #[error("the record's `{member}`: {source}")]
    Patch {
        /// Which.
        member: &'static str,
        /// Why not.
        source: PatchError,
    },
    /// What the record says cannot be a task.
    #[error("{0}")]
    Refused(String),
    /// The task directory cannot be made.
    #[error("{path:?} {what}")]
    Output {
        /// Where it was to be.
        path: PathBuf,
        /// Why not.
        what: String,
    },
    /// The repository cannot be read, or its copy cannot be written.
    #[error(transparent)]
    Tree(#[from] TreeError),
}

impl ImportError {
    pub(super) fn output(path: &Path, what: impl Into<String>) -> Self {
        Self::Output { path: path.to_owned(), what: what.into() }
    }

    pub(super) fn patch(member: &'static str) -> impl Fn(PatchError) -> Self {
        move |source| match source {
            PatchError::Tree(error) => Self::Tree(error),
            source => Self::Patch { member, source },
        }
    }
}
