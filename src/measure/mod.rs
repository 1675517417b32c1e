//! Conductor of `measure`: takes a task through the stages up to its numbers, and keeps what a
//! resumed or a curious reader needs in the run directory.

mod controls;
mod error;
mod estimate;
mod ledger;
mod links;
mod output;
mod prepare;
mod replay;
mod run_file;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

pub use controls::{Controls, Refusal};
pub use error::MeasureError;
pub use estimate::{Estimate, estimate};
pub use ledger::{Ledger, LedgerError, Line};
pub use output::{OutputDir, OutputError};
pub use prepare::{Prepared, listing, prepare};
pub use replay::replay;
pub use run_file::{FORMAT, Interpreted, RunFile, State, Totals};

use crate::adequacy::{Adequacy, Gate, Thresholds};
use crate::base::{RelPath, Sink};
use crate::outcome::{self, Outcome};
use crate::plan::Plan;
use crate::run::sandbox::Limits;
use crate::run::{Lab, RunError, Runner, Sentinels, Settings, Spawner};
use crate::task::{Task, TaskError};
use crate::tree::{Choice, Snapshot};

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
    /// What is left out of the copies, and what is kept.
    pub choice: Choice,
    /// Bytes of output at which a command is stopped.
    pub output_limit: u64,
    /// What a command may use besides.
    pub limits: Limits,
    /// Run every command on every mutant.
    pub full_matrix: bool,
    /// Most undecided mutants, where a flag says so.
    pub max_undecided: Option<u64>,
    /// Known defects that a person lets through, by name.
    pub allow: BTreeSet<String>,
}

/// A measured task.
#[derive(Debug)]
pub struct Measured {
    /// What the tree held.
    pub snapshot: Snapshot,
    /// Its mutants.
    pub plan: Plan,
    /// What each counted mutant's runs mean, by its place in the plan.
    pub outcomes: BTreeMap<usize, Outcome>,
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
    fn settings(&self, logs: PathBuf, links: Vec<(RelPath, PathBuf)>) -> Settings {
        Settings {
            jobs: self.jobs,
            baselines: self.baselines,
            scratch: self.scratch.clone(),
            logs,
            output_limit: self.output_limit,
            full_matrix: self.full_matrix,
            links,
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
    if task.commands.is_empty() {
        return Err(TaskError::NoCommand.into());
    }
    let place = OutputDir::place_in(&options.output, &task.tree);
    let choice = Choice { output: place, ..options.choice.clone() };
    let mut prepared = prepare(task, &choice, sink)?;
    let links = prepared.links(task);
    let watched = links::fingerprint(&links)?;
    let output = OutputDir::open(&options.output, options.resume)?;
    let mut run = RunFile::begin(task, options, &prepared, &links, spawner.sandbox());
    let settings = options.settings(output.logs(), links.clone());
    let earlier = options.resume.then(|| output.read_run()).transpose()?;
    if let Some(earlier) = &earlier {
        run.follow(earlier);
    }
    output.begin(&run, earlier.as_ref())?;
    let lab = Lab::open(task, &prepared.snapshot, &settings, spawner, sink)?;
    let baseline = lab.baseline()?;
    run.baseline(&baseline, &lab);
    if let Some(budget) = task.mutate.budget {
        let planned = earlier.as_ref().filter(|run| run.is_planned());
        let limit = planned.and_then(|run| Some(run.sampler.as_ref()?.limit));
        let limit = limit.unwrap_or_else(|| affordable(budget, baseline.cpu()));
        prepared.plan.sample(limit, task.mutate.seed);
        run.sampled(limit, &prepared.plan, task);
    }
    let rows = output::rows(&prepared.plan, &prepared.snapshot)?;
    output.write_plan(&mut run, &rows, earlier.as_ref())?;
    let found = prepared.interpreter.as_ref().map(|(found, _)| found);
    let (plan, snapshot) = (&prepared.plan, &prepared.snapshot);
    run.controls = Some(controls::before(&lab, task, plan, snapshot, found, sink)?);
    let (outcomes, sentinels) = decide(&lab, task, &output, &run, plan)?;
    let not_reached = controls::after(&lab, plan, snapshot, &runners(task), &outcomes, sink)?;
    drop(lab);
    if let Err(error) =
        nothing_left(spawner).and_then(|()| unchanged(task, &choice, snapshot, &links, &watched))
    {
        run.state = State::Spoiled;
        output.write_run(&run)?;
        return Err(error);
    }
    let adequacy = Adequacy::of(plan, |place| outcomes.get(&place).copied())
        .expect("the pool hands over every mutant or fails");
    let gates = Thresholds::of(&task.gates, options.max_undecided).gates(&adequacy);
    run.finish(&adequacy, &gates, sentinels, not_reached);
    output.write_sources(plan, snapshot, &outcomes)?;
    output.write_run(&run)?;
    let Prepared { snapshot, plan, .. } = prepared;
    Ok(Measured { snapshot, plan, outcomes, adequacy, gates, run, output })
}

/// How many mutants a CPU time pays for, if each takes as long as the unmutated tree; at least one.
fn affordable(budget: Duration, each: Duration) -> usize {
    let times = budget.as_secs_f64() / each.as_secs_f64().max(1e-3);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
    let times = times as usize;
    times.max(1)
}

/// Runs the mutants that the ledger does not hold yet, and adds each to it.
fn decide(
    lab: &Lab<'_>,
    task: &Task,
    output: &OutputDir,
    run: &RunFile,
    plan: &Plan,
) -> Result<(BTreeMap<usize, Outcome>, Sentinels), MeasureError> {
    let (ledger, known) = Ledger::open(output, &run.key(), plan)?;
    let todo = plan.counted().filter(|place| !known.contains_key(place)).collect::<Vec<_>>();
    let runners = runners(task);
    let outcomes = Mutex::new(known);
    let sentinels = lab.mutants(plan, &todo, &|place, runs| {
        let outcome = outcome::judge(runs, &runners);
        ledger.append(&plan.mutants[place], &outcome, runs).map_err(|error| RunError::Log {
            path: error.path().to_owned(),
            error: error.into_io(),
        })?;
        outcomes.lock().expect("no worker panics with it").insert(place, outcome);
        Ok(())
    })?;
    Ok((outcomes.into_inner().expect("the workers are done"), sentinels))
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

/// The tree and what was linked from it are as they were before the first command.
fn unchanged(
    task: &Task,
    choice: &Choice,
    before: &Snapshot,
    links: &[(RelPath, PathBuf)],
    watched: &links::Fingerprint,
) -> Result<(), MeasureError> {
    let after = listing(task, choice, &crate::base::Silent)?;
    if let Some(path) = before.first_difference(&after) {
        return Err(MeasureError::TreeChanged(format!("`{path}`")));
    }
    if let Some(path) = watched.first_difference(&links::fingerprint(links)?) {
        return Err(MeasureError::TreeChanged(format!("`{path}`, which the copies link to")));
    }
    Ok(())
}
