//! The engine's own copy of every file content, each under the name of its digest.
//!
//! One flat directory serves the source tree and what workers adopt later: equal contents are kept
//! once, and odd names, deep paths and links of a tree never reach it. Every copy out of it is hashed,
//! so a command that found and altered it is caught, not believed.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{AtFlags, Mode, OFlags, RenameFlags, openat, renameat, renameat_with, unlinkat};
use rustix::io::Errno;
use sha2::Digest as _;

use super::WorkspaceError;
use super::bytecode::Header;
use crate::base::Sha256;

#[derive(Debug)]
pub(super) struct Store {
    fd: OwnedFd,
    path: PathBuf,
    next: AtomicU64,
}

/// What a copy found out about the bytes it moved.
pub(super) struct Copied {
    pub(super) sha256: Sha256,
    pub(super) size: u64,
    /// What they would say as Python bytecode.
    pub(super) header: Header,
}

impl Store {
    pub(super) fn new(fd: OwnedFd, path: PathBuf) -> Self {
        Self { fd, path, next: AtomicU64::new(0) }
    }

    /// Keeps what is left to read in `file`, which stands at `shown`.
    pub(super) fn keep(&self, file: &File, shown: &Path) -> Result<Copied, WorkspaceError> {
        let temporary = format!("new{}", self.next.fetch_add(1, Ordering::Relaxed));
        let at = self.path.join(&temporary);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let to = openat(&self.fd, &temporary, flags, Mode::RUSR | Mode::WUSR)
            .map_err(|source| WorkspaceError::io("write", &at, 0, source))?;
        let copied = copy(file, shown, &File::from(to), &at, &mut vec![0; 1 << 17]);
        let copied = copied.inspect_err(|_| {
            let _ = unlinkat(&self.fd, &temporary, AtFlags::empty());
        })?;
        let name = copied.sha256.to_string();
        // Not over an equal one: some file systems flush a file that replaces another.
        match renameat_with(&self.fd, &temporary, &self.fd, &name, RenameFlags::NOREPLACE) {
            Err(Errno::EXIST) => unlinkat(&self.fd, &temporary, AtFlags::empty()),
            Err(Errno::INVAL | Errno::NOSYS) => renameat(&self.fd, &temporary, &self.fd, &name),
            other => other,
        }
        .map_err(|source| WorkspaceError::io("write", &at, copied.size, source))?;
        Ok(copied)
    }

    /// Copies the content with the digest `sha256` to `to`, which stands at `shown`.
    pub(super) fn fetch(
        &self,
        sha256: Sha256,
        to: &File,
        shown: &Path,
        buffer: &mut [u8],
    ) -> Result<(), WorkspaceError> {
        let (from, at) = self.open(sha256)?;
        let copied = copy(&from, &at, to, shown, buffer)?;
        if copied.sha256 == sha256 { Ok(()) } else { Err(WorkspaceError::Altered(at)) }
    }

    /// Keeps what `other` has under the digest `sha256` too.
    pub(super) fn keep_from(&self, other: &Self, sha256: Sha256) -> Result<(), WorkspaceError> {
        let (from, at) = other.open(sha256)?;
        let copied = self.keep(&from, &at)?;
        if copied.sha256 == sha256 { Ok(()) } else { Err(WorkspaceError::Altered(at)) }
    }

    /// The content with the digest `sha256`, and where it stands.
    fn open(&self, sha256: Sha256) -> Result<(File, PathBuf), WorkspaceError> {
        let name = sha256.to_string();
        let at = self.path.join(&name);
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        match openat(&self.fd, &name, flags, Mode::empty()) {
            Err(Errno::NOENT | Errno::LOOP) => Err(WorkspaceError::Altered(at)),
            Err(source) => Err(WorkspaceError::io("read", &at, 0, source)),
            Ok(fd) => Ok((File::from(fd), at)),
        }
    }
}

/// Copies bytes and hashes them on the way.
pub(super) fn copy(
    mut from: &File,
    from_shown: &Path,
    mut to: &File,
    to_shown: &Path,
    buffer: &mut [u8],
) -> Result<Copied, WorkspaceError> {
    let mut hash = sha2::Sha256::new();
    let mut head = [0; 12];
    let mut size = 0_u64;
    loop {
        let count = match from.read(buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(WorkspaceError::io("read", from_shown, 0, error)),
        };
        let bytes = &buffer[..count];
        if size < 12 {
            let missing = &mut head[size as usize..];
            let some = missing.len().min(count);
            missing[..some].copy_from_slice(&bytes[..some]);
        }
        hash.update(bytes);
        size += count as u64;
        to.write_all(bytes).map_err(|error| WorkspaceError::io("write", to_shown, size, error))?;
    }
    Ok(Copied { sha256: Sha256::from_raw(hash.finalize().into()), size, header: Header::of(head) })
}
