//! What the operators share: reading, walking, collecting, refusing.

pub(crate) mod edits;
pub(crate) mod finish;
pub(crate) mod layout;
pub(crate) mod never;
pub(crate) mod number;
pub(crate) mod operands;
pub(crate) mod parse;
pub(crate) mod skip;
pub(crate) mod strings;
pub(crate) mod syntax;
#[cfg(test)]
pub(crate) mod testing;
pub(crate) mod walk;
