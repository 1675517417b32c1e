//! Lines, line ends and indentation of the source text.

use std::ops::Range;

use tree_sitter::Node;

/// The line end the file uses first; a line feed if it has none.
pub(crate) fn newline(source: &[u8]) -> &'static [u8] {
    match source.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
        Some(at) if source[at] == b'\r' && source.get(at + 1) == Some(&b'\n') => b"\r\n",
        Some(at) if source[at] == b'\r' => b"\r",
        _ => b"\n",
    }
}

/// Where the line of byte `at` starts.
pub(crate) fn line_start(source: &[u8], at: usize) -> usize {
    source[..at].iter().rposition(|byte| matches!(byte, b'\n' | b'\r')).map_or(0, |end| end + 1)
}

/// Where the text of the line of byte `at` ends, its line end left out.
pub(crate) fn line_end(source: &[u8], at: usize) -> usize {
    let rest = source[at..].iter().position(|byte| matches!(byte, b'\n' | b'\r'));
    rest.map_or(source.len(), |length| at + length)
}

/// The white space before byte `at` on its line, if there is nothing else before it.
pub(crate) fn indentation(source: &[u8], at: usize) -> Option<&[u8]> {
    let before = &source[line_start(source, at)..at];
    let before = before.strip_prefix(BOM).unwrap_or(before);
    before.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\x0c')).then_some(before)
}

/// The mark some editors put at the start of UTF-8 files.
pub(crate) const BOM: &[u8] = b"\xef\xbb\xbf";

/// What to take away so that `clause` is gone and `next`, the one after it, takes its place.
pub(crate) fn clause_span(source: &[u8], clause: Node<'_>, next: Option<Node<'_>>) -> Range<usize> {
    match next {
        Some(next) => clause.start_byte()..next.start_byte(),
        None => line_start(source, clause.start_byte())..clause.end_byte(),
    }
}

/// The line end right before a line that is not the first.
pub(crate) fn newline_before(source: &[u8], line_start: usize) -> &[u8] {
    let length = if source[..line_start].ends_with(b"\r\n") { 2 } else { 1 };
    &source[line_start.saturating_sub(length)..line_start]
}
