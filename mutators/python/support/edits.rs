//! Collects the edits of the operators: keeps tokens apart and the copied text within bounds.

use std::ops::Range;

use tree_sitter::Node;

/// Texts up to this many bytes are never counted against the budget of copied text.
const FREE: usize = 128;

/// One edit, not yet judged.
#[derive(Debug)]
pub(crate) struct Edit {
    pub(crate) span: Range<usize>,
    pub(crate) replacement: Vec<u8>,
    /// Index in the registry.
    pub(crate) rule: usize,
    /// First byte of the node that was mutated, and where that is (both from 0).
    pub(crate) start: usize,
    pub(crate) row: usize,
    pub(crate) column: usize,
    pub(crate) function: Option<u32>,
}

/// The edits of one source file.
#[derive(Debug)]
pub(crate) struct Edits<'s> {
    source: &'s [u8],
    pub(crate) list: Vec<Edit>,
    /// Edits left out because the texts would grow too long together.
    pub(crate) too_long: u32,
    /// Edits that change nothing.
    pub(crate) unchanged: u32,
    /// What each rule may still copy, by its index; of its own, so that what one operator finds
    /// does not depend on which others are asked.
    budgets: Vec<usize>,
    rule: usize,
    function: Option<u32>,
}

impl<'s> Edits<'s> {
    pub(crate) fn new(source: &'s [u8], rules: usize) -> Self {
        // Nested expressions that are copied each with what they hold add up to the square of the
        // length; 8 times the length is far beyond what code written for people needs.
        let budgets = vec![8 * source.len() + 64 * FREE; rules];
        Self {
            source,
            list: Vec::new(),
            too_long: 0,
            unchanged: 0,
            budgets,
            rule: 0,
            function: None,
        }
    }

    /// What the next edits belong to.
    pub(crate) fn set_origin(&mut self, rule: usize, function: Option<u32>) {
        self.rule = rule;
        self.function = function;
    }

    /// Puts `pieces` where `span` is; `node` is the syntax node this mutates.
    ///
    /// A space is added where a name or a number would run into its neighbour. An edit that changes
    /// nothing is dropped.
    pub(crate) fn replace(&mut self, node: Node<'_>, span: Range<usize>, pieces: &[&[u8]]) {
        let Some(mut replacement) = self.joined(pieces) else { return };
        let before = span.start.checked_sub(1).map(|at| self.source[at]);
        let after = self.source.get(span.end).copied();
        let last = replacement.last().copied();
        if last.is_some() && after.is_some_and(|next| runs_together(last, next)) {
            replacement.push(b' ');
        }
        if replacement.first().copied().or(after).is_some_and(|next| runs_together(before, next)) {
            replacement.insert(0, b' ');
        }
        self.push(node, span, replacement);
    }

    /// Like `replace`, for a span inside a literal, where a space would be content.
    pub(crate) fn replace_inside_literal(
        &mut self,
        node: Node<'_>,
        span: Range<usize>,
        pieces: &[&[u8]],
    ) {
        if let Some(replacement) = self.joined(pieces) {
            self.push(node, span, replacement);
        }
    }

    /// The pieces as one text, if that is still within the budget.
    fn joined(&mut self, pieces: &[&[u8]]) -> Option<Vec<u8>> {
        let length: usize = pieces.iter().map(|piece| piece.len()).sum();
        if length > FREE {
            let budget = &mut self.budgets[self.rule];
            let Some(left) = budget.checked_sub(length) else {
                self.too_long += 1;
                return None;
            };
            *budget = left;
        }
        let mut joined = Vec::with_capacity(length + 2);
        pieces.iter().for_each(|piece| joined.extend_from_slice(piece));
        Some(joined)
    }

    fn push(&mut self, node: Node<'_>, span: Range<usize>, replacement: Vec<u8>) {
        if self.source[span.clone()] == *replacement {
            self.unchanged += 1;
            return;
        }
        let position = node.start_position();
        self.list.push(Edit {
            span,
            replacement,
            rule: self.rule,
            start: node.start_byte(),
            row: position.row,
            column: position.column,
            function: self.function,
        });
    }
}

/// Whether `right` straight after `left` would be read as part of the same token.
fn runs_together(left: Option<u8>, right: u8) -> bool {
    left.is_some_and(is_word) && (is_word(right) || matches!(right, b'"' | b'\''))
}

/// Whether a byte may be part of a name or a number.
pub(crate) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}
