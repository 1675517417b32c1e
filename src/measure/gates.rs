//! The gates of a finished run.

use std::collections::BTreeSet;

use super::{FLAKY, PREPATCH, RunFile, StartRecord, UNPARSED};
use crate::adequacy::{Adequacy, CHEAT_GATE, Gate, Input, Thresholds};
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
    gates.extend(unparsed(task, run));
    gates
}

/// The gates that section 11 of the record rules has and this run cannot judge: without a twin, nothing
/// keeps a cheat apart from an honest function.
pub(super) fn not_judged(task: &Task, gates: &[Gate]) -> Vec<String> {
    let judged = gates.iter().any(|gate| gate.name == CHEAT_GATE);
    let cheats = (task.solution.is_change() && !judged).then(|| CHEAT_GATE.to_owned());
    cheats.into_iter().collect()
}

/// The gate that changed files fail of which mutants are missing because they do not parse, where there
/// are some: the numbers say nothing about what the commands find there.
fn unparsed(task: &Task, run: &RunFile) -> Option<Gate> {
    let count = run.unsaid.unparsed.len() as u64;
    let formula = "changed files that could not be read whole, so that mutants of them are missing <= threshold";
    let inputs = vec![("value", Input::Count(count)), ("threshold", Input::Count(0))];
    let gate = Gate { name: UNPARSED, pass: false, formula, inputs };
    (task.solution.is_change() && count > 0).then_some(gate)
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
