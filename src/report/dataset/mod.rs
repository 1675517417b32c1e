//! Many tasks: one row each, made of its run directory, and what is said of all of them.
//!
//! Counts of tasks, medians and quantiles of classes; never an average, and never an order of totals:
//! a share of one task's mutants and that of another's are of different things.

mod card;
mod csv;
mod diff;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::RunLog;
use super::summary::flake_rate;
use crate::base::Sha256;
use crate::measure::{ClassTotals, State};
use crate::plan::Class;

pub use card::card;
pub use csv::csv;
pub use diff::{Difference, diff};

/// The classes whose survivors lie at the change.
const PATCH_REGION: [Class; 2] = [Class::HunkRevert, Class::Change];

/// One task of many: a line of `summary.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskRow {
    /// Its name: its path below the folder of the tasks.
    pub id: String,
    /// How far its run came; `None` where it has none that can be read.
    pub state: Option<State>,
    /// How `seal --all` or `measure --all` ended for it, where its rows say so.
    pub exit: Option<u8>,
    /// Why there are no numbers, or what failed; else empty.
    pub message: String,
    /// The numbers of a finished run.
    pub numbers: Option<Numbers>,
}

/// The numbers of a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Numbers {
    /// The contract's id.
    pub contract_id: String,
    /// Digest of the sealed contract; `None` where the run is not sealed.
    pub contract_sha256: Option<Sha256>,
    /// Name and version of the program that measured it.
    pub tool: String,
    /// Mutants that count.
    pub mutants: u64,
    /// Those that were killed.
    pub killed: u64,
    /// Those that every command accepted.
    pub survived: u64,
    /// Those that nobody could decide.
    pub undecided: u64,
    /// Not counted: does not compile or build.
    pub unviable: u64,
    /// The same by class, in sealed order.
    pub classes: BTreeMap<Class, ClassTotals>,
    /// Survivors among hunk reverts and mutants at changed lines; `None` where there is no such mutant.
    pub patch_region_survivors: Option<u64>,
    /// Whether each gate passes.
    pub gates: BTreeMap<String, bool>,
    /// Known defects that were let through.
    pub allowed: Vec<String>,
    /// Runs of the unmutated tree.
    pub unmutated_runs: u64,
    /// Those that did not pass.
    pub unmutated_failures: u64,
    /// Upper 95 % bound on the rate of such failures, 0 to 1, in steps of a millionth.
    pub flake_bound: f64,
    /// CPU time in seconds of the runs that are kept: of the mutants, of the unmutated tree before them,
    /// of the start tree and of other solutions.
    pub cpu_s: f64,
}

impl TaskRow {
    /// That of a task without a run that can be read.
    #[must_use]
    pub fn without(id: &str, message: String) -> Self {
        Self { id: id.to_owned(), state: None, exit: None, message, numbers: None }
    }

    /// That of a run; its numbers only where it is finished.
    #[must_use]
    pub fn of(id: &str, log: &RunLog, contract: Option<Sha256>) -> Self {
        let numbers = log.is_finished().then(|| Numbers::of(log, contract));
        let message = log.notes().join(" ");
        Self { id: id.to_owned(), state: Some(log.run.state), exit: None, message, numbers }
    }
}

impl Numbers {
    fn of(log: &RunLog, contract_sha256: Option<Sha256>) -> Self {
        let (run, totals) = (&log.run, log.count.totals());
        let region = PATCH_REGION.iter().filter_map(|class| totals.by_class.get(class));
        let survivors = region.clone().map(survived).sum();
        let asked = region.map(|counts| counts.mutants).sum::<u64>() > 0;
        let unmutated = run.unmutated();
        let bound = flake_rate(unmutated.runs, unmutated.failures);
        Self {
            contract_id: run.task.contract_id.clone(),
            contract_sha256,
            tool: run.tool.clone(),
            mutants: totals.mutants,
            killed: totals.killed,
            survived: totals.survived,
            undecided: totals.undecided,
            unviable: totals.unviable,
            classes: totals.by_class,
            patch_region_survivors: asked.then_some(survivors),
            gates: run.gates.clone(),
            allowed: run.allowed.clone(),
            unmutated_runs: unmutated.runs,
            unmutated_failures: unmutated.failures,
            flake_bound: (bound * 1e6).round() / 1e6,
            cpu_s: (log.cpu().as_secs_f64() * 1e3).round() / 1e3,
        }
    }
}

/// Mutants of a class that every command accepted.
fn survived(counts: &ClassTotals) -> u64 {
    counts.mutants - counts.killed - counts.undecided
}

/// The rows as `summary.jsonl`: one JSON object a line, in the order given.
#[must_use]
pub fn jsonl(rows: &[TaskRow]) -> String {
    let lines = rows.iter().map(|row| {
        let text = serde_json::to_string(row).expect("plain values");
        format!("{text}\n")
    });
    lines.collect()
}

#[cfg(test)]
pub(super) mod testing {
    use super::*;

    /// A finished task whose `change` mutants fared so: mutants, killed, undecided.
    pub(crate) fn row(id: &str, (mutants, killed, undecided): (u64, u64, u64)) -> TaskRow {
        let counts = ClassTotals { mutants, killed, undecided };
        let numbers = Numbers {
            contract_id: format!("contract-{id}"),
            contract_sha256: Some(Sha256::of(id.as_bytes())),
            tool: "adequacy 0".to_owned(),
            mutants,
            killed,
            survived: survived(&counts),
            undecided,
            unviable: 0,
            classes: BTreeMap::from([(Class::Change, counts)]),
            patch_region_survivors: Some(survived(&counts)),
            gates: BTreeMap::from([("undecided".to_owned(), undecided == 0)]),
            allowed: Vec::new(),
            unmutated_runs: 10,
            unmutated_failures: 0,
            flake_bound: 0.258_866,
            cpu_s: 1.5,
        };
        let state = Some(State::Finished);
        let message = String::new();
        TaskRow { id: id.to_owned(), state, exit: Some(0), message, numbers: Some(numbers) }
    }

    #[test]
    fn a_row_is_read_back_as_it_was_written() {
        let rows = [row("a", (4, 3, 1)), TaskRow::without("b\n", "no \"run\"".to_owned())];
        let text = jsonl(&rows);
        let read = text.lines().map(|line| serde_json::from_str(line).expect("a row"));
        assert_eq!(read.collect::<Vec<TaskRow>>(), rows);
    }
}
