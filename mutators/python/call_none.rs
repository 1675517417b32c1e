//! `call-none`.

use super::support::edits::Edits;
use super::support::never;
use super::support::operands;
use super::support::syntax::{Field, Kind, field, fields, kind, only_part, parts, unparenthesized};
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};
use tree_sitter::Node;

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "call-none",
        family: Family::Done1,
        statement: false,
        summary: "The first call that an expression or statement holds directly becomes `None`",
        shows: "No test depends on what the call returns or does",
        examples: &[
            ("x = f(g(1), h(2))\n", "x = None\n"),
            ("x = f(g(1), h(2))\n", "x = f(None, h(2))\n"),
            ("f()\n", "None\n"),
        ],
    },
    kinds: &[
        Kind::BooleanOperator,
        Kind::Call,
        Kind::ConditionalExpression,
        Kind::Dictionary,
        Kind::DictionaryComprehension,
        Kind::Subscript,
    ],
    edits,
};

// The order is that of Python's syntax tree. In most nodes it is the order in the source, so that
// the first call the walk meets is the one; the others are looked at as a whole.
fn edits(site: &Site<'_, '_>, out: &mut Edits<'_>) {
    let node = site.node;
    match site.kind {
        Kind::Call => {
            if let Some((depth, holder)) = holder(site)
                && site.is_first_below(depth)
            {
                out.replace(holder, node.byte_range(), &[b"None"]);
            }
        }
        Kind::BooleanOperator => {
            if let Some(chain) = operands::chain(site) {
                replace_first(site, node, &chain.operands, out);
            }
        }
        Kind::ConditionalExpression => {
            if let [body, test, other] = parts(node).collect::<Vec<_>>()[..] {
                replace_first(site, node, &[test, body, other], out);
            }
        }
        Kind::Subscript => {
            let value: Vec<_> = field(node, Field::Value).into_iter().collect();
            match &fields(node, Field::Subscript)[..] {
                [index] => replace_first(site, node, &[&value[..], &[*index]].concat(), out),
                // Python reads several indices as a tuple, which starts at its first element.
                indices => {
                    replace_first(site, node, &value, out);
                    indices.first().inspect(|first| replace_first(site, **first, indices, out));
                }
            }
        }
        _ => replace_first(site, node, &keys_then_values(node), out),
    }
}

/// The nearest ancestor that is more to Python than punctuation, if a call below it is a direct
/// child in Python's syntax tree and that child is found in the order of the source.
fn holder<'t>(site: &Site<'_, 't>) -> Option<(usize, Node<'t>)> {
    let mut ancestors = site.ancestors().enumerate().peekable();
    while ancestors.next_if(|(_, node)| kind(*node) == Kind::ParenthesizedExpression).is_some() {}
    ancestors.next_if(|(_, node)| kind(*node) == Kind::ArgumentList);
    let (depth, holder) = ancestors.next()?;
    match kind(holder) {
        // A dictionary display holds what stands after its `**` itself.
        Kind::DictionarySplat
            if ancestors.next().is_none_or(|(_, outer)| kind(outer) == Kind::Dictionary) =>
        {
            return None;
        }
        Kind::DictionarySplat => {}
        kind if !HOLDERS.contains(&kind) => return None,
        _ => {}
    }
    Some((depth, holder))
}

/// The nodes besides `**` that hold expressions and have a place of their own in
/// Python's syntax tree. `with` items, comprehension clauses and defaults have none.
const HOLDERS: &[Kind] = &[
    Kind::AssertStatement,
    Kind::Assignment,
    Kind::Attribute,
    Kind::AugmentedAssignment,
    Kind::Await,
    Kind::BinaryOperator,
    Kind::Call,
    Kind::ClassDefinition,
    Kind::ComparisonOperator,
    Kind::ElifClause,
    Kind::ExceptClause,
    Kind::ExpressionList,
    Kind::ExpressionStatement,
    Kind::ForStatement,
    Kind::FormatExpression,
    Kind::GeneratorExpression,
    Kind::IfStatement,
    Kind::Interpolation,
    Kind::KeywordArgument,
    Kind::Lambda,
    Kind::List,
    Kind::ListComprehension,
    Kind::ListSplat,
    Kind::MatchStatement,
    Kind::NamedExpression,
    Kind::NotOperator,
    Kind::RaiseStatement,
    Kind::ReturnStatement,
    Kind::Set,
    Kind::SetComprehension,
    Kind::Slice,
    Kind::Tuple,
    Kind::UnaryOperator,
    Kind::WhileStatement,
    Kind::Yield,
];

fn replace_first<'t>(
    site: &Site<'_, 't>,
    holder: Node<'t>,
    held: &[Node<'t>],
    out: &mut Edits<'_>,
) {
    let mut calls = held
        .iter()
        .map(|node| unparenthesized(*node))
        .filter(|node| kind(*node) == Kind::Call && !never::is_withheld_call(site.source, *node));
    if let Some(call) = calls.next() {
        out.replace(holder, call.byte_range(), &[b"None"]);
    }
}

fn keys_then_values(node: Node<'_>) -> Vec<Node<'_>> {
    let (mut keys, mut values) = (Vec::new(), Vec::new());
    for part in parts(node) {
        match kind(part) {
            Kind::Pair => {
                keys.extend(field(part, Field::Key));
                values.extend(field(part, Field::Value));
            }
            Kind::DictionarySplat => values.extend(only_part(part)),
            _ => {}
        }
    }
    [keys, values].concat()
}

#[cfg(test)]
mod tests {
    use crate::python::support::testing::{mutants, places};

    #[test]
    fn every_holder_gives_up_its_first_call() {
        for (before, after) in [
            ("return_ = (f())\n", "return_ = (None)\n"),
            ("a = b = f()\n", "a = b = None\n"),
            ("a: T = f()\n", "a: T = None\n"),
            ("f(x).y = 1\n", "None.y = 1\n"),
            ("x = a if f() else b\n", "x = a if None else b\n"),
            ("x = a + f() + b\n", "x = a + None + b\n"),
            ("assert f(), g()\n", "assert None, g()\n"),
            ("for x in f(): pass\n", "for x in None: pass\n"),
            ("while f(): pass\n", "while None: pass\n"),
            ("raise f() from g()\n", "raise None from g()\n"),
            ("x[f()]\n", "x[None]\n"),
            ("lambda: f()\n", "lambda: None\n"),
            ("x = [a for a in f()]\nf\n", ""),
            ("with f() as g: pass\n", ""),
            ("def f(x=g()): pass\n", ""),
            ("@f()\ndef g(): pass\n", ""),
            ("class A(f()): pass\n", "class A(None): pass\n"),
            ("x = [f() for a in b]\n", "x = [None for a in b]\n"),
            ("print(*f())\n", "None\n"),
            ("f'{f()}'\n", "f'{None}'\n"),
            ("if 0or f(): pass\n", "if 0or None: pass\n"),
        ] {
            let made = mutants("call-none", before);
            assert_eq!(made.first().map_or("", |first| first), after, "{before}");
        }
    }

    #[test]
    fn the_order_is_that_of_the_syntax_tree() {
        assert_eq!(
            mutants("call-none", "x = f() if g() else h()\n"),
            ["x = f() if None else h()\n"]
        );
        assert_eq!(mutants("call-none", "x = {a: f(), g(): b}\n"), ["x = {a: f(), None: b}\n"]);
        assert_eq!(
            mutants("call-none", "x = f() and g() and h()\n"),
            ["x = None and g() and h()\n"]
        );
        assert_eq!(mutants("call-none", "x = f(), g()\n"), ["x = None, g()\n"]);
        assert_eq!(mutants("call-none", "f()[a, g()]\n"), ["None[a, g()]\n", "f()[a, None]\n"]);
    }

    #[test]
    fn the_place_is_that_of_the_holder() {
        assert_eq!(places("call-none", "x = f(y, g())\n"), [(1, 0), (1, 4)]);
        assert_eq!(places("call-none", "x[a, g()]\n"), [(1, 2)]);
    }

    #[test]
    fn logging_calls_stay() {
        assert!(mutants("call-none", "logger.info(f())\n").is_empty());
        assert!(mutants("call-none", "x = log.a(f())\n").is_empty());
        assert_eq!(mutants("call-none", "x = log.a(f()), g()\n"), ["x = log.a(f()), None\n"]);
    }

    #[test]
    fn the_only_yield_of_a_generator_stays() {
        assert!(mutants("call-none", "def f():\n    g((yield))\n").is_empty());
    }
}
