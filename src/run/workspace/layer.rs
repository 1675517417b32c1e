//! The folder beside a workspace in which an overlay above it keeps what commands write.
//!
//! `w0.layer/upper` (`w0.layer1/upper` for another who shares it) holds what was written, `w0.layer/work`
//! is the kernel's own. Both are there for the commands between two resets and are thrown away then,
//! whatever is in them: the copy below was never written by a command, so that all there is to bring back
//! is what the engine itself put in place.

use std::collections::BTreeSet;
use std::ffi::CString;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{Mode, futimens, mkdirat};
use rustix::io::Errno;

use super::handle::{Attributes, set_attributes, times};
use super::trash::Trash;
use super::{Workspace, WorkspaceError, remove};
use crate::tree::open_directory_at;

impl Workspace {
    /// The same directory for somebody else, by a number from 1 that no other view of it has. From now on
    /// neither may change what is in it: each must be [covered](Self::cover) before it is used.
    #[must_use]
    pub fn beside(&self, view: usize) -> Self {
        Self {
            scratch: Arc::clone(&self.scratch),
            trash: Arc::clone(&self.trash),
            golden: self.golden.clone(),
            path: self.path.clone(),
            listing: Arc::clone(&self.listing),
            seen: self.seen.clone(),
            touched: BTreeSet::new(),
            layer: None,
            strays: self.strays.another(),
            view,
            ..*self
        }
    }

    /// Makes a layer: until the next reset, commands run in an overlay mount above this directory and
    /// change nothing in it. The workspace must be as made or reset, or covered already.
    ///
    /// # Errors
    /// The layer cannot be made; the workspace then needs a reset.
    pub fn cover(&mut self) -> Result<(), WorkspaceError> {
        if self.layer.is_some() {
            return Ok(());
        }
        let name = name_of(&self.plain_name(), self.view);
        let path = self.path.with_file_name(&name);
        let attributes = self.seen[0].as_ref().map(|seen| seen.attributes.clone());
        let made = make(
            self.scratch.as_fd(),
            &name,
            self.listing.nodes()[0].mtime,
            &attributes.unwrap_or_default(),
        );
        self.layer = Some(path.clone());
        made.map_err(|errno| WorkspaceError::io("make", &path, 0, errno))
    }

    /// The folder that an overlay above it is to write in, if there is to be one.
    #[must_use]
    pub fn layer(&self) -> Option<&Path> {
        self.layer.as_deref()
    }

    /// Where what a command wrote at `place`, a path in the workspace, is to be found.
    #[must_use]
    pub fn written(&self, place: &Path) -> PathBuf {
        match (&self.layer, place.strip_prefix(&self.path)) {
            (Some(layer), Ok(below)) => layer.join("upper").join(below),
            _ => place.to_owned(),
        }
    }

    /// Ends what [`Workspace::cover`] began; whether it had.
    pub(super) fn uncover(&mut self) -> Result<bool, WorkspaceError> {
        let Some(path) = self.layer.take() else { return Ok(false) };
        let name = name_of(&self.plain_name(), self.view);
        discard(self.scratch.as_fd(), &name, &self.trash)
            .map_err(|errno| WorkspaceError::io("remove", &path, 0, errno))?;
        Ok(true)
    }
}

/// The name of the layer above the workspace `name` for this view of it.
fn name_of(name: &str, view: usize) -> String {
    match view {
        0 => format!("{name}.layer"),
        view => format!("{name}.layer{view}"),
    }
}

/// Makes an empty layer. What is seen of the workspace's own directory is seen of the layer's: it
/// gets that time and these attributes.
///
/// # Errors
/// What the system says.
fn make(
    scratch: BorrowedFd<'_>,
    name: &str,
    time: (i64, u32),
    attributes: &Attributes,
) -> Result<(), Errno> {
    mkdirat(scratch, name, Mode::RWXU)?;
    let name = CString::new(name).expect("a name of our own holds no NUL");
    let layer = open_directory_at(scratch, &name)?;
    mkdirat(&layer, "work", Mode::RWXU)?;
    mkdirat(&layer, "upper", Mode::RWXU)?;
    let upper = open_directory_at(layer.as_fd(), c"upper")?;
    set_attributes(upper.as_fd(), attributes)?;
    futimens(&upper, &times(time))
}

/// Throws a layer away.
///
/// # Errors
/// It cannot be moved out of the way.
fn discard(scratch: BorrowedFd<'_>, name: &str, trash: &Trash) -> Result<(), Errno> {
    let name = CString::new(name).expect("a name of our own holds no NUL");
    match remove::park(scratch, &name, trash.as_fd()) {
        Err(Errno::NOENT) => Ok(()),
        parked => parked.map(|parked| trash.leave(parked)),
    }
}
