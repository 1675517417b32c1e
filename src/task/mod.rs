//! Stage 1: what was typed becomes a checked task, with absolute paths and defaults resolved.

mod file;
mod near;
mod overrides;
mod resolve;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub use file::{ProtectedKind, Role, TaskFile};
pub use near::nearest;
pub use overrides::Overrides;
pub use resolve::load;

use serde::{Deserialize, Serialize};

use crate::base::{Argv, RelPath, any_path, seconds};

/// Name of a task file.
pub const TASK_FILE: &str = "adequacy.toml";

/// A checked task: one tree that is a right solution, and the commands that judge it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// The task file, if there is one.
    #[serde(with = "any_path::optional")]
    pub file: Option<PathBuf>,
    /// The root of the tree, absolute, without links.
    #[serde(with = "any_path")]
    pub tree: PathBuf,
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
