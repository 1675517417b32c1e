//! What the operators share: reading a source, walking it, collecting edits.

pub(crate) mod attributes;
pub(crate) mod edits;
pub(crate) mod finish;
pub(crate) mod macros;
pub(crate) mod operators;
pub(crate) mod parse;
pub(crate) mod skip;
#[cfg(test)]
pub(crate) mod testing;
pub(crate) mod types;
pub(crate) mod values;
pub(crate) mod walk;
