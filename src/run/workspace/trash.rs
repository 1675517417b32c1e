//! Where directories go that are being removed, and the thread that removes them beside the run.
//!
//! What was moved there is in nobody's way. On a file system that tells its disk of every block it
//! frees, removing even an empty layer takes longer than a short command does.

use std::collections::VecDeque;
use std::ffi::{CStr, CString};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use rustix::fs::fstatvfs;

use super::remove::remove;

/// Directories that may lie there at one time; who brings one more removes it itself.
const MOST: usize = 16;

/// Free bytes below which a file system counts as full.
const ROOM: u64 = 1 << 20;

/// Free bytes below which nothing is left lying there: somebody may need the room.
const PLENTY: u64 = 1 << 30;

/// The directory, and what is left to remove in it.
#[derive(Debug)]
pub(super) struct Trash {
    fd: OwnedFd,
    left: Mutex<Left>,
    changed: Condvar,
    /// How often the file system was full when a removal began.
    full: AtomicU64,
}

#[derive(Debug, Default)]
struct Left {
    names: VecDeque<CString>,
    /// Whether the thread is removing one.
    busy: bool,
    /// Whether a thread takes names.
    swept: bool,
}

/// The thread; it ends, with everything removed, when this is dropped.
#[derive(Debug)]
pub(super) struct Sweeper {
    trash: Arc<Trash>,
    thread: Option<JoinHandle<()>>,
}

impl Trash {
    pub(super) fn new(fd: OwnedFd) -> Self {
        let (left, changed, full) = (Mutex::default(), Condvar::new(), AtomicU64::new(0));
        Self { fd, left, changed, full }
    }

    /// Removes `name`, which was moved here, as soon as the thread comes to it.
    pub(super) fn leave(&self, name: CString) {
        let plenty = self.free().is_some_and(|(bytes, files)| bytes >= PLENTY && files > 0);
        let mut left = self.left();
        if plenty && left.swept && left.names.len() < MOST {
            left.names.push_back(name);
            self.changed.notify_all();
        } else {
            drop(left);
            self.remove(&name);
        }
    }

    /// Removes `name`, which was moved here. What cannot be removed goes with the scratch directory.
    pub(super) fn remove(&self, name: &CStr) {
        self.look();
        let _ = remove(self.as_fd(), name, self.as_fd());
    }

    /// Waits until nothing is left to remove.
    pub(super) fn wait(&self) {
        let idle = |left: &mut Left| left.busy || !left.names.is_empty();
        drop(self.changed.wait_while(self.left(), idle));
    }

    /// Whether the file system has no room left to speak of.
    pub(super) fn is_full(&self) -> bool {
        self.free().is_some_and(|(bytes, files)| bytes < ROOM || files == 0)
    }

    /// The bytes, and how many files more, there is room for.
    fn free(&self) -> Option<(u64, u64)> {
        let stat = fstatvfs(&self.fd).ok()?;
        // Some file systems have no fixed number of files and say 0.
        let files = if stat.f_files > 0 { stat.f_favail } else { u64::MAX };
        Some((stat.f_bavail.saturating_mul(stat.f_frsize), files))
    }

    /// To be called before room is made: whether there was any shows no more afterwards.
    pub(super) fn look(&self) {
        if self.is_full() {
            self.full.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// How often there was no room when some was made.
    pub(super) fn times_full(&self) -> u64 {
        self.full.load(Ordering::SeqCst)
    }

    fn left(&self) -> MutexGuard<'_, Left> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes what is brought, until there is nothing and nobody brings more.
    fn sweep(&self) {
        let nothing = |left: &mut Left| left.swept && left.names.is_empty();
        loop {
            let left = self.changed.wait_while(self.left(), nothing);
            let mut left = left.unwrap_or_else(PoisonError::into_inner);
            let Some(name) = left.names.pop_front() else { return };
            left.busy = true;
            drop(left);
            self.remove(&name);
            self.left().busy = false;
            self.changed.notify_all();
        }
    }
}

impl AsFd for Trash {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

impl Sweeper {
    /// Where there is no thread to be had, who brings something removes it.
    pub(super) fn start(trash: &Arc<Trash>) -> Self {
        let theirs = Arc::clone(trash);
        trash.left().swept = true;
        let thread = thread::Builder::new().spawn(move || theirs.sweep()).ok();
        trash.left().swept = thread.is_some();
        Self { trash: Arc::clone(trash), thread }
    }
}

impl Drop for Sweeper {
    fn drop(&mut self) {
        self.trash.left().swept = false;
        self.trash.changed.notify_all();
        // One that panicked removes nothing more; the scratch directory goes as a whole.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}
