//! Starting commands and waiting for them: the one place where a run starts processes.

use std::collections::BTreeMap;
use std::io::{self, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use rustix::event::{PollFd, PollFlags, poll};

use super::certificate::Certificate;
use super::environment::{Environment, RUN};
use super::exec;
use super::exec::order::{Order, Report};
use super::exit::Exit;
use super::orphans;
use super::processes::{all, timespec};
use super::sandbox::{Groups, Sandbox};
use super::turns::Share;

/// How long a command's processes have to end by themselves after a time-out or an interrupt.
const GRACE: Duration = Duration::from_secs(1);

/// Bytes of output that the log keeps from the start, and as many from the end.
pub(in crate::run) const KEEP: usize = 128 << 10;

/// How long after limit and grace a helper must have answered: its own bound for ending processes
/// and plenty for a machine under load. Only a helper that the command stopped is ever that late.
const PATIENCE: Duration = Duration::from_secs(60);

/// The usual limit of a command's output in bytes.
pub const OUTPUT_LIMIT: u64 = 1 << 30;

/// A command to run.
#[derive(Debug, Clone, Copy)]
pub struct CommandSpec<'a> {
    /// The program and its words, at least one; the program is looked up on the environment's PATH, or from
    /// `cwd` when it holds a slash.
    pub argv: &'a [String],
    /// The working directory.
    pub cwd: &'a Path,
    /// The directory it may write in, where the sandbox holds it: absolute, without links.
    pub workspace: &'a Path,
    /// The folder that an overlay above the workspace writes in, for one command or for several that
    /// go on from each other ([`Workspace::layer`](super::workspace::Workspace::layer)).
    pub layer: Option<&'a Path>,
    /// All variables the command gets, besides `ADEQUACY_RUN`.
    pub environment: &'a Environment,
    /// Where the output goes; replaced if it exists. Not inside the workspace.
    pub log: &'a Path,
    /// How long it may run.
    pub limit: Duration,
    /// How many times the sandbox's limit of memory it may hold.
    pub memory_times: u64,
    /// How many bytes it may write ([`OUTPUT_LIMIT`]).
    pub output_limit: u64,
}

/// What came of a command.
#[derive(Debug)]
pub struct Finished {
    /// What its first process did.
    pub exit: Exit,
    /// From its start to its end, or until it was stopped; the time for ending what it left behind
    /// is not in it.
    pub wall: Duration,
    /// User and system time of all its processes.
    pub cpu: Duration,
    /// The largest resident set of any one of its processes, in bytes.
    pub peak_rss: u64,
    /// Bytes written to stdout and stderr, whether the log kept them or not.
    pub output_bytes: u64,
    /// Shows that nothing of the run lives. Without one the workspace must be thrown away.
    pub certificate: Option<Certificate>,
}

/// Starts all commands of a run; shared by its workers.
#[derive(Debug)]
pub struct Spawner {
    helper: PathBuf,
    run: String,
    sandbox: Sandbox,
    share: Option<Share>,
    live: Arc<Mutex<Live>>,
}

#[derive(Debug, Default)]
struct Live {
    interrupted: bool,
    next: u64,
    /// By helper, the write end of its stdin: closing it ends everything the helper watches.
    lifelines: BTreeMap<u64, ChildStdin>,
}

impl Spawner {
    /// `helper` is our own binary, such as [`std::env::current_exe`] gives; `sandbox` holds every
    /// command. Makes this process a subreaper: orphans of a helper that died come to it.
    ///
    /// # Errors
    /// The working directory cannot be read, or the system cannot make a subreaper.
    pub fn new(helper: &Path, sandbox: Sandbox) -> io::Result<Self> {
        orphans::adopt()?;
        let now = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
        let run = format!("{:x}-{:x}", std::process::id(), now.as_nanos());
        let helper = std::path::absolute(helper)?;
        Ok(Self { helper, run, sandbox, share: None, live: Arc::default() })
    }

    /// The same for a run that shares its workers with others.
    #[must_use]
    pub fn sharing(self, share: Share) -> Self {
        Self { share: Some(share), ..self }
    }

    /// The run's part in the workers, where it shares them with others.
    #[must_use]
    pub const fn share(&self) -> Option<&Share> {
        self.share.as_ref()
    }

    /// What holds every command.
    #[must_use]
    pub const fn sandbox(&self) -> &Sandbox {
        &self.sandbox
    }

    /// The value of `ADEQUACY_RUN` in every process of this run; no other run has it.
    #[must_use]
    pub fn run_id(&self) -> &str {
        &self.run
    }

    /// Runs a command to its end and ends whatever it leaves behind. Blocks; any thread may call.
    pub fn run(&self, spec: &CommandSpec<'_>) -> Finished {
        self.run_shown_at(spec, None)
    }

    /// The same with the working directory seen at this place, which hides what is there; that needs
    /// namespaces, else nothing runs.
    pub fn run_shown_at(&self, spec: &CommandSpec<'_>, shown_at: Option<&Path>) -> Finished {
        match self.begin(spec, shown_at, None) {
            Ok(mut begun) => begun.finish(spec.limit),
            Err(exit) => Finished::nothing_ran(exit),
        }
    }

    /// Starts a command that finds the other end of a socket as its stdin, and leaves it running; it is
    /// ended with what is given, and by an interrupt. The first packet in the socket is the number of its
    /// first process, as `{"leader": N}`.
    ///
    /// # Errors
    /// It could not be started: what its exit is then.
    pub fn start(&self, spec: &CommandSpec<'_>, channel: OwnedFd) -> Result<Begun, Exit> {
        self.begin(spec, None, Some(channel))
    }

    /// Whether the run was interrupted.
    #[must_use]
    pub fn is_interrupted(&self) -> bool {
        self.live().interrupted
    }

    fn begin(
        &self,
        spec: &CommandSpec<'_>,
        shown_at: Option<&Path>,
        channel: Option<OwnedFd>,
    ) -> Result<Begun, Exit> {
        let log = std::path::absolute(spec.log)
            .map_err(|error| Exit::Lost(format!("`{}`: {error}", spec.log.display())))?;
        let token = token().map_err(Exit::Lost)?;
        let mut sandbox = self.sandbox.clone();
        let memory = sandbox.limits.memory;
        sandbox.limits.memory = memory.map(|most| most.saturating_mul(spec.memory_times));
        let order = Order {
            limit: spec.limit,
            grace: GRACE,
            output_limit: spec.output_limit,
            keep: KEEP,
            channel: channel.is_some(),
            log,
            workspace: spec.workspace.to_owned(),
            sandbox,
            shown_at: shown_at.map(Path::to_owned),
            layer: spec.layer.map(Path::to_owned),
            argv: spec.argv.iter().map(Into::into).collect(),
        };
        let mut command = Command::new(&self.helper);
        command
            .arg(exec::WORD)
            .args(order.words())
            .env_clear()
            .envs(spec.environment.iter())
            .env(RUN, &self.run)
            .current_dir(spec.cwd)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(channel.map_or_else(Stdio::null, Stdio::from));
        // Held over the start, so that an interrupt finds each helper's lifeline.
        let mut live = self.live();
        if live.interrupted {
            return Err(Exit::Interrupted);
        }
        let mut child =
            orphans::start_helper(&mut command).map_err(|error| self.not_started(&error, spec))?;
        let mut lifeline = child.stdin.take().expect("a piped stdin");
        // A helper that is gone already shows as a missing answer.
        let _ = lifeline.write_all(format!("{token}\n").as_bytes());
        let ticket = live.next;
        live.next += 1;
        live.lifelines.insert(ticket, lifeline);
        let (live, groups) = (Arc::clone(&self.live), self.sandbox.groups.clone());
        Ok(Begun { child, ticket, token, live, groups, is_over: false })
    }

    /// Why a helper did not start.
    fn not_started(&self, error: &io::Error, spec: &CommandSpec<'_>) -> Exit {
        let (helper, cwd) = (self.helper.display(), spec.cwd.display());
        let why = format!("the helper `{helper}` in `{cwd}`: {error}");
        if error.kind() == io::ErrorKind::ArgumentListTooLong {
            // The helper's words are the command's and a few more.
            Exit::NotStarted(exec::too_long(spec.argv.first().map_or("", |word| word)))
        } else if exec::is_want(error) {
            Exit::Starved(why)
        } else {
            Exit::Lost(why)
        }
    }

    /// Ends all commands that run; later ones end at once. Both as [`Exit::Interrupted`], unless a
    /// running one has just ended by itself.
    pub fn interrupt(&self) {
        let mut live = self.live();
        live.interrupted = true;
        live.lifelines.clear();
    }

    /// The processes of this run that still live, by their `ADEQUACY_RUN`. To be asked when no
    /// command runs: then there must be none. Helpers hide their environment from an ordinary user
    /// and may not be among them, but [`Spawner::run`] has waited for those.
    #[must_use]
    pub fn survivors(&self) -> Vec<i32> {
        let mark = format!("{RUN}={}", self.run).into_bytes();
        let marked = |pid: &i32| {
            std::fs::read(format!("/proc/{pid}/environ"))
                .is_ok_and(|environ| environ.split(|&byte| byte == 0).any(|entry| entry == mark))
        };
        all().into_iter().map(rustix::process::Pid::as_raw_pid).filter(marked).collect()
    }

    fn live(&self) -> MutexGuard<'_, Live> {
        lock(&self.live)
    }
}

fn lock(live: &Mutex<Live>) -> MutexGuard<'_, Live> {
    live.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A command that was started; dropped, it is ended.
#[derive(Debug)]
pub struct Begun {
    child: Child,
    ticket: u64,
    token: String,
    live: Arc<Mutex<Live>>,
    /// Where the helper made one for the command.
    groups: Groups,
    is_over: bool,
}

impl Begun {
    /// Waits for its end, which is to come within `limit`.
    fn finish(&mut self, limit: Duration) -> Finished {
        let limit = limit.saturating_add(GRACE).saturating_add(PATIENCE);
        let answer = answer(&mut self.child, limit);
        lock(&self.live).lifelines.remove(&self.ticket);
        let status = orphans::end_helper(&mut self.child);
        self.is_over = true;
        let why = match answer.as_deref().map(serde_json::from_slice::<Report>) {
            Some(Ok(report)) if report.token == self.token => return Finished::reported(report),
            Some(Ok(_)) => "the command answered in the helper's place".to_owned(),
            Some(Err(_)) => match status {
                Ok(status) => format!("the helper died ({status}), perhaps by the command's hand"),
                Err(error) => format!("the helper cannot be waited for: {error}"),
            },
            None => "the helper did not answer in time and was ended".to_owned(),
        };
        self.groups.remove(self.child.id());
        Finished::lost(why)
    }

    /// Waits for it, where it is about to end by itself, no longer than `limit` and a while.
    #[must_use]
    pub fn wait(mut self, limit: Duration) -> Finished {
        self.finish(limit)
    }

    /// Ends it and whatever it started.
    #[must_use]
    pub fn end(mut self) -> Finished {
        self.cut()
    }

    fn cut(&mut self) -> Finished {
        lock(&self.live).lifelines.remove(&self.ticket);
        self.finish(Duration::ZERO)
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        if !self.is_over {
            self.cut();
        }
    }
}

/// What only the engine and the helper know, so that a command cannot answer in its place.
fn token() -> Result<String, String> {
    let mut random = [0; 16];
    getrandom::fill(&mut random).map_err(|error| format!("no random numbers: {error}"))?;
    Ok(random.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The helper's line, or what it wrote of it before it died; `None` when `limit` passes.
fn answer(child: &mut Child, limit: Duration) -> Option<Vec<u8>> {
    let mut pipe = child.stdout.take().expect("a piped stdout");
    let deadline = Instant::now().checked_add(limit);
    let mut answer = Vec::new();
    let mut buffer = [0; 4096];
    while !answer.ends_with(b"\n") {
        let left = deadline.map(|end| end.saturating_duration_since(Instant::now()));
        if left == Some(Duration::ZERO) {
            return None;
        }
        let mut fds = [PollFd::new(&pipe, PollFlags::IN)];
        match poll(&mut fds, left.map(timespec).as_ref()) {
            Ok(0) | Err(rustix::io::Errno::INTR) => continue,
            Ok(_) | Err(_) => {}
        }
        match pipe.read(&mut buffer) {
            Ok(0) | Err(_) => break,
            Ok(count) => answer.extend_from_slice(&buffer[..count]),
        }
    }
    Some(answer)
}

impl Finished {
    fn nothing_ran(exit: Exit) -> Self {
        let (wall, cpu) = (Duration::ZERO, Duration::ZERO);
        let certificate = Some(Certificate::new());
        Self { exit, wall, cpu, peak_rss: 0, output_bytes: 0, certificate }
    }

    fn reported(report: Report) -> Self {
        let Report { token: _, exit, wall, cpu, peak_rss, output_bytes, ended } = report;
        let certificate = ended.then(Certificate::new);
        Self { exit, wall, cpu, peak_rss, output_bytes, certificate }
    }

    /// The helper gave no answer: its orphans are ended, but nobody can vouch for it.
    fn lost(why: String) -> Self {
        let left = orphans::end_all();
        let why = if left.is_empty() { why } else { format!("{why}; still alive: {left:?}") };
        Self { certificate: None, ..Self::nothing_ran(Exit::Lost(why)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer_of(line: &str, limit: Duration) -> Option<Vec<u8>> {
        let mut child = Command::new("sh")
            .args(["-c", line])
            .stdout(Stdio::piped())
            .spawn()
            .expect("sh starts");
        let answer = answer(&mut child, limit);
        child.kill().expect("it is still ours");
        child.wait().expect("it ends");
        answer
    }

    #[test]
    fn a_helper_that_stays_silent_is_given_up() {
        assert_eq!(answer_of("printf half; exec sleep 600", Duration::from_millis(300)), None);
    }

    #[test]
    fn a_helper_is_heard_to_the_end_of_its_line_or_life() {
        let long = Duration::MAX;
        assert_eq!(answer_of("printf half", long).as_deref(), Some(&b"half"[..]));
        let slow = "printf a; sleep 0.1; echo b; exec sleep 600";
        assert_eq!(answer_of(slow, long).as_deref(), Some(&b"ab\n"[..]));
    }
}
