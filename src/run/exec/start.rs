//! Starting the command itself, and saying why it cannot start.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::Pid;

use crate::run::exit::Exit;

/// How often, and after which pause, a program file that is open for writing is tried again. Our
/// own engine can be the writer for a moment: a process forked between its open and its close
/// holds the file until it has started its own program.
const BUSY: (u32, Duration) = (100, Duration::from_millis(10));

/// Starts `argv` in its own process group, with nothing to read and both outputs in one pipe.
/// Only descriptors 0, 1 and 2 get through: those we opened close on exec, and those we inherited
/// are closed already.
///
/// The standard library resets SIGPIPE. Other signals that our caller ignores (`nohup`) stay
/// ignored, as they would in a shell.
pub(super) fn start(argv: &[OsString], output: OwnedFd) -> Result<Pid, Exit> {
    let (program, words) = argv.split_first().expect("an order has a program");
    let both = output.try_clone().map_err(|error| Exit::Lost(error.to_string()))?;
    let mut command = Command::new(program);
    command.args(words).process_group(0).stdin(Stdio::null()).stdout(output).stderr(both);
    let mut tries = BUSY.0;
    loop {
        match command.spawn() {
            Ok(child) => return Ok(Pid::from_child(&child)),
            Err(error) if Errno::from_io_error(&error) == Some(Errno::TXTBSY) && tries > 0 => {
                tries -= 1;
                sleep(BUSY.1);
            }
            Err(error) => return Err(refusal(program, &error)),
        }
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
