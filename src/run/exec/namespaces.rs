//! A command in namespaces of its own. The helper stays outside; its child is init of the PID
//! namespace, does the helper's work there and hands its report out through a pipe. The kernel lets
//! init be reaped only when all other processes of the namespace are gone, so that reaping it is the
//! certificate.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use nix::libc;
use rustix::fs::{Mode, OFlags};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{
    Pid, Signal, WaitOptions, chdir, getcwd, getegid, geteuid, set_parent_process_death_signal,
    waitpid,
};

use super::group::Group;
use super::log::Log;
use super::order::{Order, Report};
use super::{at, could_not_prepare, layer, mounts, network, nothing_ran, raw, serve};
use crate::run::exit::Exit;
use crate::run::sandbox::{Network, Place, Workspaces};

/// Runs the order; the report in the helper, `None` in the init, whose part is done.
///
/// # Errors
/// The namespaces cannot be made.
pub(super) fn run(
    order: &Order,
    output: (Log, Option<OwnedFd>),
    group: &Group,
) -> io::Result<Option<Report>> {
    let here = PathBuf::from(OsString::from_vec(getcwd(Vec::new())?.into_bytes()));
    if order.sandbox.workspaces == Workspaces::Overlay {
        // Still with the rights of root, which an overlay needs for what it notes of files.
        layer::mount_outside(order)?;
    }
    let (mapped, say_mapped) = pipe_with(PipeFlags::CLOEXEC)?;
    let (answer, say_answer) = pipe_with(PipeFlags::CLOEXEC)?;
    let Some(init) = raw::fork_into(kinds(order.sandbox.network))? else {
        drop((say_mapped, answer));
        let report = serve_inside(order, output, group, (&mapped, &here))
            .unwrap_or_else(|error| could_not_prepare(&error));
        let line = serde_json::to_vec(&report).expect("a report is plain data");
        // Without a reader the helper is dead, and so are we.
        let _ = File::from(say_answer).write_all(&line);
        return Ok(None);
    };
    drop((output, mapped, say_answer));
    let told = map_users(init).and_then(|()| Ok(rustix::io::write(&say_mapped, b"m")?));
    drop(say_mapped); // an init that was told nothing ends
    let mut line = Vec::new();
    // What cannot be read to its end is no report.
    let _ = File::from(answer).read_to_end(&mut line);
    let reaped = reap(init);
    told.map_err(|error| io::Error::new(error.kind(), format!("the map of users: {error}")))?;
    let report = serde_json::from_slice::<Report>(&line)
        .unwrap_or_else(|_| nothing_ran(Exit::Lost("the init of its namespace died".to_owned())));
    Ok(Some(Report { ended: reaped.is_ok(), ..report }))
}

fn kinds(network: Network) -> i32 {
    let always = libc::CLONE_NEWUSER | libc::CLONE_NEWPID | libc::CLONE_NEWNS | libc::CLONE_NEWIPC;
    match network {
        Network::Host => always,
        Network::Loopback | Network::None => always | libc::CLONE_NEWNET,
    }
}

fn reap(init: Pid) -> io::Result<()> {
    loop {
        match waitpid(Some(init), WaitOptions::empty()) {
            Err(rustix::io::Errno::INTR) => {}
            other => return other.map(drop).map_err(io::Error::from),
        }
    }
}

/// What init does: makes the namespaces what they are to be, then serves the order.
fn serve_inside(
    order: &Order,
    output: (Log, Option<OwnedFd>),
    group: &Group,
    (mapped, here): (&OwnedFd, &Path),
) -> io::Result<Report> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    if rustix::io::read(mapped, &mut [0_u8; 1][..])? == 0 {
        return Err(io::Error::other("the users could not be mapped"));
    }
    // The helper alone answers the engine, and its death must show there at once.
    let nothing = rustix::fs::open("/dev/null", OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
    rustix::stdio::dup2_stdout(&nothing)?;
    if order.sandbox.workspaces == Workspaces::UserOverlay {
        layer::mount(order)?;
    }
    let places = order.sandbox.allow_write.iter().map(|Place(path)| path.as_path());
    mounts::confine([&*order.workspace].into_iter().chain(places))?;
    // Our working directory is still that of the mount below.
    chdir(here).map_err(|error| at(Path::new("the working directory"), &error.into()))?;
    if let Some(place) = &order.shown_at {
        mounts::show_here(place)?;
        chdir(place).map_err(|error| at(place, &error.into()))?;
    }
    if order.sandbox.network == Network::Loopback {
        network::loopback_up()?;
    }
    serve(order, output, group)
}

/// Maps users and groups of the namespace to themselves: all of them where we may (root), else our
/// own alone. Then other users' files belong to nobody inside, and groups cannot be changed.
fn map_users(init: Pid) -> io::Result<()> {
    let write = |name: &str, text: &str| {
        let path = format!("/proc/{init}/{name}");
        fs::write(&path, text).map_err(|error| at(Path::new(&path), &error))
    };
    if write("uid_map", &all("/proc/self/uid_map")?).is_ok() {
        return write("gid_map", &all("/proc/self/gid_map")?);
    }
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    write("uid_map", &format!("{user} {user} 1"))?;
    write("setgroups", "deny")?;
    write("gid_map", &format!("{group} {group} 1"))
}

/// The ids that exist here, each mapped to itself.
fn all(map: &str) -> io::Result<String> {
    let mut same = String::new();
    for line in fs::read_to_string(map)?.lines() {
        if let [first, _, count] = line.split_ascii_whitespace().collect::<Vec<_>>()[..] {
            let _ = writeln!(same, "{first} {first} {count}");
        }
    }
    Ok(same)
}
