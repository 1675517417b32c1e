//! Small steps on open files and directories.

use std::ffi::{CStr, CString};
use std::fs::File;
use std::os::fd::{AsRawFd as _, BorrowedFd, OwnedFd};

use crate::tree::{open_directory_at, stat_at};
use rustix::fs::{
    Mode, OFlags, Timespec, Timestamps, XattrFlags, chmod, fchmod, fgetxattr, flistxattr,
    fremovexattr, fsetxattr, openat,
};
use rustix::io::Errno;

/// Extended attributes by name.
pub(super) type Attributes = Vec<(CString, Vec<u8>)>;

/// Makes the file `name`, which must not be there; mode 0600.
pub(super) fn create(directory: BorrowedFd<'_>, name: &CStr) -> Result<File, Errno> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(directory, name, flags, Mode::RUSR | Mode::WUSR).map(File::from)
}

/// Opens the file `name` itself for reading; a pipe put there cannot hold us.
pub(super) fn open_file(directory: BorrowedFd<'_>, name: &CStr) -> Result<File, Errno> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    openat(directory, name, flags, Mode::empty()).map(File::from)
}

/// Opens the directory `name` of `directory` for listing and entering, whatever mode a command gave it.
/// Not through a link, and not a mount point.
pub(super) fn open_private(directory: BorrowedFd<'_>, name: &CStr) -> Result<OwnedFd, Errno> {
    let met = stat_at(directory, name)?;
    if met.is_directory() && met.mode & 0o500 != 0o500 {
        make_accessible(directory, name)?;
    }
    open_directory_at(directory, name)
}

/// Gives the directory `name`, never what a link of that name points to, mode 0700.
pub(super) fn make_accessible(directory: BorrowedFd<'_>, name: &CStr) -> Result<(), Errno> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let fd = openat(directory, name, flags, Mode::empty())?;
    // A handle of this kind takes no `fchmod`, and reading is just what the mode may forbid.
    chmod(format!("/proc/self/fd/{}", fd.as_raw_fd()), Mode::RWXU)
}

/// Both times of a file set to `time`, seconds and nanoseconds since the epoch.
pub(super) fn times(time: (i64, u32)) -> Timestamps {
    let time = Timespec { tv_sec: time.0, tv_nsec: time.1.into() };
    Timestamps { last_access: time, last_modification: time }
}

/// The extended attributes of an open file or directory, by name.
pub(super) fn attributes(fd: BorrowedFd<'_>) -> Result<Attributes, Errno> {
    let list = match grow(|buffer| flistxattr(fd, buffer)) {
        Err(Errno::NOTSUP | Errno::NOSYS) => return Ok(Vec::new()),
        list => list?,
    };
    let mut found = Vec::new();
    for name in list.split(|&byte| byte == 0).filter(|name| !name.is_empty()) {
        let name = CString::new(name).expect("split at every NUL");
        let value = grow(|buffer| fgetxattr(fd, &*name, buffer))?;
        found.push((name, value));
    }
    found.sort_unstable();
    Ok(found)
}

/// Changes the extended attributes to `wanted`, touching only what differs.
pub(super) fn set_attributes(fd: BorrowedFd<'_>, wanted: &Attributes) -> Result<(), Errno> {
    let now = attributes(fd)?;
    for (name, _) in now.iter().filter(|(name, _)| !wanted.iter().any(|(kept, _)| kept == name)) {
        fremovexattr(fd, &**name)?;
    }
    for attribute in wanted.iter().filter(|attribute| !now.contains(attribute)) {
        fsetxattr(fd, &*attribute.0, &attribute.1, XattrFlags::empty())?;
    }
    Ok(())
}

/// Calls `fill` with a buffer until it is large enough: mostly once, with none of it used.
fn grow(mut fill: impl FnMut(&mut [u8]) -> Result<usize, Errno>) -> Result<Vec<u8>, Errno> {
    let mut size = 256;
    loop {
        let mut buffer = vec![0; size];
        match fill(&mut buffer) {
            // The largest value the kernel allows is 64 KiB.
            Err(Errno::RANGE) if size <= 1 << 16 => size *= 16,
            filled => {
                buffer.truncate(filled?);
                return Ok(buffer);
            }
        }
    }
}

/// A directory that is made writable at the first change in it, and then needs finishing.
pub(super) struct Unlocked<'a> {
    pub(super) fd: BorrowedFd<'a>,
    /// Its permission bits now.
    pub(super) mode: u32,
    pub(super) touched: bool,
}

impl Unlocked<'_> {
    pub(super) fn unlock(&mut self) -> Result<(), Errno> {
        self.touched = true;
        if self.mode & 0o700 != 0o700 {
            fchmod(self.fd, Mode::RWXU)?;
            self.mode = 0o700;
        }
        Ok(())
    }
}
