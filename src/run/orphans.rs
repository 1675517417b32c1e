//! Ending what a helper left behind when the command killed it.
//!
//! The engine is a subreaper too, so the processes of a dead helper become its children. All
//! state here is the process's own, as being a subreaper is: several spawners share it.

use std::collections::BTreeSet;
use std::io;
use std::process::{Child, Command};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions, getpid, set_child_subreaper, waitpid};

use super::processes::{children, numbers, signal_trees};

/// How long SIGKILL is tried.
const BOUND: Duration = Duration::from_secs(10);

/// The pause between two rounds of SIGKILL.
const ROUND: Duration = Duration::from_millis(2);

/// The helpers that live or are not yet reaped.
static HELPERS: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

fn helpers() -> MutexGuard<'static, BTreeSet<i32>> {
    HELPERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes this process the one that orphans of dead helpers come to.
pub(in crate::run) fn adopt() -> io::Result<()> {
    Ok(set_child_subreaper(Some(getpid()))?)
}

/// Starts a helper; it counts as one from its first moment.
pub(in crate::run) fn start_helper(command: &mut Command) -> io::Result<Child> {
    let mut helpers = helpers();
    let child = command.spawn()?;
    helpers.insert(Pid::from_child(&child).as_raw_pid());
    Ok(child)
}

/// Ends and reaps a helper that has nothing left to say.
pub(in crate::run) fn end_helper(child: &mut Child) -> io::Result<std::process::ExitStatus> {
    // Under one lock: once reaped, its number may be the next helper's.
    let mut helpers = helpers();
    let status = child.kill().and_then(|()| child.wait());
    helpers.remove(&Pid::from_child(child).as_raw_pid());
    status
}

/// Ends all orphans; gives those that would not end.
pub(in crate::run) fn end_all() -> Vec<i32> {
    let begun = Instant::now();
    loop {
        let orphans = orphans();
        if orphans.is_empty() || begun.elapsed() > BOUND {
            return numbers(orphans);
        }
        signal_trees(orphans.clone(), &[Signal::KILL]);
        sleep(ROUND);
        for &orphan in &orphans {
            // Another worker may have reaped it.
            let _ = waitpid(Some(orphan), WaitOptions::NOHANG);
        }
    }
}

/// Our children that are no helper and not of our session. What a helper starts is in the helper's
/// session or in one of its own, and nothing can join ours.
fn orphans() -> Vec<Pid> {
    let helpers = helpers();
    let ours = session(None);
    let foreign = |process: Pid| session(Some(process)).is_some_and(|it| Some(it) != ours);
    let mut found = children(getpid());
    found.retain(|&process| !helpers.contains(&process.as_raw_pid()) && foreign(process));
    found
}

/// The session of a process, or our own: 0 where its leader is outside our PID namespace, as it is
/// below an init that never called `setsid`. rustix's `getsid` takes every session for a live pid.
fn session(process: Option<Pid>) -> Option<i32> {
    let process = process.map(|it| nix::unistd::Pid::from_raw(it.as_raw_pid()));
    nix::unistd::getsid(process).ok().map(nix::unistd::Pid::as_raw)
}
