//! The golden copy: what every workspace starts from and comes back to.

use std::ffi::CString;
use std::fs::File;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;
use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::time::{ClockId, clock_gettime};

use super::listing::{Content, Listing, Node};
use super::store::Store;
use super::{Bytecode, DIRECTORIES, HELD_OUT, Scratch, TREE, WorkspaceError};
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
    /// Of sources outside, what workspaces are to have from the beginning.
    pub bytecode: Option<&'a Bytecode>,
}

/// The engine's own copy of the sources. Cheap to clone.
///
/// Contents are hashed while they are copied and must be those of the snapshot. Every file, directory
/// and link of a workspace gets one fresh time, a whole second at which this copy was made or just
/// before: a cleaner of old files leaves it alone. It is one that no bytecode in the tree names as the
/// time of its source, so that such bytecode is void.
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
        let private = |path: &str| Node::directory(path.as_bytes(), 0o700, UNDATED);
        let mut nodes: Vec<_> = DIRECTORIES.into_iter().map(private).collect();
        nodes.extend(copy(&scratch.store, TREE, sources.tree)?);
        if let Some(heldout) = sources.heldout {
            nodes.push(private(HELD_OUT));
            nodes.extend(copy(&scratch.store, HELD_OUT, heldout)?);
        }
        for (path, target) in sources.links {
            nodes.push(link(sources.tree, path, target)?);
        }
        if let Some(bytecode) = sources.bytecode {
            nodes.extend(bytecode.keep_in(&scratch.store)?);
        }
        let mut listing = Listing::new(nodes);
        let mut time = clock_gettime(ClockId::Realtime).tv_sec;
        while listing.names_time(time) {
            time -= 1;
        }
        listing.date((time, 0));
        let (store, listing) = (Arc::clone(&scratch.store), Arc::new(listing));
        Ok(Self { store, listing, time })
    }
}

/// Until the time of the copy is chosen.
pub(super) const UNDATED: (i64, u32) = (0, 0);

/// A link that the tree does not have.
fn link(tree: &Snapshot, path: &RelPath, target: &Path) -> Result<Node, WorkspaceError> {
    let refused = || WorkspaceError::CannotLink(path.clone());
    if let Some(slash) = path.as_bytes().iter().rposition(|&byte| byte == b'/') {
        let parent = RelPath::new(&path.as_bytes()[..slash]).map_err(|_| refused())?;
        let parent = tree.get(&parent).ok_or_else(refused)?;
        if !matches!(parent.kind, Kind::Directory { .. }) {
            return Err(refused());
        }
    }
    if tree.get(path).is_some() {
        return Err(refused());
    }
    let target = CString::new(target.as_os_str().as_bytes()).map_err(|_| refused())?;
    Ok(Node::new(&in_part(TREE, path), 0, UNDATED, Content::Link(target)))
}

/// The path from the root of a workspace of what is at `path` in one of its parts.
pub(super) fn in_part(part: &str, path: &RelPath) -> Vec<u8> {
    [part.as_bytes(), b"/", path.as_bytes()].concat()
}

fn copy(store: &Store, part: &str, snapshot: &Snapshot) -> Result<Vec<Node>, WorkspaceError> {
    let root = open_root(snapshot.root())
        .map_err(|source| WorkspaceError::io("read", snapshot.root(), 0, source))?;
    let node = |entry: &Entry| -> Result<Node, WorkspaceError> {
        let path = in_part(part, &entry.path);
        Ok(match &entry.kind {
            Kind::Directory { mode } => Node::directory(&path, *mode, UNDATED),
            Kind::Link { target } => {
                let target = CString::new(target.as_os_str().as_bytes());
                let target = target.expect("a target read from a link holds no NUL");
                Node::new(&path, 0, UNDATED, Content::Link(target))
            }
            Kind::File { mode, .. } => {
                Node::new(&path, *mode, UNDATED, copy_file(store, snapshot, &root, entry)?)
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
