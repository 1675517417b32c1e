//! Mutants again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Mutex;

use super::{MeasureError, Options, Prepared};
use crate::base::Sink;
use crate::outcome::{self, Outcome, Terms};
use crate::run::{Lab, Run, Spawner};
use crate::task::Task;
use crate::tree::TreeError;

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
    let again = Rerun { places: &[place], flaky, at_sealed_places: false };
    let made = rerun(task, options, prepared, again, logs, spawner, sink)?;
    Ok(made.into_values().flatten().collect())
}

/// What is run again, and how.
#[derive(Debug, Clone, Copy)]
pub struct Rerun<'a> {
    /// Places of mutants in the plan.
    pub places: &'a [usize],
    /// Places of commands that need not pass on the unmutated tree first.
    pub flaky: &'a BTreeSet<usize>,
    /// Whether a command that is sealed with a directory runs there.
    pub at_sealed_places: bool,
}

/// Runs mutants of a plan again, with outputs in `logs`: the runs of each.
///
/// # Errors
/// [`MeasureError`] as [`measure`](super::measure()).
pub fn rerun(
    task: &Task,
    options: &Options,
    prepared: &Prepared,
    again: Rerun<'_>,
    logs: &Path,
    spawner: &Spawner,
    sink: &dyn Sink,
) -> Result<BTreeMap<usize, Vec<Run>>, MeasureError> {
    let Rerun { places, flaky, at_sealed_places } = again;
    let mut settings = options.settings(logs.to_owned(), flaky.clone());
    settings.share(spawner, places.len());
    let links = prepared.links(task, sink);
    let lab = Lab::open(task, prepared.trees.sources(&links), &settings, spawner, sink)?;
    let lab = if at_sealed_places { lab.at_sealed_places() } else { lab };
    lab.baseline()?;
    let made = Mutex::new(BTreeMap::<usize, Vec<Run>>::new());
    lab.mutants(&prepared.plan, places, &|place: usize, runs: &[Run]| {
        let mut made = made.lock().expect("no worker panics with it");
        made.entry(place).or_default().extend_from_slice(runs);
        Ok(())
    })?;
    Ok(made.into_inner().expect("the workers are done"))
}

/// The same, judged: what each mutant's runs mean. Their outputs are thrown away.
///
/// # Errors
/// [`MeasureError`] as [`measure`](super::measure()).
pub fn judged_again(
    task: &Task,
    options: &Options,
    prepared: &Prepared,
    again: Rerun<'_>,
    spawner: &Spawner,
    sink: &dyn Sink,
) -> Result<BTreeMap<usize, Outcome>, MeasureError> {
    let scratch: &Path = &options.scratch;
    let logs = tempfile::tempdir_in(scratch);
    let logs = logs.map_err(|error| TreeError::io("make a directory in", scratch, error))?;
    let runs = rerun(task, options, prepared, again, logs.path(), spawner, sink)?;
    let runners = super::runners(task);
    let judged = runs.into_iter().map(|(place, runs)| {
        let must_build = !prepared.plan.mutants[place].class.is_never_unviable();
        let terms = Terms { runners: &runners, flaky: again.flaky, must_build };
        (place, outcome::judge(&runs, &terms))
    });
    Ok(judged.collect())
}
