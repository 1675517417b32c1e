//! Python 3, read with tree-sitter.

use std::ops::Range;

use crate::{Control, Found, Operator};

/// Every operator, in registry order.
pub static OPERATORS: &[&Operator] = &[];

pub(crate) fn mutations(_source: &[u8], _wanted: &dyn Fn(&Operator) -> bool) -> Found {
    Found::default()
}

pub(crate) fn control(_control: Control, _source: &[u8]) -> Vec<(Range<usize>, Vec<u8>)> {
    Vec::new()
}
