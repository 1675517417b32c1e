//! Conductor of `bundle`: a sealed run as one directory or archive, which whoever runs an agent hands
//! out in two parts.
//!
//! ```text
//! contract.json  contract.statement.json  contract.dsse.json     the agent's part
//! workspace/                             the start tree
//! sealed/protected/  sealed/heldout/     the verifier's part
//! sealed/reference/  sealed/adequacy.toml  sealed/compile.json
//! ```
//!
//! The same run gives the same bytes, whatever the machine's clock, users and file modes: entries are
//! in path order, files have one of two modes, archives hold no times and no names of people.

mod archive;
mod claims;
mod compile;
mod contents;
mod error;
mod gather;
mod open;
mod write;

pub use archive::{is_archive, unpack};
pub use compile::{Claim, CompileRecord, FORMAT, Listed};
pub use contents::{Contents, Part};
pub use error::BundleError;
pub use gather::{Sealed, gather};
pub use open::{Bundle, Member, open};

/// The record.
pub const CONTRACT: &str = "contract.json";

/// Its Statement.
pub const STATEMENT: &str = "contract.statement.json";

/// Its envelope, where it was sealed with a key.
pub const ENVELOPE: &str = "contract.dsse.json";

/// The start tree.
pub const WORKSPACE: &str = "workspace";

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
