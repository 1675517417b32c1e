//! The helper: one process of our own binary a command (`adequacy __exec`, hidden).
//!
//! It has one thread, a session of its own, and is the subreaper of all the command's processes,
//! so none of them can leave. Its stdin is the engine's lifeline: when that pipe closes, by will or
//! because the engine was killed, the helper ends everything. Its stdout takes one line, the
//! report. In namespaces all that is the work of the helper's child, their init.

mod fence;
mod gauge;
mod group;
mod layer;
pub(in crate::run) mod log;
mod mounts;
mod namespaces;
mod network;
pub(in crate::run) mod order;
mod raw;
mod start;
mod watch;

pub(in crate::run) use self::start::{is_want, too_long};

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;
use rustix::fs::{Mode, OFlags};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{
    DumpableBehavior, Resource, Rlimit, getpid, set_child_subreaper, set_dumpable_behavior,
    setrlimit, setsid,
};
use rustix::stdio::{dup2_stderr, stderr};

use self::group::Group;
use self::log::Log;
use self::order::{Order, Report};
use self::watch::Watch;
use super::exit::Exit;
use super::sandbox;

/// The first argument that makes our binary the helper.
pub const WORD: &str = "__exec";

/// The first argument that makes our binary look what a sandbox lets it do.
pub const LOOK: &str = "__look";

/// Looks what can be done here; the word after [`LOOK`] is a directory outside the workspace.
pub fn look(words: impl Iterator<Item = OsString>) -> ExitCode {
    let said = words.last().map(|outside| sandbox::look(Path::new(&outside)));
    match said.map(|line| io::stdout().write_all(line.as_bytes())) {
        Some(Ok(())) => ExitCode::SUCCESS,
        Some(Err(_)) | None => ExitCode::from(2),
    }
}

/// Runs the command that the words after [`WORD`] describe. Status 2: they do not describe one.
pub fn main(words: impl Iterator<Item = OsString>) -> ExitCode {
    close_inherited();
    let Some(order) = Order::parse(words) else { return ExitCode::from(2) };
    // Before the command starts, so that it cannot read it from the pipe.
    let Ok(token) = token() else { return ExitCode::from(2) };
    let Ok(channel) = channel(&order) else { return ExitCode::from(2) };
    let report = run(&order, channel).unwrap_or_else(|error| Some(could_not_prepare(&error)));
    // Else we are not the helper: the init, which has nothing left to do.
    let Some(report) = report else { return ExitCode::SUCCESS };
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

/// The socket that the command is to find as its stdin, which came as our stderr.
fn channel(order: &Order) -> io::Result<Option<OwnedFd>> {
    if !order.channel {
        return Ok(None);
    }
    let channel = rustix::io::fcntl_dupfd_cloexec(stderr(), 3)?;
    let nothing = rustix::fs::open("/dev/null", OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
    dup2_stderr(&nothing)?;
    Ok(Some(channel))
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

/// Runs the order in the process that it is to be run in; `None` in one that reported elsewhere.
///
/// # Errors
/// Something fails before the command starts.
fn run(order: &Order, channel: Option<OwnedFd>) -> io::Result<Option<Report>> {
    // Before anything is restricted.
    let log = Log::create(&order.log, order.keep)?;
    let group = Group::make(&order.sandbox)?;
    let report = if order.sandbox.namespaces {
        setsid()
            .map_err(io::Error::from)
            .and_then(|_| namespaces::run(order, (log, channel), &group))
    } else if let Some(place) = &order.shown_at {
        Err(at(place, &io::Error::other("only namespaces can show a tree there")))
    } else {
        serve(order, (log, channel), &group).map(Some)
    };
    // The init leaves the group to the helper.
    let report = report.unwrap_or_else(|error| Some(could_not_prepare(&error)));
    Ok(report.map(|report| group.close(report)))
}

/// Starts the command, watches it and ends all it leaves behind.
///
/// # Errors
/// Something fails before the command starts.
fn serve(
    order: &Order,
    (log, channel): (Log, Option<OwnedFd>),
    group: &Group,
) -> io::Result<Report> {
    prepare()?;
    let hold = start::Hold::prepare(order, group)?;
    let (read, write) = pipe()?;
    let child_ends = watch::child_ends()?;
    let begun = Instant::now();
    let leader = match start::start(&order.argv, write, channel, hold) {
        Ok(leader) => leader,
        Err(exit) => return Ok(nothing_ran(exit)),
    };
    let mut watch = Watch::new(leader, child_ends, read, log);
    let limits = &group.rest(order.sandbox.limits);
    let mut exit = watch.leader(begun.checked_add(order.limit), order.output_limit, limits);
    let wall = begun.elapsed();
    let left = watch.end(&exit, order.grace).err();
    let (output_bytes, logged) = watch.finish();
    let used = used();
    if let Some(larger) = gauge::file_size(&exit, used.written, limits) {
        exit = larger;
    }
    if let Err(error) = logged {
        exit = Exit::Lost(format!("the log `{}` cannot be written: {error}", order.log.display()));
    }
    if let Some(left) = &left {
        exit = Exit::Lost(format!("not all its processes could be ended; seen alive: {left:?}"));
    }
    Ok(Report {
        token: String::new(),
        exit,
        wall,
        cpu: used.cpu,
        peak_rss: used.peak_rss,
        output_bytes,
        ended: left.is_none(),
    })
}

fn could_not_prepare(error: &io::Error) -> Report {
    let why = format!("the helper could not prepare: {error}");
    nothing_ran(if is_want(error) { Exit::Starved(why) } else { Exit::Lost(why) })
}

/// An error that names the place it happened at.
fn at(place: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("`{}`: {error}", place.display()))
}

fn nothing_ran(exit: Exit) -> Report {
    let (wall, cpu) = (Duration::ZERO, Duration::ZERO);
    Report { token: String::new(), exit, wall, cpu, peak_rss: 0, output_bytes: 0, ended: true }
}

/// What all processes we reaped, and those they reaped, used together.
#[derive(Default)]
struct Used {
    cpu: Duration,
    /// The largest resident set of one of them, in bytes.
    peak_rss: u64,
    /// Bytes written to file systems on disk.
    written: u64,
}

fn used() -> Used {
    let duration = |time: TimeVal| {
        let micros = u64::try_from(time.tv_usec()).unwrap_or(0);
        Duration::from_secs(u64::try_from(time.tv_sec()).unwrap_or(0))
            + Duration::from_micros(micros)
    };
    getrusage(UsageWho::RUSAGE_CHILDREN).map_or_else(
        |_| Used::default(),
        |usage| Used {
            cpu: duration(usage.user_time()) + duration(usage.system_time()),
            peak_rss: u64::try_from(usage.max_rss()).unwrap_or(0) * 1024, // Linux counts it in KiB
            written: u64::try_from(usage.block_writes()).unwrap_or(0) * 512,
        },
    )
}
