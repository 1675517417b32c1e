//! `argument-swap`.

use super::support::edits::Edits;
use super::support::syntax::{Field, Kind, field, kind};
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "argument-swap",
        family: Family::Extra,
        statement: false,
        summary: "The first two positional arguments of a call change places",
        shows: "No test passes arguments that differ in the way that matters",
        examples: &[("f(a, b)\n", "f(b, a)\n")],
    },
    kinds: &[Kind::Call],
    edits,
};

/// With these the swap fails in every call.
const ORDERED: &[&[u8]] =
    &[b"delattr", b"getattr", b"hasattr", b"isinstance", b"issubclass", b"setattr", b"super"];

fn edits(site: &Site<'_, '_>, out: &mut Edits<'_>) {
    let [first, second, ..] = *site.arguments() else { return };
    let is_positional = |node| {
        !matches!(kind(node), Kind::DictionarySplat | Kind::KeywordArgument | Kind::ListSplat)
    };
    let is_ordered = || {
        let function = field(site.node, Field::Function);
        function.is_some_and(|function| ORDERED.contains(&site.text(function)))
    };
    if is_positional(first) && is_positional(second) && !is_ordered() {
        let between = &site.source[first.end_byte()..second.start_byte()];
        let span = first.start_byte()..second.end_byte();
        out.replace(site.node, span, &[site.text(second), between, site.text(first)]);
    }
}

#[cfg(test)]
mod tests {
    use crate::python::support::testing::mutants;

    #[test]
    fn two_plain_arguments() {
        assert_eq!(mutants("argument-swap", "f(a  # a\n  , b, c)\n"), ["f(b  # a\n  , a, c)\n"]);
        let source =
            "f(a)\nf(a, *b)\nf(*a, b)\nf(a, b=c)\nf(a for a in b)\nf(a, a)\nisinstance(a, B)\n";
        assert!(mutants("argument-swap", source).is_empty());
    }
}
