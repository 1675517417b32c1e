//! Stage 1: what was typed becomes a checked task, with absolute paths and defaults resolved.

mod cargo;
mod commands;
mod file;
mod near;
mod overrides;
mod resolve;
mod trees;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub use cargo::{CargoBuild, Messages};
pub use file::{ProtectedKind, Role, TaskFile};
pub use near::nearest;
pub use overrides::Overrides;
pub use resolve::load;

use serde::{Deserialize, Serialize};

use crate::base::{Argv, RelPath, any_path, seconds};

/// Name of a task file.
pub const TASK_FILE: &str = "adequacy.toml";

/// A checked task: its trees, and the commands that judge them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// The task file, if there is one.
    #[serde(with = "any_path::optional")]
    pub file: Option<PathBuf>,
    /// The root of the tree that mutants are made of, absolute, without links; with a patch, of the
    /// tree that it is applied to.
    #[serde(with = "any_path")]
    pub tree: PathBuf,
    /// What `tree` is to the task.
    pub solution: Solution,
    /// Files that commands find at `../heldout`.
    #[serde(with = "any_path::optional")]
    pub heldout: Option<PathBuf>,
    /// Other right solutions, which every command must accept.
    pub must_pass: Vec<Variant>,
    /// Wrong solutions, which some command must refuse.
    pub known_wrong: Vec<Variant>,
    /// The contract's id.
    pub contract_id: String,
    /// One sentence: what the task is.
    pub task: Option<String>,
    /// The acceptance commands in sealed order.
    pub commands: Vec<Command>,
    /// The paths an agent may not change.
    pub protected: Vec<Protected>,
    /// What is mutated.
    pub mutate: Mutate,
    /// Variables set for every command.
    pub env_set: BTreeMap<String, String>,
    /// Names passed through from the caller.
    pub env_pass: Vec<String>,
    /// Container image by digest.
    pub image: Option<String>,
    /// Run once in each workspace before the baseline.
    pub setup: Option<Step>,
    /// The product's build, which tells unviable mutants from killed ones.
    pub build: Option<Step>,
    /// Thresholds by gate name.
    pub gates: BTreeMap<String, f64>,
}

/// What the tree of a task is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Solution {
    /// A right solution, and nothing says what it started from.
    Tree,
    /// A right solution, made from this tree, which is what the agent gets.
    From(#[serde(with = "any_path")] PathBuf),
    /// What the agent gets; this patch makes the right solution of it.
    Patch(#[serde(with = "any_path")] PathBuf),
    /// What the agent gets; no right solution is known.
    None,
}

impl Solution {
    /// Whether there is a change from a start tree to a right solution.
    #[must_use]
    pub const fn is_change(&self) -> bool {
        matches!(self, Self::From(_) | Self::Patch(_))
    }
}

/// Another solution: a tree, or a patch of the start tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variant {
    /// As it was typed.
    pub name: String,
    /// A directory or a patch file, absolute.
    #[serde(with = "any_path")]
    pub path: PathBuf,
    /// Whether it is a patch.
    pub is_patch: bool,
}

impl Task {
    /// The commands, of which there must be some.
    ///
    /// # Errors
    /// [`TaskError::NoCommand`] when there is none.
    pub fn some_commands(&self) -> Result<&[Command], TaskError> {
        if self.commands.is_empty() {
            return Err(TaskError::NoCommand { above: self.file_above() });
        }
        Ok(&self.commands)
    }

    /// For a bare tree, the task file in the nearest folder above it that has one: perhaps it is meant.
    #[must_use]
    pub fn file_above(&self) -> Option<PathBuf> {
        let above = self.tree.ancestors().skip(1).map(|folder| folder.join(TASK_FILE));
        above.into_iter().find(|file| self.file.is_none() && file.is_file())
    }
}

/// What to say of a task file above a bare tree.
#[must_use]
pub fn hint_above(file: &Path) -> String {
    let folder = file.parent().unwrap_or(file).display();
    format!("\nhint: `{}` is not used; for that task, give `{folder}` as the path", file.display())
}

/// One acceptance command.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Command {
    /// Unique name.
    pub id: String,
    /// Its words.
    pub argv: Argv,
    /// Time limit, where the task states one.
    #[serde(rename = "timeout_s", with = "seconds::optional")]
    pub timeout: Option<Duration>,
    /// Who may see it.
    pub role: Role,
    /// Test ids that must be exactly those collected and passed.
    pub ids: Option<Vec<String>>,
    /// Workspace paths that a run writes.
    pub run_writes: Option<Vec<String>>,
    /// The generated probe that it is.
    pub probe: Option<Probe>,
    /// The command it is an isolated twin of.
    pub in_process_twin_of: Option<String>,
    /// What it does on the start tree.
    pub prepatch: Prepatch,
    /// The directory sealed with it, and its program there.
    pub seal: Option<SealedPlace>,
}

/// What a generated command looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Probe {
    /// Whether two runs give the same.
    Determinism,
    /// Whether results have exact types.
    TypeStrict,
    /// Whether loading a module changes something outside of it.
    ImportSideEffects,
}

/// What a command must do on the start tree.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Prepatch {
    /// Fail: it tests the change.
    #[default]
    Fail,
    /// Pass: it tests what was there before and must stay.
    Pass,
}

/// Where a command is to run outside of this program, and its program there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SealedPlace {
    /// Its working directory.
    pub cwd: String,
    /// The program, resolved on this machine.
    pub exe: String,
}

/// One protected path.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Protected {
    /// Path relative to the tree.
    pub path: RelPath,
    /// File or directory.
    pub kind: ProtectedKind,
    /// Names or workspace paths below a directory that are not protected.
    pub exclude: Option<Vec<String>>,
    /// `python_ast` for a file whose layout may change.
    pub equivalence: Option<String>,
}

/// What is mutated.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Mutate {
    /// Globs of the files to mutate; the default choice when empty.
    pub include: Vec<Pattern>,
    /// Globs of files to leave alone.
    pub exclude: Vec<Pattern>,
    /// Operators to use, with where each was typed; all when empty.
    pub operators: Vec<Pattern>,
    /// At most this many mutants.
    pub limit: Option<u32>,
    /// Seed of the sampler.
    pub seed: u64,
    /// CPU time that fixes the number of mutants before the run.
    #[serde(rename = "budget_s", with = "seconds::optional")]
    pub budget: Option<Duration>,
}

/// A pattern or name, with where it was typed, for messages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pattern {
    /// The text.
    pub text: String,
    /// Such as `adequacy.toml:12` or `--include`.
    pub origin: String,
}

/// A command of `[setup]` or `[build]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Its words.
    pub argv: Argv,
    /// Time limit.
    #[serde(rename = "timeout_s", with = "seconds")]
    pub timeout: Duration,
}

/// What is wrong with a task. Shown whole to a person; the exit code is that of usage.
#[derive(Debug, thiserror::Error)]
pub enum TaskError {
    /// The path given is not there or cannot be looked at.
    #[error("cannot look at `{}`: {error}", path.display())]
    Unreadable {
        /// The path.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// The path is neither a directory nor a task file.
    #[error("`{}` is neither a directory nor a task file", .0.display())]
    NotATree(PathBuf),
    /// The task file is not valid TOML of the expected shape.
    #[error("{}: {message}", path.display())]
    Syntax {
        /// The task file.
        path: PathBuf,
        /// Key, line and column, and what is wrong.
        message: String,
    },
    /// A value of the task file or a flag cannot be used.
    #[error("{place}: {message}")]
    Value {
        /// Such as `adequacy.toml:12: acceptance.argv` or `--timeout`.
        place: String,
        /// What is wrong and what to do.
        message: String,
    },
    /// Nothing says what to run.
    #[error(
        "no acceptance command: give one after `--`, such as `-- python3 -m pytest -q`, or write a task file with `adequacy init`{}",
        .above.as_deref().map(hint_above).unwrap_or_default()
    )]
    NoCommand {
        /// A task file further up, which was not asked for.
        above: Option<PathBuf>,
    },
    /// A command after `--` where the task file's own commands are sealed.
    #[error("`seal` takes its commands from the task file; leave out what stands after `--`")]
    CommandBesideTaskFile,
}
