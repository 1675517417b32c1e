//! Putting a mutant in place.

use std::collections::BTreeSet;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use rustix::fs::{AtFlags, Mode, OFlags, fchmod, futimens, mkdirat, unlinkat};
use rustix::io::Errno;

use super::bytecode::{Header, is_of_module};
use super::golden::in_part;
use super::handle::{Unlocked, create, times};
use super::listing::{Content, Listing, Node};
use super::restore::shown;
use super::{PYCACHE, TREE, WorkspaceError};
use crate::base::{RelPath, Sha256};
use crate::tree::{open_below, stat_fd};

/// A file that a mutant brings back, which the tree does not have.
fn new_file(path: &RelPath, bytes: &[u8]) -> Node {
    // A program keeps being one.
    let mode = if bytes.starts_with(b"#!") { 0o755 } else { 0o644 };
    let content = Content::File { sha256: Sha256::of(bytes), header: Header::of([0; 12]) };
    Node::new(&in_part(TREE, path), mode, (0, 0), content)
}

/// A workspace that is as its listing says.
pub(super) struct Write<'a> {
    pub(super) path: &'a Path,
    pub(super) root: BorrowedFd<'a>,
    pub(super) listing: &'a Listing,
    /// The time of what is written, seconds since the epoch.
    pub(super) time: i64,
    /// The time of what a compiler reads, seconds and nanoseconds: now. A build tool takes a source
    /// with a later time for changed once more after each build.
    pub(super) compiled: (i64, u32),
    /// The nodes that what was changed lies at or below.
    pub(super) touched: &'a mut BTreeSet<usize>,
}

impl Write<'_> {
    pub(super) fn files(&mut self, files: &[(RelPath, Vec<u8>)]) -> Result<(), WorkspaceError> {
        for (path, bytes) in files {
            let listing = self.listing;
            let known = listing.find(&in_part(TREE, path)).map(|at| &listing.nodes()[at]);
            let new = new_file(path, bytes);
            let node = match known {
                Some(node) if matches!(node.content, Content::File { .. }) => node,
                Some(_) => return Err(WorkspaceError::NotAFile(path.clone())),
                None => {
                    self.make_room(path)?;
                    &new
                }
            };
            self.put(node, bytes)?;
            if self.read(node)? != *bytes {
                return Err(WorkspaceError::NotWritten(path.clone()));
            }
            self.delete_bytecode(path)?;
            self.delete_fingerprints(path)?;
        }
        let listing = self.listing;
        listing.unchecked().try_for_each(|node| self.delete(node))
    }

    /// Puts `bytes` at `node` as a new file; whoever holds the old one does not see it.
    fn put(&mut self, node: &Node, bytes: &[u8]) -> Result<(), WorkspaceError> {
        let (listing, time, compiled) = (self.listing, self.time, self.compiled);
        let shown = shown(self.path, node);
        let failed = |source| WorkspaceError::io("write", &shown, bytes.len() as u64, source);
        self.change(node, |directory| {
            if listing.find(node.path.as_bytes()).is_some() {
                unlinkat(directory, node.name(), AtFlags::empty())?;
            }
            let mut file = create(directory, node.name())?;
            file.write_all(bytes)?;
            fchmod(&file, Mode::from_bits_truncate(node.mode))?;
            let is_compiled = node.name().to_bytes().ends_with(b".rs");
            let time = if is_compiled { compiled } else { (time, 0) };
            Ok(futimens(&file, &times(time))?)
        })
        .map_err(failed)
    }

    /// Makes the directories that a new file at `path` needs.
    fn make_room(&self, path: &RelPath) -> Result<(), WorkspaceError> {
        let whole = in_part(TREE, path);
        let slashes = whole.iter().enumerate().filter(|(_, byte)| **byte == b'/');
        for (end, _) in slashes.skip(1) {
            let above = &whole[..end];
            let known = self.listing.find(above).map(|at| &self.listing.nodes()[at].content);
            match known {
                Some(Content::Directory { .. }) => continue,
                Some(_) => return Err(WorkspaceError::NotAFile(path.clone())),
                None => {}
            }
            match mkdirat(self.root, above, Mode::from_bits_truncate(0o755)) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(errno) => return Err(WorkspaceError::io("make", self.path, 0, errno)),
            }
        }
        Ok(())
    }

    pub(super) fn read(&self, node: &Node) -> Result<Vec<u8>, WorkspaceError> {
        let failed = |source| WorkspaceError::io("read", &shown(self.path, node), 0, source);
        let mut bytes = Vec::new();
        let file = open_below(self.root, node.path.as_bytes(), OFlags::RDONLY);
        let file = file.map_err(|errno| failed(errno.into()))?;
        std::fs::File::from(file).read_to_end(&mut bytes).map_err(failed)?;
        Ok(bytes)
    }

    /// Deletes the bytecode of the module at `path`, of every version: beside it and below the prefix.
    fn delete_bytecode(&mut self, path: &RelPath) -> Result<(), WorkspaceError> {
        let Some(stem) = path.name().strip_suffix(b".py") else { return Ok(()) };
        let of_module = |node: &&Node| is_of_module(node.name().to_bytes(), stem);
        let name = path.name().len();
        let folder = &path.as_bytes()[..path.as_bytes().len() - name];
        let beside = [TREE.as_bytes(), b"/", folder, b"__pycache__"].concat();
        let mut below = [PYCACHE.as_bytes(), self.path.as_os_str().as_bytes(), b"/"].concat();
        below.extend([TREE.as_bytes(), b"/", folder].concat());
        below.pop();
        let listing = self.listing;
        let entries = [listing.entries(&beside), listing.entries(&below)];
        entries.into_iter().flatten().filter(of_module).try_for_each(|node| self.delete(node))
    }

    pub(super) fn delete(&mut self, node: &Node) -> Result<(), WorkspaceError> {
        let path = self.path;
        let failed = |source| WorkspaceError::io("delete", &shown(path, node), 0, source);
        let deleted = self.change(node, |directory| {
            match unlinkat(directory, node.name(), AtFlags::empty()) {
                // Twice in a list.
                Err(Errno::NOENT) => Ok(()),
                other => Ok(other?),
            }
        });
        deleted.map_err(failed)
    }

    /// Notes the node and all that hold it: where a new file is made, only those that were there.
    fn touch(&mut self, node: &Node) {
        let path = node.path.as_bytes();
        let slashes = path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
        let ends = slashes.map(|(at, _)| at).chain([0, path.len()]);
        self.touched.extend(ends.filter_map(|end| self.listing.find(&path[..end])));
    }

    /// Changes the directory that holds `node`, which keeps its mode.
    fn change(
        &mut self,
        node: &Node,
        step: impl FnOnce(BorrowedFd<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        self.touch(node);
        let flags = OFlags::RDONLY | OFlags::DIRECTORY;
        let directory = open_below(self.root, node.parent(), flags)?;
        let mode = stat_fd(&directory)?.permissions();
        let mut open = Unlocked { fd: directory.as_fd(), mode, touched: false };
        open.unlock()?;
        step(open.fd)?;
        if open.mode != mode {
            fchmod(open.fd, Mode::from_bits_truncate(mode))?;
        }
        Ok(())
    }
}
