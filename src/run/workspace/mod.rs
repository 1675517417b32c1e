//! Private workspaces for running commands, brought back byte for byte between runs.
//!
//! A [`Scratch`] directory holds the [`Golden`] copy of the sources and one [`Workspace`] a worker:
//!
//! ```text
//! w0/tree           the copy that commands run in, where a mutant is put in place
//! w0/heldout        the held-out files, if there are any: `../heldout` seen from the tree
//! w0/home  w0/tmp   empty at the start of every run
//! w0/cache          bytecode and build output, outside the tree
//! w0.layer          what commands write, where an overlay is mounted above w0
//! ```
//!
//! **Reset.** After a run, and only with a [`Certificate`] that nothing of it lives, the whole of `w0`
//! is compared with how it looked when it was last right, and what differs is made anew. Where `stat`
//! cannot be trusted contents are compared ([`Soundness`]). Without a certificate, or when a reset
//! fails, the directory is thrown away and copied afresh under another name ([`Workspace::replace`]).
//!
//! **Overlay.** [`Workspace::cover`] makes a folder for what commands write in an overlay mount above
//! `w0`. No command then writes in `w0` itself: a reset throws that folder away and brings back what
//! the engine put in place, whatever the size of the tree. What is to be adopted is written in `w0`.
//!
//! **Stale caches.** A mutant's time is a whole second that no file of the workspace had before, and
//! restored files get their old time back. The second is right because caches go back too: bytecode and
//! build output are part of what is reset, so whatever a cache recorded about a file, its time included,
//! is again true of the restored file. A cache outside the workspace meets a new time for every mutant.
//! Bytecode in the tree may name any time: neither copies nor mutants get one of those. Bytecode that Python uses
//! without looking at the source is never adopted, and in the tree it is deleted before a mutant is
//! put in place, as is that of the mutated module, and what cargo notes of builds that read it.
//!
//! **Limits.** A command run as root can mount a file system over its workspace (the reset then fails,
//! it never enters it), write to the disk's device, or set the clock back.

mod adopt;
mod bytecode;
mod error;
mod fingerprint;
mod golden;
mod handle;
mod layer;
mod listing;
mod outside;
mod remove;
mod restore;
mod scratch;
mod soundness;
mod stand;
mod store;
mod strays;
#[cfg(test)]
mod tests;
mod trash;
mod write;

use std::collections::BTreeSet;
use std::ffi::{CString, OsStr};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{CWD, Mode, mkdirat};
use rustix::io::Errno;
use rustix::time::{ClockId, clock_gettime};

use self::adopt::{Adopt, listed};
use self::handle::open_private;
use self::listing::{Content, Listing, Node};
use self::restore::{Restore, Seen};
use self::soundness::settle;
use self::strays::Strays;
use self::trash::Trash;
use self::write::Write;
use super::certificate::Certificate;
use crate::base::RelPath;
use crate::tree::{Globs, stat_at};

pub use error::WorkspaceError;
pub use golden::{Golden, Sources};
pub use outside::Bytecode;
pub use scratch::{Aside, Leftover, Scratch};
pub use soundness::Soundness;
pub use stand::Stand;

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
    trash: Arc<Trash>,
    soundness: Soundness,
    golden: Golden,
    worker: usize,
    /// Which of those who share the directory this is of.
    view: usize,
    /// How often the directory was replaced.
    replaced: u32,
    path: PathBuf,
    listing: Arc<Listing>,
    seen: Vec<Option<Seen>>,
    /// The latest time a mutant got, seconds since the epoch.
    latest: i64,
    /// What the engine put in place since the last reset lies at or below these nodes.
    touched: BTreeSet<usize>,
    /// The layer above it, if commands run there until the next reset.
    layer: Option<PathBuf>,
    /// What commands did to it beside homes and caches, as the last reset saw it.
    strays: Strays,
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
            view: 0,
            replaced: 0,
            path: scratch.path().join("w"),
            listing: Arc::clone(&golden.listing),
            seen: Vec::new(),
            latest: golden.time,
            touched: BTreeSet::new(),
            layer: None,
            strays: Strays::default(),
        };
        workspace.seen = vec![None; workspace.listing.nodes().len()];
        workspace.fill()?;
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

    /// A place that is not as it was when the workspace was last right, going by looks; not among the caches,
    /// nor where a [`Stand`] knows what is there.
    #[must_use]
    pub fn differing(&self, stand: Option<&Stand>) -> Option<PathBuf> {
        for (node, seen) in self.listing.nodes().iter().zip(&self.seen) {
            let path = self.path.join(OsStr::from_bytes(node.path.as_bytes()));
            let known = |name: &OsStr| {
                let entries = self.listing.entries(node.path.as_bytes());
                entries.iter().any(|entry| entry.name().to_bytes() == name.as_bytes())
            };
            if node.is_in(CACHE) || stand.is_some() && stand::is_private(node) {
                continue;
            }
            if let Content::Directory { .. } = node.content {
                let Ok(listed) = std::fs::read_dir(&path) else { return Some(path) };
                let mut names = listed.flatten().map(|entry| entry.file_name());
                if let Some(name) = names.find(|name| !known(name)) {
                    return Some(path.join(name));
                }
            } else if !stat_at(CWD, &path)
                .is_ok_and(|now| seen.as_ref().is_some_and(|seen| seen.met == now))
            {
                return Some(path);
            }
        }
        None
    }

    /// Puts a mutant in place: each file gets these bytes as a new inode, with the mode it had and a time
    /// that no file of this workspace had before. The workspace must be as made or reset.
    ///
    /// # Errors
    /// [`WorkspaceError::NotAFile`] for a path that is no regular file of the tree,
    /// [`WorkspaceError::NotWritten`] when reading it back gives other bytes, [`WorkspaceError::NoSpace`],
    /// or what the system says. The workspace then needs a reset.
    pub fn write(&mut self, files: &[(RelPath, Vec<u8>)]) -> Result<(), WorkspaceError> {
        let exact = clock_gettime(ClockId::Realtime);
        let now = exact.tv_sec;
        // Later than anything built so far: a build tool compares with the time of its last output.
        self.latest = self.latest.max(now) + 1;
        while self.listing.names_time(self.latest) {
            self.latest += 1;
        }
        let root = self.open()?;
        let mut write = Write {
            path: &self.path,
            root: root.as_fd(),
            listing: &self.listing,
            time: self.latest,
            compiled: (now, u32::try_from(exact.tv_nsec).unwrap_or(0)),
            touched: &mut self.touched,
        };
        write.files(files)
    }

    /// Brings everything back to what it was when the workspace was made, or to what was adopted since.
    ///
    /// # Errors
    /// Something cannot be brought back; the workspace must then be [replaced](Self::replace).
    pub fn reset(&mut self, certificate: Certificate) -> Result<(), WorkspaceError> {
        certificate.spend();
        self.strays.take();
        if let Some(layer) = &self.layer {
            self.strays.add_layer(&layer.join("upper"), &self.listing);
        }
        self.trash.look();
        let covered = self.uncover()?;
        let root = self.open()?;
        self.restore(root.as_fd(), false, covered)
    }

    /// The same, which never tells of the paths of the tree that these patterns name.
    #[must_use]
    pub fn permitting(mut self, patterns: Option<Globs>) -> Self {
        self.strays.permitted = patterns;
        self
    }

    /// From now on never tells of these paths below the workspace.
    pub fn get_used_to(&mut self, paths: BTreeSet<String>) {
        self.strays.usual = paths;
    }

    /// The paths, below the workspace, of files and links that commands made, changed or removed since the
    /// reset before the last, as the last saw it: the first few of them, in no promised order. Homes and
    /// caches are left out; so are permitted paths, and files that are as they were but for their times.
    pub fn take_strays(&mut self) -> Vec<String> {
        self.strays.take()
    }

    /// The same by throwing everything away and copying it afresh, whatever a command did.
    ///
    /// # Errors
    /// The old directory cannot be moved away, or the new one cannot be made; the workspace must then
    /// be [replaced](Self::replace).
    pub fn remake(&mut self, certificate: Certificate) -> Result<(), WorkspaceError> {
        certificate.spend();
        self.uncover()?;
        self.throw_away()?;
        self.fill()
    }

    /// Throws the directory away and copies it afresh under another name, so that a process that still
    /// lives there finds nothing of ours. What was adopted is forgotten: it may hold the old name.
    ///
    /// # Errors
    /// The old directory cannot be moved away, or the new one cannot be made.
    pub fn replace(&mut self) -> Result<(), WorkspaceError> {
        // One that cannot be moved away is in nobody's way: the next has another name.
        let _ = self.uncover();
        self.throw_away()?;
        self.replaced += 1;
        self.listing = Arc::clone(&self.golden.listing);
        self.seen = vec![None; self.listing.nodes().len()];
        self.fill()
    }

    /// Removes the directory and leaves none, which makes room: it must be [replaced](Self::replace)
    /// before anything else.
    ///
    /// # Errors
    /// The directory cannot be moved away.
    pub fn vacate(&mut self) -> Result<(), WorkspaceError> {
        // One that cannot be moved away goes with the scratch directory.
        let _ = self.uncover();
        self.throw_away()?;
        self.trash.wait();
        Ok(())
    }

    fn throw_away(&self) -> Result<(), WorkspaceError> {
        match remove::park(self.scratch.as_fd(), &self.name(), self.trash.as_fd()) {
            // A command deleted or moved it itself.
            Err(Errno::NOENT) => {}
            Err(errno) => return Err(WorkspaceError::io("remove", &self.path, 0, errno)),
            Ok(parked) => self.trash.remove(&parked),
        }
        Ok(())
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
            lacks: false,
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
        let (listing, seen) = listed(all);
        self.listing = Arc::new(listing);
        self.seen = seen;
        self.settle(latest)
    }

    /// Copies everything into a new directory.
    fn fill(&mut self) -> Result<(), WorkspaceError> {
        let name = self.name();
        self.path.set_file_name(OsStr::from_bytes(name.as_bytes()));
        mkdirat(&self.scratch, &*name, Mode::RWXU)
            .map_err(|errno| WorkspaceError::io("make", &self.path, 0, errno))?;
        let root = self.open()?;
        self.restore(root.as_fd(), true, false)
    }

    fn plain_name(&self) -> String {
        match self.replaced {
            0 => format!("w{}", self.worker),
            again => format!("w{}r{again}", self.worker),
        }
    }

    fn name(&self) -> CString {
        CString::new(self.plain_name()).expect("digits and letters hold no NUL")
    }

    fn open(&self) -> Result<OwnedFd, WorkspaceError> {
        open_private(self.scratch.as_fd(), &self.name())
            .map_err(|errno| WorkspaceError::io("read", &self.path, 0, errno))
    }

    /// With `covered`, where no command can have changed anything, only what the engine changed.
    fn restore(
        &mut self,
        root: BorrowedFd<'_>,
        fresh: bool,
        covered: bool,
    ) -> Result<(), WorkspaceError> {
        let touched = std::mem::take(&mut self.touched);
        if covered && touched.is_empty() {
            return Ok(());
        }
        let mut restore = Restore {
            root: &self.path,
            listing: &self.listing,
            store: &self.golden.store,
            seen: &mut self.seen,
            soundness: self.soundness,
            strays: (!covered && !fresh).then_some(&mut self.strays),
            touched: &touched,
            only: covered.then_some(&touched),
            trash: self.trash.as_fd(),
            buffer: vec![0; 1 << 17],
            latest: None,
        };
        restore.directory(root, 0, fresh)?;
        let latest = restore.latest;
        // Below a layer nothing but what the engine notes can change it: no need to tell times apart.
        if covered { Ok(()) } else { self.settle(latest) }
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
