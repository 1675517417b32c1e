//! The spot check: verdicts that faster executors gave, made again on the exact path and compared.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use serde::{Deserialize, Serialize};

use super::decisions::Decisions;
use super::draw::choose;
use super::executors::{Decided, Faster};
use crate::outcome::{self, Outcome, Verdict};
use crate::plan::Plan;
use crate::run::{Keep, Lab, Run, RunError, Runner, Step, Tier};

/// The fewest verdicts that are made again, where there are as many.
const FEWEST: usize = 10;

/// One verdict of this many is made again.
const ONE_OF: usize = 20;

/// What the spot check found.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpotCheck {
    /// Seed of the draw.
    pub seed: u64,
    /// Mutants on which a faster executor gave the first answer of some command.
    pub population: u64,
    /// How many of them were run again.
    pub checked: u64,
    /// How many of these were survivors.
    pub survivors: u64,
    /// Where the exact path says something else.
    pub differences: Vec<Difference>,
    /// Mutants that were all decided again on the exact path because of that.
    pub made_again: u64,
}

impl SpotCheck {
    /// Adds what that of another part of the plan found; both drew with the seed of the task.
    pub(super) fn add(&mut self, other: &Self) {
        self.seed = other.seed;
        self.population += other.population;
        self.checked += other.checked;
        self.survivors += other.survivors;
        self.differences.extend(other.differences.iter().cloned());
        self.made_again += other.made_again;
    }
}

/// A verdict of a faster executor that the exact path does not give.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// The mutant.
    pub mutant: String,
    /// Id of the command.
    pub command: String,
    /// Which executor.
    pub executor: Tier,
    /// Whether that executor found that the command accepts the mutant.
    pub accepted: bool,
    /// What the exact path found.
    pub exact: String,
}

/// What a spot check is made with.
pub(super) struct Check<'a> {
    pub(super) lab: &'a Lab<'a>,
    pub(super) plan: &'a Plan,
    pub(super) runners: &'a [Option<Runner>],
    /// Ids of the commands, in sealed order.
    pub(super) ids: &'a [String],
    pub(super) seed: u64,
    /// Is told of the runs of the unmutated tree.
    pub(super) keep: &'a dyn Keep,
}

impl Check<'_> {
    /// Draws among what was decided, runs what was drawn again, and compares; `None` where no faster
    /// executor gave an answer.
    pub(super) fn make(&self, decided: &Decisions) -> Result<Option<SpotCheck>, RunError> {
        let faster = decided.iter().filter(|(_, one)| !one.faster.is_empty());
        let faster = faster.collect::<Vec<_>>();
        if faster.is_empty() {
            return Ok(None);
        }
        let id = |place: usize| self.plan.mutants[place].id.to_string();
        let ids = faster.iter().map(|(place, _)| id(*place)).collect::<Vec<_>>();
        let killed = faster.iter().map(|(_, one)| matches!(one.outcome, Outcome::Killed { .. }));
        let claims = ids.iter().map(String::as_str).zip(killed).collect::<Vec<_>>();
        let size = FEWEST.max(faster.len().div_ceil(ONE_OF));
        let mut drawn = choose(&claims, size, self.seed).into_iter().collect::<BTreeSet<_>>();
        // Where the exact path gave another answer already, it is asked who is right.
        drawn.extend((0..faster.len()).filter(|&number| faster[number].1.disputed));
        let drawn = drawn.into_iter().map(|number| faster[number]).collect::<Vec<_>>();
        let places = drawn.iter().map(|(place, _)| *place).collect::<Vec<_>>();
        let second = Second { runs: Mutex::default(), keep: self.keep };
        let name = "spot check: making verdicts of faster executors again on the exact path";
        self.lab.exactly(self.plan, &places, (name, "spot-"), &second)?;
        let runs = second.runs.into_inner().expect("the workers are done");
        let mut check = SpotCheck {
            seed: self.seed,
            population: faster.len() as u64,
            checked: drawn.len() as u64,
            ..SpotCheck::default()
        };
        for (place, one) in drawn {
            check.survivors += u64::from(one.outcome == Outcome::Survived);
            let runs = runs.get(&place).map_or(&[][..], Vec::as_slice);
            let differing = one.faster.iter().filter_map(|faster| self.differs(faster, runs));
            check.differences.extend(differing.map(|(faster, exact)| Difference {
                mutant: id(place),
                command: self.ids[faster.command].clone(),
                executor: faster.executor,
                accepted: faster.passed,
                exact,
            }));
        }
        Ok(Some(check))
    }

    /// What the exact path says in words, where that is something else.
    fn differs<'f>(&self, faster: &'f Faster, runs: &[Run]) -> Option<(&'f Faster, String)> {
        let Faster { command, passed, .. } = *faster;
        let verdict = outcome::verdict_of(runs, Step::Command(command), self.runners[command]);
        let exact = match verdict {
            Some(Verdict::Passed) if passed => return None,
            Some(Verdict::Failed(_)) if !passed => return None,
            Some(Verdict::Passed) => "accepts it".to_owned(),
            Some(Verdict::Failed(reason)) => format!("refuses it ({})", reason.word()),
            Some(Verdict::Unclear(why)) => why.words().to_owned(),
            None => "was not run: a command before it decided".to_owned(),
        };
        Some((faster, exact))
    }
}

/// The places of the mutants that must be decided again when the executors of these commands are not
/// to be believed.
pub(super) fn suspect(decided: &Decisions, caught: &BTreeSet<usize>) -> Vec<usize> {
    let rests = |one: &Decided| one.faster.iter().any(|it| caught.contains(&it.command));
    decided.iter().filter(|(_, one)| rests(one)).map(|(place, _)| place).collect()
}

/// Takes the runs that are only compared.
struct Second<'a> {
    runs: Mutex<BTreeMap<usize, Vec<Run>>>,
    keep: &'a dyn Keep,
}

impl Keep for Second<'_> {
    fn decided(&self, place: usize, runs: &[Run]) -> Result<(), RunError> {
        self.runs.lock().expect("no worker panics with it").insert(place, runs.to_vec());
        Ok(())
    }

    fn unmutated(&self, passed: bool) -> Result<(), RunError> {
        self.keep.unmutated(passed)
    }
}
