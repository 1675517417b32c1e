//! Strict JSON: one pass, exact numbers, and faults reported in the order `done-records` lays down.
//!
//! [`Document`] is what the reader sees: the text and a flat list of where its values lie, 12 bytes
//! each, so that a document costs a few allocations and memory in proportion to its text. [`Value`] is
//! what a program builds. Neither mixes JSON's types: `true`, `1`, `1.0` and `"1"` all differ.

mod document;
mod scan;
mod value;

pub use document::{Document, Items, Members, Node};
pub use value::{Integer, Value};

/// Arrays and objects inside one another: what RFC 8785 encoders of the field take, and no more.
pub const MAX_DEPTH: usize = 128;

/// Digits an integer may have, the sign not counted.
pub const MAX_DIGITS: usize = 4300;

/// Why a text is not strict JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// Not UTF-8, not JSON, deeper than [`MAX_DEPTH`], an integer above [`MAX_DIGITS`] digits, or a
    /// string with half a surrogate pair, which no encoder can write again.
    #[error("not JSON in UTF-8, or beyond the limits of depth and digits")]
    Invalid,
    /// An object names a member twice.
    #[error("an object names a member twice")]
    DuplicateKey,
    /// `NaN`, `Infinity`, `-Infinity`, or a number that no double can hold.
    #[error("a number that is not finite")]
    Number,
}
