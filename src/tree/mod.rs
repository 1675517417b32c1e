//! Stage 2: the immutable listing of a source tree, and the digests of what is protected.
//!
//! The tree is only ever read. No link is followed, no path is used as a pattern, no ignore file is
//! read, and names may be any bytes. What is left out of the listing is named with its reason.

mod choice;
mod copy;
mod globs;
mod open;
pub mod patch;
mod protected;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod walk;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use sha2::Digest as _;

use crate::base::{RelPath, Sha256};
use patch::{FileKind, FileState};

pub use choice::{Choice, LeftOut, Reason, Special};
pub use globs::{BadGlob, Globs};
pub(crate) use open::{Met, hash, open_below, open_directory_at, open_root, stat_at, stat_fd};
pub use protected::{
    Covered, ProtectedError, Seen, Standing, digest_of, directory, file, heldout, standing,
};
pub use walk::snapshot;

/// The listing of a tree at one moment: what was there, with the digest of every file.
///
/// Contents stay on disk; [`Snapshot::read`] fetches one and checks that it is still the same.
#[derive(Debug, Clone)]
pub struct Snapshot {
    root: PathBuf,
    entries: Vec<Entry>,
    left_out: Vec<LeftOut>,
    unmatched: Vec<RelPath>,
}

/// One thing below the root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Where it is.
    pub path: RelPath,
    /// What it is.
    pub kind: Kind,
}

/// What stands at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File {
        /// The digest of its bytes.
        sha256: Sha256,
        /// Its length in bytes.
        size: u64,
        /// Its permission bits (`0o777`); set-id and sticky bits are not kept.
        mode: u32,
    },
    /// A directory, possibly empty.
    Directory {
        /// Its permission bits (`0o777`).
        mode: u32,
    },
    /// A symbolic link, never followed.
    Link {
        /// The text of the link, which may point anywhere or nowhere.
        target: PathBuf,
    },
}

/// A tree could not be listed or read.
#[derive(Debug, thiserror::Error)]
pub enum TreeError {
    /// The root is not a directory.
    #[error("{0:?} is not a directory")]
    NotADirectory(PathBuf),
    /// Nothing is left to work on.
    #[error("`{}` holds no file to work on; {}", root.display(), nothing_left(left_out))]
    NoFiles {
        /// The root.
        root: PathBuf,
        /// What it does hold.
        left_out: Vec<LeftOut>,
    },
    /// A file is not what the listing says.
    #[error("{0:?} changed while the tree was in use; run again when nothing writes to it")]
    Changed(PathBuf),
    /// The path is no file of the listing.
    #[error("`{0}` is no file of the tree")]
    NoSuchFile(RelPath),
    /// The system refused.
    #[error("cannot {action} {path:?}: {source}")]
    Io {
        /// What was tried, a verb.
        action: &'static str,
        /// Where.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
}

/// Why nothing is left, and what to do.
fn nothing_left(left_out: &[LeftOut]) -> String {
    if left_out.is_empty() {
        return "give the directory that holds your sources as the path".to_owned();
    }
    let left_out = left_out.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    format!("left out: {left_out}; `--keep NAME` keeps one")
}

impl TreeError {
    pub(crate) fn io(action: &'static str, path: &Path, source: impl Into<io::Error>) -> Self {
        Self::Io { action, path: path.to_owned(), source: source.into() }
    }
}

impl Snapshot {
    /// The directory that was listed, absolute and without links.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Everything in the listing, by path bytes, so a directory stands before what it holds.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// What the listing does not hold though it is there, by path bytes.
    #[must_use]
    pub fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }

    /// Items of the [`Choice`] that met nothing in the tree, which mostly is a typing error.
    #[must_use]
    pub fn unmatched(&self) -> &[RelPath] {
        &self.unmatched
    }

    /// The entry at `path`.
    #[must_use]
    pub fn get(&self, path: &RelPath) -> Option<&Entry> {
        let at = self.entries.binary_search_by(|entry| entry.path.cmp(path)).ok()?;
        Some(&self.entries[at])
    }

    /// Whether a regular file stands at `path`, or could: nothing is there, and nothing above it is a
    /// file or a link.
    #[must_use]
    pub fn can_hold_file(&self, path: &RelPath) -> bool {
        let bytes = path.as_bytes();
        let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
        let mut above = ends.filter_map(|end| RelPath::new(&bytes[..end]).ok());
        let open = |path: RelPath| {
            self.get(&path).is_none_or(|entry| matches!(entry.kind, Kind::Directory { .. }))
        };
        let own = self.get(path).is_none_or(|entry| matches!(entry.kind, Kind::File { .. }));
        own && above.all(open)
    }

    /// The digest of the regular file at `path`, if there is one.
    #[must_use]
    pub fn file(&self, path: &RelPath) -> Option<&Sha256> {
        match &self.get(path)?.kind {
            Kind::File { sha256, .. } => Some(sha256),
            Kind::Directory { .. } | Kind::Link { .. } => None,
        }
    }

    /// The regular files in order: path, digest, length in bytes.
    pub fn files(&self) -> impl Iterator<Item = (&RelPath, &Sha256, u64)> {
        self.entries.iter().filter_map(|entry| match &entry.kind {
            Kind::File { sha256, size, .. } => Some((&entry.path, sha256, *size)),
            Kind::Directory { .. } | Kind::Link { .. } => None,
        })
    }

    /// The bytes of the file at `path`, read from the source now.
    ///
    /// # Errors
    /// [`TreeError::NoSuchFile`] when the listing has no file there, [`TreeError::Changed`] when its
    /// bytes are no longer the listed ones, [`TreeError::Io`] when it cannot be read.
    pub fn read(&self, path: &RelPath) -> Result<Vec<u8>, TreeError> {
        let sha256 = self.file(path).ok_or_else(|| TreeError::NoSuchFile(path.clone()))?;
        let bytes = walk::read(&self.root, path)?;
        if Sha256::of(&bytes) == *sha256 {
            Ok(bytes)
        } else {
            Err(TreeError::Changed(path.below(&self.root)))
        }
    }

    /// The file or link at `path` as patches see it; nothing where a directory stands or nothing does.
    ///
    /// # Errors
    /// Those of [`Snapshot::read`].
    pub fn state(&self, path: &RelPath) -> Result<Option<FileState>, TreeError> {
        let Some(entry) = self.get(path) else { return Ok(None) };
        Ok(match &entry.kind {
            Kind::File { mode, .. } => {
                let executable = mode & 0o111 != 0;
                let kind = if executable { FileKind::Executable } else { FileKind::Plain };
                Some(FileState { bytes: self.read(path)?, kind })
            }
            Kind::Directory { .. } => None,
            Kind::Link { target } => {
                let bytes = target.as_os_str().as_encoded_bytes().to_vec();
                Some(FileState { bytes, kind: FileKind::Link })
            }
        })
    }

    /// Bytes of all files together.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.files().map(|(_, _, size)| size).sum()
    }

    /// A path whose entry is not the same in `other`: changed, gone or new.
    #[must_use]
    pub fn first_difference<'s>(&'s self, other: &'s Self) -> Option<&'s RelPath> {
        let differs = |entry: &&Entry, there: &Self| there.get(&entry.path) != Some(*entry);
        let gone = self.entries.iter().find(|entry| differs(entry, other));
        let new = || other.entries.iter().find(|entry| differs(entry, self));
        gone.or_else(new).map(|entry| &entry.path)
    }

    /// One digest over the whole listing.
    ///
    /// SHA-256 over `adequacy-tree/1` and a line feed, then for every entry in order: one letter
    /// (`f` file, `x` file with any execute bit, `d` directory, `l` link), the length of the path as
    /// eight bytes, big end first, the path, and then nothing for a directory, the raw digest of the
    /// bytes for a file, the raw digest of the target for a link. Other mode bits and times are no
    /// part of it. Lengths go first, so no name can pass for another entry.
    #[must_use]
    pub fn digest(&self) -> Sha256 {
        let mut hash = sha2::Sha256::new();
        hash.update(b"adequacy-tree/1\n");
        for entry in &self.entries {
            let (letter, content) = match &entry.kind {
                Kind::File { sha256, mode, .. } if mode & 0o111 != 0 => (b"x", Some(*sha256)),
                Kind::File { sha256, .. } => (b"f", Some(*sha256)),
                Kind::Directory { .. } => (b"d", None),
                Kind::Link { target } => {
                    (b"l", Some(Sha256::of(target.as_os_str().as_encoded_bytes())))
                }
            };
            hash.update(letter);
            hash.update((entry.path.as_bytes().len() as u64).to_be_bytes());
            hash.update(entry.path.as_bytes());
            if let Some(content) = content {
                hash.update(content.as_raw());
            }
        }
        Sha256::from_raw(hash.finalize().into())
    }
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` ({})", self.path, self.reason)
    }
}
