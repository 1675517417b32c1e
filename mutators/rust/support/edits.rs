//! Collects the edits of the operators, and keeps tokens apart.

use std::ops::Range;

use super::parse::Source;

/// One edit, not yet judged.
#[derive(Debug)]
pub(crate) struct Edit {
    pub(crate) span: Range<usize>,
    pub(crate) replacement: String,
    /// Index in the registry.
    pub(crate) rule: usize,
    /// First byte of the node that was mutated.
    pub(crate) start: usize,
    pub(crate) function: Option<u32>,
}

/// The edits of one source file.
pub(crate) struct Edits<'s> {
    source: &'s Source<'s>,
    pub(crate) list: Vec<Edit>,
    /// Edits that change nothing.
    pub(crate) unchanged: u32,
    rule: usize,
    function: Option<u32>,
}

impl<'s> Edits<'s> {
    pub(crate) fn new(source: &'s Source<'s>) -> Self {
        Self { source, list: Vec::new(), unchanged: 0, rule: 0, function: None }
    }

    /// The source they are made in.
    pub(crate) fn source(&self) -> &'s Source<'s> {
        self.source
    }

    /// What the next edits belong to.
    pub(crate) fn set_origin(&mut self, rule: usize, function: Option<u32>) {
        self.rule = rule;
        self.function = function;
    }

    /// Puts `text` where `span` is; `start` is the first byte of the syntax node this mutates. White
    /// space is added where tokens would run together. An edit that changes nothing is dropped.
    pub(crate) fn replace(&mut self, start: usize, span: Range<usize>, text: &str) {
        let bytes = self.source.text.as_bytes();
        if bytes[span.clone()] == *text.as_bytes() {
            self.unchanged += 1;
            return;
        }
        let before = span.start.checked_sub(1).map(|at| bytes[at]);
        let after = bytes.get(span.end).copied();
        let (first, last) = (text.bytes().next().or(after), text.bytes().next_back());
        let mut replacement = text.to_owned();
        if last.is_some() && runs_together(last, after) {
            replacement.push(' ');
        }
        if runs_together(before, first) {
            replacement.insert(0, ' ');
        }
        let (rule, function) = (self.rule, self.function);
        self.list.push(Edit { span, replacement, rule, start, function });
    }
}

/// Whether `right` straight after `left` would be read as part of the same token, or begin a comment.
fn runs_together(left: Option<u8>, right: Option<u8>) -> bool {
    let (Some(left), Some(right)) = (left, right) else { return false };
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
    let is_operator = |byte: u8| b"+-*/%^&|<>=!".contains(&byte);
    is_word(left) && (is_word(right) || matches!(right, b'"' | b'\'' | b'#'))
        || is_operator(left) && is_operator(right)
}
