//! What a full run would cost, from one run of the unmutated tree.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::{MeasureError, Options, affordable, prepare};
use crate::base::Sink;
use crate::plan::{Class, Plan};
use crate::run::{Lab, RunError, Spawner};
use crate::task::Task;

/// What a full run would cost, from one baseline.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    /// Mutants that would be run.
    pub mutants: usize,
    /// The same by class, in sealed order of the classes.
    pub by_class: BTreeMap<Class, usize>,
    /// Those they are a sample of, where the task sets a limit or a budget; else as many.
    pub population: usize,
    /// CPU time, if every mutant took as long as the unmutated tree.
    pub cpu: Duration,
    /// Wall time at this many workers.
    pub wall: Duration,
    /// Workers.
    pub jobs: usize,
    /// Bytes of scratch space: one copy for the engine and one for each worker.
    pub disk: u64,
    /// One run of the unmutated tree: wall and CPU time.
    pub baseline: (Duration, Duration),
}

/// Runs the unmutated tree once and says what all mutants would cost.
///
/// # Errors
/// [`MeasureError`] as [`measure`](super::measure()).
pub fn estimate(
    task: &Task,
    options: &Options,
    spawner: &Spawner,
    sink: &dyn Sink,
) -> Result<Estimate, MeasureError> {
    task.some_commands()?;
    let mut prepared = prepare(task, &options.wanted(), sink)?;
    let links = prepared.links(task, sink);
    let logs = tempfile::tempdir_in(&options.scratch)
        .map_err(|error| RunError::Log { path: options.scratch.clone(), error })?;
    let one = Options { jobs: 1, baselines: 1, ..options.clone() };
    let settings = one.settings(logs.path().to_owned(), BTreeSet::new());
    let lab = Lab::open(task, prepared.trees.sources(&links), &settings, spawner, sink)?;
    let baseline = lab.baseline()?;
    if let Some(budget) = task.mutate.budget {
        prepared.plan.sample(affordable(budget, baseline.cpu()), task.mutate.seed);
    }
    let mutants = prepared.plan.counted().count();
    let times = u32::try_from(mutants).unwrap_or(u32::MAX);
    let jobs = options.jobs;
    let estimate = Estimate {
        mutants,
        by_class: by_class(&prepared.plan),
        population: prepared.plan.population.max(mutants),
        cpu: baseline.cpu() * times,
        wall: baseline.wall() * times / u32::try_from(jobs).unwrap_or(u32::MAX),
        jobs,
        disk: prepared.trees.base.bytes() * (jobs as u64 + 1),
        baseline: (baseline.wall(), baseline.cpu()),
    };
    Ok(estimate)
}

fn by_class(plan: &Plan) -> BTreeMap<Class, usize> {
    let mut counts = BTreeMap::new();
    for place in plan.counted() {
        *counts.entry(plan.mutants[place].class).or_default() += 1;
    }
    counts
}
