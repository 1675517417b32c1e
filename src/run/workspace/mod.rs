//! Private workspaces for running commands, brought back byte for byte between runs.
//!
//! A [`Scratch`] directory holds the [`Golden`] copy of the sources and one [`Workspace`] a worker:
//!
//! ```text
//! w0/tree           the copy that commands run in, where a mutant is put in place
//! w0/heldout        the held-out files, if there are any: `../heldout` seen from the tree
//! w0/home  w0/tmp   empty at the start of every run
//! w0/cache          bytecode and build output, outside the tree
//! ```
//!
//! **Reset.** After a run, and only with a [`Certificate`] that nothing of it lives, the whole of `w0`
//! is compared with how it looked when it was last right, and what differs is made anew. Where `stat`
//! cannot be trusted contents are compared ([`Soundness`]). Without a certificate, or when a reset
//! fails, the directory is thrown away and copied afresh under another name ([`Workspace::replace`]).
//!
//! **Stale caches.** A mutant's time is a whole second that no file of the workspace had before, and
//! restored files get their old time back. The second is right because caches go back too: bytecode and
//! build output are part of what is reset, so whatever a cache recorded about a file, its time included,
//! is again true of the restored file. A cache outside the workspace meets a new time for every mutant.
//! Bytecode in the tree may name any time: neither copies nor mutants get one of those. Bytecode that Python uses
//! without looking at the source is never adopted, and in the tree it is deleted before a mutant is
//! put in place, as is that of the mutated module.
//!
//! **Limits.** A command run as root can mount a file system over its workspace (the reset then fails,
//! it never enters it), write to the disk's device, or set the clock back.

mod adopt;
mod bytecode;
mod error;
mod golden;
mod handle;
mod listing;
mod remove;
mod restore;
mod scratch;
mod soundness;
mod store;
#[cfg(test)]
mod tests;
mod write;

use std::ffi::{CString, OsStr};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{Mode, mkdirat};
use rustix::io::Errno;
use rustix::time::{ClockId, clock_gettime};

use self::adopt::Adopt;
use self::handle::open_private;
use self::listing::{Listing, Node};
use self::restore::{Restore, Seen};
use self::soundness::settle;
use self::write::Write;
use super::certificate::Certificate;
use crate::base::RelPath;

pub use error::WorkspaceError;
pub use golden::{Golden, Sources};
pub use scratch::{Aside, Leftover, Scratch};
pub use soundness::Soundness;

const TREE: &str = "tree";
const HELD_OUT: &str = "heldout";
const HOME: &str = "home";
const TMP: &str = "tmp";
const CACHE: &str = "cache";
const PYCACHE: &str = "cache/pycache";

/// Every directory of a workspace but the held-out one.
const DIRECTORIES: [&str; 13] = [
    "",
    TREE,
    HOME,
    TMP,
    CACHE,
    PYCACHE,
    "cache/target",
    "home/.cache",
    "home/.config",
    "home/.local",
    "home/.local/share",
    "home/.local/state",
    "home/.run",
];

/// The private directory of one worker.
#[derive(Debug)]
pub struct Workspace {
    scratch: Arc<OwnedFd>,
    trash: Arc<OwnedFd>,
    soundness: Soundness,
    golden: Golden,
    worker: usize,
    /// How often the directory was replaced.
    replaced: u32,
    path: PathBuf,
    listing: Arc<Listing>,
    seen: Vec<Option<Seen>>,
    /// The latest time a mutant got, seconds since the epoch.
    latest: i64,
}

/// What [`Workspace::adopt`] takes over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Bytecode and build output, after a good run of the unmutated tree: later runs start warm.
    Caches,
    /// The tree and the home directory too, after the setup command.
    Everything,
}

impl Workspace {
    /// Makes the workspace of worker number `worker`, a full copy of `golden`.
    ///
    /// # Errors
    /// [`WorkspaceError`]: no space, or what the system says.
    pub fn create(
        scratch: &Scratch,
        golden: &Golden,
        worker: usize,
    ) -> Result<Self, WorkspaceError> {
        let mut workspace = Self {
            scratch: Arc::clone(&scratch.fd),
            trash: Arc::clone(&scratch.trash),
            soundness: scratch.soundness(),
            golden: golden.clone(),
            worker,
            replaced: 0,
            path: scratch.path().join("w"),
            listing: Arc::clone(&golden.listing),
            seen: Vec::new(),
            latest: golden.time,
        };
        workspace.make()?;
        Ok(workspace)
    }

    /// The directory that holds all the others; commands may write anywhere in it.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The copy of the tree, the working directory of commands.
    #[must_use]
    pub fn tree(&self) -> PathBuf {
        self.path.join(TREE)
    }

    /// The directory for `TMPDIR`.
    #[must_use]
    pub fn tmp(&self) -> PathBuf {
        self.path.join(TMP)
    }

    /// Puts a mutant in place: each file gets these bytes as a new inode, with the mode it had and a time
    /// that no file of this workspace had before. The workspace must be as made or reset.
    ///
    /// # Errors
    /// [`WorkspaceError::NotAFile`] for a path that is no regular file of the tree,
    /// [`WorkspaceError::NotWritten`] when reading it back gives other bytes, [`WorkspaceError::NoSpace`],
    /// or what the system says. The workspace then needs a reset.
    pub fn write(&mut self, files: &[(RelPath, Vec<u8>)]) -> Result<(), WorkspaceError> {
        let now = clock_gettime(ClockId::Realtime).tv_sec;
        // Later than anything built so far: a build tool compares with the time of its last output.
        self.latest = self.latest.max(now) + 1;
        while self.listing.names_time(self.latest) {
            self.latest += 1;
        }
        let root = self.open()?;
        let write = Write {
            path: &self.path,
            root: root.as_fd(),
            listing: &self.listing,
            time: self.latest,
        };
        write.files(files)
    }

    /// Brings everything back to what it was when the workspace was made, or to what was adopted since.
    ///
    /// # Errors
    /// Something cannot be brought back; the workspace must then be [replaced](Self::replace).
    pub fn reset(&mut self, certificate: Certificate) -> Result<(), WorkspaceError> {
        certificate.spend();
        let root = self.open()?;
        self.restore(root.as_fd(), false)
    }

    /// Throws the directory away and copies it afresh under another name, so that a process that still
    /// lives there finds nothing of ours. What was adopted is forgotten: it may hold the old name.
    ///
    /// # Errors
    /// The old directory cannot be moved away, or the new one cannot be made.
    pub fn replace(&mut self) -> Result<(), WorkspaceError> {
        match remove::park(self.scratch.as_fd(), &self.name(), self.trash.as_fd()) {
            // A command deleted or moved it itself.
            Err(Errno::NOENT) => {}
            Err(errno) => return Err(WorkspaceError::io("remove", &self.path, 0, errno)),
            // What does not go now goes with the scratch directory.
            Ok(parked) => drop(remove::remove(self.trash.as_fd(), &parked, self.trash.as_fd())),
        }
        self.replaced += 1;
        self.listing = Arc::clone(&self.golden.listing);
        self.make()
    }

    /// Takes the present state of what `scope` names as what resets come back to. What else a command
    /// changed stays until the next reset. Removed, not taken: pipes, sockets and devices, and bytecode
    /// below the cache prefix that Python would not compare with its source.
    ///
    /// # Errors
    /// Something cannot be read or stored; the workspace must then be [replaced](Self::replace).
    pub fn adopt(
        &mut self,
        scope: Scope,
        _certificate: &Certificate,
    ) -> Result<(), WorkspaceError> {
        let parts: &[&str] = match scope {
            Scope::Caches => &[CACHE],
            Scope::Everything => &[CACHE, TREE, HOME],
        };
        let root = self.open()?;
        let mut adopt = Adopt {
            root: &self.path,
            store: &self.golden.store,
            soundness: self.soundness,
            before: (&self.listing, &self.seen),
            trash: self.trash.as_fd(),
            found: Vec::new(),
        };
        for part in parts {
            let name = CString::new(*part).expect("a fixed name holds no NUL");
            adopt.directory(root.as_fd(), &name, part.as_bytes())?;
        }
        let found = adopt.found;
        let others = self.listing.nodes().iter().zip(&self.seen);
        let others = others.filter(|(node, _)| !parts.iter().any(|part| node.is_in(part)));
        let mut all: Vec<(Node, Option<Seen>)> =
            others.map(|(node, seen)| (node.clone(), seen.clone())).collect();
        all.extend(found.into_iter().map(|(node, seen)| (node, Some(seen))));
        let latest = all.iter().filter_map(|(_, seen)| Some(seen.as_ref()?.met.ctime)).max();
        let listing = Listing::new(all.iter().map(|(node, _)| node.clone()).collect());
        let mut seen = vec![None; all.len()];
        for (node, one) in all {
            seen[listing.find(node.path.as_bytes()).expect("it was put there")] = one;
        }
        self.listing = Arc::new(listing);
        self.seen = seen;
        self.settle(latest)
    }

    /// Copies everything into a new directory.
    fn make(&mut self) -> Result<(), WorkspaceError> {
        let name = self.name();
        self.path.set_file_name(OsStr::from_bytes(name.as_bytes()));
        mkdirat(&self.scratch, &*name, Mode::RWXU)
            .map_err(|errno| WorkspaceError::io("make", &self.path, 0, errno))?;
        self.seen = vec![None; self.listing.nodes().len()];
        let root = self.open()?;
        self.restore(root.as_fd(), true)
    }

    fn name(&self) -> CString {
        let name = match self.replaced {
            0 => format!("w{}", self.worker),
            again => format!("w{}r{again}", self.worker),
        };
        CString::new(name).expect("digits and letters hold no NUL")
    }

    fn open(&self) -> Result<OwnedFd, WorkspaceError> {
        open_private(self.scratch.as_fd(), &self.name())
            .map_err(|errno| WorkspaceError::io("read", &self.path, 0, errno))
    }

    fn restore(&mut self, root: BorrowedFd<'_>, fresh: bool) -> Result<(), WorkspaceError> {
        let mut restore = Restore {
            root: &self.path,
            listing: &self.listing,
            store: &self.golden.store,
            seen: &mut self.seen,
            soundness: self.soundness,
            trash: self.trash.as_fd(),
            buffer: vec![0; 1 << 17],
            latest: None,
        };
        restore.directory(root, 0, fresh)?;
        let latest = restore.latest;
        self.settle(latest)
    }

    /// Waits until no change can carry a `ctime` that was noted.
    fn settle(&self, latest: Option<(i64, u32)>) -> Result<(), WorkspaceError> {
        match latest {
            Some(ctime) if self.soundness == Soundness::Stat && !settle(ctime) => {
                Err(WorkspaceError::Clock(self.path.clone()))
            }
            _ => Ok(()),
        }
    }
}
