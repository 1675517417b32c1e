//! What of a run's verdicts did not go smoothly.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::risk;
use crate::measure::Line;
use crate::measure::reuse::Reused;
use crate::run::{Attempt, Exit, Run};

/// The decided mutants that took more than one straight run, or none.
#[derive(Debug, Clone, Default)]
pub struct Unsmooth {
    /// Mutants that were run again.
    pub(super) again: usize,
    /// Mutants a worker died under.
    pub(super) lost: usize,
    /// Mutants whose verdict is an earlier run's.
    pub(super) reused: Reused,
    /// The paths outside of the budget that judged runs left, each with how many mutants did.
    strayed: BTreeMap<String, usize>,
}

impl Unsmooth {
    /// Looks at one more.
    pub fn add(&mut self, line: &Line) {
        // A second answer that was asked for is no failure.
        let is_repeat = |run: &Run| matches!(run.attempt, Attempt::Repeat | Attempt::Alone);
        self.again += usize::from(line.runs.iter().any(is_repeat));
        let is_lost = |run: &Run| matches!(run.exit, Exit::Lost(_));
        self.lost += usize::from(line.runs.iter().any(is_lost));
        self.reused.add(line);
        let paths = line.runs.iter().flat_map(|run| &run.outside_budget);
        for path in paths.collect::<BTreeSet<_>>() {
            *self.strayed.entry(path.clone()).or_insert(0) += 1;
        }
    }

    /// A risk for each path outside of the budget, those that most mutants made first; beyond a few, one
    /// for the rest.
    pub(super) fn strays(&self) -> Vec<Value> {
        let mut paths = self.strayed.iter().collect::<Vec<_>>();
        paths.sort_by_key(|&(_, mutants)| Reverse(*mutants));
        let rest = paths.split_off(paths.len().min(STRAYS));
        let named = paths.into_iter().map(|(path, mutants)| {
            format!(
                "{mutants} mutants made the commands leave `{path}` outside of the budget, which was undone"
            )
        });
        let rest = (!rest.is_empty()).then(|| {
            let more = rest.len();
            format!("{more} more paths were left outside of the budget and undone (outcomes.jsonl names them)")
        });
        let settled_by = "a look at the output of those runs, or `run_writes`";
        named.chain(rest).map(move |what| risk(what, settled_by)).collect()
    }
}

/// Most paths outside of the budget that a verdict names.
const STRAYS: usize = 50;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_paths_outside_of_the_budget_are_counted_and_the_usual_ones_named() {
        let mut unsmooth = Unsmooth::default();
        assert_eq!(unsmooth.strays(), Vec::<Value>::new());
        unsmooth.strayed = (0..STRAYS + 7).map(|at| (format!("tree/{at:03}"), 1)).collect();
        unsmooth.strayed.insert("tree/usual".to_owned(), 9);
        let told = unsmooth.strays();
        let told = told.iter().map(|risk| risk["risk"].as_str().expect("words"));
        let told = told.collect::<Vec<_>>();
        assert_eq!(told.len(), STRAYS + 1);
        assert!(told[0].starts_with("9 mutants made the commands leave `tree/usual` "), "{told:?}");
        assert!(told[STRAYS].starts_with("8 more paths were left "), "{told:?}");
    }
}
