//! The mounts a command sees in a mount namespace of its own: everything read-only but the places
//! it may write in, its own processes below `/proc`, an empty `/dev/shm`.

use std::fs::{self, File};
use std::io;
use std::os::fd::OwnedFd;
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
    let terminals = Path::new(TERMINALS);
    let writable = writable.chain(terminals.is_dir().then_some(terminals));
    // As they are now, before they become read-only with the rest.
    let mut kept = writable.map(Kept::of).collect::<io::Result<Vec<_>>>()?;
    // One that lies in another goes on top of it.
    kept.sort_by_key(|kept| kept.place.components().count());
    set_read_only(CWD, "/", true, true).map_err(|error| at(root, &error))?;
    processes()?;
    let shared = Path::new(SHARED_MEMORY);
    if shared.is_dir() {
        let quiet = MountFlags::NOSUID | MountFlags::NODEV;
        mount("tmpfs", shared, "tmpfs", quiet, c"mode=1777")
            .map_err(|error| at(shared, &error.into()))?;
    }
    kept.iter().try_for_each(|kept| kept.put_back(shared).map_err(|error| at(kept.place, &error)))
}

/// Lets the working directory be seen at `place` too, where it hides what is there.
///
/// # Errors
/// `place` is no directory, or the kernel refuses.
pub(super) fn show_here(place: &Path) -> io::Result<()> {
    let show = || -> io::Result<()> {
        let here = open_tree(CWD, ".", CLONE | OpenTreeFlags::AT_RECURSIVE)?;
        Ok(move_mount(here, "", CWD, place, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)?)
    };
    show().map_err(|error| at(place, &error))
}

/// A place that stays writable: the mounts there as they were.
struct Kept<'a> {
    place: &'a Path,
    tree: OwnedFd,
    directory: bool,
}

impl<'a> Kept<'a> {
    fn of(place: &'a Path) -> io::Result<Self> {
        let take = || -> io::Result<Self> {
            let tree = open_tree(CWD, place, CLONE | OpenTreeFlags::AT_RECURSIVE)?;
            Ok(Self { place, tree, directory: place.metadata()?.is_dir() })
        };
        take().map_err(|error| at(place, &error))
    }

    fn put_back(&self, shared: &Path) -> io::Result<()> {
        // Hidden by the fresh one, it needs a name there to be mounted on.
        match self.place.parent().filter(|_| self.place.starts_with(shared)) {
            Some(_) if self.directory => fs::create_dir_all(self.place)?,
            Some(parent) => {
                fs::create_dir_all(parent)?;
                File::create(self.place)?;
            }
            None => {}
        }
        let whole = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH;
        Ok(move_mount(&self.tree, "", CWD, self.place, whole)?)
    }
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
