//! Walking a source tree: list first, then read and hash in parallel.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use rustix::fs::{Dir, FileType, OFlags, readlinkat};
use serde::Deserialize;
use sha2::Digest as _;

use super::choice::{CACHE_TAG, Items, by_name};
use super::open::{Met, open_below, open_root, stat_at, stat_fd};
use super::{Choice, Entry, Kind, LeftOut, Reason, Snapshot, Special, TreeError};
use crate::base::{Event, RelPath, Sha256, Sink};

/// A `run.json` beyond this many bytes is not looked into.
const MARKER_LIMIT: u64 = 64 << 20;

/// Lists the tree at `root`, hashing every file.
///
/// Tells `sink` what is left out, and warns once of things that cannot be copied.
///
/// # Errors
/// [`TreeError`]: the root is no directory, something in it cannot be read (named), it changed while
/// it was read, or it holds no file.
pub fn snapshot(root: &Path, choice: &Choice, sink: &dyn Sink) -> Result<Snapshot, TreeError> {
    let root = root.canonicalize().map_err(|source| TreeError::io("find", root, source))?;
    if !root.is_dir() {
        return Err(TreeError::NotADirectory(root));
    }
    let fd = open_root(&root).map_err(|source| TreeError::io("read", &root, source))?;
    let mut walk = Walk {
        root: &root,
        fd,
        keep: Items::new(&choice.keep),
        exclude: Items::new(&choice.exclude),
        found: Vec::new(),
        left_out: Vec::new(),
        inodes: HashSet::new(),
        hard_linked: 0,
        pending: Vec::new(),
    };
    walk.directory(None)?;
    while let Some(path) = walk.pending.pop() {
        walk.directory(Some(&path))?;
    }
    let Walk { fd, keep, exclude, found, mut left_out, hard_linked, .. } = walk;
    let read = |found: Found| found.entry(&root, &fd);
    let mut entries = found.into_par_iter().map(read).collect::<Result<Vec<_>, _>>()?;
    entries.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    left_out.sort_unstable();
    tell(&left_out, hard_linked, sink);
    if !entries.iter().any(|entry| matches!(entry.kind, Kind::File { .. })) {
        return Err(TreeError::NoFiles(root));
    }
    let unmatched = keep.unmatched().chain(exclude.unmatched()).collect();
    Ok(Snapshot { root, entries, left_out, unmatched })
}

fn tell(left_out: &[LeftOut], hard_linked: usize, sink: &dyn Sink) {
    let list = |special: bool| {
        let chosen =
            left_out.iter().filter(|out| special == matches!(out.reason, Reason::Special(_)));
        chosen.map(ToString::to_string).collect::<Vec<_>>().join(", ")
    };
    let (special, chosen) = (list(true), list(false));
    if !special.is_empty() {
        sink.tell(Event::Warning(format!("left out, since these cannot be copied: {special}")));
    }
    if !chosen.is_empty() {
        sink.tell(Event::Note(format!("left out of the copies: {chosen}")));
    }
    if hard_linked > 0 {
        sink.tell(Event::Note(format!(
            "{hard_linked} files of the tree are hard links to another file of it; each becomes a file of its own in the copies"
        )));
    }
}

struct Walk<'a> {
    root: &'a Path,
    fd: OwnedFd,
    keep: Items<'a>,
    exclude: Items<'a>,
    found: Vec<Found>,
    left_out: Vec<LeftOut>,
    /// Files with more than one name, to tell which of those names are in the tree.
    inodes: HashSet<((u32, u32), u64)>,
    hard_linked: usize,
    /// Directories to be listed: no recursion, so depth costs neither stack nor open files.
    pending: Vec<RelPath>,
}

/// Something to be listed, its content not read yet.
struct Found {
    path: RelPath,
    met: Met,
}

impl Walk<'_> {
    /// Lists the directory at `path`, or the root; the directories in it become pending.
    fn directory(&mut self, path: Option<&RelPath>) -> Result<(), TreeError> {
        let shown = path.map_or_else(|| self.root.to_owned(), |path| path.below(self.root));
        let failed = |source: rustix::io::Errno| TreeError::io("read", &shown, source);
        let flags = OFlags::RDONLY | OFlags::DIRECTORY;
        let bytes = path.map_or(b".".as_slice(), RelPath::as_bytes);
        let fd = open_below(self.fd.as_fd(), bytes, flags).map_err(failed)?;
        for entry in Dir::read_from(&fd).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name == "." || name == ".." {
                continue;
            }
            let path = match path {
                Some(parent) => parent.join(name),
                None => RelPath::new(name.as_bytes()).expect("a listed name is one good segment"),
            };
            let met = stat_at(fd.as_fd(), entry.file_name())
                .map_err(|source| TreeError::io("look at", &path.below(self.root), source))?;
            match self.reason(&path, &met)? {
                Some(reason) => self.left_out.push(LeftOut { path, reason }),
                None => self.take(path, met),
            }
        }
        Ok(())
    }

    fn take(&mut self, path: RelPath, met: Met) {
        if met.is_file() && met.links > 1 && !self.inodes.insert((met.device, met.inode)) {
            self.hard_linked += 1;
        }
        if met.is_directory() {
            self.pending.push(path.clone());
        }
        self.found.push(Found { path, met });
    }

    fn reason(&mut self, path: &RelPath, met: &Met) -> Result<Option<Reason>, TreeError> {
        let special = match FileType::from_raw_mode(met.mode) {
            FileType::RegularFile | FileType::Directory | FileType::Symlink => None,
            FileType::Fifo => Some(Special::Fifo),
            FileType::Socket => Some(Special::Socket),
            _ => Some(Special::Device),
        };
        if self.exclude.name(path) {
            return Ok(Some(Reason::Excluded));
        }
        if let Some(special) = special {
            return Ok(Some(Reason::Special(special)));
        }
        if self.keep.name(path) {
            return Ok(None);
        }
        if let Some(reason) = by_name(path.name(), met.is_directory()) {
            return Ok(Some(reason));
        }
        if met.is_directory() { self.by_content(path) } else { Ok(None) }
    }

    /// The reason to leave out a directory for what it holds.
    fn by_content(&self, path: &RelPath) -> Result<Option<Reason>, TreeError> {
        if path.name() == b"venv" && self.peek(path, "pyvenv.cfg", 0)?.is_some() {
            return Ok(Some(Reason::Environment));
        }
        let tag = self.peek(path, "CACHEDIR.TAG", CACHE_TAG.len() as u64)?;
        if tag.is_some_and(|bytes| bytes == CACHE_TAG) {
            return Ok(Some(Reason::CacheTag));
        }
        let marker = self.peek(path, "run.json", MARKER_LIMIT)?;
        Ok(marker.is_some_and(|bytes| marks_a_run(&bytes)).then_some(Reason::RunDirectory))
    }

    /// The first `limit` bytes of the regular file `name` in the directory `path`, if there is one.
    fn peek(&self, path: &RelPath, name: &str, limit: u64) -> Result<Option<Vec<u8>>, TreeError> {
        let path = path.join(OsStr::new(name));
        let shown = path.below(self.root);
        let Ok(met) = stat_at(self.fd.as_fd(), path.as_path()) else { return Ok(None) };
        if !met.is_file() {
            return Ok(None);
        }
        let file = open_file(&self.fd, self.root, &path)?;
        let mut bytes = Vec::new();
        file.take(limit)
            .read_to_end(&mut bytes)
            .map_err(|error| TreeError::io("read", &shown, error))?;
        Ok(Some(bytes))
    }
}

/// Whether this `run.json` was written by a run of this program.
fn marks_a_run(bytes: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Marker {
        format: String,
    }
    serde_json::from_slice::<Marker>(bytes)
        .is_ok_and(|marker| marker.format.starts_with("adequacy-run/"))
}

impl Found {
    fn entry(self, root: &Path, fd: &OwnedFd) -> Result<Entry, TreeError> {
        let Self { path, met } = self;
        let mode = met.permissions();
        let kind = match FileType::from_raw_mode(met.mode) {
            FileType::Directory => Kind::Directory { mode },
            FileType::Symlink => {
                let target = readlinkat(fd, path.as_path(), Vec::new())
                    .map_err(|source| TreeError::io("read the link", &path.below(root), source))?;
                Kind::Link {
                    target: PathBuf::from(std::ffi::OsString::from_vec(target.into_bytes())),
                }
            }
            _ => {
                let file = open_file(fd, root, &path)?;
                let (sha256, size) = hash(&file, &path.below(root))?;
                // Anything else than the same untouched file: it was written or replaced meanwhile.
                if stat_fd(&file).ok() != Some(met) || size != met.size {
                    return Err(TreeError::Changed(path.below(root)));
                }
                Kind::File { sha256, size, mode }
            }
        };
        Ok(Entry { path, kind })
    }
}

/// Opens the regular file at `path`; `NONBLOCK` so that a pipe put there meanwhile cannot hold us.
fn open_file(fd: &OwnedFd, root: &Path, path: &RelPath) -> Result<File, TreeError> {
    let shown = || path.below(root);
    let opened = open_below(fd.as_fd(), path.as_bytes(), OFlags::RDONLY | OFlags::NONBLOCK)
        .map_err(|source| TreeError::io("read", &shown(), source))?;
    let met = stat_fd(&opened).map_err(|source| TreeError::io("read", &shown(), source))?;
    if met.is_file() { Ok(File::from(opened)) } else { Err(TreeError::Changed(shown())) }
}

/// The digest and length of what is left to read in `file`, which stands at `shown`.
pub(super) fn hash(mut file: &File, shown: &Path) -> Result<(Sha256, u64), TreeError> {
    let mut hash = sha2::Sha256::new();
    let mut size = 0;
    let mut buffer = vec![0; 1 << 17];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok((Sha256::from_raw(hash.finalize().into()), size)),
            Ok(count) => {
                hash.update(&buffer[..count]);
                size += count as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(TreeError::io("read", shown, error)),
        }
    }
}

/// The bytes of the regular file at `path` below `root`, no link followed.
pub(super) fn read(root: &Path, path: &RelPath) -> Result<Vec<u8>, TreeError> {
    let fd = open_root(root).map_err(|source| TreeError::io("read", root, source))?;
    let mut bytes = Vec::new();
    let shown = path.below(root);
    open_file(&fd, root, path)?
        .read_to_end(&mut bytes)
        .map_err(|source| TreeError::io("read", &shown, source))?;
    Ok(bytes)
}
