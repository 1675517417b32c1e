//! Taking the present state of a part of a workspace as what it comes back to.

use std::ffi::CStr;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::path::Path;

use rustix::fs::{FileType, Mode, fchmod, readlinkat};
use rustix::io::Errno;

use super::handle::{Unlocked, attributes, open_file, open_private};
use super::listing::{Content, Listing, Node};
use super::remove::{names, remove};
use super::restore::{Seen, failed, shown};
use super::soundness::Soundness;
use super::store::Store;
use super::{PYCACHE, WorkspaceError};
use crate::tree::{Met, stat_at, stat_fd};

/// Walks the parts of a workspace that are adopted.
pub(super) struct Adopt<'a> {
    pub(super) root: &'a Path,
    pub(super) store: &'a Store,
    pub(super) soundness: Soundness,
    /// What the workspace came back to so far, and how that looked.
    pub(super) before: (&'a Listing, &'a [Option<Seen>]),
    pub(super) trash: BorrowedFd<'a>,
    /// The new nodes and how they look.
    pub(super) found: Vec<(Node, Seen)>,
    /// Whether something was removed, and not taken.
    pub(super) lacks: bool,
}

/// The nodes as a listing, and how each of them looks in its order; the root must be among them.
pub(super) fn listed(all: Vec<(Node, Option<Seen>)>) -> (Listing, Vec<Option<Seen>>) {
    let listing = Listing::new(all.iter().map(|(node, _)| node.clone()).collect());
    let mut seen = vec![None; all.len()];
    for (node, one) in all {
        seen[listing.find(node.path.as_bytes()).expect("it was put there")] = one;
    }
    (listing, seen)
}

impl Adopt<'_> {
    /// Takes the directory `name` of `parent`, whose path from the root of the workspace is `path`.
    pub(super) fn directory(
        &mut self,
        parent: BorrowedFd<'_>,
        name: &CStr,
        path: &[u8],
    ) -> Result<(), WorkspaceError> {
        let node = Node::directory(path, 0, (0, 0));
        let failed = failed(self.root, "read", &node);
        let mode = stat_at(parent, name).map_err(&failed)?.permissions();
        let fd = open_private(parent, name).map_err(&failed)?;
        let now = stat_fd(&fd).map_err(&failed)?.permissions();
        let mut open = Unlocked { fd: fd.as_fd(), mode: now, touched: false };
        for name in names(fd.as_fd()).map_err(&failed)? {
            let path = [path, b"/", name.as_bytes()].concat();
            let met = stat_at(fd.as_fd(), &*name).map_err(&failed)?;
            let taken = match FileType::from_raw_mode(met.mode) {
                FileType::Directory => self.directory(fd.as_fd(), &name, &path).map(|()| true)?,
                FileType::RegularFile => self.file(fd.as_fd(), &name, &path, met)?,
                FileType::Symlink => self.link(fd.as_fd(), &name, &path, met).map_err(&failed)?,
                // A pipe, socket or device cannot be made again.
                _ => false,
            };
            if !taken {
                self.lacks = true;
                open.unlock()
                    .and_then(|()| remove(fd.as_fd(), &name, self.trash))
                    .map_err(&failed)?;
            }
        }
        if open.mode != mode {
            fchmod(&fd, Mode::from_bits_truncate(mode)).map_err(&failed)?;
        }
        // Looked at last: removing something changed it.
        let met = stat_fd(&fd).map_err(&failed)?;
        let seen = Seen { met, attributes: attributes(fd.as_fd()).map_err(&failed)? };
        self.found.push((Node::directory(path, mode, met.mtime), seen));
        Ok(())
    }

    /// Takes a file; whether it is one to be taken.
    fn file(
        &mut self,
        directory: BorrowedFd<'_>,
        name: &CStr,
        path: &[u8],
        met: Met,
    ) -> Result<bool, WorkspaceError> {
        if let Some((node, seen)) = self.unchanged(path, &met) {
            self.found.push((node.clone(), seen.clone()));
            return Ok(true);
        }
        let new = Node::directory(path, 0, (0, 0));
        let failed = failed(self.root, "read", &new);
        let file = open_file(directory, name).map_err(&failed)?;
        let copied = self.store.keep(&file, &shown(self.root, &new))?;
        let new = Node::new(
            path,
            met.permissions(),
            met.mtime,
            Content::File { sha256: copied.sha256, header: copied.header },
        );
        // Bytecode that Python would not compare with the source could hide a mutant: not kept.
        if new.is_unchecked() && new.is_in(PYCACHE) {
            return Ok(false);
        }
        let attributes = attributes(file.as_fd()).map_err(&failed)?;
        self.found.push((new, Seen { met, attributes }));
        Ok(true)
    }

    /// The node at `path` if the file there is still the one that was put there.
    fn unchanged(&self, path: &[u8], met: &Met) -> Option<(&Node, &Seen)> {
        let (listing, seen) = self.before;
        let index = listing.find(path)?;
        let seen = seen[index].as_ref()?;
        (self.soundness == Soundness::Stat && seen.met == *met)
            .then_some((&listing.nodes()[index], seen))
    }

    fn link(
        &mut self,
        directory: BorrowedFd<'_>,
        name: &CStr,
        path: &[u8],
        met: Met,
    ) -> Result<bool, Errno> {
        let target = readlinkat(directory, name, Vec::new())?;
        let node = Node::new(path, 0, met.mtime, Content::Link(target));
        self.found.push((node, Seen { met, attributes: Vec::new() }));
        Ok(true)
    }
}
