//! Watching the command until it ends or must be stopped, then ending all its processes.

use std::io::{self, ErrorKind};
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, WaitStatus, getpid, pidfd_open, wait, waitpid,
};
use rustix::stdio::stdin;

use super::log::Log;
use crate::run::exit::Exit;
use crate::run::processes::{children, numbers, signal_trees, timespec, wait_for_one};

/// How long processes that outlive the command have to end by themselves after SIGTERM.
const STRAGGLER_GRACE: Duration = Duration::from_millis(50);

/// How long SIGKILL is tried before we give up on a certificate.
const BOUND: Duration = Duration::from_secs(10);

/// The longest pause between two rounds of SIGKILL.
const ROUND: Duration = Duration::from_millis(20);

/// How often we look where the kernel (before 5.3) cannot wake us at a process's end.
const TICK: Duration = Duration::from_millis(5);

/// The largest pipe an ordinary user can make: what may lie in it when every writer is gone.
const PIPE: u64 = 1 << 20;

/// The command's first process, its output, and the engine's lifeline (our stdin).
pub(super) struct Watch {
    leader: Pid,
    output: Option<OwnedFd>,
    log: Log,
    buffer: Box<[u8]>,
}

impl Watch {
    /// `output` must not block.
    pub(super) fn new(leader: Pid, output: OwnedFd, log: Log) -> Self {
        Self { leader, output: Some(output), log, buffer: vec![0; 1 << 16].into() }
    }

    /// Waits for the leader's end, the time limit, the output limit or the end of the lifeline. A
    /// status that is there when we look wins over every limit.
    pub(super) fn leader(&mut self, deadline: Option<Instant>, output_limit: u64) -> Exit {
        let ended = pidfd_open(self.leader, PidfdFlags::empty()).ok();
        let mut stop = None;
        loop {
            if let Some(exit) = reaped(self.leader).or(stop) {
                return exit;
            }
            let left = deadline.map(|end| end.saturating_duration_since(Instant::now()));
            if left == Some(Duration::ZERO) {
                stop = Some(Exit::TimedOut);
                continue;
            }
            let (readable, cut) = self.wait(ended.as_ref(), left);
            if readable {
                self.drain_once();
            }
            stop = if self.log.total() > output_limit {
                Some(Exit::OutputLimit)
            } else {
                cut.then_some(Exit::Interrupted)
            };
        }
    }

    /// Whether there is output, and whether the engine is gone or has cut the lifeline.
    fn wait(&self, ended: Option<&OwnedFd>, left: Option<Duration>) -> (bool, bool) {
        let lifeline = stdin();
        let mut fds = vec![PollFd::from_borrowed_fd(lifeline, PollFlags::empty())];
        let watched = ended.iter().copied().chain(&self.output);
        fds.extend(watched.map(|fd| PollFd::from_borrowed_fd(fd.as_fd(), PollFlags::IN)));
        let pause = match ended {
            Some(_) => left,
            None => Some(left.map_or(TICK, |left| left.min(TICK))),
        };
        // An interrupted wait is a short wait: the caller looks again.
        if poll(&mut fds, pause.map(timespec).as_ref()).is_err() {
            return (false, false);
        }
        let readable =
            self.output.is_some() && fds.last().is_some_and(|fd| !fd.revents().is_empty());
        (readable, !fds[0].revents().is_empty())
    }

    /// Moves what one read gives from the pipe to the log; false when nothing is there.
    fn drain_once(&mut self) -> bool {
        let Some(output) = &self.output else { return false };
        match rustix::io::read(output, &mut *self.buffer).map_err(io::Error::from) {
            Ok(0) => self.output = None,
            Ok(count) => {
                self.log.take(&self.buffer[..count]);
                return true;
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) if error.kind() == ErrorKind::Interrupted => return true,
            Err(_) => self.output = None,
        }
        false
    }

    /// Ends every process below us: SIGTERM (and SIGCONT, for one that is stopped cannot end),
    /// a grace, then SIGKILL in rounds. `Ok` means that the kernel said that none is left.
    ///
    /// # Errors
    /// Processes live on after all that: those of them that can be seen.
    pub(super) fn end(&mut self, exit: &Exit, grace: Duration) -> Result<(), Vec<i32>> {
        if reap_all() {
            return Ok(());
        }
        let stopped = matches!(exit, Exit::TimedOut | Exit::OutputLimit | Exit::Interrupted);
        let grace = if stopped { grace } else { STRAGGLER_GRACE.min(grace) };
        signal_trees(children(getpid()), &[Signal::TERM, Signal::CONT]);
        let asked = Instant::now();
        while let Some(left) = grace.checked_sub(asked.elapsed()) {
            if wait_for_one(&children(getpid()), self.output.as_ref(), left) {
                self.drain_once();
            }
            if reap_all() {
                return Ok(());
            }
        }
        let forced = Instant::now();
        loop {
            let ours = children(getpid());
            signal_trees(ours.clone(), &[Signal::KILL]);
            wait_for_one(&ours, None, ROUND);
            if reap_all() {
                return Ok(());
            }
            if forced.elapsed() > BOUND {
                return Err(numbers(children(getpid())));
            }
        }
    }

    /// Takes what still lies in the pipe, without waiting for a writer, and closes the log. Gives
    /// the bytes of output.
    ///
    /// # Errors
    /// The log could not be written.
    pub(super) fn finish(mut self) -> io::Result<u64> {
        let most = self.log.total() + PIPE;
        while self.log.total() < most && self.drain_once() {}
        let total = self.log.total();
        self.log.finish().map(|()| total)
    }
}

/// How our child `process` ended, if it has.
fn reaped(process: Pid) -> Option<Exit> {
    match waitpid(Some(process), WaitOptions::NOHANG) {
        Ok(Some((_, status))) => Some(exit_of(status)),
        Ok(None) => None,
        Err(error) => Some(Exit::Lost(format!("waiting for the command: {error}"))),
    }
}

fn exit_of(status: WaitStatus) -> Exit {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => Exit::Code(code),
        (None, Some(number)) => Exit::Signal(number),
        (None, None) => Exit::Lost(format!("a wait status of neither kind: {status:?}")),
    }
}

/// Reaps whoever has ended; true when the kernel says that no child is left (`ECHILD`), which is
/// the certificate: whatever loses its parent below a subreaper becomes its child.
fn reap_all() -> bool {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some(_)) => {}
            Ok(None) => return false,
            Err(error) => return error == rustix::io::Errno::CHILD,
        }
    }
}
