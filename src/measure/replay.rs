//! One mutant again.

use std::collections::BTreeSet;
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
    let settings = options.settings(logs.to_owned(), flaky.clone());
    let links = prepared.links(task, sink);
    let lab = Lab::open(task, prepared.trees.sources(&links), &settings, spawner, sink)?;
    lab.baseline()?;
    let made = Mutex::new(Vec::new());
    lab.mutants(&prepared.plan, &[place], &|_: usize, runs: &[Run]| {
        made.lock().expect("no worker panics with it").extend_from_slice(runs);
        Ok(())
    })?;
    Ok(made.into_inner().expect("the workers are done"))
}
