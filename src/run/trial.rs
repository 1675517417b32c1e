//! One tree, one mutant or none, and the commands in sealed order, each in a clean workspace.

use std::collections::VecDeque;
use std::fs;
use std::time::Duration;

use super::executor::{Asked, Declined, Tier};
use super::exit::{KILL, is_failure, is_second_hand};
use super::lab::Lab;
use super::seat::Seat;
use super::spawn::CommandSpec;
use super::{Attempt, Exit, Run, RunError, Step};
use crate::base::{Argv, RelPath, Sha256};

/// The files a scenario changes: path and whole new bytes.
pub(super) type Edits = [(RelPath, Vec<u8>)];

/// Limit of the build of a product that a command stands for, as of `[build]`.
pub(super) const BUILD_LIMIT: Duration = Duration::from_secs(900);

/// How a trial goes on after a step that did not pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// At the first failing step: a kill is a kill.
    FirstFailure,
    /// Never: every command answers for itself.
    Never,
}

/// The steps of a trial that are left.
#[derive(Default)]
struct Remaining {
    steps: VecDeque<Step>,
    /// Builds of the product that nothing has asked for so far.
    waiting: VecDeque<Step>,
    /// The fastest executor that is asked.
    from: Tier,
    /// What faster executors saw of the next command.
    declined: Vec<Declined>,
}

impl Remaining {
    /// Lets the builds of the product wait until a command needs one.
    fn wait(&mut self) {
        let is_product = |step: &Step| matches!(step, Step::Product(_));
        (self.waiting, self.steps) = self.steps.drain(..).partition(is_product);
    }

    /// Before a command on the exact path come the builds that waited: whether there were any.
    fn go_back(&mut self, step: Step) -> bool {
        if self.waiting.is_empty() {
            return false;
        }
        self.steps.push_front(step);
        self.waiting.append(&mut self.steps);
        std::mem::swap(&mut self.waiting, &mut self.steps);
        self.from = Tier::Exact;
        true
    }
}

/// How a trial is made.
#[derive(Debug, Clone, Copy)]
pub(super) struct How {
    pub(super) attempt: Attempt,
    pub(super) stop: Stop,
    /// Whether a tree that does not build is left at that; else its commands run all the same.
    pub(super) must_build: bool,
    /// The fastest executor that a first run of a command may be made by.
    pub(super) from: Tier,
}

/// What an exit calls for before it means anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Again {
    /// It speaks for itself.
    No,
    /// A second run at once.
    Repeat,
    /// A second run at the end, with no other worker active.
    Alone,
}

pub(super) fn again(exit: &Exit) -> Again {
    match exit {
        Exit::Code(code) if is_second_hand(*code) => Again::Alone,
        Exit::Code(_) | Exit::OutputLimit | Exit::FileSizeLimit | Exit::ProcessLimit => Again::No,
        Exit::Signal(KILL) | Exit::TimedOut | Exit::MemoryLimit => Again::Alone,
        Exit::NotStarted(_) | Exit::Starved(_) | Exit::Lost(_) | Exit::Interrupted => Again::Alone,
        Exit::Signal(_) => Again::Repeat,
    }
}

impl Lab<'_> {
    /// Runs the steps on the tree with `edits`, the last of `runs` once more and then those after
    /// it; ends early at a failure that decides, or at an exit that must be repeated alone. Gives
    /// `runs` with the new ones.
    pub(super) fn trial(
        &self,
        seat: &mut Seat,
        name: &str,
        edits: &Edits,
        mut runs: Vec<Run>,
        how: How,
    ) -> Result<Vec<Run>, RunError> {
        let How { attempt, stop, must_build, .. } = how;
        let first = runs.last().map_or(Step::Build, |run| run.step);
        let mut left = Remaining { steps: self.steps(first), from: how.from, ..Default::default() };
        if attempt == Attempt::First && self.is_known_to_build(seat, edits, left.from) {
            left.wait();
        }
        while let Some(step) = left.steps.pop_front() {
            let name = (name, runs.len());
            let made = self.next(seat, (name, edits), step, (attempt, must_build), &mut left)?;
            let Some((run, tests)) = made else { continue };
            let next = again(&run.exit);
            runs.push(run);
            runs.extend(tests);
            let repeat = match (next, attempt) {
                (Again::Repeat, _) => Some(Attempt::Repeat),
                // A step that is reached only now, with nobody else active, is repeated at once.
                (Again::Alone, Attempt::Alone) if step != first => Some(Attempt::Alone),
                (Again::Alone, Attempt::First) => break,
                _ => None,
            };
            if let Some(repeat) = repeat {
                let how = (repeat, must_build);
                let (run, tests) = self.step(seat, (name.0, runs.len()), edits, step, how)?;
                runs.push(run);
                runs.extend(tests);
            }
            let stops = match step {
                Step::Build | Step::Product(_) => must_build,
                Step::Setup | Step::Command(_) | Step::Tests(_) => stop == Stop::FirstFailure,
            };
            if stops && decides(&runs, step) && !self.is_flaky(step) {
                break;
            }
        }
        Ok(runs)
    }

    /// Makes the next step, by a faster executor where one vouches for what it saw; `None` where builds
    /// that waited come first.
    fn next(
        &self,
        seat: &mut Seat,
        (name, edits): ((&str, usize), &Edits),
        step: Step,
        (attempt, must_build): (Attempt, bool),
        left: &mut Remaining,
    ) -> Result<Option<(Run, Option<Run>)>, RunError> {
        if let (Step::Command(command), Attempt::First) = (step, attempt) {
            let asked = Asked { name, edits, command, must_build };
            match self.climb(seat, asked, left.from)? {
                Ok(run) => return Ok(Some((run, None))),
                Err(declined) => left.declined.extend(declined),
            }
            if left.go_back(step) {
                return Ok(None);
            }
        }
        let (mut run, tests) = self.step(seat, name, edits, step, (attempt, must_build))?;
        if matches!(step, Step::Command(_)) {
            run.declined = std::mem::take(&mut left.declined);
        }
        Ok(Some((run, tests)))
    }

    /// The steps of a trial from `first` on.
    fn steps(&self, first: Step) -> VecDeque<Step> {
        let build = self.task.build.as_ref().map(|_| Step::Build);
        let commands = (0..self.task.commands.len()).map(Step::Command);
        let steps = build.into_iter().chain(self.builds.steps()).chain(commands);
        steps.filter(|step| *step >= first).collect()
    }

    /// One step in a clean workspace: put the mutant in place, run, bring the workspace back; after
    /// the build of a product that can be tested, the next step goes on in it. A command of cargo follows
    /// the build of its tests, which is told of where it fails on a mutant. The `number` of the run in its
    /// trial keeps the names of logs apart.
    pub(super) fn step(
        &self,
        seat: &mut Seat,
        (name, number): (&str, usize),
        edits: &Edits,
        step: Step,
        (attempt, must_build): (Attempt, bool),
    ) -> Result<(Run, Option<Run>), RunError> {
        let name = format!("{name}.{number}");
        let built = match self.place(seat, &name, edits, step, (attempt, must_build))? {
            Ok(cpu) => cpu,
            Err(run) => return Ok((run, None)),
        };
        let tests = self.tests(seat, step, &name)?;
        if let Some(tests) = tests.as_ref().filter(|_| !seat.is_certified()) {
            let exit = Exit::Lost(format!("the build of its tests: {}", tests.exit));
            self.clean(seat, false)?;
            return Ok((Run { step, exit, ..tests.clone() }, None));
        }
        let (argv, limit, _) = self.what(step);
        let (factor, suffix) = match attempt {
            Attempt::First => (1, ""),
            Attempt::Repeat => (1, ".repeat"),
            Attempt::Alone => (2, ".alone"),
            Attempt::Confirm => (1, ".confirm"),
        };
        let log = self.log_name(&name, step, suffix);
        // What does not build alone is built once more by the command.
        let is_fresh = tests.as_ref().is_none_or(Run::passed);
        let limit = if is_fresh { limit } else { limit.max(BUILD_LIMIT) };
        let mut run = self.spawn(seat, argv, limit * factor, step, attempt, log)?;
        run.cpu += built;
        let tests = tests.filter(|tests| {
            let is_told = !edits.is_empty() && is_refusal(&run.exit);
            if !is_told {
                run.cpu += tests.cpu;
            }
            is_told && matches!(tests.exit, Exit::Code(_))
        });
        let is_built = run.passed() || !must_build && matches!(run.exit, Exit::Code(_));
        if matches!(step, Step::Product(_)) && is_built && seat.is_certified() {
            seat.is_placed = true;
        } else if step != Step::Setup {
            let known_good = edits.is_empty() && self.is_good(&run);
            self.clean(seat, known_good)?;
            run.outside_budget = self.outside_budget(seat, edits);
        }
        Ok((run, tests))
    }

    /// Before a command of cargo: builds its tests, so that its time limit is that of tests alone. Where
    /// the command fails, whether they build tells how, and nothing else.
    fn tests(&self, seat: &mut Seat, step: Step, name: &str) -> Result<Option<Run>, RunError> {
        let Step::Command(place) = step else { return Ok(None) };
        let Some(argv) = self.builds.tests(place) else { return Ok(None) };
        let (step, log) = (Step::Tests(place), format!("{name}.tests.log"));
        self.spawn(seat, argv, BUILD_LIMIT, step, Attempt::First, log).map(Some)
    }

    /// Puts the mutant in place, and builds it when the step is a command that needs a build: the
    /// CPU time that took. A build that passed as a step of its own and fails here leaves nothing to
    /// run the command on: then the run is lost, and the workspace clean again.
    pub(super) fn place(
        &self,
        seat: &mut Seat,
        name: &str,
        edits: &Edits,
        step: Step,
        (attempt, must_build): (Attempt, bool),
    ) -> Result<Result<Duration, Run>, RunError> {
        if !std::mem::take(&mut seat.is_placed) {
            if self.runs_above(seat) {
                seat.workspace.cover()?;
            }
            seat.workspace.write(edits)?;
        }
        let (Some(build), Step::Command(_)) = (&self.task.build, step) else {
            return Ok(Ok(Duration::ZERO));
        };
        let log = format!("{name}.rebuild.log");
        let mut run = self.spawn(seat, &build.argv, build.timeout, step, attempt, log)?;
        let ended = run.passed() || !must_build && matches!(run.exit, Exit::Code(_));
        if ended && seat.is_certified() {
            return Ok(Ok(run.cpu));
        }
        run.exit = Exit::Lost(format!("the build before it: {}", run.exit));
        self.clean(seat, false)?;
        Ok(Err(run))
    }

    fn is_flaky(&self, step: Step) -> bool {
        matches!(step, Step::Command(place) if self.flaky().contains(&place))
    }

    /// The name of a run's log.
    pub(super) fn log_name(&self, name: &str, step: Step, suffix: &str) -> String {
        format!("{name}.{}{suffix}.log", file_name(self.what(step).2))
    }

    /// The words of the command at this place.
    pub(super) fn argv(&self, command: usize) -> &Argv {
        &self.task.commands[command].argv
    }

    /// Words, limit and name of a step.
    fn what(&self, step: Step) -> (&Argv, Duration, &str) {
        let known = "a step comes from the task's own table";
        match step {
            Step::Command(place) => {
                let command = &self.task.commands[place];
                (&command.argv, self.limit(place), command.id.as_str())
            }
            Step::Build => {
                let build = self.task.build.as_ref().expect(known);
                (&build.argv, build.timeout, "build")
            }
            Step::Product(place) => (self.builds.product(place), BUILD_LIMIT, "product"),
            Step::Tests(_) => unreachable!("made by `tests` alone"),
            Step::Setup => {
                let setup = self.task.setup.as_ref().expect(known);
                (&setup.argv, setup.timeout, "setup")
            }
        }
    }

    pub(super) fn spawn(
        &self,
        seat: &mut Seat,
        argv: &Argv,
        limit: Duration,
        step: Step,
        attempt: Attempt,
        log: String,
    ) -> Result<Run, RunError> {
        let (path, tree) = (self.settings.logs.join(&log), seat.workspace.tree());
        let spec = CommandSpec {
            argv: argv.words(),
            cwd: &tree,
            workspace: seat.workspace.path(),
            layer: seat.workspace.layer(),
            environment: &seat.environment,
            log: &path,
            limit,
            memory_times: if attempt == Attempt::Alone { 2 } else { 1 },
            output_limit: self.settings.output_limit,
        };
        let times_full = self.scratch.times_full();
        let finished = self.spawner.run_shown_at(&spec, self.shown_at(step));
        seat.certify(finished.certificate);
        if finished.exit == Exit::Interrupted {
            return Err(RunError::Interrupted);
        }
        let exit = match finished.exit {
            Exit::Code(1..) | Exit::Signal(_) if self.scratch.was_full(times_full) => {
                Exit::Lost(format!("{}, and the disk was full", finished.exit))
            }
            exit => exit,
        };
        let output = fs::read(&path).ok();
        Ok(Run {
            step,
            attempt,
            exit,
            wall: finished.wall,
            cpu: finished.cpu,
            log_sha256: output.as_deref().map(Sha256::of),
            log,
            executor: Tier::Exact,
            declined: Vec::new(),
            unreached: false,
            outside_budget: Vec::new(),
            tests: None,
        })
    }
}

/// Whether the runs of a step can be nothing but a kill. Where that is open the later commands are
/// run too: one of them may kill.
pub(super) fn decides(runs: &[Run], step: Step) -> bool {
    let mut exits = runs.iter().filter(|run| run.step == step).map(|run| &run.exit);
    exits.next().is_some_and(|first| is_failure(first, exits.next()))
}

/// Whether a command ended by itself and refused the tree.
fn is_refusal(exit: &Exit) -> bool {
    matches!(exit, Exit::Code(code) if *code != 0 && !is_second_hand(*code))
}

/// An id as part of a file name: everything but letters, digits, `-` and `_` becomes `_`.
fn file_name(id: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    id.chars().take(40).map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_exits_that_others_could_have_caused_are_run_alone() {
        for (exit, expected) in [
            (Exit::Code(0), Again::No),
            (Exit::Code(1), Again::No),
            (Exit::Code(123), Again::No),
            (Exit::Code(124), Again::Alone),
            (Exit::Code(137), Again::Alone),
            (Exit::Signal(11), Again::Repeat),
            (Exit::Signal(9), Again::Alone),
            (Exit::TimedOut, Again::Alone),
            (Exit::OutputLimit, Again::No),
            (Exit::FileSizeLimit, Again::No),
            (Exit::MemoryLimit, Again::Alone),
            (Exit::ProcessLimit, Again::No),
            (Exit::NotStarted("no".to_owned()), Again::Alone),
            (Exit::Lost("gone".to_owned()), Again::Alone),
        ] {
            assert_eq!(again(&exit), expected, "{exit:?}");
        }
    }
}
