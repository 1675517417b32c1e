//! A worker's process: the real command, started once, that answers for many mutants.

use std::fs::File;
use std::io::{self, IoSlice, Read as _};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::cmsg_space;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::net::{
    AddressFamily, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketFlags,
    SocketType, recv, sendmsg, socketpair,
};
use rustix::pipe::{PipeFlags, pipe_with};
use serde::{Deserialize, Serialize};

use super::LONGEST;
use crate::run::exec::log::Log;
use crate::run::processes::timespec;
use crate::run::spawn::{Begun, CommandSpec, Finished, KEEP};
use crate::run::{Certificate, Exit, Spawner};

/// The largest message; one is one packet.
const PACKET: usize = 1 << 16;

/// How long after a child's time limit its parent must have answered.
const PATIENCE: Duration = Duration::from_secs(30);

/// Why a worker does not serve of which nobody knows what other programs ran of the tree.
pub(super) const STARTS: &str = "it starts another program before the tests";

/// What a worker says of itself before it serves.
#[derive(Debug, Deserialize)]
struct Hello {
    pid: i32,
    hazards: Vec<String>,
    /// Whether it started other programs since it last served, of which it saw nothing.
    starts: bool,
    /// User and system time of that process since it last served or began.
    cpu_s: f64,
}

/// What the helper says before the command's program starts.
#[derive(Debug, Deserialize)]
struct Leader {
    leader: i32,
}

/// What a child is asked to do.
#[derive(Debug, Default, Serialize)]
pub(super) struct Request<'a> {
    /// The files that are not as they were when the worker started: paths in the tree.
    pub(super) files: Vec<&'a str>,
    /// Seconds after which it is ended.
    pub(super) limit_s: f64,
    /// The last test that it runs, by number; without it, all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) until: Option<usize>,
    /// The test before which it serves in its parent's place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) to: Option<usize>,
    /// That it ends, and its parent serves again.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) back: bool,
}

/// What became of a child.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub(super) struct Answer {
    /// The process that answers, the child's parent.
    pub(super) by: i32,
    /// Its status, where it ended by itself.
    pub(super) code: Option<i32>,
    /// The signal that ended it.
    pub(super) signal: Option<i32>,
    pub(super) timed_out: bool,
    pub(super) wall_s: f64,
    pub(super) cpu_s: f64,
    /// Bytes written to file systems on disk.
    pub(super) written: u64,
    /// Whether the kernel said that none of its processes is left.
    pub(super) alone: bool,
    /// Why the change cannot be judged there.
    pub(super) refused: Option<String>,
    /// Whether it could be judged before the first test.
    pub(super) late: Option<bool>,
    /// The first test or file of tests that failed.
    pub(super) failed: Option<String>,
    /// The number of that test.
    pub(super) failed_at: Option<i64>,
    /// The status that the runner came to, at its end.
    pub(super) ended: Option<i32>,
    /// Places that outlive a process, and are not as they were.
    pub(super) left: Vec<String>,
}

/// One that waits for requests; dropped, it is ended.
#[derive(Debug)]
pub(super) struct Process {
    begun: Begun,
    channel: OwnedFd,
    pid: i32,
    /// The child that serves in its place, and what it may write to.
    sent_on: Option<(i32, File)>,
    /// The directory it works in, which must stay the same.
    tree: PathBuf,
    inode: (u64, u64),
}

/// What became of a child that was sent on.
pub(super) enum Sent {
    /// It serves: the CPU time of its way there, and whether other programs ran on the way there.
    Serves { cpu_s: f64, starts: bool },
    /// It would, but for this.
    Objects(String),
    /// It ended, and its parent serves.
    Ended(Answer),
}

/// Why there is no worker.
pub(super) enum NoWorker {
    Interrupted,
    /// In words, and the certificate of what was started.
    Because(String, Option<Certificate>),
}

impl Process {
    /// Starts the command with its channel and hears it out; `limit` is for all of that.
    pub(super) fn start(
        spawner: &Spawner,
        spec: &CommandSpec<'_>,
        limit: Duration,
    ) -> Result<Self, NoWorker> {
        // Nothing was started yet.
        let because =
            |error: io::Error| NoWorker::Because(error.to_string(), Some(Certificate::new()));
        let flags = SocketFlags::CLOEXEC;
        let (channel, theirs) = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None)
            .map_err(|errno| because(errno.into()))?;
        let inode = place(spec.cwd).map_err(because)?;
        let begun = spawner.start(spec, theirs).map_err(|exit| match exit {
            Exit::Interrupted => NoWorker::Interrupted,
            exit => NoWorker::Because(exit.to_string(), Some(Certificate::new())),
        })?;
        let tree = spec.cwd.to_owned();
        let process = Self { begun, channel, pid: 0, sent_on: None, tree, inode };
        match process.hear_out(Instant::now() + limit) {
            Ok(pid) => Ok(Self { pid, ..process }),
            Err(_) if spawner.is_interrupted() => Err(NoWorker::Interrupted),
            Err(Some(why)) => Err(NoWorker::Because(why, process.end().certificate)),
            Err(None) => {
                let Finished { exit, certificate, .. } = process.begun.wait(limit);
                let why = format!("it ended before a worker was ready: {exit}");
                Err(NoWorker::Because(why, certificate))
            }
        }
    }

    /// Waits until it says that it may serve, and gives its number, or why not; without words where it
    /// just ended.
    fn hear_out(&self, deadline: Instant) -> Result<i32, Option<String>> {
        let mut leader = None;
        loop {
            if !self.wait(None, deadline)? {
                return Err(Some("it was not ready in time".to_owned()));
            }
            let packet = self.packet()?;
            if let Ok(said) = serde_json::from_slice::<Leader>(&packet) {
                leader = Some(said.leader);
                continue;
            }
            let hello = serde_json::from_slice::<Hello>(&packet);
            let hello = hello.map_err(|error| Some(format!("it does not speak to us: {error}")))?;
            if leader != Some(hello.pid) {
                // Its status would not be the command's.
                return Err(Some("the tests run in a process below the command's".to_owned()));
            }
            let starts = hello.starts.then(|| STARTS.to_owned());
            return match starts.or_else(|| hello.hazards.into_iter().next()) {
                Some(hazard) => Err(Some(hazard)),
                None => Ok(hello.pid),
            };
        }
    }

    /// Waits for a packet, and for `output` where that is given; false at the deadline.
    fn wait(&self, output: Option<&File>, deadline: Instant) -> Result<bool, Option<String>> {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let mut fds = vec![PollFd::new(&self.channel, PollFlags::IN)];
            fds.extend(output.map(|output| PollFd::new(output, PollFlags::IN)));
            match poll(&mut fds, Some(&timespec(left))) {
                Ok(0) => return Ok(false),
                Ok(_) => return Ok(true),
                Err(rustix::io::Errno::INTR) => {}
                Err(errno) => return Err(Some(errno.to_string())),
            }
        }
    }

    /// The next packet, which is there or will not come; without words at the end.
    fn packet(&self) -> Result<Vec<u8>, Option<String>> {
        let mut packet = vec![0; PACKET];
        match recv(&self.channel, &mut packet[..], RecvFlags::empty()) {
            Ok((0, _)) | Err(rustix::io::Errno::CONNRESET) => Err(None),
            Ok((count, _)) => Ok(packet[..count].to_vec()),
            Err(errno) => Err(Some(errno.to_string())),
        }
    }

    /// Whether the directory it works in is still the one at that path.
    pub(super) fn is_at_home(&self, tree: &Path) -> bool {
        self.tree == tree && place(tree).is_ok_and(|inode| inode == self.inode)
    }

    /// Has a child made, whose output goes to `log` up to `most` bytes.
    ///
    /// # Errors
    /// The worker is gone or can no longer be trusted: why. It must be ended.
    pub(super) fn ask(
        &mut self,
        request: &Request<'_>,
        log: (&Path, u64),
    ) -> Result<Answer, String> {
        let limit = Duration::from_secs_f64(request.limit_s);
        let (packet, _) = self.exchange(request, limit, log)?;
        let answer = self.answer(&packet)?;
        if self.sent_on.is_none() || self.serving() == answer.by {
            return Ok(answer);
        }
        // It tells of who served, and not of who was asked for.
        self.sent_on = None;
        let Answer { by, alone, left, .. } = answer;
        Ok(Answer { by, alone, left, ..Answer::default() })
    }

    /// Has a child, or the one that was sent on before, run the tests before this one, for which it has
    /// so much time, and serve there.
    ///
    /// # Errors
    /// As of [`Process::ask`].
    pub(super) fn send_on(
        &mut self,
        to: usize,
        limit: Duration,
        log: (&Path, u64),
    ) -> Result<Sent, String> {
        // It lives until it is called back.
        let limit_s = LONGEST.as_secs_f64();
        let request = Request { to: Some(to), limit_s, ..Request::default() };
        let (packet, output) = self.exchange(&request, limit, log)?;
        let Ok(hello) = serde_json::from_slice::<Hello>(&packet) else {
            self.sent_on = None;
            return Ok(Sent::Ended(self.answer(&packet)?));
        };
        self.sent_on = Some((hello.pid, output));
        Ok(match hello.hazards.into_iter().next() {
            Some(hazard) => Sent::Objects(hazard),
            None => Sent::Serves { cpu_s: hello.cpu_s, starts: hello.starts },
        })
    }

    /// Ends the child that was sent on.
    ///
    /// # Errors
    /// As of [`Process::ask`].
    pub(super) fn call_back(&mut self) -> Result<Answer, String> {
        self.sent_on = None;
        let request = Request { back: true, ..Request::default() };
        self.send(&request, None).map_err(|error| error.to_string())?;
        let gone = |why: Option<String>| why.unwrap_or_else(|| "the worker ended".to_owned());
        if !self.wait(None, Instant::now() + PATIENCE).map_err(gone)? {
            return Err("the worker did not answer in time".to_owned());
        }
        let packet = self.packet().map_err(gone)?;
        self.answer(&packet)
    }

    /// Whether a child serves in its place.
    pub(super) fn is_sent_on(&self) -> bool {
        self.sent_on.is_some()
    }

    fn serving(&self) -> i32 {
        self.sent_on.as_ref().map_or(self.pid, |(pid, _)| *pid)
    }

    fn answer(&self, packet: &[u8]) -> Result<Answer, String> {
        let answer = serde_json::from_slice::<Answer>(packet);
        let answer = answer.map_err(|error| format!("the worker does not speak to us: {error}"))?;
        if answer.by == self.pid || answer.by == self.serving() {
            return Ok(answer);
        }
        Err("the worker does not speak to us: somebody else does".to_owned())
    }

    /// Sends a request, and takes what is written to `log`, up to so many bytes, until there is a packet.
    fn exchange(
        &self,
        request: &Request<'_>,
        limit: Duration,
        (log, most): (&Path, u64),
    ) -> Result<(Vec<u8>, File), String> {
        let words = |error: io::Error| error.to_string();
        let mut log = Log::create(log, KEEP).map_err(words)?;
        let (output, theirs) =
            pipe_with(PipeFlags::CLOEXEC).map_err(|errno| words(errno.into()))?;
        rustix::io::ioctl_fionbio(&output, true).map_err(|errno| words(errno.into()))?;
        self.send(request, Some(theirs.as_fd())).map_err(words)?;
        drop(theirs); // only the child is to hold it
        let mut output = File::from(output);
        let deadline = Instant::now() + limit + PATIENCE;
        let gone = |why: Option<String>| why.unwrap_or_else(|| "the worker ended".to_owned());
        let packet = loop {
            if !self.wait(Some(&output), deadline).map_err(gone)? {
                break Err("the worker did not answer in time".to_owned());
            }
            let open = !matches!(take(&mut output, &mut log), Ok(0));
            if log.total() > most {
                break Err("more output than the limit".to_owned());
            }
            let now = Instant::now();
            // Without writers its pipe is always ready: only the packet is to come then.
            if !open && !self.wait(None, deadline).map_err(gone)? {
                break Err("the worker did not answer in time".to_owned());
            }
            if self.wait(None, now).map_err(gone)? {
                break self.packet().map_err(gone);
            }
        };
        while log.total() <= most && matches!(take(&mut output, &mut log), Ok(1..)) {}
        log.finish().map_err(words)?;
        Ok((packet?, output))
    }

    fn send(&self, request: &Request<'_>, output: Option<BorrowedFd<'_>>) -> io::Result<()> {
        let text = serde_json::to_vec(request).expect("a request is plain data");
        let mut room = [std::mem::MaybeUninit::uninit(); cmsg_space!(ScmRights(1))];
        let mut ancillary = SendAncillaryBuffer::new(&mut room);
        let descriptors = output.as_slice();
        if output.is_some() {
            ancillary.push(SendAncillaryMessage::ScmRights(descriptors));
        }
        // A worker that is gone is an error, not a signal.
        sendmsg(&self.channel, &[IoSlice::new(&text)], &mut ancillary, SendFlags::NOSIGNAL)?;
        Ok(())
    }

    /// Ends it and whatever it started.
    pub(super) fn end(self) -> Finished {
        self.begun.end()
    }
}

/// Moves what one read gives to the log; 0 once every writer is gone.
fn take(output: &mut File, log: &mut Log) -> io::Result<usize> {
    let mut buffer = [0; 1 << 14];
    let count = output.read(&mut buffer)?;
    log.take(&buffer[..count]);
    Ok(count)
}

fn place(tree: &Path) -> io::Result<(u64, u64)> {
    tree.metadata().map(|met| (met.dev(), met.ino()))
}
