//! Conductor of `import`: task directories made of what benchmarks publish.
//!
//! Nothing of a record is run, unpacked or trusted: what cannot be a task as it stands is refused by
//! name. A directory appears whole or not at all.

mod document;
mod error;
mod folder;
mod head;
mod ids;
mod lcb;
mod record;
mod swe;

pub use error::ImportError;
pub use lcb::{Lcb, lcb};
pub use swe::{Swe, swe};

/// What an import made, for people.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// What the task directory holds, a line each.
    pub made: Vec<String>,
    /// What a person should look at, a line each.
    pub notes: Vec<String>,
}
