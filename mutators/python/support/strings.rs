//! String literals: their pieces, prefixes and contents.

use std::ops::Range;

use tree_sitter::Node;

use super::edits::Edits;
use super::syntax::{Kind, children, kind, parts, text};
use super::walk::Site;

/// One string token of a literal; a literal of several is written one after the other.
pub(crate) struct Piece<'t> {
    pub(crate) node: Node<'t>,
    prefix: &'t [u8],
    /// The quotes, such as `"` or `'''`.
    pub(crate) quotes: &'t [u8],
    /// The bytes between the quotes.
    pub(crate) content: Range<usize>,
    /// Whether some of the content is text, not only interpolations.
    pub(crate) has_text: bool,
}

impl<'t> Piece<'t> {
    fn of(source: &'t [u8], node: Node<'t>) -> Option<Self> {
        let whole = text(source, node);
        let letters = whole.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let (prefix, quoted) = whole.split_at(letters);
        let quotes = match quoted {
            [a, b, c, _, _, _, ..] if a == b && b == c => &quoted[..3],
            _ => quoted.get(..1)?,
        };
        // The grammar makes up an end for a string that has none.
        let is_whole = quoted.len() >= 2 * quotes.len() && quoted.ends_with(quotes);
        let start = node.start_byte() + letters + quotes.len();
        let mut piece = Self {
            node,
            prefix,
            quotes,
            content: start..node.end_byte() - quotes.len(),
            has_text: false,
        };
        piece.has_text = if piece.is_format() {
            children(node).any(|child| kind(child) == Kind::StringContent)
        } else {
            !piece.content.is_empty()
        };
        is_whole.then_some(piece)
    }

    fn has(&self, letter: u8) -> bool {
        self.prefix.iter().any(|byte| byte.eq_ignore_ascii_case(&letter))
    }

    pub(crate) fn is_raw(&self) -> bool {
        self.has(b'r')
    }

    pub(crate) fn is_bytes(&self) -> bool {
        self.has(b'b')
    }

    /// A template string is an object of its own kind and joins with no other kind of string.
    fn is_template(&self) -> bool {
        self.has(b't')
    }

    pub(crate) fn is_format(&self) -> bool {
        self.has(b'f')
    }
}

/// The pieces of a string literal, in order; nothing if one of them is not a plain whole string.
pub(crate) fn pieces<'t>(source: &'t [u8], literal: Node<'t>) -> Option<Vec<Piece<'t>>> {
    let pieces: Option<Vec<_>> = match kind(literal) {
        Kind::ConcatenatedString => parts(literal).map(|part| Piece::of(source, part)).collect(),
        _ => Piece::of(source, literal).map(|piece| vec![piece]),
    };
    pieces.filter(|pieces| !pieces.is_empty() && !pieces.iter().any(Piece::is_template))
}

/// Whether a string token has a prefix that makes `{` start an expression.
pub(crate) fn may_hold_expressions(source: &[u8], string: Node<'_>) -> bool {
    let letters = text(source, string).iter().take_while(|byte| byte.is_ascii_alphabetic());
    letters.copied().any(|letter| matches!(letter, b'f' | b'F' | b't' | b'T'))
}

/// Whether a string literal holds an expression.
pub(crate) fn has_interpolation(literal: Node<'_>) -> bool {
    let has = |node| children(node).any(|child| kind(child) == Kind::Interpolation);
    match kind(literal) {
        Kind::ConcatenatedString => parts(literal).any(has),
        _ => has(literal),
    }
}

/// Appends a NUL and the word `mutated` to a literal; `prefix` is what a string beside it needs.
pub(crate) fn append(
    site: &Site<'_, '_>,
    pieces: &[Piece<'_>],
    prefix: &[u8],
    out: &mut Edits<'_>,
) {
    const TAIL: &[u8] = b"\\x00mutated";
    let Some(last) = pieces.last() else { return };
    if last.is_raw() {
        // A raw string cannot spell a NUL; one written beside it is joined to it.
        let (end, quote) = (last.node.end_byte(), &last.quotes[..1]);
        out.replace(site.node, end..end, &[b" ", prefix, quote, TAIL, quote]);
    } else {
        let end = last.content.end;
        out.replace_inside_literal(site.node, end..end, &[TAIL]);
    }
}
