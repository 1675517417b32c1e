//! Operators with their operands: chains of `and` or `or`, and the binding strength of the others.

use tree_sitter::Node;

use super::edits::Edits;
use super::syntax::{Field, Kind, field, kind};
use super::walk::Site;

/// The token of the operator of a binary, boolean or unary expression.
pub(crate) fn operator(node: Node<'_>) -> Option<Node<'_>> {
    field(node, Field::Operator)
}

/// The name of that operator, such as `+`; empty if there is none.
pub(crate) fn operator_name<'t>(node: Node<'t>) -> &'t str {
    operator(node).map_or("", |token| token.kind())
}

/// All operands of `a and b and c`, which Python reads as one expression.
pub(crate) struct Chain<'t> {
    pub(crate) operands: Vec<Node<'t>>,
    pub(crate) operators: Vec<Node<'t>>,
}

/// The chain that `site` is the whole of; nothing if it is a part of a longer one.
pub(crate) fn chain<'t>(site: &Site<'_, 't>) -> Option<Chain<'t>> {
    let name = operator_name(site.node);
    let is_same =
        |node: Node<'_>| kind(node) == Kind::BooleanOperator && operator_name(node) == name;
    if site.parent().is_some_and(is_same) {
        return None;
    }
    let mut chain = Chain { operands: Vec::new(), operators: Vec::new() };
    let mut node = site.node;
    while is_same(node) {
        chain.operands.push(field(node, Field::Right)?);
        chain.operators.push(operator(node)?);
        node = field(node, Field::Left)?;
    }
    chain.operands.push(node);
    chain.operands.reverse();
    chain.operators.reverse();
    Some(chain)
}

/// How strongly a binary operator binds in Python; stronger is larger. The grammar ranks `^` above
/// `&`, Python below it: see `is_misread`.
pub(crate) fn strength(operator: &str) -> u8 {
    match operator {
        "|" => 1,
        "^" => 2,
        "&" => 3,
        "<<" | ">>" => 4,
        "+" | "-" => 5,
        "*" | "@" | "/" | "//" | "%" => 6,
        "**" => 7,
        _ => 0,
    }
}

/// Whether the grammar may take a binary expression apart in another way than Python: `^` and `&`
/// side by side, or `**` after `await`.
pub(crate) fn is_misread(site: &Site<'_, '_>) -> bool {
    let own = operator_name(site.node);
    let beside = |node: Option<Node<'_>>, wanted: &str| {
        node.is_some_and(|node| kind(node) == Kind::BinaryOperator && operator_name(node) == wanted)
    };
    let near = |wanted: &str| {
        beside(site.parent(), wanted)
            || beside(field(site.node, Field::Left), wanted)
            || beside(field(site.node, Field::Right), wanted)
    };
    match own {
        "^" => near("&"),
        "&" => near("^"),
        "**" => site.parent_kind() == Kind::Await,
        _ => false,
    }
}

/// Puts another operator into a binary expression; parentheses go where the new one would
/// otherwise take other operands than the old one had.
pub(crate) fn swap_operator(site: &Site<'_, '_>, new: &str, out: &mut Edits<'_>) {
    let node = site.node;
    let (Some(left), Some(token), Some(right)) =
        (field(node, Field::Left), operator(node), field(node, Field::Right))
    else {
        return;
    };
    // Python binds `await` more strongly than `**`, the grammar the other way round.
    let mut whole = node;
    let mut ancestors = site.ancestors().peekable();
    while let Some(outer) = ancestors.next_if(|outer| kind(*outer) == Kind::Await) {
        whole = outer;
    }
    let own = strength(new);
    let of = |node: Node<'_>| match kind(node) {
        Kind::BinaryOperator => strength(operator_name(node)),
        _ => u8::MAX,
    };
    let around = ancestors.next().is_some_and(|parent| match kind(parent) {
        Kind::UnaryOperator => true,
        Kind::BinaryOperator => {
            let is_right = field(parent, Field::Right).is_some_and(|right| right == whole);
            of(parent) > own || of(parent) == own && is_right
        }
        _ => false,
    });
    let (around_left, around_right) = (of(left) < own, of(right) <= own);
    let between = |from: usize, to: usize| &site.source[from..to];
    let mut span = token.byte_range();
    let mut pieces: Vec<&[u8]> = Vec::new();
    if around {
        span.start = whole.start_byte();
        pieces.extend([b"(", between(whole.start_byte(), left.start_byte())]);
    }
    if around_left {
        span.start = span.start.min(left.start_byte());
        pieces.extend([b"(", site.text(left), b")"]);
    } else if around {
        pieces.push(site.text(left));
    }
    if around || around_left {
        pieces.push(between(left.end_byte(), token.start_byte()));
    }
    pieces.push(new.as_bytes());
    if around || around_right {
        span.end = right.end_byte();
        pieces.push(between(token.end_byte(), right.start_byte()));
    }
    if around_right {
        pieces.extend([b"(", site.text(right), b")"]);
    } else if around {
        pieces.push(site.text(right));
    }
    if around {
        pieces.push(b")");
    }
    out.replace(whole, span, &pieces);
}
