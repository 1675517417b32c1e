//! Mutants again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Mutex;

use super::{MeasureError, Options, Prepared};
use crate::base::Sink;
use crate::run::{Lab, Run, Spawner};
use crate::task::Task;

/// Runs the mutant at `place` of a plan again, every command on it, with outputs in `logs`.
/// The commands at the places `flaky` need not pass on the unmutated tree first.
///
/// # Errors
/// [`MeasureError`] as [`measure`](super::measure()).
pub fn replay(
    task: &Task,
    options: &Options,
    prepared: &Prepared,
    (place, flaky): (usize, &BTreeSet<usize>),
    logs: &Path,
    spawner: &Spawner,
    sink: &dyn Sink,
) -> Result<Vec<Run>, MeasureError> {
    let made = rerun(task, options, prepared, (&[place], flaky), logs, spawner, sink)?;
    Ok(made.into_values().flatten().collect())
}

/// Runs the mutants at these places of a plan again, with outputs in `logs`: the runs of each. The
/// commands at the places `flaky` need not pass on the unmutated tree first.
///
/// # Errors
/// [`MeasureError`] as [`measure`](super::measure()).
pub fn rerun(
    task: &Task,
    options: &Options,
    prepared: &Prepared,
    (places, flaky): (&[usize], &BTreeSet<usize>),
    logs: &Path,
    spawner: &Spawner,
    sink: &dyn Sink,
) -> Result<BTreeMap<usize, Vec<Run>>, MeasureError> {
    let mut settings = options.settings(logs.to_owned(), flaky.clone());
    if let Some(share) = spawner.share() {
        settings.jobs = share.workers(settings.jobs, places.len());
    }
    let links = prepared.links(task, sink);
    let lab = Lab::open(task, prepared.trees.sources(&links), &settings, spawner, sink)?;
    lab.baseline()?;
    let made = Mutex::new(BTreeMap::<usize, Vec<Run>>::new());
    lab.mutants(&prepared.plan, places, &|place: usize, runs: &[Run]| {
        let mut made = made.lock().expect("no worker panics with it");
        made.entry(place).or_default().extend_from_slice(runs);
        Ok(())
    })?;
    Ok(made.into_inner().expect("the workers are done"))
}
