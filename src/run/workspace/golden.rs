//! The golden copy: what every workspace starts from and comes back to.

use std::ffi::CString;
use std::fs::File;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;
use std::sync::Arc;

use rayon::prelude::*;
use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::time::{ClockId, clock_gettime};

use super::listing::{Content, Listing, Node};
use super::store::Store;
use super::{DIRECTORIES, HELD_OUT, Scratch, TREE, WorkspaceError};
use crate::base::RelPath;
use crate::tree::{Entry, Kind, Snapshot, open_below, open_root, stat_fd};

/// What to copy.
#[derive(Debug, Clone, Copy)]
pub struct Sources<'a> {
    /// The tree that commands run in.
    pub tree: &'a Snapshot,
    /// Placed beside it, at `../heldout`.
    pub heldout: Option<&'a Snapshot>,
    /// Links to make in the tree beside those it has, each from a path in it to an absolute target:
    /// for a directory that was left out and that commands need.
    pub links: &'a [(RelPath, PathBuf)],
}

/// The engine's own copy of the sources. Cheap to clone.
///
/// Contents are hashed while they are copied and must be those of the snapshot. Every file, directory
/// and link of a workspace gets one fresh time, the whole second in which this copy was made: a cleaner
/// of old files leaves it alone, and bytecode in the tree that goes by the source's time is void.
#[derive(Debug, Clone)]
pub struct Golden {
    pub(super) store: Arc<Store>,
    pub(super) listing: Arc<Listing>,
    /// Seconds since the epoch.
    pub(super) time: i64,
}

impl Golden {
    /// Copies the sources into `scratch`.
    ///
    /// # Errors
    /// [`WorkspaceError::Changed`] when a file is no longer what was listed,
    /// [`WorkspaceError::CannotLink`] for a link whose place is taken or whose directory is not in the
    /// tree, [`WorkspaceError::NoSpace`], or what the system says.
    pub fn create(scratch: &Scratch, sources: Sources<'_>) -> Result<Self, WorkspaceError> {
        let time = clock_gettime(ClockId::Realtime).tv_sec;
        let mut nodes = Vec::new();
        for path in DIRECTORIES {
            nodes.push(Node::directory(path.as_bytes(), 0o700, (time, 0)));
        }
        nodes.extend(copy(&scratch.store, TREE, sources.tree, time)?);
        if let Some(heldout) = sources.heldout {
            nodes.push(Node::directory(HELD_OUT.as_bytes(), 0o700, (time, 0)));
            nodes.extend(copy(&scratch.store, HELD_OUT, heldout, time)?);
        }
        for (path, target) in sources.links {
            let parent = path.as_bytes().iter().rposition(|&byte| byte == b'/').map(|slash| {
                RelPath::new(&path.as_bytes()[..slash]).expect("the front of a good path is good")
            });
            let has_parent = parent.is_none_or(|parent| {
                let entry = sources.tree.get(&parent);
                entry.is_some_and(|entry| matches!(entry.kind, Kind::Directory { .. }))
            });
            if !has_parent || sources.tree.get(path).is_some() {
                return Err(WorkspaceError::CannotLink(path.clone()));
            }
            let target = CString::new(target.as_os_str().as_bytes());
            let target = target.map_err(|_| WorkspaceError::CannotLink(path.clone()))?;
            nodes.push(Node::new(&in_part(TREE, path), 0, (time, 0), Content::Link(target)));
        }
        let listing = Arc::new(Listing::new(nodes));
        Ok(Self { store: Arc::clone(&scratch.store), listing, time })
    }
}

/// The path from the root of a workspace of what is at `path` in one of its parts.
pub(super) fn in_part(part: &str, path: &RelPath) -> Vec<u8> {
    [part.as_bytes(), b"/", path.as_bytes()].concat()
}

fn copy(
    store: &Store,
    part: &str,
    snapshot: &Snapshot,
    time: i64,
) -> Result<Vec<Node>, WorkspaceError> {
    let root = open_root(snapshot.root())
        .map_err(|source| WorkspaceError::io("read", snapshot.root(), 0, source))?;
    let node = |entry: &Entry| -> Result<Node, WorkspaceError> {
        let path = in_part(part, &entry.path);
        Ok(match &entry.kind {
            Kind::Directory { mode } => Node::directory(&path, *mode, (time, 0)),
            Kind::Link { target } => {
                let target = CString::new(target.as_os_str().as_bytes());
                let target = target.expect("a target read from a link holds no NUL");
                Node::new(&path, 0, (time, 0), Content::Link(target))
            }
            Kind::File { mode, .. } => {
                Node::new(&path, *mode, (time, 0), copy_file(store, snapshot, &root, entry)?)
            }
        })
    };
    snapshot.entries().par_iter().map(node).collect()
}

fn copy_file(
    store: &Store,
    snapshot: &Snapshot,
    root: &OwnedFd,
    entry: &Entry,
) -> Result<Content, WorkspaceError> {
    let shown = entry.path.below(snapshot.root());
    let Kind::File { sha256, mode, .. } = entry.kind else { unreachable!("asked for files only") };
    let flags = OFlags::RDONLY | OFlags::NONBLOCK;
    let file = match open_below(root.as_fd(), entry.path.as_bytes(), flags) {
        Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => {
            return Err(WorkspaceError::Changed(shown));
        }
        opened => opened.map_err(|source| WorkspaceError::io("read", &shown, 0, source))?,
    };
    let met = stat_fd(&file).map_err(|source| WorkspaceError::io("look at", &shown, 0, source))?;
    if !met.is_file() || met.permissions() != mode {
        return Err(WorkspaceError::Changed(shown));
    }
    let copied = store.keep(&File::from(file), &shown)?;
    if copied.sha256 != sha256 {
        return Err(WorkspaceError::Changed(shown));
    }
    Ok(Content::File { sha256, header: copied.header })
}
