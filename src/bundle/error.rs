//! Why there is no bundle, or why it does not hold.

use std::path::PathBuf;

use crate::base::code::Code;
use crate::measure::{LedgerError, MeasureError, OutputError};
use crate::tree::{ProtectedError, TreeError};

/// Why there is no bundle, or why it does not hold.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// A tree cannot be read or written.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// The task's trees cannot be listed.
    #[error(transparent)]
    Measure(#[from] MeasureError),
    /// The run directory cannot be read.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// Its ledger cannot be read.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// A protected path cannot be copied.
    #[error(transparent)]
    Protected(#[from] ProtectedError),
    /// A file cannot be read or written.
    #[error("cannot {action} `{}`: {error}", path.display())]
    Io {
        /// What was tried, a verb.
        action: &'static str,
        /// Where.
        path: PathBuf,
        /// Why not.
        error: std::io::Error,
    },
    /// The run is none that can be bundled.
    #[error("bundle_run: {0}")]
    Run(String),
    /// The task, a tree or the contract is not what the run was about.
    #[error("bundle_changed: {0}")]
    Changed(String),
    /// Where the bundle is to stand is something else.
    #[error("`{}` {what}", place.display())]
    Place {
        /// Where.
        place: PathBuf,
        /// What is there.
        what: &'static str,
    },
    /// The contract or its Statement breaks a rule.
    #[error("{code}: {rule} ({source_of_rule})", rule = code.rule(), source_of_rule = code.source())]
    Contract {
        /// The rule's code.
        code: Code,
    },
    /// It is no bundle, or a file of it cannot be read as what it should be.
    #[error("bundle_unreadable: `{}` {what}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// An archive holds more than a bundle may.
    #[error(
        "bundle_too_large: `{}` holds {what}; if you trust it, unpack it and give the directory",
        path.display()
    )]
    TooLarge {
        /// The archive.
        path: PathBuf,
        /// The limit that it passes.
        what: String,
    },
    /// A file is not there, is not listed, or is not the listed one.
    #[error("bundle_files_differ: {0}")]
    Files(String),
    /// A file does not hold the canary that it is said to.
    #[error("bundle_canary_missing: `{}` does not hold the canary", .0.display())]
    Canary(PathBuf),
    /// Contract and verifier's part do not belong together.
    #[error("bundle_contract_differs: {0}")]
    Differs(String),
}

impl BundleError {
    pub(crate) fn io(
        action: &'static str,
        path: impl Into<PathBuf>,
        error: std::io::Error,
    ) -> Self {
        Self::Io { action, path: path.into(), error }
    }

    /// The word of a refusal; `None` where the system or the caller is at fault.
    #[must_use]
    pub fn code(&self) -> Option<&'static str> {
        match self {
            Self::Contract { code } => Some(code.text()),
            Self::Run(_) => Some("bundle_run"),
            Self::Changed(_) => Some("bundle_changed"),
            Self::Unreadable { .. } => Some("bundle_unreadable"),
            Self::TooLarge { .. } => Some("bundle_too_large"),
            Self::Files(_) => Some("bundle_files_differ"),
            Self::Canary(_) => Some("bundle_canary_missing"),
            Self::Differs(_) => Some("bundle_contract_differs"),
            Self::Tree(_)
            | Self::Measure(_)
            | Self::Output(_)
            | Self::Ledger(_)
            | Self::Protected(_)
            | Self::Io { .. }
            | Self::Place { .. } => None,
        }
    }
}

impl From<Code> for BundleError {
    fn from(code: Code) -> Self {
        Self::Contract { code }
    }
}
