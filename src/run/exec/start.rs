//! Starting the command itself, and saying why it cannot start.

use std::ffi::{CString, OsStr, OsString};
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::{SendFlags, send};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, Resource, Rlimit, getpid, getrlimit, set_child_subreaper, setrlimit};
use rustix::stdio::stdin;
use rustix::thread::{
    CapabilitySet, capability_is_in_bounding_set, remove_capability_from_bounding_set,
};

use super::fence::Fence;
use super::group::{self, Group};
use super::order::Order;
use super::raw;
use crate::run::exit::Exit;
use crate::run::sandbox::Place;

/// How often, and after which pause, a program file that is open for writing is tried again. Our
/// own engine can be the writer for a moment: a process forked between its open and its close
/// holds the file until it has started its own program.
const BUSY: (u32, Duration) = (100, Duration::from_millis(10));

/// What the command's process puts on before its program starts, the helper itself never.
pub(super) struct Hold {
    fence: Option<Fence>,
    namespaces: bool,
    file_size: Option<u64>,
    /// To its control group.
    doors: Vec<File>,
}

impl Hold {
    /// # Errors
    /// Landlock is asked for and cannot be had.
    pub(super) fn prepare(order: &Order, group: &Group) -> io::Result<Self> {
        let sandbox = &order.sandbox;
        let allowed = sandbox.allow_write.iter().map(|Place(path)| path.as_path());
        // Seen at another place, a file lies below that place alone.
        let shown_at = order.shown_at.as_deref();
        let places = [&*order.workspace].into_iter().chain(shown_at).chain(allowed);
        let fence = Fence::around(sandbox.landlock, sandbox.namespaces, places)?;
        let (namespaces, file_size) = (sandbox.namespaces, sandbox.limits.file_size);
        Ok(Self { fence, namespaces, file_size, doors: group.doors()? })
    }

    fn put_on(&mut self) -> io::Result<()> {
        raw::default_signals();
        group::enter(&mut self.doors)?;
        if let Some(limit) = self.file_size {
            let maximum = getrlimit(Resource::Fsize).maximum.map_or(limit, |most| most.min(limit));
            setrlimit(Resource::Fsize, Rlimit { current: Some(maximum), maximum: Some(maximum) })?;
        }
        // A command of root keeps root's powers over the namespaces, and could mount everything
        // writable again.
        let mounts = CapabilitySet::SYS_ADMIN;
        if self.namespaces && capability_is_in_bounding_set(mounts)? {
            remove_capability_from_bounding_set(mounts)?;
        }
        self.fence.take().map_or(Ok(()), Fence::close)
    }
}

/// Starts `argv` in its own process group, with both outputs in one pipe and nothing to read, or with
/// `channel` as its stdin: then its number is the first thing said there, and it is the one whom
/// descendants that lose their parent go to.
/// Only descriptors 0, 1 and 2 get through: those we opened close on exec, and those we inherited
/// are closed already. Every signal has its default effect.
pub(super) fn start(
    argv: &[OsString],
    output: OwnedFd,
    channel: Option<OwnedFd>,
    mut hold: Hold,
) -> Result<Pid, Exit> {
    let (program, words) = argv.split_first().expect("an order has a program");
    let lost = |error: io::Error| Exit::Lost(error.to_string());
    let both = output.try_clone().map_err(lost)?;
    let (why, say_why) = pipe_with(PipeFlags::CLOEXEC).map_err(|error| lost(error.into()))?;
    let mut say_why = File::from(say_why);
    let mut command = Command::new(program);
    let serves = channel.is_some();
    let input = channel.map_or_else(Stdio::null, Stdio::from);
    command.args(words).process_group(0).stdin(input).stdout(output).stderr(both);
    let exec = Exec::new(argv).map_err(lost)?;
    raw::before_exec(&mut command, move || {
        hold.put_on().inspect_err(|error| {
            // The standard library hands over no more than an error number.
            let _ = say_why.write_all(error.to_string().as_bytes());
        })?;
        if serves {
            set_child_subreaper(Some(getpid()))?;
            let leader = format!("{{\"leader\":{}}}", getpid());
            send(stdin(), leader.as_bytes(), SendFlags::empty())?;
        }
        Err(exec.run().into())
    });
    let mut tries = BUSY.0;
    let error = loop {
        match command.spawn() {
            Ok(child) => return Ok(Pid::from_child(&child)),
            Err(error) if Errno::from_io_error(&error) == Some(Errno::TXTBSY) && tries > 0 => {
                tries -= 1;
                sleep(BUSY.1);
            }
            Err(error) => break error,
        }
    };
    drop(command); // and with it the last writer
    let mut text = String::new();
    match File::from(why).read_to_string(&mut text) {
        Ok(0) => Err(refusal(program, &error)),
        _ => Err(Exit::Lost(format!("the command cannot be held: {text}"))),
    }
}

/// The command's program by each path it may have, and its words.
struct Exec {
    paths: Vec<CString>,
    words: Vec<CString>,
}

impl Exec {
    /// # Errors
    /// A word holds a NUL byte.
    fn new(argv: &[OsString]) -> io::Result<Self> {
        let text = |word: &OsStr| CString::new(word.as_bytes()).map_err(io::Error::other);
        let words = argv.iter().map(|word| text(word)).collect::<Result<Vec<_>, _>>()?;
        let program = &argv[0];
        let paths = if program.as_bytes().contains(&b'/') {
            vec![text(program)?]
        } else {
            let path = std::env::var_os("PATH").unwrap_or_default();
            let places = std::env::split_paths(&path).map(|folder| folder.join(program));
            places.map(|place| text(place.as_os_str())).collect::<Result<_, _>>()?
        };
        Ok(Self { paths, words })
    }

    /// Becomes the program; gives the error where it cannot. Not the standard library's way, which
    /// hands a file that is no program to a shell.
    fn run(&self) -> Errno {
        let mut closed = None;
        for path in &self.paths {
            let Err(errno) = nix::unistd::execv(path, &self.words);
            match Errno::from_raw_os_error(errno as i32) {
                Errno::NOENT | Errno::NOTDIR if self.paths.len() > 1 => {}
                Errno::ACCESS => closed = Some(Errno::ACCESS),
                other => return other,
            }
        }
        closed.unwrap_or(Errno::NOENT)
    }
}

fn refusal(program: &OsStr, error: &io::Error) -> Exit {
    let name = program.to_string_lossy();
    let path = name.contains('/');
    if is_want(error) {
        return Exit::Starved(format!("`{name}`: {error}"));
    }
    let why = match Errno::from_io_error(error) {
        Some(Errno::NOENT) if !path => "no program of this name on PATH",
        Some(Errno::NOENT) if Path::new(program).exists() => {
            "the interpreter its first line (`#!`) or its header names does not exist"
        }
        Some(Errno::NOENT) => "no such file; a relative path starts at the tree's root",
        Some(Errno::NOTDIR) => "a part of its path is not a directory",
        Some(Errno::ACCESS) => "not an executable file, or a folder on the way is closed to us",
        Some(Errno::NOEXEC) => "not a program this system can run; a script needs a `#!` line",
        Some(Errno::TOOBIG) => return Exit::NotStarted(too_long(&name)),
        _ => return Exit::NotStarted(format!("`{name}`: {error}")),
    };
    Exit::NotStarted(format!("`{name}`: {why}"))
}

/// Whether a start failed for want of processes, memory, descriptors or an idle program file: it may
/// go well later.
pub(in crate::run) fn is_want(error: &io::Error) -> bool {
    use Errno as E;
    let errno = Errno::from_io_error(error);
    matches!(errno, Some(E::AGAIN | E::NOMEM | E::MFILE | E::NFILE | E::TXTBSY))
}

/// Why a command with too many or too long words cannot start.
pub(in crate::run) fn too_long(program: &str) -> String {
    format!("`{program}`: its words and environment together are longer than this system allows")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn want_of_resources_is_told_from_a_program_that_cannot_start() {
        for errno in [Errno::AGAIN, Errno::NOMEM, Errno::MFILE, Errno::NFILE, Errno::TXTBSY] {
            let exit = refusal(OsStr::new("pytest"), &errno.into());
            assert!(matches!(exit, Exit::Starved(_)), "{exit}");
        }
        for errno in [Errno::NOENT, Errno::ACCESS, Errno::NOEXEC, Errno::TOOBIG, Errno::LOOP] {
            let exit = refusal(OsStr::new("pytest"), &errno.into());
            assert!(matches!(exit, Exit::NotStarted(ref why) if why.contains("pytest")), "{exit}");
        }
    }
}
