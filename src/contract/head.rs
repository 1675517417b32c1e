//! The record's plain members (`done-records` section 5.1, and rule 21).

use super::SCHEMA;
use super::primitives::{digest, distinct_relative, is_relative, text, word};
use crate::base::Sha256;
use crate::base::code::Code;
use crate::base::json::Node;

/// What stands behind the adequacy numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strength {
    /// A reference solution, and gates that passed.
    Gated,
    /// No reference solution was at hand.
    ReferenceFree,
    /// The specification of right was made up by a model.
    SynthesizedSpec,
}

/// A native library the commands load.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NativeLoaded {
    /// Relative path.
    pub path: String,
    /// SHA-256 of the file.
    pub sha256: Sha256,
}

pub(super) const STRENGTHS: [(&str, Strength); 3] = [
    ("gated", Strength::Gated),
    ("reference_free", Strength::ReferenceFree),
    ("synthesized_spec", Strength::SynthesizedSpec),
];

pub(super) fn strength(node: Node<'_>) -> Result<Strength, Code> {
    word(node, &STRENGTHS, Code::ContractStrength)
}

pub(super) fn native_loaded(node: Node<'_>) -> Result<Vec<NativeLoaded>, Code> {
    let code = Code::ContractNativeLoaded;
    let entry = |item: Node<'_>| {
        let ([path, sha256], []) =
            item.fields(["path", "sha256"], []).ok_or(Code::ContractNativeLoadedFields)?;
        let path = path.as_str().filter(|path| is_relative(path)).ok_or(code)?;
        Ok(NativeLoaded { path: path.to_owned(), sha256: digest(sha256, code)? })
    };
    node.items().ok_or(code)?.map(entry).collect()
}

pub(super) fn version_then_id(version: Node<'_>, id: Node<'_>) -> Result<String, Code> {
    if version.as_str() != Some(SCHEMA) {
        return Err(Code::ContractSchemaUnsupported);
    }
    text(id, Code::ContractId).map(str::to_owned)
}

pub(super) fn task(node: Node<'_>) -> Result<String, Code> {
    text(node, Code::ContractTask).map(str::to_owned)
}

pub(super) fn bound_digest(node: Node<'_>) -> Result<Sha256, Code> {
    digest(node, Code::ContractDigestMalformed)
}

pub(super) fn module_under_test(node: Node<'_>) -> Result<Vec<String>, Code> {
    let code = Code::ContractModuleUnderTest;
    let paths = distinct_relative(node, code)?;
    if paths.is_empty() { Err(code) } else { Ok(paths) }
}
