//! The unmutated tree: what "passes" means, how long it takes, and whether it is the same each time.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use rayon::prelude::*;

use super::executor::Tier;
use super::lab::Lab;
use super::runner::{Tests, Variable};
use super::trial::{Again, How, Stop, again};
use super::{Attempt, Exit, Red, Run, RunError, Runner, Step};
use crate::base::{Event, RelPath};
use crate::task::Command;

/// Limit of a baseline run of a command that states none.
pub(super) const LIMIT: Duration = Duration::from_secs(900);

/// The runs of the unmutated tree before the mutants; all of them passed.
#[derive(Debug)]
pub struct Baseline {
    /// The runs of each round, in sealed order.
    pub rounds: Vec<Vec<Run>>,
    /// The tests of each command, where its runner wrote a report of a run that judged nothing.
    pub tests: Vec<Option<Tests>>,
}

impl Baseline {
    /// The longest run of the command at this place.
    #[must_use]
    pub fn slowest(&self, command: usize) -> Duration {
        self.of(command).map(|run| run.wall).max().unwrap_or_default()
    }

    /// The runs of the command at this place.
    pub fn of(&self, command: usize) -> impl Iterator<Item = &Run> {
        self.rounds.iter().flatten().filter(move |run| run.step == Step::Command(command))
    }

    /// CPU time of one round, averaged.
    #[must_use]
    pub fn cpu(&self) -> Duration {
        self.average(|run| run.cpu)
    }

    /// Wall time of one round's commands, averaged.
    #[must_use]
    pub fn wall(&self) -> Duration {
        self.average(|run| run.wall)
    }

    fn average(&self, of: impl Fn(&Run) -> Duration) -> Duration {
        let rounds = u32::try_from(self.rounds.len()).unwrap_or(u32::MAX).max(1);
        self.rounds.iter().flatten().map(of).sum::<Duration>() / rounds
    }
}

/// Runs all rounds, every workspace at the same time.
pub(super) fn run(lab: &Lab<'_>) -> Result<Baseline, RunError> {
    let workers = u32::try_from(lab.seats.len()).expect("few workers");
    let total = lab.settings.baselines.max(workers);
    lab.sink.tell(Event::Step {
        name: "running the unmutated tree".into(),
        total: Some(u64::from(total)),
    });
    let next = AtomicU32::new(0);
    let passed = AtomicBool::new(false);
    let worker = |worker: usize| {
        let mut rounds = Vec::new();
        // The first round of each worker is its own; the others go to whoever is free.
        let mut round = u32::try_from(worker).expect("few workers");
        while round < total {
            let name = format!("baseline-{}", round + 1);
            let runs = lab.unmutated(worker, &name, false, Tier::Exact)?;
            passed.store(true, Ordering::SeqCst);
            if runs.iter().all(Run::passed) {
                let wall = runs.iter().map(|run| run.wall).sum();
                lab.sink.tell(Event::Baseline { round: round + 1, wall });
            }
            rounds.push((round, runs));
            round = workers + next.fetch_add(1, Ordering::SeqCst);
        }
        Ok::<_, RunError>(rounds)
    };
    let rounds = lab.pool.install(|| {
        (0..lab.seats.len()).into_par_iter().map(worker).collect::<Result<Vec<_>, _>>()
    });
    let rounds = rounds.map_err(|error| match error {
        // Rounds end in any order: only now is it known whether another one passed.
        RunError::Red(red) => {
            RunError::Red(Box::new(Red { flaky: passed.load(Ordering::SeqCst), ..*red }))
        }
        other => other,
    })?;
    let mut rounds = rounds.into_iter().flatten().collect::<Vec<_>>();
    rounds.sort_by_key(|(round, _)| *round);
    let rounds = rounds.into_iter().map(|(_, runs)| runs).collect();
    Ok(Baseline { rounds, tests: Vec::new() })
}

/// Shortest limit of a command that states none: seconds are noise.
const SHORTEST_LIMIT: Duration = Duration::from_secs(10);

/// The limit of a command that states none, by its slowest run on the unmutated tree.
fn usual_limit(slowest: Duration) -> Duration {
    SHORTEST_LIMIT.max(slowest * 5)
}

/// What a run left whose runner was made to tell of its tests.
struct Probed {
    /// The report, if it wrote one.
    report: Option<Vec<u8>>,
    output: Vec<u8>,
}

impl Lab<'_> {
    /// The limit of each command: what it states, else five times its slowest run.
    pub(super) fn limits_after(&self, baseline: &Baseline) -> Vec<Duration> {
        let limit = |(place, command): (usize, &Command)| {
            command.timeout.unwrap_or_else(|| usual_limit(baseline.slowest(place)))
        };
        self.task.commands.iter().enumerate().map(limit).collect()
    }

    /// Runs every step on a tree of which nothing is expected, this often; `name` names its logs.
    ///
    /// # Errors
    /// [`RunError`] when the run itself cannot go on.
    pub fn observe(&self, name: &str, times: u32) -> Result<Vec<Vec<Run>>, RunError> {
        let (attempt, stop, from) = (Attempt::First, Stop::Never, Tier::Exact);
        let how = How { attempt, stop, must_build: false, from };
        let one = |round: u32| {
            let mut seat = self.seat(0);
            let name = format!("{name}-{round}");
            let runs = self.trial(&mut seat, &name, &[], Vec::new(), how)?;
            if runs.last().is_none_or(|run| again(&run.exit) != Again::Alone) {
                return Ok(runs);
            }
            drop(seat);
            let mut seat = self.seat_alone(0);
            self.trial(&mut seat, &name, &[], runs, How { attempt: Attempt::Alone, ..how })
        };
        (1..=times).map(one).collect()
    }

    /// The commands that ended well in some rounds and not in others, and were let through; one that
    /// failed in all is an error all the same.
    pub(super) fn find_flaky(&self, baseline: &Baseline) -> Result<BTreeSet<usize>, RunError> {
        let mut flaky = self.settings.flaky.clone().unwrap_or_default();
        for (place, command) in self.task.commands.iter().enumerate() {
            let Some(failed) = baseline.of(place).find(|run| !self.is_good(run)) else { continue };
            if !flaky.contains(&place) && !baseline.of(place).any(|run| self.is_good(run)) {
                return Err(self.red(failed, "each run before the mutants", false));
            }
            self.sink.tell(Event::Warning(format!(
                "`{}` gave two answers on the unmutated tree; it is let through, and its failures \
                 decide nothing",
                command.id
            )));
            flaky.insert(place);
        }
        Ok(flaky)
    }

    /// Refuses a recognised runner that passes without running a test; the tests of each command whose
    /// runner writes a report.
    pub(super) fn refuse_empty(&self, baseline: &Baseline) -> Result<Vec<Option<Tests>>, RunError> {
        let mut reported = vec![None; self.task.commands.len()];
        for (place, command) in self.task.commands.iter().enumerate() {
            let Some(runner) = Runner::of(command.argv.words()) else { continue };
            let log = baseline.of(place).next().map(|run| self.settings.logs.join(&run.log));
            let output = log.and_then(|log| fs::read(log).ok()).unwrap_or_default();
            let executed = match runner.executed(&output) {
                None => {
                    reported[place] = self.told(place, runner)?;
                    reported[place].map(Tests::executed)
                }
                told => told,
            };
            if executed == Some(0) {
                let (id, argv) = (command.id.clone(), command.argv.to_string());
                return Err(RunError::NothingExecuted { id, argv });
            }
        }
        Ok(reported)
    }

    /// pytest's JUnit report of one more run of the command at `place` on the tree with `edits`, a run that
    /// is judged by nothing else; `None` for another runner, whose report does not name tests as `ids` do.
    ///
    /// # Errors
    /// [`RunError`] when the run itself cannot go on.
    pub fn report(
        &self,
        place: usize,
        edits: &[(RelPath, Vec<u8>)],
    ) -> Result<Option<Vec<u8>>, RunError> {
        match Runner::of(self.task.commands[place].argv.words()) {
            Some(Runner::Pytest) => {
                Ok(self.probed(place, Runner::Pytest, edits)?.and_then(|probed| probed.report))
            }
            _ => Ok(None),
        }
    }

    /// The tests of the command at `place`, by what its runner tells a machine in such a run.
    fn told(&self, place: usize, runner: Runner) -> Result<Option<Tests>, RunError> {
        let told = self.probed(place, runner, &[])?;
        Ok(told.and_then(|Probed { report, output }| runner.told(report.as_deref(), &output)))
    }

    /// One more run of the command, with what makes its runner tell of its tests; `None` where nothing
    /// does.
    fn probed(
        &self,
        place: usize,
        runner: Runner,
        edits: &[(RelPath, Vec<u8>)],
    ) -> Result<Option<Probed>, RunError> {
        let argv = &self.task.commands[place].argv;
        let mut seat = self.seat(0);
        let report = seat.workspace.tmp().join("report.xml");
        let Some(variables) = runner.probe(&report) else { return Ok(None) };
        let usual = seat.environment.clone();
        for Variable { name, value, adds } in variables {
            let own = usual.get(name).filter(|_| adds);
            let own = own.map(|own| format!("{} ", own.to_string_lossy())).unwrap_or_default();
            seat.environment = seat.environment.clone().with(name, &format!("{own}{value}"));
        }
        let (step, attempt) = (Step::Command(place), Attempt::First);
        if self.place(&mut seat, "report", edits, step, (attempt, true))?.is_err() {
            seat.environment = usual;
            return Ok(None);
        }
        let log = "report.log".to_owned();
        self.spawn(&mut seat, argv, self.limit(place), step, attempt, log.clone())?;
        let report = report_text(&seat.workspace.written(&report));
        let output = fs::read(self.settings.logs.join(log)).unwrap_or_default();
        seat.environment = usual;
        self.clean(&mut seat, false)?;
        Ok(Some(Probed { report, output }))
    }

    /// Runs every step on the unmutated tree, its commands by the executor `from` where they have it;
    /// one that does not pass is an error.
    pub(super) fn unmutated(
        &self,
        worker: usize,
        name: &str,
        flaky: bool,
        from: Tier,
    ) -> Result<Vec<Run>, RunError> {
        let mut seat = self.seat(worker);
        let (attempt, stop) = (Attempt::First, Stop::Never);
        let how = How { attempt, stop, must_build: true, from };
        let runs = self.trial(&mut seat, name, &[], Vec::new(), how)?;
        let is_bad = |run: &Run| !self.is_good(run) && !self.is_let_through(run);
        let mut doubt = None;
        for run in &runs {
            let Step::Command(place) = run.step else { continue };
            if !run.declined.is_empty() || !run.executor.is_exact() && is_bad(run) {
                // A faster executor that fails here is not asked again in this seat.
                seat.ladders[place].clear();
                doubt = doubt.or(run.declined.first().map(|one| (place, one.why.clone())));
            }
        }
        if let Some(run) = runs.iter().find(|run| is_bad(run)) {
            return Err(self.red(run, name, flaky));
        }
        if let Some((place, why)) = doubt {
            let id = self.task.commands[place].id.clone();
            return Err(RunError::NoAnswer { id, exit: Exit::Lost(why) });
        }
        seat.warm = true;
        Ok(runs)
    }
}

/// The text of a report. A command may have put anything there, such as a pipe that nobody writes to.
fn report_text(report: &Path) -> Option<Vec<u8>> {
    let met = fs::symlink_metadata(report).ok()?;
    if met.is_file() && met.len() <= LARGEST_REPORT { fs::read(report).ok() } else { None }
}

const LARGEST_REPORT: u64 = 64 << 20;
