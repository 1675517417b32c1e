//! Executors: ways to find out what a command does on a mutant, the fastest first, the exact path last.
//!
//! Each command has a ladder of them in every worker's seat. A rung that cannot vouch for what it saw
//! hands the mutant down, and the row says why. Below the last rung stands the exact path
//! (`Lab::step`), which answers always. An executor makes [`Run`]s and never an outcome, and starts
//! processes only through the lab's spawner. Repeats, sentinels and the confirmation of time-outs are
//! the pool's, the spot check is the conductor's, once for all executors.

mod one_build;
mod prepare;
mod probe;
mod sharpened;
mod worker;

use std::collections::BTreeSet;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::asking::Door;
use super::lab::Lab;
use super::seat::Seat;
use super::trial::Edits;
use super::{Run, RunError};
use crate::base::seconds;

pub use prepare::Offered;

/// The executors by name, the fastest first.
#[derive(
    Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Tier {
    /// The real command in a fresh process on one build that holds every mutant.
    OneBuild,
    /// A child of a test runner's process that imported and collected everything, with the changed functions
    /// in the place of the old ones.
    Hot,
    /// A child of a test runner's process that only started: it imports the mutant from disk.
    Warm,
    /// The real command in a fresh process on a real mutated file, told by its environment to stop at
    /// the first failing test.
    Sharpened,
    /// The real command in a fresh process on a real mutated file: what "true" means.
    #[default]
    Exact,
}

impl Tier {
    /// The first rung of a whole ladder.
    pub(super) const FASTEST: Self = Self::OneBuild;

    /// Whether it is the exact path.
    #[must_use]
    pub const fn is_exact(&self) -> bool {
        matches!(self, Self::Exact)
    }

    /// The word used in files and summaries.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::OneBuild => "one-build",
            Self::Hot => "hot",
            Self::Warm => "warm",
            Self::Sharpened => "sharpened",
            Self::Exact => "exact",
        }
    }
}

/// A run that an executor made and could not vouch for: the mutant went down the ladder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Declined {
    /// Which executor.
    pub executor: Tier,
    /// What it saw.
    pub why: String,
    /// Wall time it took.
    #[serde(rename = "wall_s", with = "seconds")]
    pub wall: Duration,
    /// User and system time of its processes.
    #[serde(rename = "cpu_s", with = "seconds")]
    pub cpu: Duration,
}

/// Why a rung hands a mutant down, and the fastest rung that is to be asked next.
pub(super) struct Passed {
    pub(super) declined: Declined,
    pub(super) to: Tier,
}

/// What a rung is asked: what a command does on the tree with some files changed. It finds a clean
/// workspace and leaves one.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    /// The name of the trial, and the number of the run in it: they name the log.
    pub(super) name: (&'a str, usize),
    pub(super) edits: &'a Edits,
    /// Place of the command.
    pub(super) command: usize,
    pub(super) must_build: bool,
}

/// One way to make the run of a command.
pub(super) trait Executor: Send {
    fn tier(&self) -> Tier;

    /// Whether it has anything to say of the tree with these files changed.
    fn takes(&self, _edits: &Edits) -> bool {
        true
    }

    /// Makes the run, or says why it cannot vouch for it.
    fn run(
        &mut self,
        lab: &Lab<'_>,
        seat: &mut Seat,
        asked: Asked<'_>,
    ) -> Result<Result<Run, Passed>, RunError>;
}

/// The rungs above the exact path, by command, of one seat.
pub(super) type Ladders = Vec<Vec<Box<dyn Executor>>>;

impl Lab<'_> {
    /// Makes a first run of a command by the first rung that vouches for it, from `from` on; where none
    /// does, what those saw that were asked.
    pub(super) fn climb(
        &self,
        seat: &mut Seat,
        asked: Asked<'_>,
        from: Tier,
    ) -> Result<Result<Run, Vec<Declined>>, RunError> {
        let (mut declined, mut from) = (Vec::new(), from);
        // Out of the seat, which each rung needs whole.
        let mut rungs = std::mem::take(&mut seat.ladders[asked.command]);
        for rung in &mut rungs {
            if rung.tier() < from || !rung.takes(asked.edits) {
                continue;
            }
            match rung.run(self, seat, asked)? {
                Ok(run) => {
                    seat.ladders[asked.command] = rungs;
                    return Ok(Ok(Run { declined, ..run }));
                }
                Err(passed) => {
                    declined.push(passed.declined);
                    from = passed.to;
                }
            }
        }
        seat.ladders[asked.command] = rungs;
        Ok(Err(declined))
    }

    /// Whether an executor showed already that the product builds on the tree with these files changed.
    pub(super) fn is_known_to_build(&self, seat: &Seat, edits: &Edits, from: Tier) -> bool {
        let mut rungs = seat.ladders.iter().flatten();
        from <= Tier::OneBuild
            && rungs.any(|rung| rung.tier() == Tier::OneBuild && rung.takes(edits))
    }

    /// Gives up the faster executors of these commands, by place: they were caught.
    pub fn give_up(&self, commands: &BTreeSet<usize>) {
        for worker in 0..self.seats.len() {
            let mut seat = self.seat(worker);
            commands.iter().for_each(|&command| seat.ladders[command].clear());
        }
    }
}
