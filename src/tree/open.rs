//! Opening and looking without ever following a link.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Mode, OFlags, ResolveFlags, StatxFlags, openat, openat2, statx,
};
use rustix::io::Errno;
use sha2::Digest as _;

use super::TreeError;
use crate::base::{RelPath, Sha256};

/// What the system says about a thing, without its access time.
///
/// Two equal values with the same `ctime` mean the same untouched thing only where the file system
/// moves `ctime` at every change; who relies on that says where it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Met {
    pub(crate) device: (u32, u32),
    pub(crate) inode: u64,
    /// Type and all permission bits.
    pub(crate) mode: u32,
    pub(crate) owner: (u32, u32),
    pub(crate) links: u32,
    pub(crate) size: u64,
    /// Seconds and nanoseconds since the epoch.
    pub(crate) mtime: (i64, u32),
    pub(crate) ctime: (i64, u32),
}

impl Met {
    pub(crate) fn is(&self, kind: FileType) -> bool {
        FileType::from_raw_mode(self.mode) == kind
    }

    pub(crate) fn is_directory(&self) -> bool {
        self.is(FileType::Directory)
    }

    pub(crate) fn is_file(&self) -> bool {
        self.is(FileType::RegularFile)
    }

    /// The bits of `chmod` that the engine keeps.
    pub(crate) fn permissions(&self) -> u32 {
        self.mode & 0o777
    }
}

/// Looks at `name` in `directory` itself, not at what a link there points to.
pub(crate) fn stat_at(
    directory: BorrowedFd<'_>,
    name: impl rustix::path::Arg,
) -> Result<Met, Errno> {
    let flags = AtFlags::SYMLINK_NOFOLLOW | AtFlags::NO_AUTOMOUNT;
    met(statx(directory, name, flags, StatxFlags::BASIC_STATS)?)
}

/// Looks at an open thing.
pub(crate) fn stat_fd(fd: impl AsFd) -> Result<Met, Errno> {
    met(statx(fd, c"", AtFlags::EMPTY_PATH, StatxFlags::BASIC_STATS)?)
}

fn met(x: rustix::fs::Statx) -> Result<Met, Errno> {
    Ok(Met {
        device: (x.stx_dev_major, x.stx_dev_minor),
        inode: x.stx_ino,
        mode: u32::from(x.stx_mode),
        owner: (x.stx_uid, x.stx_gid),
        links: x.stx_nlink,
        size: x.stx_size,
        mtime: (x.stx_mtime.tv_sec, x.stx_mtime.tv_nsec),
        ctime: (x.stx_ctime.tv_sec, x.stx_ctime.tv_nsec),
    })
}

/// Opens a directory at an absolute or relative path, following links on the way to it.
pub(crate) fn open_root(path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(openat(CWD, path, flags, Mode::empty())?)
}

/// Opens the directory `name` of `directory` for reading: not through a link, and not a mount point.
///
/// A command run as root may have mounted something there, which must be neither emptied nor read.
pub(crate) fn open_directory_at(
    directory: BorrowedFd<'_>,
    name: impl rustix::path::Arg + Copy,
) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_XDEV;
    match openat2(directory, name, flags, Mode::empty(), resolve) {
        // Kernels before 5.6, and filters that do not know the call.
        Err(Errno::NOSYS | Errno::PERM) => {
            let opened = openat(directory, name, flags, Mode::empty())?;
            if stat_fd(&opened)?.device == stat_fd(directory)?.device {
                Ok(opened)
            } else {
                Err(Errno::XDEV)
            }
        }
        other => other,
    }
}

/// Opens `path`, relative to `root`, with no link followed at any of its segments.
pub(crate) fn open_below(
    root: BorrowedFd<'_>,
    path: &[u8],
    flags: OFlags,
) -> Result<OwnedFd, Errno> {
    let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
    match openat2(root, OsStr::from_bytes(path), flags, Mode::empty(), resolve) {
        Err(Errno::NOSYS | Errno::PERM | Errno::NAMETOOLONG) => {
            segment_by_segment(root, path, flags)
        }
        other => other,
    }
}

/// What the directory at `path` below `root` (open as `fd`) holds, in the order the system gives.
pub(super) fn list(
    root: &Path,
    fd: &OwnedFd,
    path: Option<&RelPath>,
) -> Result<Vec<(RelPath, Met)>, TreeError> {
    let shown = path.map_or_else(|| root.to_owned(), |path| path.below(root));
    let failed = |errno: Errno| TreeError::io("read", &shown, errno);
    let bytes = path.map_or(b".".as_slice(), RelPath::as_bytes);
    let flags = OFlags::RDONLY | OFlags::DIRECTORY;
    let directory = open_below(fd.as_fd(), bytes, flags).map_err(failed)?;
    let mut found = Vec::new();
    for entry in Dir::read_from(&directory).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        if name == "." || name == ".." {
            continue;
        }
        let path = match path {
            Some(parent) => parent.join(name),
            None => RelPath::new(name.as_bytes()).expect("a listed name is one good segment"),
        };
        let met = stat_at(directory.as_fd(), name)
            .map_err(|errno| TreeError::io("look at", &path.below(root), errno))?;
        found.push((path, met));
    }
    Ok(found)
}

/// The digest and length of what is left to read in `file`.
pub(crate) fn hash(mut file: &File, buffer: &mut [u8]) -> io::Result<(Sha256, u64)> {
    let mut hash = sha2::Sha256::new();
    let mut size = 0;
    loop {
        match file.read(buffer) {
            Ok(0) => return Ok((Sha256::from_raw(hash.finalize().into()), size)),
            Ok(count) => {
                hash.update(&buffer[..count]);
                size += count as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Hashes the regular file at `path` below `root`, which must look as it did when it was listed.
pub(super) fn hash_listed(
    root: &Path,
    fd: &OwnedFd,
    path: &RelPath,
    met: &Met,
) -> Result<Sha256, TreeError> {
    let shown = path.below(root);
    let file = open_file(root, fd, path)?;
    let (sha256, size) =
        hash(&file, &mut vec![0; 1 << 17]).map_err(|error| TreeError::io("read", &shown, error))?;
    // Looks are compared after reading: a change before or meanwhile shows in one of the two.
    if stat_fd(&file).ok().as_ref() != Some(met) || size != met.size {
        return Err(TreeError::Changed(shown));
    }
    Ok(sha256)
}

/// Opens the regular file at `path` below `root`; a pipe put there meanwhile cannot hold us.
pub(super) fn open_file(root: &Path, fd: &OwnedFd, path: &RelPath) -> Result<File, TreeError> {
    let shown = path.below(root);
    let failed = |errno: Errno| TreeError::io("read", &shown, errno);
    let flags = OFlags::RDONLY | OFlags::NONBLOCK;
    let opened = open_below(fd.as_fd(), path.as_bytes(), flags).map_err(failed)?;
    if stat_fd(&opened).map_err(failed)?.is_file() {
        Ok(File::from(opened))
    } else {
        Err(TreeError::Changed(shown))
    }
}

fn segment_by_segment(root: BorrowedFd<'_>, path: &[u8], flags: OFlags) -> Result<OwnedFd, Errno> {
    let on_the_way = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut at: Option<OwnedFd> = None;
    let mut rest = path;
    while let Some(slash) = rest.iter().position(|&byte| byte == b'/') {
        let from = at.as_ref().map_or(root, AsFd::as_fd);
        at = Some(openat(from, OsStr::from_bytes(&rest[..slash]), on_the_way, Mode::empty())?);
        rest = &rest[slash + 1..];
    }
    let from = at.as_ref().map_or(root, AsFd::as_fd);
    openat(from, OsStr::from_bytes(rest), flags, Mode::empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn no_segment_may_be_a_link_either_way() {
        let scratch = tempfile::tempdir().unwrap();
        fs::create_dir_all(scratch.path().join("a/b")).unwrap();
        fs::write(scratch.path().join("a/b/file"), "x").unwrap();
        symlink("a", scratch.path().join("linked")).unwrap();
        symlink("file", scratch.path().join("a/b/link")).unwrap();
        let root = open_root(scratch.path()).unwrap();
        for open in [open_below, segment_by_segment] {
            let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            assert!(open(root.as_fd(), b"a/b/file", flags).is_ok());
            assert!(open(root.as_fd(), b"linked/b/file", flags).is_err());
            assert!(open(root.as_fd(), b"a/b/link", flags).is_err());
        }
    }
}
