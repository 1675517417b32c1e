//! The overlay mount above a workspace, in a mount namespace of the command's own: it reads the copy
//! and writes in a folder beside it. With the namespace the mount ends.

use std::ffi::CStr;
use std::fs;
use std::io;
use std::path::Path;

use nix::sched::{CloneFlags, unshare};
use rustix::fs::{Mode, OFlags, open};
use rustix::mount::{MountFlags, MountPropagationFlags, mount as mount_at, mount_change};
use rustix::process::{chdir, fchdir};

use super::at;
use super::order::Order;
use crate::run::sandbox::Workspaces;

/// What makes an overlay of root behave like a plain directory: a directory that the copy came with
/// can be renamed, and of two hard links one changes with the other.
const FAITHFUL: &str = "redirect_dir=on,index=on,metacopy=off,xino=auto";

/// Without the rights of root the kernel takes no more than this.
const MODEST: &str = "userxattr,index=on,xino=auto";

/// Mounts it in a mount namespace that this process makes for itself.
///
/// # Errors
/// The kernel refuses.
pub(super) fn mount_outside(order: &Order) -> io::Result<()> {
    if order.layer.is_some() {
        unshare(CloneFlags::CLONE_NEWNS)?;
    }
    mount(order)
}

/// Mounts it, if there is to be one, in the mount namespace that we are in, which must be new. The
/// working directory stays the one below.
///
/// # Errors
/// The kernel refuses, or the layer is not beside the workspace.
pub(super) fn mount(order: &Order) -> io::Result<()> {
    let Some(layer) = &order.layer else { return Ok(()) };
    let root = Path::new("/");
    let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    mount_change(root, private).map_err(|error| at(root, &error.into()))?;
    let (folder, below) = split(&order.workspace)?;
    let (beside, above) = split(layer)?;
    if folder != beside {
        return Err(io::Error::other("the layer is not beside the workspace"));
    }
    // Where several commands go on from each other, this is left of the mount before; without it the
    // kernel asks whether the machine went down meanwhile.
    match fs::remove_dir_all(layer.join("work/work/incompat")) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(at(layer, &error)),
        _ => {}
    }
    let faithful = order.sandbox.workspaces == Workspaces::Overlay;
    let how = if faithful { FAITHFUL } else { MODEST };
    // By names alone: a path may hold what separates options, and be longer than they may be.
    let options =
        format!("lowerdir={below},upperdir={above}/upper,workdir={above}/work,volatile,{how}\0");
    let options = CStr::from_bytes_with_nul(options.as_bytes());
    let options = options.map_err(io::Error::other)?;
    let here = open(".", OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
    chdir(folder).map_err(|error| at(folder, &error.into()))?;
    let mounted = mount_at("overlay", below, "overlay", MountFlags::empty(), options);
    fchdir(here)?;
    mounted.map_err(|error| at(&order.workspace, &error.into()))
}

/// The directory and the name of a place; names are our own and hold nothing odd.
fn split(place: &Path) -> io::Result<(&Path, &str)> {
    let plain = |name: &&str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'.');
    let name = place.file_name().and_then(|name| name.to_str()).filter(plain);
    place
        .parent()
        .zip(name)
        .ok_or_else(|| io::Error::other(format!("`{}` is no workspace of ours", place.display())))
}
