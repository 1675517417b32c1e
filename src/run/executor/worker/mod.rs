//! The executors that keep a process of a test runner and fork a child of it for each mutant: a hot one has
//! imported and collected everything and puts changed functions in the place of the old ones, a warm one
//! has only started and imports the mutant from disk. The Python side is in `src/run/python/`.
//!
//! The worker works in the copy itself, never in an overlay above it: the mutant is put below its feet
//! for each child and taken away after. It holds nothing open there for writing, and while no child
//! lives it only waits for us, so that the copy can be brought back with it alive.

mod course;
mod opened;
mod process;

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{Asked, Declined, Door, Executor, Lab, Passed, RunError, Seat, Tier};
use crate::base::{RelPath, Sha256};
use crate::run::reach::Reach;
use crate::run::sandbox::{Network, Workspaces};
use crate::run::spawn::CommandSpec;
use crate::run::{Attempt, Certificate, Exit, Run, Step, Tested};

use self::course::Course;
use self::process::{Answer, NoWorker, Process, Request};

/// What a worker may take to be ready: so many times the slowest run of the unmutated tree, and more.
const START: (u32, Duration) = (3, Duration::from_secs(10));

/// What a child may take: so many times the slowest unmutated one, and more. A time-out is never final
/// here, so that only speed hangs on it.
const CHILD: (u32, Duration) = (5, Duration::from_secs(2));

/// A limit that is none, and that clocks can count to.
const LONGEST: Duration = Duration::from_secs(1 << 30);

/// Unmutated children that must pass before a worker judges.
const CONTROLS: usize = 2;

/// Workers in a row that may fail to get ready.
const PATIENCE: u32 = 3;

/// What outlives a process in namespaces of its own, and in a network of its own.
const LEFT: [&str; 4] = ["/dev/shm", "/proc/sysvipc/shm", "/proc/sysvipc/sem", "/proc/sysvipc/msg"];
const LEFT_IN_NETWORK: [&str; 4] =
    ["/proc/net/tcp", "/proc/net/tcp6", "/proc/net/udp", "/proc/net/udp6"];

/// One seat's worker for one command, hot or warm.
pub(super) struct Worker {
    tier: Tier,
    /// How it is let in.
    door: Door,
    /// How many tests the command runs, where its runner's output tells.
    executed: Option<u64>,
    process: Option<Process>,
    /// Where that stands among the tests.
    course: Course,
    /// The limit of a child, once some passed.
    limit: Duration,
    /// How many in a row did not get ready.
    failed_starts: u32,
    /// Why it is asked no more.
    given_up: Option<String>,
    /// Whether it found failures since an unmutated child last passed.
    unvouched: bool,
    /// CPU seconds that its processes took since it was last asked to run something.
    spent_s: f64,
}

/// Why a mutant goes down the ladder: the words, and whether it is the one below that is asked next or
/// one that starts processes.
struct Down(String, bool);

impl Down {
    fn to_next(why: impl Into<String>) -> Self {
        Self(why.into(), false)
    }

    fn to_processes(why: impl Into<String>) -> Self {
        Self(why.into(), true)
    }
}

impl Worker {
    /// `reach` is what the command's tests enter, where that is known.
    pub(super) fn new(
        tier: Tier,
        door: Door,
        executed: Option<u64>,
        reach: Option<Arc<Reach>>,
    ) -> Self {
        let limit = LONGEST;
        let (process, given_up) = (None, None);
        let (course, failed_starts, unvouched, spent_s) = (Course::new(reach), 0, false, 0.0);
        Self {
            tier,
            door,
            executed,
            process,
            course,
            limit,
            failed_starts,
            given_up,
            unvouched,
            spent_s,
        }
    }

    /// One of the same kind, for another seat.
    pub(super) fn another(&self) -> Self {
        let course = self.course.another();
        Self { course, ..Self::new(self.tier, self.door.clone(), self.executed, None) }
    }

    /// Why a command can have no worker here at all.
    pub(super) fn objection(lab: &Lab<'_>, command: usize) -> Option<&'static str> {
        if lab.task.build.is_some() {
            Some("a build comes before it")
        } else if lab.spawner.sandbox().workspaces == Workspaces::Copy {
            Some("each command is to have a new copy")
        } else if lab.shown_at(Step::Command(command)).is_some() {
            Some("its copy is shown at another place")
        } else {
            None
        }
    }

    /// Makes sure of a worker that works in this seat's workspace, and has shown there that the
    /// unmutated tree passes; or says why there is none.
    pub(super) fn ready(
        &mut self,
        lab: &Lab<'_>,
        seat: &mut Seat,
        command: usize,
    ) -> Result<Result<(), String>, RunError> {
        if let Some(why) = &self.given_up {
            return Ok(Err(why.clone()));
        }
        if let Some(process) = &self.process {
            if process.is_at_home(&seat.workspace.tree()) {
                return Ok(Ok(()));
            }
            self.end(lab, seat)?;
        }
        let made = self.make(lab, seat, command)?;
        match &made {
            Ok(()) => self.failed_starts = 0,
            Err(why) => {
                self.end(lab, seat)?;
                self.failed_starts += 1;
                if self.failed_starts >= PATIENCE {
                    self.given_up = Some(why.clone());
                }
            }
        }
        Ok(made)
    }

    fn make(
        &mut self,
        lab: &Lab<'_>,
        seat: &mut Seat,
        command: usize,
    ) -> Result<Result<(), String>, RunError> {
        match self.start(lab, seat, command) {
            Ok(process) => self.process = Some(process),
            Err(NoWorker::Interrupted) => return Err(RunError::Interrupted),
            Err(NoWorker::Because(why, certificate)) => {
                seat.certify(certificate);
                lab.clean(seat, false)?;
                return Ok(Err(why));
            }
        }
        if let Some(place) = seat.workspace.differing(None) {
            let why = format!("it leaves `{}` before the first test", place.display());
            return Ok(Err(why));
        }
        reset(lab, seat)?;
        self.limit = LONGEST;
        let mut slowest = 0.0_f64;
        for number in 0..CONTROLS {
            let name = format!("w{}-control", seat.worker);
            let asked = Asked { name: (&name, number), edits: &[], command, must_build: true };
            let why = match self.ask(lab, seat, asked, None)? {
                Ok((answer, _)) if !answer.left.is_empty() => {
                    format!("its tests change {}", answer.left.join(", "))
                }
                Ok((answer, log)) => match judge(&answer) {
                    Ok(Exit::Code(0)) if lab.executed(command, &log) != self.executed => {
                        "it runs another number of tests there".to_owned()
                    }
                    Ok(Exit::Code(0)) => {
                        slowest = slowest.max(answer.wall_s);
                        continue;
                    }
                    Ok(exit) => format!("the unmutated tree does not pass there: {exit}"),
                    Err(Down(why, _)) => format!("the unmutated tree does not pass there: {why}"),
                },
                Err(Down(why, _)) => why,
            };
            return Ok(Err(why));
        }
        self.limit = Duration::from_secs_f64(slowest) * CHILD.0 + CHILD.1;
        Ok(Ok(()))
    }

    fn start(&self, lab: &Lab<'_>, seat: &Seat, command: usize) -> Result<Process, NoWorker> {
        let step = Step::Command(command);
        let name = format!("w{}", seat.worker);
        let log = lab.log_name(&name, step, &format!(".{}-worker", self.tier.word()));
        let (log, tree) = (lab.settings.logs.join(log), seat.workspace.tree());
        let told = serde_json::json!({"tier": self.tier, "places": places(lab)}).to_string();
        let environment = self.door.serve(&seat.environment, &told);
        let spec = CommandSpec {
            argv: lab.argv(command).words(),
            cwd: &tree,
            workspace: seat.workspace.path(),
            layer: None,
            environment: &environment,
            log: &log,
            limit: Duration::MAX,
            memory_times: 1,
            output_limit: lab.settings.output_limit,
        };
        let limit = lab.limit(command).saturating_mul(START.0).saturating_add(START.1);
        Process::start(lab.spawner, &spec, limit.min(LONGEST))
    }

    /// Has one child made on the tree with these edits, which runs the tests `until` that number, and the
    /// workspace brought back after it. Gives what became of it and the name of its log.
    fn ask(
        &mut self,
        lab: &Lab<'_>,
        seat: &mut Seat,
        asked: Asked<'_>,
        until: Option<usize>,
    ) -> Result<Result<(Answer, String), Down>, RunError> {
        let Asked { name: (name, number), edits, command, .. } = asked;
        let Some(process) = &mut self.process else {
            return Ok(Err(Down::to_next("there is no worker")));
        };
        let files = edits.iter().map(|(path, _)| python(path));
        let Some(files) = files.collect::<Option<Vec<_>>>() else {
            return Ok(Err(Down::to_processes("something else than Python changed")));
        };
        self.course.put(seat)?;
        seat.workspace.write(edits)?;
        let suffix = format!(".{}", self.tier.word());
        let log = lab.log_name(&format!("{name}.{number}"), Step::Command(command), &suffix);
        let limit_s = lab.limit(command).min(self.limit).as_secs_f64();
        let request = Request { files, limit_s, until, ..Request::default() };
        let path = lab.settings.logs.join(&log);
        let answer = process.ask(&request, (&path, lab.settings.output_limit));
        self.spent_s += answer.as_ref().map_or(0.0, |answer| answer.cpu_s);
        self.settle(lab, seat, answer.as_ref().ok())?;
        if lab.spawner.is_interrupted() {
            return Err(RunError::Interrupted);
        }
        Ok(answer.map(|answer| (answer, log)).map_err(Down::to_processes))
    }

    /// After an answer: brings the workspace back, with the worker alive where it can be.
    fn settle(
        &mut self,
        lab: &Lab<'_>,
        seat: &mut Seat,
        answer: Option<&Answer>,
    ) -> Result<(), RunError> {
        if !self.process.as_ref().is_some_and(Process::is_sent_on) {
            self.course.begin_again();
        }
        match answer {
            Some(answer) if answer.alone && answer.left.is_empty() => reset(lab, seat),
            _ => self.end(lab, seat),
        }
    }

    /// Ends the worker and brings the workspace back.
    fn end(&mut self, lab: &Lab<'_>, seat: &mut Seat) -> Result<(), RunError> {
        self.course.begin_again();
        let Some(process) = self.process.take() else { return Ok(()) };
        seat.certify(process.end().certificate);
        lab.clean(seat, false)
    }

    fn first(
        &mut self,
        lab: &Lab<'_>,
        seat: &mut Seat,
        asked: Asked<'_>,
    ) -> Result<Result<Run, Down>, RunError> {
        if let Err(why) = self.ready(lab, seat, asked.command)? {
            return Ok(Err(Down::to_next(why)));
        }
        self.spent_s = 0.0; // a new worker's start is nobody's
        let times_full = lab.scratch.times_full();
        let (answer, log) = match self.ask_on_course(lab, seat, asked)? {
            Ok(answered) => answered,
            Err(down) => return Ok(Err(down)),
        };
        let exit = match judge(&answer) {
            Ok(exit) => exit,
            Err(down) => return Ok(Err(down)),
        };
        if exit != Exit::Code(0) {
            if lab.scratch.was_full(times_full) {
                return Ok(Err(Down::to_processes("the disk was full")));
            }
            let most = lab.spawner.sandbox().limits.file_size;
            if most.is_some_and(|most| answer.written >= most) {
                return Ok(Err(Down::to_processes("it wrote more than the limit of a file")));
            }
        }
        let output = std::fs::read(lab.settings.logs.join(&log)).ok();
        Ok(Ok(Run {
            step: Step::Command(asked.command),
            attempt: Attempt::First,
            exit,
            wall: seconds(answer.wall_s),
            cpu: seconds(self.spent_s),
            log_sha256: output.as_deref().map(Sha256::of),
            log,
            executor: self.tier,
            declined: Vec::new(),
            unreached: self.course.is_at_end(),
            outside_budget: lab.outside_budget(seat, asked.edits),
            tests: Some(Tested { from: self.course.from(), failed: answer.failed }),
        }))
    }

    /// What is left to say of the unmutated tree where the worker had no good word for it: where
    /// failures hang on it, that it failed; then it is asked no more.
    fn unmutated(&mut self, asked: Asked<'_>, made: Result<Run, Down>) -> Result<Run, Down> {
        match made {
            Ok(run) if run.passed() => {
                self.unvouched = false;
                Ok(run)
            }
            made => {
                let why = match &made {
                    Ok(run) => run.exit.to_string(),
                    Err(Down(why, _)) => why.clone(),
                };
                let why = format!("the unmutated tree did not pass there: {why}");
                self.given_up = Some(why.clone());
                if !std::mem::take(&mut self.unvouched) {
                    return Err(Down::to_next(why));
                }
                let log = String::new();
                Ok(Run {
                    step: Step::Command(asked.command),
                    attempt: Attempt::First,
                    exit: Exit::Lost(why),
                    wall: Duration::ZERO,
                    cpu: Duration::ZERO,
                    log_sha256: None,
                    log,
                    executor: self.tier,
                    declined: Vec::new(),
                    unreached: false,
                    outside_budget: Vec::new(),
                    tests: None,
                })
            }
        }
    }
}

impl Executor for Worker {
    fn tier(&self) -> Tier {
        self.tier
    }

    fn run(
        &mut self,
        lab: &Lab<'_>,
        seat: &mut Seat,
        asked: Asked<'_>,
    ) -> Result<Result<Run, Passed>, RunError> {
        let began = Instant::now();
        self.spent_s = 0.0;
        let made = self.first(lab, seat, asked)?;
        let made = if asked.edits.is_empty() {
            self.unmutated(asked, made)
        } else {
            self.unvouched |= made.as_ref().is_ok_and(|run| !run.passed());
            made
        };
        Ok(made.map_err(|Down(why, to_processes)| {
            let (executor, cpu) = (self.tier, seconds(self.spent_s));
            let declined = Declined { executor, why, wall: began.elapsed(), cpu };
            let to = if to_processes { Tier::Sharpened } else { Tier::FASTEST };
            Passed { declined, to }
        }))
    }
}

/// Brings the workspace back with the worker alive: it waits for us, and the kernel said that nothing
/// else of it lives.
fn reset(lab: &Lab<'_>, seat: &mut Seat) -> Result<(), RunError> {
    seat.certify(Some(Certificate::new()));
    lab.clean(seat, false)
}

/// What a command that can hold a worker's children in common leaves behind, besides files.
fn places(lab: &Lab<'_>) -> Vec<&'static str> {
    let sandbox = lab.spawner.sandbox();
    let own = if sandbox.namespaces { &LEFT[..] } else { &[] };
    let network = sandbox.namespaces && sandbox.network != Network::Host;
    let network = if network { &LEFT_IN_NETWORK[..] } else { &[] };
    own.iter().chain(network).copied().collect()
}

/// What a child's end means, where it means something here: it came to the runner's own end, and passed, or
/// failed and a test or a file of tests was seen to fail.
fn judge(answer: &Answer) -> Result<Exit, Down> {
    if let Some(why) = &answer.refused {
        return Err(Down::to_next(why.clone()));
    }
    if answer.timed_out {
        return Err(Down::to_processes("still running at the time limit"));
    }
    if !answer.alone {
        return Err(Down::to_processes("not all its processes could be ended"));
    }
    let seen = answer.failed.is_some();
    match (answer.code, answer.signal) {
        (Some(0), _) if answer.ended == Some(0) && !seen => Ok(Exit::Code(0)),
        (Some(code @ (1 | 2)), _) if answer.ended == Some(code) && seen => Ok(Exit::Code(code)),
        (Some(code), _) if answer.ended != Some(code) => {
            Err(Down::to_processes(format!("exit {code} before the runner came to its end")))
        }
        (Some(code), _) if seen => {
            Err(Down::to_processes(format!("exit {code} with a failing test")))
        }
        (Some(code), _) => Err(Down::to_processes(format!("exit {code} without a failing test"))),
        (None, Some(signal)) => Err(Down::to_processes(format!("ended by signal {signal}"))),
        (None, None) => Err(Down::to_processes("it ended in no known way")),
    }
}

/// The path of a Python source, as text.
fn python(path: &RelPath) -> Option<&str> {
    path.as_str().filter(|path| path.ends_with(".py"))
}

/// A time that a process measured; nonsense is none.
fn seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_came_to_its_runners_end_and_was_seen_is_judged() {
        let child = || Answer { alone: true, ..Answer::default() };
        let ended = |code: i32| Answer { code: Some(code), ended: Some(code), ..child() };
        let failed = |answer: Answer| Answer { failed: Some("t.py::t".to_owned()), ..answer };
        for (answer, expected) in [
            (ended(0), Ok(Exit::Code(0))),
            (failed(ended(1)), Ok(Exit::Code(1))),
            (failed(ended(2)), Ok(Exit::Code(2))),
            (failed(ended(0)), Err("exit 0 with a failing test")),
            (ended(1), Err("exit 1 without a failing test")),
            (failed(ended(3)), Err("exit 3 with a failing test")),
            (ended(5), Err("exit 5 without a failing test")),
            (Answer { code: Some(0), ..child() }, Err("exit 0 before the runner came to its end")),
            (
                failed(Answer { code: Some(1), ended: Some(0), ..child() }),
                Err("exit 1 before the runner came to its end"),
            ),
            (Answer { signal: Some(11), ..child() }, Err("ended by signal 11")),
            (Answer { timed_out: true, ..ended(0) }, Err("still running at the time limit")),
            (Answer { alone: false, ..ended(0) }, Err("not all its processes could be ended")),
            (Answer { refused: Some("no".to_owned()), ..ended(0) }, Err("no")),
        ] {
            let found = judge(&answer).map_err(|Down(why, _)| why);
            assert_eq!(found, expected.map_err(str::to_owned), "{answer:?}");
        }
    }
}
