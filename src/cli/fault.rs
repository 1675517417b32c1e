//! From an error to what a person reads and the exit code.

use std::io;

use super::Exit;
use crate::measure::{LedgerError, MeasureError, MergeError, OutputError, ReopenError, SinceError};
use crate::plan::PlanError;
use crate::plan::compile::CompileError;
use crate::report::{ReportError, TriageError};
use crate::run::RunError;
use crate::seal::SealError;
use crate::statement::StatementError;
use crate::task::TaskError;
use crate::tree::{ProtectedError, TreeError};

/// A command that could not do what was asked.
#[derive(Debug)]
pub(crate) struct Fault {
    /// How the program ends.
    pub(crate) exit: Exit,
    /// What happened, where, and what to do.
    pub(crate) message: String,
    /// Whether that was only that nobody reads the answer any more.
    pub(crate) reader_gone: bool,
}

impl Fault {
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self { exit, message: message.into(), reader_gone: false }
    }
}

/// Errors whose exit depends on nothing but their type.
macro_rules! always {
    ($($error:ty => $exit:ident;)*) => {
        $(impl From<$error> for Fault {
            fn from(error: $error) -> Self {
                Self::new(Exit::$exit, error.to_string())
            }
        })*
    };
}

always! {
    TaskError => Usage;
    OutputError => Output;
    ReportError => Output;
    LedgerError => Output;
    SealError => Refused;
    StatementError => Refused;
    ProtectedError => Refused;
}

impl From<TriageError> for Fault {
    fn from(error: TriageError) -> Self {
        let exit = match error {
            TriageError::Io { .. } => Exit::Output,
            TriageError::Malformed { .. } => Exit::Usage,
        };
        Self::new(exit, error.to_string())
    }
}

impl From<SinceError> for Fault {
    fn from(error: SinceError) -> Self {
        let exit = match error {
            SinceError::NoGit(_) => Exit::CannotStart,
            SinceError::Refused { .. } => Exit::Usage,
        };
        Self::new(exit, error.to_string())
    }
}

impl From<TreeError> for Fault {
    fn from(error: TreeError) -> Self {
        let exit = match error {
            TreeError::NotADirectory(_) => Exit::Usage,
            TreeError::NoFiles { .. } => Exit::NothingToDo,
            TreeError::Changed(_) | TreeError::NoSuchFile(_) | TreeError::Io { .. } => {
                Exit::Resources
            }
        };
        Self::new(exit, error.to_string())
    }
}

impl From<PlanError> for Fault {
    fn from(error: PlanError) -> Self {
        match error {
            PlanError::Tree(error) => error.into(),
            PlanError::Pattern { .. } | PlanError::TooLarge(_) => {
                Self::new(Exit::Usage, error.to_string())
            }
        }
    }
}

impl From<RunError> for Fault {
    fn from(error: RunError) -> Self {
        let exit = match &error {
            RunError::NotStarted { .. } => Exit::CannotStart,
            RunError::Red(_) => Exit::Baseline,
            RunError::NothingExecuted { .. } => Exit::Baseline,
            RunError::Interrupted => Exit::Interrupted,
            RunError::NoAnswer { .. }
            | RunError::Workspace(_)
            | RunError::Tree(_)
            | RunError::Log { .. }
            | RunError::Threads { .. }
            | RunError::Unclean { .. } => Exit::Resources,
        };
        Self::new(exit, error.to_string())
    }
}

impl From<MeasureError> for Fault {
    fn from(error: MeasureError) -> Self {
        let exit = match error {
            MeasureError::Tree(error) => return error.into(),
            MeasureError::Task(error) => return error.into(),
            MeasureError::Plan(error) => return error.into(),
            MeasureError::Run(error) => return error.into(),
            MeasureError::Output(error) => return error.into(),
            MeasureError::Ledger(error) => return error.into(),
            MeasureError::Since(error) => return error.into(),
            MeasureError::Compile(CompileError::Tree(error)) => return error.into(),
            MeasureError::Compile(_) | MeasureError::NoInterpreter => Exit::CannotStart,
            MeasureError::Control(_) => Exit::Control,
            MeasureError::NoManifest { .. }
            | MeasureError::OutsideTree { .. }
            | MeasureError::Unmatched(_)
            | MeasureError::Patch { .. }
            | MeasureError::SameVariant { .. } => Exit::Usage,
            MeasureError::FlakyStart(_) | MeasureError::NoAnswerOnStart(_) => Exit::Baseline,
            MeasureError::NoMutants(_) => Exit::NothingToDo,
            MeasureError::TreeChanged(_) | MeasureError::Survivors(_) => Exit::Resources,
        };
        Self::new(exit, error.to_string())
    }
}

impl From<MergeError> for Fault {
    fn from(error: MergeError) -> Self {
        let exit = match error {
            MergeError::Output(error) => return error.into(),
            MergeError::Ledger(error) => return error.into(),
            MergeError::InTheWay(_) | MergeError::Damaged { .. } => Exit::Output,
            MergeError::Unfinished(_)
            | MergeError::Reused(_)
            | MergeError::Differs { .. }
            | MergeError::OtherVersion { .. }
            | MergeError::Disagree(_)
            | MergeError::Gap { .. } => Exit::Refused,
        };
        Self::new(exit, error.to_string())
    }
}

impl From<ReopenError> for Fault {
    fn from(error: ReopenError) -> Self {
        let exit = match error {
            ReopenError::Measure(error) => return error.into(),
            ReopenError::Output(error) => return error.into(),
            ReopenError::Ledger(error) => return error.into(),
            ReopenError::Damaged { .. } => Exit::Output,
            ReopenError::Part { .. }
            | ReopenError::Reused(_)
            | ReopenError::Unfinished(_)
            | ReopenError::Differs { .. } => Exit::Refused,
        };
        Self::new(exit, error.to_string())
    }
}

impl From<io::Error> for Fault {
    /// The only bare I/O of the command line is to its own streams.
    fn from(error: io::Error) -> Self {
        let reader_gone = error.kind() == io::ErrorKind::BrokenPipe;
        Self { reader_gone, ..Self::new(Exit::Output, format!("cannot write the answer: {error}")) }
    }
}
