//! Conductor of `measure`: takes a task through the stages up to its numbers, and keeps what a
//! resumed or a curious reader needs in the run directory.

mod built;
mod cargo;
mod conduct;
mod confirm;
mod controls;
mod decide;
mod decisions;
mod draw;
mod empty;
mod error;
mod estimate;
pub mod evidence;
mod executors;
mod flaky_ids;
mod gates;
mod history;
mod install;
mod isolation;
mod ledger;
mod links;
mod matrix;
mod merge;
mod observe;
mod output;
mod parallel;
mod prepare;
mod probes;
mod protect;
pub mod receipt;
mod recorded;
mod reopen;
mod replay;
mod reuse;
mod run_file;
mod same_task;
mod shard;
mod since;
mod spot_check;
mod tamper;
mod tests_file;
mod trees;
mod uncovered;
mod verdicts;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

pub use conduct::{Conduct, Part};
pub use confirm::{Confirm, Confirmed};
pub use controls::{Controls, Refusal, Rewrite};
use decisions::Decisions;
pub use draw::choose;
pub use error::MeasureError;
pub use estimate::{Estimate, estimate};
pub use executors::{Decided, Executors, Faster};
pub use isolation::Isolation;
pub use ledger::{Ledger, LedgerError, Line};
pub use links::{Fingerprint, Link, fingerprint, needed};
pub use matrix::{Matrix, Minimal};
pub use merge::{MergeError, Merged, merge};
pub use observe::{OnStart, StartRecord, VariantRecord};
pub use output::{OutputDir, OutputError};
pub use parallel::{Disagreement, Parallel};
pub use prepare::{Prepared, nothing_to_do, prepare, prepare_linked};
pub use probes::{Probes, generate};
pub use protect::RUNNER_FILES;
pub use recorded::{CommandRecord, Interpreted};
pub use reopen::{ReopenError, Reopened, reopen};
pub use replay::{Rerun, judged_again, replay, rerun};
pub use reuse::{Key, KeyPart, Reuse, ReuseRecord};
pub use run_file::{ClassTotals, FORMAT, RunFile, Sentinels, State, Totals, Unsaid};
pub use shard::Shard;
pub use since::{CoveredRecord, Since, SinceError, SinceRecord};
pub use spot_check::{Difference, SpotCheck};
pub use tamper::TamperRecord;
pub use trees::{TaskTrees, Wanted};
pub use uncovered::UncoveredRecord;

use crate::adequacy::{Adequacy, Gate};
use crate::base::{Event, RelPath, Sink};
use crate::plan::Plan;
use crate::run::sandbox::Limits;
use crate::run::spawn::OUTPUT_LIMIT;
use crate::run::{Lab, Runner, Settings, Spawner};
use crate::task::{Protected, Task};
use crate::tree::Choice;

/// What `--allow` takes for a tree without mutants.
pub const EMPTY: &str = "empty";

/// What `--allow` takes for commands that give two answers on the unmutated tree, and the gate's name.
pub const FLAKY: &str = "flaky";

/// The gate of commands that do not end on the start tree as the task says, and what `--allow` takes.
pub const PREPATCH: &str = "prepatch";

/// The gate of changed files that could not be read whole, and what `--allow` takes.
pub const UNPARSED: &str = "unparsed";

/// How a task is measured.
#[derive(Debug, Clone)]
pub struct Options {
    /// Workers.
    pub jobs: usize,
    /// Runs of the unmutated tree before the mutants.
    pub baselines: u32,
    /// This program, started as the helper of each command.
    pub helper: PathBuf,
    /// Where the scratch directory is made.
    pub scratch: PathBuf,
    /// The run directory.
    pub output: PathBuf,
    /// Go on in the run directory.
    pub resume: bool,
    /// Run this part of the plan alone.
    pub shard: Option<Shard>,
    /// What is left out of the copies, and what is kept.
    pub choice: Choice,
    /// Bytes of output at which a command is stopped.
    pub output_limit: u64,
    /// What a command may use besides.
    pub limits: Limits,
    /// Run every command on every mutant.
    pub full_matrix: bool,
    /// Use the exact path alone.
    pub exact: bool,
    /// Of which mutants a second answer is asked.
    pub confirm: Confirm,
    /// Run a sample of the mutants alone too, and hold it against what they did beside others.
    pub check_parallel: bool,
    /// Most undecided mutants, where a flag says so.
    pub max_undecided: Option<u64>,
    /// Known defects that a person lets through, by name.
    pub allow: BTreeSet<String>,
    /// Mutate only what differs from this.
    pub since: Option<Since>,
    /// The run whose verdicts stand where all that they rest on is the same.
    pub reuse: Option<Reuse>,
    /// What the run is for.
    pub act: receipt::Act,
}

/// A measured task.
#[derive(Debug)]
pub struct Measured {
    /// What the trees held.
    pub trees: TaskTrees,
    /// The paths an agent may not change: those of the task, and those the commands look at.
    pub protected: Vec<Protected>,
    /// Its mutants.
    pub plan: Plan,
    /// The numbers.
    pub adequacy: Adequacy,
    /// How they compare with the thresholds.
    pub gates: Vec<Gate>,
    /// What was written to `run.json`.
    pub run: RunFile,
    /// The run directory.
    pub output: OutputDir,
}

impl Options {
    /// One worker, one unmutated run, and nothing asked beyond the mutants themselves.
    #[must_use]
    pub fn plain(helper: PathBuf, scratch: PathBuf, output: PathBuf) -> Self {
        Self {
            jobs: 1,
            baselines: 1,
            helper,
            scratch,
            output,
            resume: false,
            shard: None,
            choice: Choice::default(),
            output_limit: OUTPUT_LIMIT,
            limits: Limits::default(),
            full_matrix: false,
            exact: true,
            confirm: Confirm::Off,
            check_parallel: false,
            max_undecided: None,
            allow: BTreeSet::new(),
            since: None,
            reuse: None,
            act: receipt::Act::default(),
        }
    }

    /// What is listed of the trees.
    #[must_use]
    pub fn wanted(&self) -> Wanted<'_> {
        Wanted {
            choice: &self.choice,
            output: Some(&self.output),
            scratch: &self.scratch,
            since: self.since.as_ref(),
        }
    }

    /// Where the capped outputs of a run go.
    fn logs(&self) -> PathBuf {
        OutputDir::logs_in(&self.output)
    }

    /// `flaky` are the places of the commands that an earlier part of the run let through.
    fn settings(&self, logs: PathBuf, flaky: BTreeSet<usize>) -> Settings {
        let lets_through = self.allow.contains(FLAKY) || !flaky.is_empty();
        Settings {
            jobs: self.jobs,
            baselines: self.baselines,
            scratch: self.scratch.clone(),
            logs,
            output_limit: self.output_limit,
            full_matrix: self.full_matrix,
            flaky: lets_through.then_some(flaky),
        }
    }
}

/// Measures a task.
///
/// # Errors
/// [`MeasureError`]; its run directory stays, and `--resume` goes on in it where that makes sense.
pub fn measure(
    task: &Task,
    options: &Options,
    spawner: &Spawner,
    sink: &dyn Sink,
) -> Result<Measured, MeasureError> {
    task.some_commands()?;
    let options = &since::with_changed_tests(task, options, spawner, sink)?;
    let mut prepared = prepare::planned(task, &options.wanted(), sink)?;
    if !options.allow.contains(EMPTY) {
        prepared.some_mutants()?;
    }
    let links = prepared.links(task, sink);
    let watched = links::fingerprint(&links)?;
    let reused = reuse::read(options)?;
    let output = OutputDir::open(&options.output, options.resume)?;
    let run = RunFile::begin(task, options, &prepared, &links, spawner.sandbox());
    let (mut run, earlier) = begin(run, task, &mut prepared, options, &output)?;
    if let Err(none) = prepared.some_mutants() {
        sink.tell(Event::Warning(format!("{none}; let through by `--allow {EMPTY}`")));
        return empty::measured(prepared, run, output, earlier.as_ref(), &options.act);
    }
    let flaky = earlier.as_ref().map(RunFile::flaky_places).unwrap_or_default();
    let mut settings = options.settings(output.logs(), flaky);
    settings.share(spawner, prepared.plan.counted().count());
    let lab = open_lab(task, &prepared.trees, &links, &settings, &output, spawner, sink)?;
    let baseline =
        lab.baseline().map_err(|error| flaky_ids::of_red(&lab, &task.commands, error, sink))?;
    lab.cover()?;
    run.baseline(&baseline, &lab);
    run.flaky_ids = flaky_ids::find(&lab, &task.commands, lab.flaky(), sink)?;
    let trees = &prepared.trees;
    (run.start, run.variants) =
        observe::others((task, &lab), trees, &links, options, spawner, sink)?;
    let planned = earlier.as_ref().is_some_and(RunFile::is_planned);
    if let Some(budget) = task.mutate.budget.filter(|_| !planned) {
        sample(affordable(budget, baseline.cpu()), task, &mut prepared.plan, &mut run);
    }
    output.write_plan(&mut run, earlier.as_ref(), |take| {
        output::rows(&prepared.plan, &trees.base, take).map_err(MeasureError::from)
    })?;
    output.write_sources(&prepared.plan, &trees.base)?;
    run.controls = Some(controls::before(&lab, task, &prepared, sink)?);
    let (plan, snapshot, shard) = (&prepared.plan, &trees.base, options.shard);
    let reusable = reuse::reusable((task, options), &prepared, reused, &mut run, sink)?;
    let decided = decide::decide((&lab, &baseline), task, &output, &mut run, plan, reusable, sink)?;
    if options.check_parallel {
        parallel::check(&lab, task, &output, &mut run, plan, &decided)?;
    }
    let missed = controls::after(&lab, plan, snapshot, &runners(task), shard, &decided, sink)?;
    drop(lab);
    let unchanged = || unchanged(task, options, trees, &links, &watched);
    spoiled_by(nothing_left(spawner).and_then(|()| unchanged()), &mut run, &output)?;
    tell_of_commands(task, &prepared, &output, &mut run, &decided)?;
    let (adequacy, gates) =
        conclude(task, &prepared.plan, options, &decided, &output, &mut run, missed)?;
    let Prepared { trees, plan, .. } = prepared;
    let protected = protect::protected(task, &trees);
    Ok(Measured { trees, protected, plan, adequacy, gates, run, output })
}

/// Writes what is known before anything runs; the run, and its earlier part if it goes on from one, which
/// is not touched if this is another run.
fn begin(
    mut run: RunFile,
    task: &Task,
    prepared: &mut Prepared,
    options: &Options,
    output: &OutputDir,
) -> Result<(RunFile, Option<RunFile>), MeasureError> {
    let earlier = options.resume.then(|| output.read_run()).transpose()?;
    if let Some(earlier) = earlier.as_ref().filter(|earlier| earlier.is_planned()) {
        // What a budget pays for was found then.
        if let Some(limit) = earlier.planned_limit().filter(|_| task.mutate.budget.is_some()) {
            sample(limit, task, &mut prepared.plan, &mut run);
        }
        run.plan_sha256 = output::digest(&prepared.plan, &prepared.trees.base)?;
    }
    output.begin(&run, earlier.as_ref())?;
    run.go_on_from(earlier.as_ref());
    evidence::begin(output, &prepared.trees, &run)?;
    receipt::begin(output, &run, &options.act)?;
    Ok((run, earlier))
}

/// Marks a run that cannot be trusted, for good.
fn spoiled_by(
    what: Result<(), MeasureError>,
    run: &mut RunFile,
    output: &OutputDir,
) -> Result<(), MeasureError> {
    if what.is_err() {
        run.state = State::Spoiled;
        output.write_run(run)?;
    }
    what
}

/// The numbers of a run whose mutants are decided, and what they rest on; all of it is written.
fn conclude(
    task: &Task,
    plan: &Plan,
    options: &Options,
    decided: &Decisions,
    output: &OutputDir,
    run: &mut RunFile,
    not_reached: Vec<String>,
) -> Result<(Adequacy, Vec<Gate>), MeasureError> {
    let outcome = |place: usize| decided.outcome(place);
    let (adequacy, gates) = match run.conduct.shard {
        // Gates ask about all mutants: a part of them passes none and fails none.
        Some(_) => (Adequacy::of_decided(plan.planned(), outcome), Vec::new()),
        None => {
            let whole = Adequacy::of(plan, outcome);
            let whole = whole.expect("the pool hands over every mutant or fails");
            let gates = gates::of(task, run, &whole);
            (whole, gates)
        }
    };
    run.conduct.confirmed = confirm::of_run(output, run)?;
    if run.reuse.is_some() {
        let mut reused = reuse::Reused::default();
        output.each_outcome(run, |line| reused.add(&line))?;
        run.reuse.iter_mut().for_each(|record| record.verdicts = reused.count());
    }
    run.finish(plan.planned(), &adequacy, &gates, not_reached);
    output.write_run(run)?;
    evidence::finish(output, run)?;
    receipt::finish(output, run, &options.act)?;
    Ok((adequacy, gates))
}

/// Opens the lab, with the record of what `[setup]` finds and leaves.
fn open_lab<'a>(
    task: &'a Task,
    trees: &'a TaskTrees,
    links: &'a [(RelPath, PathBuf)],
    settings: &'a Settings,
    output: &OutputDir,
    spawner: &'a Spawner,
    sink: &'a dyn Sink,
) -> Result<Lab<'a>, MeasureError> {
    let mut install = install::before(task, trees);
    evidence::install(output, install.as_ref())?;
    let lab = Lab::open(task, trees.sources(links), settings, spawner, sink)?;
    if let Some(record) = &mut install {
        install::after(record, trees, &lab.first_tree());
        evidence::install(output, install.as_ref())?;
    }
    Ok(lab)
}

/// Adds what the decided mutants tell of the commands.
fn tell_of_commands(
    task: &Task,
    Prepared { trees, plan, .. }: &Prepared,
    output: &OutputDir,
    run: &mut RunFile,
    decided: &Decisions,
) -> Result<(), MeasureError> {
    run.matrix = Matrix::of(task, plan.mutants.iter().map(|mutant| mutant.id), output, run)?;
    run.neutralized = probes::neutralized(task, trees.heldout.as_ref(), plan, decided);
    Ok(())
}

/// Leaves so many mutants.
fn sample(limit: usize, task: &Task, plan: &mut Plan, run: &mut RunFile) {
    plan.sample(limit, task.mutate.seed);
    run.sampled(limit, plan, task);
}

/// How many mutants a CPU time pays for, if each takes as long as the unmutated tree; at least one.
fn affordable(budget: Duration, each: Duration) -> usize {
    let times = budget.as_secs_f64() / each.as_secs_f64().max(1e-3);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
    let times = times as usize;
    times.max(1)
}

fn nothing_left(spawner: &Spawner) -> Result<(), MeasureError> {
    let survivors = spawner.survivors();
    if survivors.is_empty() { Ok(()) } else { Err(MeasureError::Survivors(survivors)) }
}

/// The runners of a task's commands, in sealed order.
#[must_use]
pub fn runners(task: &Task) -> Vec<Option<Runner>> {
    task.commands.iter().map(|command| Runner::of(command.argv.words())).collect()
}

/// The trees and what was linked from them are as they were before the first command.
fn unchanged(
    task: &Task,
    options: &Options,
    trees: &TaskTrees,
    links: &[(RelPath, PathBuf)],
    watched: &links::Fingerprint,
) -> Result<(), MeasureError> {
    if let Some(path) = trees.first_change(task, &options.wanted())? {
        return Err(MeasureError::TreeChanged(format!("`{}`", path.display())));
    }
    if let Some(path) = watched.first_difference(&links::fingerprint(links)?) {
        return Err(MeasureError::TreeChanged(format!("`{path}`, which the copies link to")));
    }
    Ok(())
}
