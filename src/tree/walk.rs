//! Walking a source tree: list first, then read and hash in parallel.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::io::Read as _;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use rustix::fs::{FileType, readlinkat};
use serde::Deserialize;

use super::choice::{CACHE_TAG, Items, by_name};
use super::open::{Met, hash_listed, list, open_file, open_root, stat_at};
use super::{Choice, Entry, Kind, LeftOut, Reason, Snapshot, Special, TreeError};
use crate::base::{Event, RelPath, Sink};

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
        task_file: choice.task_file.as_ref(),
        output: choice.output.as_ref(),
        keep: Items::new(&choice.keep),
        all: choice.all,
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
        return Err(TreeError::NoFiles { root, left_out });
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
    task_file: Option<&'a RelPath>,
    output: Option<&'a RelPath>,
    keep: Items<'a>,
    all: bool,
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
        for (path, met) in list(self.root, &self.fd, path)? {
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
        if self.task_file == Some(path) {
            return Ok(Some(Reason::TaskFile));
        }
        if self.output == Some(path) {
            return Ok(Some(Reason::RunDirectory));
        }
        if self.exclude.name(path) {
            return Ok(Some(Reason::Excluded));
        }
        if let Some(special) = special {
            return Ok(Some(Reason::Special(special)));
        }
        if self.keep.name(path) || self.all {
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
        let file = open_file(self.root, &self.fd, &path)?;
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
                Kind::Link { target: PathBuf::from(OsString::from_vec(target.into_bytes())) }
            }
            _ => Kind::File { sha256: hash_listed(root, fd, &path, &met)?, size: met.size, mode },
        };
        Ok(Entry { path, kind })
    }
}

/// The bytes of the regular file at `path` below `root`, no link followed.
pub(super) fn read(root: &Path, path: &RelPath) -> Result<Vec<u8>, TreeError> {
    let fd = open_root(root).map_err(|source| TreeError::io("read", root, source))?;
    let mut bytes = Vec::new();
    let shown = path.below(root);
    open_file(root, &fd, path)?
        .read_to_end(&mut bytes)
        .map_err(|source| TreeError::io("read", &shown, source))?;
    Ok(bytes)
}
