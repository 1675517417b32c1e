//! What was decided of the mutants of a plan.

use super::executors::Decided;
use crate::outcome::Outcome;

/// What is known of each mutant, by its place in the plan.
#[derive(Debug)]
pub(super) struct Decisions(Vec<Option<Decided>>);

impl Decisions {
    /// Nothing is known of so many mutants.
    pub(super) fn none_of(mutants: usize) -> Self {
        Self(vec![None; mutants])
    }

    pub(super) fn get(&self, place: usize) -> Option<&Decided> {
        self.0.get(place)?.as_ref()
    }

    pub(super) fn outcome(&self, place: usize) -> Option<Outcome> {
        self.get(place).map(|decided| decided.outcome)
    }

    /// The later of two decisions stands.
    pub(super) fn insert(&mut self, place: usize, decided: Decided) {
        self.0[place] = Some(decided);
    }

    pub(super) fn remove(&mut self, place: usize) {
        self.0[place] = None;
    }

    /// Those that are decided, in plan order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, &Decided)> + Clone {
        let all = self.0.iter().enumerate();
        all.filter_map(|(place, decided)| Some((place, decided.as_ref()?)))
    }
}
