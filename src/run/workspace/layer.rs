//! The folder beside a workspace in which an overlay above it keeps what commands write.
//!
//! `w0.layer/upper` holds what was written, `w0.layer/work` is the kernel's own. Both are there for the
//! commands between two resets and are thrown away then, whatever is in them: the copy below was never
//! written by a command, so that all there is to bring back is what the engine itself put in place.

use std::ffi::CString;
use std::os::fd::{AsFd as _, BorrowedFd};

use rustix::fs::{Mode, futimens, mkdirat};
use rustix::io::Errno;

use super::handle::{Attributes, set_attributes, times};
use super::remove;
use super::trash::Trash;
use crate::tree::open_directory_at;

/// The name of the layer above the workspace `name`.
pub(super) fn name_of(name: &str) -> String {
    format!("{name}.layer")
}

/// Makes an empty layer. What is seen of the workspace's own directory is seen of the layer's: it
/// gets that time and these attributes.
///
/// # Errors
/// What the system says.
pub(super) fn make(
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
pub(super) fn discard(scratch: BorrowedFd<'_>, name: &str, trash: &Trash) -> Result<(), Errno> {
    let name = CString::new(name).expect("a name of our own holds no NUL");
    match remove::park(scratch, &name, trash.as_fd()) {
        Err(Errno::NOENT) => Ok(()),
        parked => parked.map(|parked| trash.leave(parked)),
    }
}
