//! The helper: one process of our own binary a command (`adequacy __exec`, hidden).
//!
//! It has one thread, a session of its own, and is the subreaper of all the command's processes,
//! so none of them can leave. Its stdin is the engine's lifeline: when that pipe closes, by will or
//! because the engine was killed, the helper ends everything. Its stdout takes one line, the
//! report. Namespaces and Landlock have their place in `prepare`.

mod log;
pub(in crate::run) mod order;
mod start;
mod watch;

pub(in crate::run) use self::start::{is_want, too_long};

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{
    DumpableBehavior, Resource, Rlimit, getpid, set_child_subreaper, set_dumpable_behavior,
    setrlimit, setsid,
};

use self::log::Log;
use self::order::{Order, Report};
use self::watch::Watch;
use super::exit::Exit;

/// The first argument that makes our binary the helper.
pub const WORD: &str = "__exec";

/// Runs the command that the words after [`WORD`] describe. Status 2: they do not describe one.
pub fn main(words: impl Iterator<Item = OsString>) -> ExitCode {
    close_inherited();
    let Some(order) = Order::parse(words) else { return ExitCode::from(2) };
    // Before the command starts, so that it cannot read it from the pipe.
    let Ok(token) = token() else { return ExitCode::from(2) };
    let report = run(&order).unwrap_or_else(|error| {
        let why = format!("the helper could not prepare: {error}");
        nothing_ran(if is_want(&error) { Exit::Starved(why) } else { Exit::Lost(why) })
    });
    let report = Report { token, ..report };
    let mut line = serde_json::to_vec(&report).expect("a report is plain data");
    line.push(b'\n');
    // When the engine is gone nobody reads it, and nothing is left to do.
    let _ = io::stdout().write_all(&line);
    ExitCode::SUCCESS
}

/// The engine's token: the first line of stdin, read byte by byte, since the rest of the pipe stays.
fn token() -> io::Result<String> {
    let mut token = Vec::new();
    let mut byte = [0];
    loop {
        io::stdin().lock().read_exact(&mut byte)?;
        if byte == *b"\n" {
            return String::from_utf8(token).map_err(io::Error::other);
        }
        token.push(byte[0]);
    }
}

/// Closes what our caller's own caller left open (a job server, a terminal's descriptor, a lock):
/// the command would inherit it. Called before we open anything.
fn close_inherited() {
    let listed = fs::read_dir("/proc/self/fd").into_iter().flatten().flatten();
    let open: Vec<i32> =
        listed.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    for descriptor in open.into_iter().filter(|&descriptor| descriptor > 2) {
        // The listing's own is in the list and closed by now.
        let _ = nix::unistd::close(descriptor);
    }
}

/// What must hold before the command starts.
fn prepare() -> io::Result<()> {
    setsid()?;
    set_child_subreaper(Some(getpid()))?;
    // Our pipes are then closed to other processes of the same user below /proc.
    set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) })?;
    Ok(())
}

/// The output pipe: the end we read does not block, the end the command writes does.
fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let (read, write) = pipe_with(PipeFlags::CLOEXEC)?;
    rustix::io::ioctl_fionbio(&read, true)?;
    Ok((read, write))
}

/// # Errors
/// Something fails before the command starts.
fn run(order: &Order) -> io::Result<Report> {
    prepare()?;
    let log = Log::create(&order.log, order.keep)?;
    let (read, write) = pipe()?;
    let child_ends = watch::child_ends()?;
    let begun = Instant::now();
    let leader = match start::start(&order.argv, write) {
        Ok(leader) => leader,
        Err(exit) => return Ok(nothing_ran(exit)),
    };
    let mut watch = Watch::new(leader, child_ends, read, log);
    let mut exit = watch.leader(begun.checked_add(order.limit), order.output_limit);
    let wall = begun.elapsed();
    let left = watch.end(&exit, order.grace).err();
    let (output_bytes, logged) = watch.finish();
    if let Err(error) = logged {
        exit = Exit::Lost(format!("the log `{}` cannot be written: {error}", order.log.display()));
    }
    if let Some(left) = &left {
        exit = Exit::Lost(format!("not all its processes could be ended; seen alive: {left:?}"));
    }
    let (cpu, peak_rss) = used();
    Ok(Report {
        token: String::new(),
        exit,
        wall,
        cpu,
        peak_rss,
        output_bytes,
        ended: left.is_none(),
    })
}

fn nothing_ran(exit: Exit) -> Report {
    let (wall, cpu) = (Duration::ZERO, Duration::ZERO);
    Report { token: String::new(), exit, wall, cpu, peak_rss: 0, output_bytes: 0, ended: true }
}

/// CPU time of all processes we reaped and of those they reaped, and the largest resident set of
/// one of them in bytes.
fn used() -> (Duration, u64) {
    let duration = |time: TimeVal| {
        let micros = u64::try_from(time.tv_usec()).unwrap_or(0);
        Duration::from_secs(u64::try_from(time.tv_sec()).unwrap_or(0))
            + Duration::from_micros(micros)
    };
    getrusage(UsageWho::RUSAGE_CHILDREN).map_or((Duration::ZERO, 0), |usage| {
        let cpu = duration(usage.user_time()) + duration(usage.system_time());
        (cpu, u64::try_from(usage.max_rss()).unwrap_or(0) * 1024) // Linux counts it in KiB
    })
}
