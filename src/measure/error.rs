//! Why there is no measurement.

use super::{LedgerError, OutputError, Refusal, SinceError};
use crate::base::RelPath;
use crate::plan::PlanError;
use crate::plan::compile::CompileError;
use crate::run::RunError;
use crate::task::TaskError;
use crate::tree::TreeError;

/// Why there is no measurement.
#[derive(Debug, thiserror::Error)]
pub enum MeasureError {
    /// The tree cannot be listed or read.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// The mutants cannot be planned.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The mutants cannot be judged.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// There is nothing to compare the tree with.
    #[error(transparent)]
    Since(#[from] SinceError),
    /// No interpreter is there to judge them.
    #[error("no python3 on the search path to judge which mutants compile")]
    NoInterpreter,
    /// The commands cannot be run, or the unmutated tree does not pass.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The run directory cannot be used.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The ledger cannot be used.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// A control shows that the kills would mean nothing.
    #[error(transparent)]
    Control(#[from] Refusal),
    /// A patch cannot be read or does not apply.
    #[error("`{}`: {source}", path.display())]
    Patch {
        /// The patch.
        path: std::path::PathBuf,
        /// Which hunk, and where.
        source: crate::tree::patch::PatchError,
    },
    /// Commands do not always end the same way on the start tree.
    #[error(
        "on the start tree {} did not end the same way each time; a flaky command cannot tell a change \
         from luck (`--allow flaky` goes on all the same, and records it)",
        super::observe::quoted(.0)
    )]
    FlakyStart(Vec<String>),
    /// A command gave no answer on the start tree.
    #[error(
        "on the start tree `{0}` gave no answer: it could not be started there, met a limit, or did not \
         end the same way when it was run again (see its log)"
    )]
    NoAnswerOnStart(String),
    /// Another solution is one of the trees that it is held against.
    #[error(
        "`{name}` is {}",
        if *must_pass {
            "the start tree, which is no right solution (must_pass)"
        } else {
            "the right solution itself, which is not wrong (known_wrong)"
        }
    )]
    SameVariant {
        /// As the task names it.
        name: String,
        /// Where it is named.
        must_pass: bool,
    },
    /// A command of cargo has nothing to build.
    #[error(
        "`{id}` runs cargo, but no `Cargo.toml` is in the tree `{}`; give the directory that holds it as \
         the path",
        root.display()
    )]
    NoManifest {
        /// The command.
        id: String,
        /// The tree.
        root: std::path::PathBuf,
    },
    /// A dependency by path would be missing in a copy of the tree.
    #[error(
        "`{manifest}`: the dependency `{name}` is at `{path}`, outside of the tree, so no copy of the tree \
         builds; give the directory that holds both as the path, and `--manifest-path` to the command"
    )]
    OutsideTree {
        /// The manifest that names it.
        manifest: String,
        /// The dependency.
        name: String,
        /// Its path as it is written.
        path: String,
    },
    /// There is nothing to mutate.
    #[error("{0}")]
    NoMutants(String),
    /// Nothing says what to run.
    #[error(transparent)]
    Task(#[from] TaskError),
    /// The tree is not what it was when the run began.
    #[error("the tree changed during the run: {0}; nothing of this run can be trusted")]
    TreeChanged(String),
    /// A path that is to be kept or left out is not there.
    #[error("`{0}`, named by `--keep` or `--leave-out`, is not in the tree")]
    Unmatched(RelPath),
    /// Processes of the run live on.
    #[error("processes of the run are still alive: {0:?}")]
    Survivors(Vec<i32>),
}
