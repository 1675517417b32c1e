//! Removing what a command left behind, whatever it did to it.

use std::ffi::{CStr, CString};
use std::os::fd::{AsFd as _, BorrowedFd};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{
    AtFlags, Dir, IFlags, Mode, OFlags, ioctl_getflags, ioctl_setflags, openat, renameat, unlinkat,
};
use rustix::io::Errno;

use super::handle::make_accessible;
use crate::tree::{open_directory_at, stat_at};

/// Directories nested deeper than this are moved up before they are emptied, so that depth costs
/// neither stack nor open files.
const DEPTH: usize = 64;

/// Attempts to empty a directory that something still fills.
const ATTEMPTS: usize = 8;

/// Removes `name` from `directory`, with all below it. Nothing is followed, links are removed as links,
/// and a mount point is an error (`EXDEV`), never emptied. `parking` is a directory of the same file
/// system where deep directories are put meanwhile.
pub(super) fn remove(
    directory: BorrowedFd<'_>,
    name: &CStr,
    parking: BorrowedFd<'_>,
) -> Result<(), Errno> {
    let mut parked = Vec::new();
    remove_at(directory, name, 0, parking, &mut parked)?;
    while let Some(name) = parked.pop() {
        remove_at(parking, &name, 0, parking, &mut parked)?;
    }
    Ok(())
}

fn remove_at(
    directory: BorrowedFd<'_>,
    name: &CStr,
    depth: usize,
    parking: BorrowedFd<'_>,
    parked: &mut Vec<CString>,
) -> Result<(), Errno> {
    match unlink(directory, name, AtFlags::empty()) {
        Err(Errno::ISDIR) => {}
        Err(Errno::NOENT) => return Ok(()),
        other => return other,
    }
    if stat_at(directory, name)?.mode & 0o700 != 0o700 {
        make_accessible(directory, name).or_else(|_| {
            clear_flags(directory, name)?;
            make_accessible(directory, name)
        })?;
    }
    if depth == DEPTH {
        parked.push(park(directory, name, parking)?);
        return Ok(());
    }
    for _ in 0..ATTEMPTS {
        let fd = open_directory_at(directory, name)?;
        for inner in names(fd.as_fd())? {
            remove_at(fd.as_fd(), &inner, depth + 1, parking, parked)?;
        }
        match unlink(directory, name, AtFlags::REMOVEDIR) {
            Err(Errno::NOTEMPTY | Errno::EXIST) => {}
            other => return other,
        }
    }
    Err(Errno::NOTEMPTY)
}

/// The names in a directory, without `.` and `..`.
pub(super) fn names(directory: BorrowedFd<'_>) -> Result<Vec<CString>, Errno> {
    let mut names = Vec::new();
    for entry in Dir::read_from(directory)? {
        let name = entry?.file_name().to_owned();
        if name.as_bytes() != b"." && name.as_bytes() != b".." {
            names.push(name);
        }
    }
    Ok(names)
}

/// Moves `name` into `parking` under a name that is free there.
pub(super) fn park(
    directory: BorrowedFd<'_>,
    name: &CStr,
    parking: BorrowedFd<'_>,
) -> Result<CString, Errno> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let parked = CString::new(format!("t{number}")).expect("digits hold no NUL");
    // Its entry for the directory above it changes, which its own mode must allow.
    let met = stat_at(directory, name)?;
    if met.is_directory() && met.mode & 0o700 != 0o700 {
        make_accessible(directory, name)?;
    }
    match renameat(directory, name, parking, &*parked) {
        Err(Errno::PERM) => {
            clear_flags(directory, name)?;
            renameat(directory, name, parking, &*parked)?;
        }
        other => other?,
    }
    Ok(parked)
}

fn unlink(directory: BorrowedFd<'_>, name: &CStr, flags: AtFlags) -> Result<(), Errno> {
    match unlinkat(directory, name, flags) {
        // `chattr +i` or `+a`, which a command run as root can set, on it or on its directory.
        Err(Errno::PERM) => {
            clear_flags(directory, name)?;
            clear_flags(directory, c".")?;
            unlinkat(directory, name, flags)
        }
        other => other,
    }
}

fn clear_flags(directory: BorrowedFd<'_>, name: &CStr) -> Result<(), Errno> {
    let met = stat_at(directory, name)?;
    if !met.is_file() && !met.is_directory() {
        return Ok(());
    }
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let fd = openat(directory, name, flags, Mode::empty())?;
    let set = ioctl_getflags(&fd)?;
    ioctl_setflags(&fd, set - IFlags::IMMUTABLE - IFlags::APPEND)
}
