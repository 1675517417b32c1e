//! Whether `stat` alone can tell that a file was not touched.

use std::ffi::CStr;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::fs::{AtFlags, Mode, OFlags, fchmod, fstatfs, openat, unlinkat};
use rustix::io::Errno;
use rustix::time::{ClockId, clock_gettime};

use serde::{Deserialize, Serialize};

use crate::tree::stat_fd;

/// How a workspace finds out what a command changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Soundness {
    /// By `stat`: on ext4, xfs and btrfs every change of content, mode, owner, name count or extended
    /// attribute moves `ctime`, which no process can set.
    Stat,
    /// By reading everything: on tmpfs a write through a mapping that was read before leaves `ctime`
    /// as it was, and other file systems were not shown to be better.
    Content,
}

/// `f_type` of the file systems where `ctime` can be trusted: ext4 (ext2 and ext3 share the number),
/// xfs, btrfs.
const TRUSTED: [u64; 3] = [0xEF53, 0x5846_5342, 0x9123_683E];

/// Decides for the file system of `directory`, in which a probe file is made for a moment.
pub(super) fn probe(directory: BorrowedFd<'_>) -> Result<Soundness, Errno> {
    let kind = fstatfs(directory)?.f_type as u64 & 0xffff_ffff;
    if !TRUSTED.contains(&kind) {
        return Ok(Soundness::Content);
    }
    // ext2, ext3 and ext4 with small inodes keep whole seconds only: no wait of a tick helps there.
    let name: &CStr = c"probe";
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    let file = openat(directory, name, flags, Mode::RWXU)?;
    let mut fine = true;
    for mode in [Mode::RUSR, Mode::RWXU, Mode::RUSR] {
        let before = stat_fd(&file)?.ctime;
        fine &= settle(before);
        fchmod(&file, mode)?;
        fine &= stat_fd(file.as_fd())?.ctime != before;
    }
    unlinkat(directory, name, AtFlags::empty())?;
    Ok(if fine { Soundness::Stat } else { Soundness::Content })
}

/// Waits until the clock that stamps files has passed `ctime`, so that a later change cannot carry
/// the same time; at most a tick unless the clock was set back, which gives `false`.
pub(super) fn settle(ctime: (i64, u32)) -> bool {
    let begun = Instant::now();
    loop {
        let now = clock_gettime(ClockId::RealtimeCoarse);
        if (now.tv_sec, now.tv_nsec) > (ctime.0, i64::from(ctime.1)) {
            return true;
        }
        if begun.elapsed() > Duration::from_secs(1) {
            return false;
        }
        sleep(Duration::from_micros(300));
    }
}
