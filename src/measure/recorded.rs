//! The commands and the interpreter, as `run.json` tells them.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::run_file::word;
use crate::base::{any_path, seconds};
use crate::plan::compile::Judge;
use crate::plan::interpreter;
use crate::run::Runner;
use crate::task::Command;

/// A command and its limit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CommandRecord {
    /// Its id.
    pub id: String,
    /// Its words.
    pub argv: Vec<String>,
    /// The runner it was recognised as.
    pub runner: Option<Runner>,
    /// Its time limit, once the baseline has run.
    #[serde(rename = "limit_s", with = "seconds::optional")]
    pub limit: Option<Duration>,
}

impl CommandRecord {
    pub(super) fn of(command: &Command) -> Self {
        let argv = command.argv.words();
        let (id, argv, runner) = (command.id.clone(), argv.to_vec(), Runner::of(argv));
        Self { id, argv, runner, limit: None }
    }
}

/// An interpreter, how it was found, and what it says of itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Interpreted {
    /// The program started.
    #[serde(with = "any_path")]
    pub program: PathBuf,
    /// How it was found.
    pub found: String,
    /// `sys.version`.
    pub version: String,
    /// `sys.executable`.
    pub executable: String,
}

impl Interpreted {
    pub(super) fn of((found, judge): &(interpreter::Interpreter, Judge)) -> Self {
        Self {
            program: found.program.clone(),
            found: word(&found.found),
            version: judge.version.clone(),
            executable: judge.executable.clone(),
        }
    }
}
