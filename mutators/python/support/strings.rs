//! String literals: their pieces, prefixes and contents.

use std::ops::Range;

use tree_sitter::Node;

use super::edits::Edits;
use super::syntax::{Kind, children, kind, parts, text};
use super::walk::Site;

/// One string token of a literal; a literal of several is written one after the other.
pub(crate) struct Piece<'t> {
    pub(crate) node: Node<'t>,
    prefix: Vec<u8>,
    /// The quotes, such as `"` or `'''`.
    pub(crate) quotes: &'t [u8],
    /// The bytes between the quotes.
    pub(crate) content: Range<usize>,
    /// Whether some of the content is text, not only interpolations.
    pub(crate) has_text: bool,
}

impl<'t> Piece<'t> {
    fn of(source: &'t [u8], node: Node<'t>) -> Option<Self> {
        let start = children(node).next().filter(|child| kind(*child) == Kind::StringStart)?;
        let end = children(node).last().filter(|child| kind(*child) == Kind::StringEnd)?;
        let opening = text(source, start);
        let letters = opening.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        Some(Self {
            node,
            prefix: opening[..letters].to_ascii_lowercase(),
            quotes: &opening[letters..],
            content: start.end_byte()..end.start_byte(),
            has_text: children(node).any(|child| kind(child) == Kind::StringContent),
        })
    }

    pub(crate) fn is_raw(&self) -> bool {
        self.prefix.contains(&b'r')
    }

    pub(crate) fn is_bytes(&self) -> bool {
        self.prefix.contains(&b'b')
    }

    /// A template string is an object of its own kind and joins with no other kind of string.
    fn is_template(&self) -> bool {
        self.prefix.contains(&b't')
    }

    pub(crate) fn is_format(&self) -> bool {
        self.prefix.contains(&b'f')
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
