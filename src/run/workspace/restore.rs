//! Making a directory hold exactly what a listing says, touching only what differs.
//!
//! The same walk makes a workspace (everything differs) and brings it back after a run. It goes down
//! from the root by directory handles that follow no link and enter no mount. Whatever differs in
//! type, inode, mode, owner, number of names, size, `mtime` or `ctime` from what was seen when it was
//! last right is thrown away and made anew, as a new inode: whoever still holds the old one can write
//! into nothing but an orphan.

use std::collections::BTreeSet;
use std::ffi::CStr;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Mode, fchmod, futimens, mkdirat, symlinkat, utimensat};
use rustix::io::Errno;

use super::WorkspaceError;
use super::handle::{
    Attributes, Unlocked, attributes, create, open_file, open_private, set_attributes, times,
};
use super::listing::{Content, Listing, Node};
use super::remove::{names, remove};
use super::soundness::Soundness;
use super::store::Store;
use super::strays::{Strays, holds};
use crate::base::Sha256;
use crate::tree::{Met, hash, stat_at, stat_fd};

/// How a node looked when it was last right.
#[derive(Debug, Clone)]
pub(super) struct Seen {
    pub(super) met: Met,
    /// Always empty for a link: one that may have changed is made anew.
    pub(super) attributes: Attributes,
}

pub(super) struct Restore<'a> {
    pub(super) root: &'a Path,
    pub(super) listing: &'a Listing,
    pub(super) store: &'a Store,
    /// One for each node; `None` before it was made for the first time.
    pub(super) seen: &'a mut [Option<Seen>],
    pub(super) soundness: Soundness,
    /// Takes what commands did, where that is to be told.
    pub(super) strays: Option<&'a mut Strays>,
    /// Where the engine itself put something in place.
    pub(super) touched: &'a BTreeSet<usize>,
    /// Where something can differ; `None` is everywhere.
    pub(super) only: Option<&'a BTreeSet<usize>>,
    pub(super) trash: BorrowedFd<'a>,
    pub(super) buffer: Vec<u8>,
    /// The latest `ctime` that this restore caused.
    pub(super) latest: Option<(i64, u32)>,
}

impl<'a> Restore<'a> {
    /// Restores the directory at node `index`, open as `fd`; `fresh` when it was made just now.
    pub(super) fn directory(
        &mut self,
        fd: BorrowedFd<'_>,
        index: usize,
        fresh: bool,
    ) -> Result<(), WorkspaceError> {
        let node = self.node(index);
        let Content::Directory { entries } = &node.content else {
            unreachable!("only directories are opened")
        };
        let failed = failed(self.root, "restore", node);
        let now = stat_fd(fd).map_err(&failed)?;
        let same = !fresh && self.looks_same(index, &now);
        let mut open = Unlocked { fd, mode: now.permissions(), touched: !same };
        // Where looks suffice, those of the directory say that no name came or went.
        if !fresh && (!same || self.soundness == Soundness::Content) {
            let expected = &self.listing.nodes()[entries.clone()];
            for name in names(fd).map_err(&failed)? {
                if expected.binary_search_by(|node| node.name().cmp(&name)).is_err() {
                    self.tell_new(node, &name);
                    open.unlock().and_then(|()| remove(fd, &name, self.trash)).map_err(&failed)?;
                }
            }
        }
        for child in entries.clone() {
            if !fresh && self.only.is_some_and(|only| !only.contains(&child)) {
                continue;
            }
            self.entry(&mut open, child, fresh)?;
        }
        if open.touched || !self.attributes_are_right(index, fd).map_err(&failed)? {
            self.finish(fd, index).map_err(&failed)?;
        }
        Ok(())
    }

    /// Restores what the listing has in the root, open as `fd`, and nothing else there.
    pub(super) fn parts(&mut self, fd: BorrowedFd<'_>) -> Result<(), WorkspaceError> {
        let Content::Directory { entries } = &self.node(0).content else {
            unreachable!("the root is one")
        };
        let mut open = Unlocked { fd, mode: 0o700, touched: false };
        entries.clone().try_for_each(|child| self.entry(&mut open, child, false))
    }

    fn entry(
        &mut self,
        parent: &mut Unlocked<'_>,
        index: usize,
        fresh: bool,
    ) -> Result<(), WorkspaceError> {
        let node = self.node(index);
        let failed = failed(self.root, "restore", node);
        let now = match stat_at(parent.fd, node.name()) {
            _ if fresh => None,
            Err(Errno::NOENT) => None,
            now => Some(now.map_err(&failed)?),
        };
        if let Content::Directory { .. } = node.content {
            if !fresh && !now.is_some_and(|met| met.is_directory()) {
                self.tell_changed(index, false);
            }
            let (fd, fresh) = self.enter(parent, node, now).map_err(&failed)?;
            return self.directory(fd.as_fd(), index, fresh);
        }
        if let Some(now) = &now
            && self.looks_same(index, now)
            && (self.soundness == Soundness::Stat || self.is_right(parent.fd, index))
        {
            return Ok(());
        }
        if !fresh {
            self.tell_changed(index, now.is_some());
        }
        parent.unlock().map_err(&failed)?;
        if now.is_some() {
            remove(parent.fd, node.name(), self.trash).map_err(&failed)?;
        }
        match &node.content {
            Content::Link(target) => self.link(parent.fd, index, target).map_err(&failed),
            Content::File { sha256, .. } => self.file(parent.fd, index, *sha256),
            Content::Directory { .. } => unreachable!("entered above"),
        }
    }

    /// Tells of what is in the directory at `node` and was not.
    fn tell_new(&mut self, node: &Node, name: &CStr) {
        let Some(strays) = &mut self.strays else { return };
        let path = match node.path.as_bytes() {
            [] => name.to_bytes().to_vec(),
            above => [above, b"/", name.to_bytes()].concat(),
        };
        strays.add_all(&path, &self.root.join(std::ffi::OsStr::from_bytes(&path)));
    }

    /// Tells of a node that is not as it was, unless that is the engine's own doing or nothing but its times.
    fn tell_changed(&mut self, index: usize, is_there: bool) {
        let node = self.node(index);
        let place = shown(self.root, node);
        let Some(strays) = &mut self.strays else { return };
        let same = match &node.content {
            Content::File { sha256, .. } => is_there && holds(&place, sha256),
            Content::Directory { .. } | Content::Link(_) => false,
        };
        if !same && !self.touched.contains(&index) {
            strays.add(node.path.as_bytes());
        }
    }

    /// Opens the directory at `node`, making it if it is not there; whether it was made.
    fn enter(
        &self,
        parent: &mut Unlocked<'_>,
        node: &Node,
        now: Option<Met>,
    ) -> Result<(OwnedFd, bool), Errno> {
        let fresh = !now.is_some_and(|met| met.is_directory());
        if fresh {
            parent.unlock()?;
            if now.is_some() {
                remove(parent.fd, node.name(), self.trash)?;
            }
            mkdirat(parent.fd, node.name(), Mode::RWXU)?;
        }
        Ok((open_private(parent.fd, node.name())?, fresh))
    }

    /// Makes the file at node `index`, where nothing is.
    fn file(
        &mut self,
        directory: BorrowedFd<'_>,
        index: usize,
        sha256: Sha256,
    ) -> Result<(), WorkspaceError> {
        let node = self.node(index);
        let failed = failed(self.root, "write", node);
        let file = create(directory, node.name()).map_err(&failed)?;
        self.store.fetch(sha256, &file, &shown(self.root, node), &mut self.buffer)?;
        self.finish(file.as_fd(), index).map_err(&failed)
    }

    fn link(
        &mut self,
        directory: BorrowedFd<'_>,
        index: usize,
        target: &CStr,
    ) -> Result<(), Errno> {
        let node = self.node(index);
        symlinkat(target, directory, node.name())?;
        utimensat(directory, node.name(), &times(node.mtime), AtFlags::SYMLINK_NOFOLLOW)?;
        let met = stat_at(directory, node.name())?;
        self.note(index, Seen { met, attributes: Vec::new() });
        Ok(())
    }

    /// Gives a file or directory its attributes, owner, mode and time, in this order: to set an
    /// attribute needs a mode that allows writing, and nothing after the time may move it.
    fn finish(&mut self, fd: BorrowedFd<'_>, index: usize) -> Result<(), Errno> {
        let node = self.node(index);
        let mut kept = attributes(fd)?;
        if let Some(seen) = &self.seen[index] {
            if kept != seen.attributes {
                fchmod(fd, Mode::RWXU)?;
                set_attributes(fd, &seen.attributes)?;
                kept.clone_from(&seen.attributes);
            }
            own(fd, seen.met.owner)?;
        }
        fchmod(fd, Mode::from_bits_truncate(node.mode))?;
        futimens(fd, &times(node.mtime))?;
        let met = stat_fd(fd)?;
        self.note(index, Seen { met, attributes: kept });
        Ok(())
    }

    fn note(&mut self, index: usize, seen: Seen) {
        self.latest = self.latest.max(Some(seen.met.ctime));
        self.seen[index] = Some(seen);
    }

    fn looks_same(&self, index: usize, now: &Met) -> bool {
        self.seen[index].as_ref().is_some_and(|seen| seen.met == *now)
    }

    /// Whether a file that looks the same holds the same. A link, or what cannot be read, is made anew.
    fn is_right(&mut self, directory: BorrowedFd<'_>, index: usize) -> bool {
        let node = self.node(index);
        let Content::File { sha256, .. } = &node.content else { return false };
        let Ok(file) = open_file(directory, node.name()) else { return false };
        hash(&file, &mut self.buffer).is_ok_and(|(found, _)| found == *sha256)
            && self.attributes_are_right(index, file.as_fd()).unwrap_or(false)
    }

    /// Whether the extended attributes are as they were; where looks suffice, these have told already.
    fn attributes_are_right(&self, index: usize, fd: BorrowedFd<'_>) -> Result<bool, Errno> {
        if self.soundness == Soundness::Stat {
            return Ok(true);
        }
        let now = attributes(fd)?;
        Ok(self.seen[index].as_ref().is_some_and(|seen| seen.attributes == now))
    }

    fn node(&self, index: usize) -> &'a Node {
        &self.listing.nodes()[index]
    }
}

/// Gives a thing its owner back, which only a command run as root can have changed.
fn own(fd: BorrowedFd<'_>, owner: (u32, u32)) -> Result<(), Errno> {
    if stat_fd(fd)?.owner == owner {
        return Ok(());
    }
    let (user, group) = (rustix::fs::Uid::from_raw(owner.0), rustix::fs::Gid::from_raw(owner.1));
    rustix::fs::fchown(fd, Some(user), Some(group))
}

/// Where `node` is, for people.
pub(super) fn shown(root: &Path, node: &Node) -> PathBuf {
    root.join(std::ffi::OsStr::from_bytes(node.path.as_bytes()))
}

/// Makes an error of what the system said about `node`.
pub(super) fn failed<'a>(
    root: &'a Path,
    action: &'static str,
    node: &'a Node,
) -> impl Fn(Errno) -> WorkspaceError + 'a {
    move |errno| WorkspaceError::io(action, &shown(root, node), 0, errno)
}
