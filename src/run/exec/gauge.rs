//! Limits that the helper measures itself. The kernel's own limits on memory and processes show as
//! an ordinary failure of the command, which would count as a kill; what is measured here is told
//! apart from one.

use std::fs;

use rustix::param::page_size;
use rustix::process::{Pid, getpid};

use crate::run::exit::Exit;
use crate::run::processes::below;
use crate::run::sandbox::Limits;

/// SIGXFSZ, which the kernel sends at the file size limit, and the status a shell makes of it.
const FILE_SIZE: (i32, i32) = (25, 128 + 25);

/// Whether the processes below us are over a limit now.
pub(super) fn over(limits: &Limits) -> Option<Exit> {
    let processes = below(getpid());
    if limits.processes.is_some_and(|most| processes.len() as u64 > most) {
        return Some(Exit::ProcessLimit);
    }
    let most = limits.memory?;
    let all = |of: fn(Pid) -> u64| processes.iter().map(|&process| of(process)).sum::<u64>();
    // What processes share counts once in each of them; looking closer costs more.
    (all(resident) > most && all(proportional) > most).then_some(Exit::MemoryLimit)
}

/// The resident memory of a process in bytes; 0 when it has ended.
fn resident(process: Pid) -> u64 {
    let pages = || -> Option<u64> {
        let statm = fs::read_to_string(format!("/proc/{process}/statm")).ok()?;
        statm.split_ascii_whitespace().nth(1)?.parse().ok()
    };
    pages().unwrap_or(0) * page_size() as u64
}

/// The same with its part of what it shares; all of it where that cannot be read.
fn proportional(process: Pid) -> u64 {
    let kilobytes = || -> Option<u64> {
        let rollup = fs::read_to_string(format!("/proc/{process}/smaps_rollup")).ok()?;
        let line = rollup.lines().find_map(|line| line.strip_prefix("Pss:"))?;
        line.split_ascii_whitespace().next()?.parse().ok()
    };
    kilobytes().map_or_else(|| resident(process), |kilobytes| kilobytes * 1024)
}

/// What a failing exit is when it can come from the file size limit. A program may ignore the signal
/// (Python does) and fail in its own way; it then wrote at least as much as the limit in all.
pub(super) fn file_size(exit: &Exit, written: u64, limits: &Limits) -> Option<Exit> {
    let limit = limits.file_size?;
    let met = match exit {
        Exit::Code(0) => false,
        Exit::Signal(number) => *number == FILE_SIZE.0 || written >= limit,
        Exit::Code(code) => *code == FILE_SIZE.1 || written >= limit,
        _ => false,
    };
    met.then_some(Exit::FileSizeLimit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_that_can_come_from_the_file_size_limit_is_no_failure() {
        let limits = Limits { file_size: Some(1000), ..Limits::default() };
        let of = |exit, written| file_size(&exit, written, &limits);
        for (exit, written) in [
            (Exit::Signal(25), 0),
            (Exit::Code(153), 0),
            (Exit::Code(1), 1000),
            (Exit::Signal(11), 1000),
        ] {
            assert_eq!(of(exit.clone(), written), Some(Exit::FileSizeLimit), "{exit}");
        }
        for (exit, written) in [
            (Exit::Code(0), 5000),
            (Exit::Code(1), 999),
            (Exit::Signal(11), 0),
            (Exit::TimedOut, 5000),
            (Exit::OutputLimit, 5000),
        ] {
            assert_eq!(of(exit.clone(), written), None, "{exit}");
        }
        assert_eq!(file_size(&Exit::Signal(25), 5000, &Limits::default()), None);
    }
}
