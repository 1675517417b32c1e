//! The mounts a command sees in a mount namespace of its own: everything read-only but the places
//! it may write in, its own processes below `/proc`, an empty `/dev/shm`.

use std::io;
use std::path::Path;

use rustix::fs::CWD;
use rustix::mount::{
    MountFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags, mount, mount_change,
    move_mount, open_tree,
};

use super::at;
use super::raw::set_read_only;

/// Where terminals are: opening one makes a file there.
const TERMINALS: &str = "/dev/pts";
const SHARED_MEMORY: &str = "/dev/shm";

/// What root could change of the system below a fresh `/proc`.
const SYSTEM: &[&str] = &["/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs"];

const CLONE: OpenTreeFlags = OpenTreeFlags::OPEN_TREE_CLONE.union(OpenTreeFlags::OPEN_TREE_CLOEXEC);

/// Mounts all that for the namespaces we are in, which must be new.
///
/// # Errors
/// The kernel refuses; the error says at which place.
pub(super) fn confine<'a>(writable: impl Iterator<Item = &'a Path>) -> io::Result<()> {
    let root = Path::new("/");
    let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    mount_change(root, private).map_err(|error| at(root, &error.into()))?;
    let (terminals, shared) = (Path::new(TERMINALS), Path::new(SHARED_MEMORY));
    let writable = writable.chain(terminals.is_dir().then_some(terminals)).collect::<Vec<_>>();
    // Not where a fresh one would hide a place that is written.
    let fresh = shared.is_dir() && !writable.iter().any(|place| place.starts_with(shared));
    let host = (shared.is_dir() && !fresh).then_some(shared);
    let writable = writable.into_iter().chain(host);
    // As they are now, before they become read-only with the rest.
    let mut kept = writable
        .map(|place| {
            let whole = CLONE | OpenTreeFlags::AT_RECURSIVE;
            let tree = open_tree(CWD, place, whole).map_err(|error| at(place, &error.into()))?;
            Ok((place, tree))
        })
        .collect::<io::Result<Vec<_>>>()?;
    // One that lies in another goes on top of it.
    kept.sort_by_key(|(place, _)| place.components().count());
    set_read_only(CWD, "/", true, true).map_err(|error| at(root, &error))?;
    for (place, tree) in kept {
        let moved = move_mount(tree, "", CWD, place, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH);
        moved.map_err(|error| at(place, &error.into()))?;
    }
    processes()?;
    let quiet = MountFlags::NOSUID | MountFlags::NODEV;
    if fresh {
        mount("tmpfs", shared, "tmpfs", quiet, c"mode=1777")
            .map_err(|error| at(shared, &error.into()))?;
    }
    Ok(())
}

/// A fresh `/proc`, that of our PID namespace, through which the system cannot be changed.
fn processes() -> io::Result<()> {
    let proc = Path::new("/proc");
    let quiet = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    mount("proc", proc, "proc", quiet, None).map_err(|error| at(proc, &error.into()))?;
    for place in SYSTEM.iter().map(Path::new).filter(|place| place.exists()) {
        let closed = || -> io::Result<()> {
            let tree = open_tree(CWD, place, CLONE | OpenTreeFlags::AT_RECURSIVE)?;
            set_read_only(&tree, "", true, true)?;
            Ok(move_mount(tree, "", CWD, place, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)?)
        };
        closed().map_err(|error| at(place, &error))?;
    }
    Ok(())
}
