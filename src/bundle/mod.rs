//! Conductor of `bundle`: a sealed run as one directory or archive, which whoever runs an agent hands
//! out in two parts.
//!
//! ```text
//! contract.json  contract.statement.json  contract.dsse.json     the agent's part
//! workspace/ or workspace.json           the start tree, or where it comes from
//! CANARY                                 where one was asked for
//! sealed/protected/  sealed/heldout/     the verifier's part
//! sealed/reference/  sealed/adequacy.toml  sealed/compile.json  sealed/CANARY
//! ```
//!
//! The same run gives the same bytes, whatever the machine's clock, users and file modes: entries are
//! in path order, files have one of two modes, archives hold no times and no names of people.

mod archive;
mod claims;
mod compile;
mod contents;
mod error;
mod fill;
mod gather;
mod open;
mod publish;
mod write;

pub use archive::{is_archive, unpack};
pub use compile::{Claim, CompileRecord, FORMAT, Listed};
pub use contents::{Contents, Part};
pub use error::BundleError;
pub use gather::{Sealed, gather, gather_as};
pub use open::{Bundle, Member, open};
pub use publish::{
    Canary, Licences, ListedPath, Origin, Published, WORKSPACE_FORMAT, WorkspaceRecord,
};

/// The record.
pub const CONTRACT: &str = "contract.json";

/// Its Statement.
pub const STATEMENT: &str = "contract.statement.json";

/// Its envelope, where it was sealed with a key.
pub const ENVELOPE: &str = "contract.dsse.json";

/// The start tree.
pub const WORKSPACE: &str = "workspace";

/// What stands for the start tree in a bundle by reference.
pub const WORKSPACE_RECORD: &str = "workspace.json";

/// A text that holds the canary, in the agent's part.
pub const CANARY: &str = "CANARY";

/// The same in the verifier's part.
pub const SEALED_CANARY: &str = "sealed/CANARY";

/// Everything that only the verifier may see.
pub const SEALED: &str = "sealed";

/// The protected files as they were sealed.
pub const PROTECTED: &str = "sealed/protected";

/// What commands find at `../heldout`.
pub const HELDOUT: &str = "sealed/heldout";

/// The right solution.
pub const REFERENCE: &str = "sealed/reference";

/// The task file, as it was typed.
pub const TASK_FILE: &str = "sealed/adequacy.toml";

/// How the contract came about.
pub const COMPILE: &str = "sealed/compile.json";
