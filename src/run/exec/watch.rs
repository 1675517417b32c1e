//! Watching the command until it ends or must be stopped, then ending all its processes.

use std::io::{self, ErrorKind};
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

use nix::sys::signal::{SigSet, Signal as NixSignal};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, getpid, wait};
use rustix::stdio::stdin;

use super::gauge;
use super::log::Log;
use crate::run::exit::Exit;
use crate::run::processes::{children, numbers, signal_trees, timespec};
use crate::run::sandbox::Limits;

/// How long processes that outlive the command have to end by themselves after SIGTERM.
const STRAGGLER_GRACE: Duration = Duration::from_millis(50);

/// The pause between two looks at memory and processes, where these are limited.
const LOOK: Duration = Duration::from_millis(25);

/// How long SIGKILL is tried before we give up on a certificate.
const BOUND: Duration = Duration::from_secs(10);

/// The longest pause between two rounds of SIGKILL.
const ROUND: Duration = Duration::from_millis(20);

/// The largest pipe an ordinary user can make: what may lie in it when every writer is gone.
const PIPE: u64 = 1 << 20;

/// SIGCHLD as something to wait for, once [`Watch::new`] blocks it. Until then no signal is blocked,
/// whatever our caller did: the command inherits the mask it is started with.
///
/// # Errors
/// The system has no descriptor left.
pub(super) fn child_ends() -> io::Result<SignalFd> {
    SigSet::empty().thread_set_mask()?;
    let flags = SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK;
    Ok(SignalFd::with_flags(&NixSignal::SIGCHLD.into(), flags)?)
}

/// The command's first process, its output, and what wakes us.
pub(super) struct Watch {
    leader: Pid,
    /// How the leader ended, once it was reaped.
    status: Option<Exit>,
    child_ends: SignalFd,
    /// `None` once every writer is gone.
    output: Option<OwnedFd>,
    log: Log,
    buffer: Box<[u8]>,
}

impl Watch {
    /// `output` must not block.
    pub(super) fn new(leader: Pid, child_ends: SignalFd, output: OwnedFd, log: Log) -> Self {
        let blocked = SigSet::from(NixSignal::SIGCHLD).thread_block();
        blocked.expect("only a wrong set of signals is refused");
        let buffer = vec![0; 1 << 16].into();
        Self { leader, status: None, child_ends, output: Some(output), log, buffer }
    }

    /// Waits for the leader's end, the time limit, another limit or the end of the lifeline. A
    /// status that is there when we look wins over every limit.
    pub(super) fn leader(
        &mut self,
        deadline: Option<Instant>,
        output_limit: u64,
        limits: &Limits,
    ) -> Exit {
        let looks = limits.memory.is_some() || limits.processes.is_some();
        let mut stop = None;
        loop {
            self.reap();
            if let Some(exit) = self.status.take().or(stop) {
                return exit;
            }
            let left = deadline.map(|end| end.saturating_duration_since(Instant::now()));
            if left == Some(Duration::ZERO) {
                stop = Some(Exit::TimedOut);
                continue;
            }
            let left = if looks { Some(left.map_or(LOOK, |left| left.min(LOOK))) } else { left };
            let cut = self.wait(true, left);
            stop = if self.log.total() > output_limit {
                Some(Exit::OutputLimit)
            } else if looks && let Some(exit) = gauge::over(limits) {
                Some(exit)
            } else {
                cut.then_some(Exit::Interrupted)
            };
        }
    }

    /// Waits for output (and takes a piece), the end of a child, or `left` to pass. With
    /// `lifeline`, also for the lifeline to be cut, and gives whether it is.
    fn wait(&mut self, lifeline: bool, left: Option<Duration>) -> bool {
        let line = stdin();
        let ends = self.child_ends.as_fd();
        let mut fds = vec![PollFd::from_borrowed_fd(ends, PollFlags::IN)];
        fds.extend(self.output.as_ref().map(|fd| PollFd::new(fd, PollFlags::IN)));
        // A closed pipe is reported whether asked for or not.
        fds.extend(lifeline.then(|| PollFd::from_borrowed_fd(line, PollFlags::empty())));
        if poll(&mut fds, left.map(timespec).as_ref()).is_err() {
            return false; // interrupted: a short wait, every caller looks again
        }
        let ready = |at: usize| fds.get(at).is_some_and(|fd| !fd.revents().is_empty());
        let (ended, readable) = (ready(0), self.output.is_some() && ready(1));
        let cut = lifeline && ready(fds.len() - 1);
        if ended {
            while matches!(self.child_ends.read_signal(), Ok(Some(_))) {}
        }
        if readable {
            self.drain_once();
        }
        cut
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
        if self.reap() {
            return Ok(());
        }
        let stopped = matches!(exit, Exit::TimedOut | Exit::OutputLimit | Exit::Interrupted);
        let grace = match exit {
            // It would go on taking what there is.
            Exit::MemoryLimit | Exit::ProcessLimit => Duration::ZERO,
            _ if stopped => grace,
            _ => STRAGGLER_GRACE.min(grace),
        };
        signal_trees(children(getpid()), &[Signal::TERM, Signal::CONT]);
        let asked = Instant::now();
        while let Some(left) = grace.checked_sub(asked.elapsed()) {
            self.wait(false, Some(left));
            if self.reap() {
                return Ok(());
            }
        }
        let forced = Instant::now();
        loop {
            signal_trees(children(getpid()), &[Signal::KILL]);
            self.wait(false, Some(ROUND));
            if self.reap() {
                return Ok(());
            }
            if forced.elapsed() > BOUND {
                return Err(numbers(children(getpid())));
            }
        }
    }

    /// Reaps whoever has ended, as the init of a system would: a command may wait for a process it
    /// orphaned to be gone. True when the kernel says that no child is left (`ECHILD`), which is
    /// the certificate: whatever loses its parent below a subreaper becomes the subreaper's child.
    fn reap(&mut self) -> bool {
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((process, status))) if process == self.leader => {
                    self.status = Some(exit_of(status));
                }
                Ok(Some(_)) => {}
                Ok(None) => return false,
                Err(error) => return error == Errno::CHILD,
            }
        }
    }

    /// Takes what still lies in the pipe, without waiting for a writer, and closes the log. Gives
    /// the bytes of output, and whether the log could be written.
    pub(super) fn finish(mut self) -> (u64, io::Result<()>) {
        let most = self.log.total() + PIPE;
        while self.log.total() < most && self.drain_once() {}
        (self.log.total(), self.log.finish())
    }
}

fn exit_of(status: WaitStatus) -> Exit {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => Exit::Code(code),
        (None, Some(number)) => Exit::Signal(number),
        (None, None) => Exit::Lost(format!("a wait status of neither kind: {status:?}")),
    }
}
