//! What a listing leaves out, why, and how to keep it.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::base::RelPath;

/// What the user wants in or out of the listing, beside the defaults.
///
/// An item of one segment means every entry of that name; an item of several segments means the one
/// path. Neither is a pattern. `exclude` wins over `keep`; `keep` wins over the defaults.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// To be listed though a default would leave it out.
    pub keep: Vec<RelPath>,
    /// To be left out, with all below it.
    pub exclude: Vec<RelPath>,
    /// Nothing is left out by default: held-out files, and trees made from a listing.
    #[serde(skip)]
    pub all: bool,
    /// The one file that is the task's own: no part of the tree whatever `keep` says.
    #[serde(skip)]
    pub task_file: Option<RelPath>,
    /// Where this program itself is going to write: no part of the tree, there or not.
    #[serde(skip)]
    pub output: Option<RelPath>,
}

/// Something that is there and not in the listing, with all below it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LeftOut {
    /// Where it is.
    pub path: RelPath,
    /// Why it is left out.
    pub reason: Reason,
}

/// Why something is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// The caller said so.
    Excluded,
    /// The store of a version control system, or a file that points to one.
    VersionControl,
    /// What a build writes.
    BuildOutput,
    /// Packages that a package manager installed.
    Packages,
    /// A Python environment.
    Environment,
    /// A cache known by its name.
    Cache,
    /// A directory with a valid `CACHEDIR.TAG` (<https://bford.info/cachedir/>).
    CacheTag,
    /// A directory that an earlier run of this program wrote.
    RunDirectory,
    /// The file that says how the tree is measured.
    TaskFile,
    /// Neither file, directory nor link: never opened, and cannot be kept.
    Special(Special),
}

/// A kind of thing that cannot be copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Special {
    /// A named pipe.
    Fifo,
    /// A socket.
    Socket,
    /// A character or block device.
    Device,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Excluded => "excluded",
            Self::VersionControl => "version control",
            Self::BuildOutput => "build output",
            Self::Packages => "installed packages",
            Self::Environment => "Python environment",
            Self::Cache => "cache",
            Self::CacheTag => "tagged CACHEDIR.TAG",
            Self::RunDirectory => "output of an earlier run",
            Self::TaskFile => "task file",
            Self::Special(Special::Fifo) => "named pipe",
            Self::Special(Special::Socket) => "socket",
            Self::Special(Special::Device) => "device",
        })
    }
}

/// The first bytes of a `CACHEDIR.TAG` that counts.
pub(super) const CACHE_TAG: &[u8] = b"Signature: 8a477f597d28d172789f06886806bc55";

/// The reason to leave out an entry by its name alone.
pub(super) fn by_name(name: &[u8], is_directory: bool) -> Option<Reason> {
    match name {
        // In a linked worktree or a submodule `.git` is a file.
        b".git" | b".hg" | b".svn" | b".jj" => Some(Reason::VersionControl),
        _ if !is_directory => None,
        b"target" => Some(Reason::BuildOutput),
        b"node_modules" => Some(Reason::Packages),
        b".venv" | b".tox" | b".nox" => Some(Reason::Environment),
        b"__pycache__" | b".pytest_cache" | b".mypy_cache" | b".ruff_cache" | b".hypothesis" => {
            Some(Reason::Cache)
        }
        _ => None,
    }
}

/// Items of a [`Choice`], remembering which of them met something.
pub(super) struct Items<'a> {
    items: &'a [RelPath],
    met: Vec<bool>,
}

impl<'a> Items<'a> {
    pub(super) fn new(items: &'a [RelPath]) -> Self {
        Self { items, met: vec![false; items.len()] }
    }

    /// Whether an item names `path`.
    pub(super) fn name(&mut self, path: &RelPath) -> bool {
        let mut any = false;
        for (item, met) in self.items.iter().zip(&mut self.met) {
            let by_name = !item.as_bytes().contains(&b'/') && item.as_bytes() == path.name();
            if by_name || item == path {
                *met = true;
                any = true;
            }
        }
        any
    }

    pub(super) fn unmatched(self) -> impl Iterator<Item = RelPath> {
        self.items.iter().zip(self.met).filter(|(_, met)| !met).map(|(item, _)| item.clone())
    }
}
