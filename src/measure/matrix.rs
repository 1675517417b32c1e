//! What the mutants tell on which every command was run: kills that all commands make, and the fewest
//! mutants that stand for all that were killed.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::{LedgerError, OutputDir, RunFile, runners};
use crate::outcome::{self, Outcome, Verdict};
use crate::plan::{MutantId, Places};
use crate::run::Step;
use crate::task::Task;

/// The commands against the mutants on which every one of them was run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Matrix {
    /// Mutants that count and on which every command was run.
    pub mutants: u64,
    /// Those that were killed.
    pub killed: u64,
    /// Those that every command killed.
    pub killed_by_all: u64,
    /// One mutant for each set of killers that holds no other such set: who kills these kills all that
    /// were killed here. In plan order.
    pub minimal: Vec<Minimal>,
}

/// A mutant of the minimal set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Minimal {
    /// Its id.
    pub id: String,
    /// The ids of the commands that kill it.
    pub killed_by: Vec<String>,
    /// Killed mutants, itself among them, that each of these commands kills too.
    pub stands_for: u64,
}

/// Places of commands.
type Killers = BTreeSet<usize>;

impl Matrix {
    /// Reads the decided mutants of a run once more, whose plan has these ids; `None` where one command
    /// is all there is.
    ///
    /// # Errors
    /// [`LedgerError`] when they cannot be read.
    pub(super) fn of(
        task: &Task,
        ids: impl Iterator<Item = MutantId>,
        output: &OutputDir,
        run: &RunFile,
    ) -> Result<Option<Self>, LedgerError> {
        let flaky = run.flaky_places();
        let able = (0..task.commands.len()).filter(|place| !flaky.contains(place));
        let able = able.collect::<Killers>();
        if able.len() < 2 {
            return Ok(None);
        }
        let runners = runners(task);
        let ids = ids.collect::<Vec<_>>();
        let places = ids.iter().copied().collect::<Places>();
        // Few commands have few sets of killers.
        let mut sets = BTreeSet::<Rc<Killers>>::new();
        // By place, for the later of two lines stands.
        let mut rows = vec![None; ids.len()];
        output.each_outcome(run, |line| {
            let verdicts = able.iter().map(|&place| {
                (place, outcome::verdict_of(&line.runs, Step::Command(place), runners[place]))
            });
            let verdicts = verdicts.collect::<Vec<_>>();
            let whole = verdicts.iter().all(|(_, verdict)| verdict.is_some());
            let failed = verdicts.iter().filter(|it| matches!(it.1, Some(Verdict::Failed(_))));
            let killers = failed.map(|(place, _)| *place).collect();
            let killed = matches!(line.outcome, Outcome::Killed { .. });
            let row = if killed { killers } else { Killers::new() };
            let row = sets.get(&row).cloned().unwrap_or_else(|| Rc::new(row));
            sets.insert(Rc::clone(&row));
            if let Some(at) = places.get(&line.id) {
                rows[at] = (whole && line.outcome != Outcome::Unviable).then_some(row);
            }
        })?;
        let rows = rows.into_iter().enumerate().filter_map(|(at, row)| Some((at, row?)));
        let id = |place: &usize| task.commands[*place].id.clone();
        Ok(Some(Self::of_rows(rows, able.len(), &|at| ids[at].to_string(), &id)))
    }

    /// From the mutants in plan order with their killers.
    fn of_rows(
        rows: impl Iterator<Item = (usize, Rc<Killers>)>,
        commands: usize,
        name: &dyn Fn(usize) -> String,
        id: &dyn Fn(&usize) -> String,
    ) -> Self {
        let mut matrix = Self { mutants: 0, killed: 0, killed_by_all: 0, minimal: Vec::new() };
        // Each set of killers: the first mutant with it, and how many have it.
        let mut sets = BTreeMap::<Rc<Killers>, (usize, u64)>::new();
        for (at, killers) in rows {
            matrix.mutants += 1;
            matrix.killed += u64::from(!killers.is_empty());
            matrix.killed_by_all += u64::from(killers.len() == commands);
            if !killers.is_empty() {
                sets.entry(killers).or_insert((at, 0)).1 += 1;
            }
        }
        let holds_another =
            |set: &Rc<Killers>| sets.keys().any(|other| other != set && other.is_subset(set));
        let mut minimal = sets.iter().filter(|(set, _)| !holds_another(set)).collect::<Vec<_>>();
        minimal.sort_by_key(|(_, (at, _))| *at);
        matrix.minimal = minimal
            .into_iter()
            .map(|(set, (at, _))| Minimal {
                id: name(*at),
                killed_by: set.iter().map(id).collect(),
                stands_for: sets
                    .iter()
                    .filter(|(it, _)| set.is_subset(it))
                    .map(|(_, (_, n))| n)
                    .sum(),
            })
            .collect();
        matrix
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_minimal_set_has_one_mutant_for_each_smallest_set_of_killers() {
        let rows: [&[usize]; 7] = [&[0, 1, 2], &[], &[0, 1], &[1], &[2], &[1, 2], &[2]];
        let rows = rows.iter().map(|row| Rc::new(row.iter().copied().collect())).enumerate();
        let matrix = Matrix::of_rows(rows, 3, &|at| format!("m{at}"), &|at| format!("c{at}"));
        assert_eq!((matrix.mutants, matrix.killed, matrix.killed_by_all), (7, 6, 1));
        let one = |id: &str, killed_by: &str, stands_for| Minimal {
            id: id.to_owned(),
            killed_by: vec![killed_by.to_owned()],
            stands_for,
        };
        assert_eq!(matrix.minimal, [one("m3", "c1", 4), one("m4", "c2", 4)]);
    }
}
