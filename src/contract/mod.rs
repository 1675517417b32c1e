//! Stage 7: the `probity-done-contract/v1` record, its reader and its bytes.
//!
//! [`parse`] applies the rules of `done-records` sections 2 to 5 in their order, so that a record that
//! breaks several is refused with the code every conforming reader gives. Members it does not know are
//! refused, as the predicate demands (in-toto's general advice, to ignore them, does not hold here).

mod acceptance;
mod adequacy;
mod count;
mod head;
mod primitives;
mod protected;
mod surface;
mod write;

pub use acceptance::{Acceptance, Executable, Probe, Seal, Tier};
pub use adequacy::{Adequacy, ClassCount};
pub use count::Count;
pub use head::{NativeLoaded, Strength};
pub use protected::{Equivalence, Kind, ProtectedPath};
pub use write::WriteError;

use std::collections::BTreeMap;

use crate::base::Sha256;
use crate::base::code::Code;
use crate::base::json::{Document, Fault, Node};

/// The format's name, in `schema_version`.
pub const SCHEMA: &str = "probity-done-contract/v1";

/// A done contract: what may not change, what will be run, and how well that tells right from wrong.
///
/// The fields are the record's members of the same names (`done-records` section 5);
/// `schema_version` is always [`SCHEMA`]. An optional member that is `None` is left out.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Nonempty.
    pub contract_id: String,
    /// What the agent was asked to do; nonempty.
    pub task: Option<String>,
    /// In the order the sealer gave.
    pub protected_paths: Vec<ProtectedPath>,
    /// The commands, at least one, in the order they are run.
    pub acceptance: Vec<Acceptance>,
    /// How well the commands tell a right tree from a wrong one.
    pub adequacy: Adequacy,
    /// `probity-tree/v2` digest of the held-out directory.
    pub heldout_split_sha256: Option<Sha256>,
    /// Digest of the list of mutants.
    pub mutant_set_sha256: Option<Sha256>,
    /// Digest of what gave the authority to seal.
    pub authority_sha256: Option<Sha256>,
    /// Relative paths of the files the reference changes and the tests load; nonempty, all different.
    pub module_under_test: Option<Vec<String>>,
    /// What stands behind the adequacy numbers.
    pub strength: Option<Strength>,
    /// Native libraries the commands load.
    pub native_loaded: Option<Vec<NativeLoaded>>,
    /// Absolute paths the commands execute from, sorted by bytes; nonempty.
    pub execution_surface: Option<Vec<String>>,
    /// Other names of places on the surface: absolute path to absolute path.
    pub surface_aliases: Option<BTreeMap<String, String>>,
}

/// Reads a record.
///
/// # Errors
/// The [`Code`] of the first rule the bytes break.
pub fn parse(bytes: &[u8]) -> Result<Record, Code> {
    read(document(bytes)?.root())
}

/// The JSON of a record, before its rules.
pub(crate) fn document(bytes: &[u8]) -> Result<Document<'_>, Code> {
    Document::parse(bytes).map_err(|fault| match fault {
        Fault::Invalid => Code::ContractJsonInvalid,
        Fault::DuplicateKey => Code::ContractJsonDuplicateKey,
        Fault::Number => Code::ContractJsonNumber,
    })
}

/// Applies the record's rules to parsed JSON, in specification order.
pub(crate) fn read(root: Node<'_>) -> Result<Record, Code> {
    let required = ["schema_version", "contract_id", "protected_paths", "acceptance", "adequacy"];
    let optional = [
        "task",
        "heldout_split_sha256",
        "mutant_set_sha256",
        "authority_sha256",
        "module_under_test",
        "strength",
        "native_loaded",
        "execution_surface",
        "surface_aliases",
    ];
    let (
        [version, id, protected, acceptance, adequacy],
        [task, heldout, mutant_set, authority, module, strength, native, surface, aliases],
    ) = root.fields(required, optional).ok_or(Code::ContractFields)?;
    // A struct expression evaluates its fields as they stand here: this is the order of the rules.
    Ok(Record {
        strength: strength.map(head::strength).transpose()?,
        native_loaded: native.map(head::native_loaded).transpose()?,
        contract_id: head::version_then_id(version, id)?,
        task: task.map(head::task).transpose()?,
        heldout_split_sha256: heldout.map(head::bound_digest).transpose()?,
        mutant_set_sha256: mutant_set.map(head::bound_digest).transpose()?,
        authority_sha256: authority.map(head::bound_digest).transpose()?,
        protected_paths: protected::read(protected)?,
        acceptance: acceptance::read(acceptance)?,
        execution_surface: surface.map(surface::execution).transpose()?,
        surface_aliases: aliases
            .map(|node| surface::aliases(node, surface.is_some()))
            .transpose()?,
        adequacy: adequacy::read(adequacy)?,
        module_under_test: module.map(head::module_under_test).transpose()?,
    })
}
