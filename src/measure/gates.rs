//! The gates of a finished run.

use std::collections::BTreeSet;

use super::{FLAKY, PREPATCH, RunFile, StartRecord};
use crate::adequacy::{Adequacy, Gate, Input, Thresholds};
use crate::task::Task;

/// The gates of a task, in the order in which the first that fails refuses a seal.
pub(super) fn of(task: &Task, run: &RunFile, adequacy: &Adequacy) -> Vec<Gate> {
    let stated = Thresholds::of(&task.gates, run.conduct.max_undecided);
    let has_twin = task.commands.iter().any(|command| command.in_process_twin_of.is_some());
    let thresholds = Thresholds {
        has_change: task.solution.is_change(),
        accepts_start: run.start.as_ref().is_some_and(StartRecord::accepts_all),
        judges_cheats: stated.judges_cheats || has_twin,
        neutralized: run.neutralized.len() as u64,
        ..stated
    };
    let mut gates = thresholds.gates(adequacy);
    gates.extend(flaky(run));
    gates.extend(prepatch(run));
    gates
}

/// The gate that commands fail which end on the start tree otherwise than the task says, where there
/// are some: what the task says of them is not true.
fn prepatch(run: &RunFile) -> Option<Gate> {
    let on_start = run.start.iter().flat_map(|start| &start.commands);
    let count = on_start.filter(|command| !command.is_as_stated()).count() as u64;
    let formula = "commands that do not end on the start tree as `prepatch` says <= threshold";
    let inputs = vec![("value", Input::Count(count)), ("threshold", Input::Count(0))];
    (count > 0).then_some(Gate { name: PREPATCH, pass: false, formula, inputs })
}

/// The gate that commands which gave two answers fail, where there are some.
fn flaky(run: &RunFile) -> Option<Gate> {
    let on_start = run.start.iter().flat_map(|start| &start.flaky);
    let count = run.flaky.iter().chain(on_start).collect::<BTreeSet<_>>().len() as u64;
    let formula = "commands that gave two answers on an unmutated tree <= threshold";
    let inputs = vec![("value", Input::Count(count)), ("threshold", Input::Count(0))];
    (count > 0).then_some(Gate { name: FLAKY, pass: false, formula, inputs })
}
