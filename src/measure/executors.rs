//! Which executors made the verdicts, and what becomes of those of an executor that was caught.

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{RunFile, SpotCheck};
use crate::base::Sha256;
use crate::outcome::{Doubt, Outcome};
use crate::run::{Offered, Run, Step, Tier, answers};

/// How the verdicts of a run were come to: `executors` in `run.json`.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Executors {
    /// Whether a person asked for the exact path alone.
    pub exact_only: bool,
    /// The executors that were asked for a command, and which of them stepped aside; in all parts of a
    /// resumed run.
    pub offered: Vec<Offered>,
    /// Decided mutants by the executor that gave the verdict.
    pub verdicts: BTreeMap<Tier, u64>,
    /// Survivors by what they rest on.
    pub survivors: BTreeMap<String, u64>,
    /// Verdicts of faster executors made again on the exact path.
    pub spot_check: Option<SpotCheck>,
    /// Digest of `tests.json`, which says what tests enter, where that was seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests_sha256: Option<Sha256>,
}

/// What a survivor rests on: every command ran whole.
const RAN: &str = "ran";

/// The same where some was left out that does not reach the mutant.
const REACH: &str = "reach";

/// What was decided of a mutant, and by what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decided {
    /// What its runs mean.
    pub outcome: Outcome,
    /// The executor that gave the verdict.
    pub executor: Tier,
    /// The commands whose first answer is that of a faster executor.
    pub faster: Box<[Faster]>,
    /// Whether a command was left out, or a part of one, that does not reach the mutant.
    pub unreached: bool,
    /// Whether a second answer, on the exact path, was another.
    pub disputed: bool,
}

/// A command's first answer on a mutant, by an executor other than the exact path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Faster {
    /// Place of the command.
    pub command: usize,
    /// Which executor.
    pub executor: Tier,
    /// Whether the command accepted the mutant.
    pub passed: bool,
}

impl Decided {
    /// What `runs` mean, which is `outcome`, and what made them.
    #[must_use]
    pub fn of(outcome: Outcome, runs: &[Run]) -> Self {
        let mut last = BTreeMap::new();
        let (first, second) = answers(runs);
        for run in first {
            if let Step::Command(command) = run.step {
                last.insert(command, run);
            }
        }
        let faster = last.iter().filter(|(_, run)| !run.executor.is_exact());
        let faster = faster.map(|(&command, run)| Faster {
            command,
            executor: run.executor,
            passed: run.passed(),
        });
        let faster = faster.collect::<Box<_>>();
        let unreached = outcome == Outcome::Survived && last.values().any(|run| run.unreached);
        let executor = match outcome {
            Outcome::Killed { command, .. } | Outcome::Undecided { command, .. } => {
                last.get(&command).map(|run| run.executor)
            }
            Outcome::Survived => faster.iter().map(|one| one.executor).min(),
            Outcome::Unviable | Outcome::NotBuilt => None,
        };
        let flips = matches!(outcome, Outcome::Undecided { why: Doubt::Flaky, .. });
        let disputed = flips && !second.is_empty() && !faster.is_empty();
        Self { outcome, executor: executor.unwrap_or_default(), faster, unreached, disputed }
    }

    /// What it rests on, should it be a survivor.
    #[must_use]
    pub const fn basis(&self) -> &'static str {
        if self.unreached { REACH } else { RAN }
    }
}

impl Executors {
    /// Takes over what a run that was broken off knew.
    pub(super) fn go_on_from(&mut self, earlier: &Self) {
        self.offered.clone_from(&earlier.offered);
        self.spot_check.clone_from(&earlier.spot_check);
        self.tests_sha256 = earlier.tests_sha256;
    }

    /// Adds what was offered, where it is news.
    pub(super) fn add(&mut self, offered: Vec<Offered>) {
        for one in offered {
            if !self.offered.contains(&one) {
                self.offered.push(one);
            }
        }
    }

    /// What several runs of one plan say together, but for the counts.
    pub(super) fn merged<'a>(runs: impl Iterator<Item = &'a Self>) -> Self {
        let mut merged = Self { exact_only: true, ..Self::default() };
        for run in runs {
            merged.exact_only &= run.exact_only;
            merged.add(run.offered.clone());
            if let Some(check) = &run.spot_check {
                merged.spot_check.get_or_insert_default().add(check);
            }
        }
        merged
    }

    /// Places of the commands whose faster executors were caught.
    pub(super) fn caught(&self, run: &RunFile) -> BTreeSet<usize> {
        let differences = self.spot_check.iter().flat_map(|check| &check.differences);
        let ids = differences.map(|one| one.command.as_str()).collect::<BTreeSet<_>>();
        let commands = run.commands.iter().enumerate();
        commands.filter(|(_, it)| ids.contains(it.id.as_str())).map(|(place, _)| place).collect()
    }

    /// Whether a verdict of an earlier part of the run may stand.
    pub(super) fn believes(&self, decided: &Decided, caught: &BTreeSet<usize>) -> bool {
        let mut faster = decided.faster.iter();
        !faster.any(|one| self.exact_only || caught.contains(&one.command))
    }

    /// Counts what was decided, by executor and by what survivors rest on.
    pub(super) fn count(&mut self, decided: impl Iterator<Item = impl Borrow<Decided>>) {
        (self.verdicts, self.survivors) = (BTreeMap::new(), BTreeMap::new());
        for one in decided {
            let one = one.borrow();
            *self.verdicts.entry(one.executor).or_default() += 1;
            if one.outcome == Outcome::Survived {
                *self.survivors.entry(one.basis().to_owned()).or_default() += 1;
            }
        }
    }
}
