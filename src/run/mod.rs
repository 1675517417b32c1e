//! Stage 4: the plan's mutants in private workspaces, the commands on each, and what they did.
//!
//! Everything a run starts goes through one [`spawn::Spawner`], which starts one helper process
//! ([`exec`]) a command; the helper ends the whole tree of the command's processes and certifies
//! that none of them lives. A [`Lab`] holds what a run needs: the scratch directory, one workspace a
//! worker, the spawner. It makes [`Run`]s, never outcomes: what an exit means is decided later.

mod asking;
mod baseline;
mod builds;
pub mod certificate;
mod confirm;
mod cover;
pub mod environment;
pub mod exec;
mod executor;
pub mod exit;
mod lab;
mod left;
mod orphans;
mod pool;
mod processes;
mod python;
mod reach;
mod red;
mod runner;
pub mod sandbox;
mod seat;
pub mod spawn;
mod trial;
mod turns;
mod want;
pub mod workspace;

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use asking::ChangedTests;
pub use baseline::Baseline;
pub use certificate::Certificate;
pub use environment::Environment;
pub use executor::{Declined, Offered, Tier};
pub use exit::Exit;
pub use lab::{Lab, Settings};
pub use left::{Left, permitted};
pub use pool::{Keep, MAX_BETWEEN_SENTINELS};
pub use reach::Reach;
pub use red::Red;
pub use runner::{Label, Runner, Tests, junit};
pub use spawn::Spawner;
pub use turns::{Share, Turn, Turns, Useful};

use crate::base::{Sha256, seconds};
use crate::tree::TreeError;
use workspace::WorkspaceError;

/// What is run on a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Step {
    /// `[setup]`, once a workspace.
    Setup,
    /// `[build]`, before the commands.
    Build,
    /// The build of the product alone that commands of cargo stand for: the one at this place of
    /// [`Task::products`](crate::task::Task::products). What it built is there for the first command.
    Product(usize),
    /// The acceptance command at this place of the sealed order.
    Command(usize),
    /// After a failure of the command of cargo at this place: whether its tests build at all, which
    /// only says how it failed.
    Tests(usize),
}

/// Under which conditions a step was run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Attempt {
    /// Beside the other workers, under the ordinary limit.
    First,
    /// Once more, beside the other workers.
    Repeat,
    /// Once more at the end, with no other worker active; a time limit is doubled.
    Alone,
    /// Once more from a clean start, to see whether the answer is the same. What follows it among the
    /// runs of a mutant belongs to this second answer.
    Confirm,
}

/// One process tree from start to certificate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// What was run.
    pub step: Step,
    /// Under which conditions.
    pub attempt: Attempt,
    /// What it did.
    pub exit: Exit,
    /// Wall time.
    #[serde(rename = "wall_s", with = "seconds")]
    pub wall: Duration,
    /// User and system time of all its processes.
    #[serde(rename = "cpu_s", with = "seconds")]
    pub cpu: Duration,
    /// Name of its capped output below `logs/`.
    pub log: String,
    /// Digest of that output.
    pub log_sha256: Option<Sha256>,
    /// What made it.
    #[serde(default, skip_serializing_if = "Tier::is_exact")]
    pub executor: Tier,
    /// The faster executors that were asked first and could not vouch for what they saw.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub declined: Vec<Declined>,
    /// Whether nothing, or not all of the command, was run, because what was left out does not reach
    /// the mutant.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unreached: bool,
    /// Paths outside of the budget that it left, wrote or removed, below its workspace (`tree/..`); of a
    /// mutant those alone that no good run of the unmutated tree leaves. A few of them, if there are many.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outside_budget: Vec<String>,
    /// What is known of its tests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<Tested>,
}

/// What an executor that sees single tests saw of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tested {
    /// The number of the test that the mutant's own process began with. Those before it ran once for many
    /// mutants, in the process that it was forked from, and entered nothing that the mutant changes.
    pub from: usize,
    /// The test, or the file of tests, that failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
}

/// The runs of a mutant's first answer, and those of its second, of which there may be none.
#[must_use]
pub fn answers(runs: &[Run]) -> (&[Run], &[Run]) {
    let second = runs.iter().position(|run| run.attempt == Attempt::Confirm);
    runs.split_at(second.unwrap_or(runs.len()))
}

impl Run {
    /// Whether it ended by itself with status 0.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.exit == Exit::Code(0)
    }
}

/// Why a run cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A workspace could not be made or brought back.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// A source could not be read.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// A command's program cannot be started.
    #[error("command `{id}` cannot start: {why}")]
    NotStarted {
        /// The command.
        id: String,
        /// Why not.
        why: String,
    },
    /// What the unmutated tree does cannot be told.
    #[error("`{id}` on the unmutated tree gave no answer: {exit}")]
    NoAnswer {
        /// The command, `setup` or `build`.
        id: String,
        /// What happened.
        exit: Exit,
    },
    /// The unmutated tree does not pass.
    #[error("{}", red::explain(.0))]
    Red(Box<Red>),
    /// A recognised runner passed without running a test.
    #[error(
        "`{id}` passes on the unmutated tree but ran no test; a command that tests nothing accepts everything (command: {argv})"
    )]
    NothingExecuted {
        /// The command.
        id: String,
        /// Its words.
        argv: String,
    },
    /// A process that must have ended may be alive.
    #[error("`{id}` left processes that could not be ended")]
    Unclean {
        /// What was run.
        id: String,
    },
    /// A log could not be written or read.
    #[error("cannot write the logs at `{}`: {error}", path.display())]
    Log {
        /// The path.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// The worker threads could not be started.
    #[error("cannot start {jobs} workers: {message}; use fewer with `--jobs`")]
    Threads {
        /// How many.
        jobs: usize,
        /// Why not.
        message: String,
    },
    /// A person ended the run.
    #[error("interrupted; what was decided is kept, and `--resume` goes on from there")]
    Interrupted,
}
