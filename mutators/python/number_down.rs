//! `number-down`.

use super::support::edits::Edits;
use super::support::number;
use super::support::operands;
use super::support::syntax::Kind;
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "number-down",
        family: Family::Extra,
        statement: false,
        summary: "A number becomes the next smaller one",
        shows: "No test is near enough to the limit this number sets, from the other side",
        examples: &[
            ("x = 10\n", "x = 9\n"),
            ("x = 0\n", "x = -1\n"),
            ("x = 0 ** y\n", "x = (-1) ** y\n"),
        ],
    },
    kinds: &[Kind::Integer, Kind::Float],
    edits,
};

fn edits(site: &Site<'_, '_>, out: &mut Edits<'_>) {
    let literal = site.text(site.node);
    let next = match site.kind {
        Kind::Integer => number::shifted_integer(literal, number::Shift::Down),
        _ => number::shifted_float(literal, number::Shift::Down),
    };
    let Some(next) = next else { return };
    let binds_otherwise = next[0] == b'-'
        && match site.parent_kind() {
            Kind::BinaryOperator => {
                site.parent().is_some_and(|parent| operands::operator_name(parent) == "**")
            }
            Kind::Attribute => true,
            _ => false,
        };
    let (open, close): (&[u8], &[u8]) = if binds_otherwise { (b"(", b")") } else { (b"", b"") };
    out.replace(site.node, site.node.byte_range(), &[open, &next, close]);
}

#[cfg(test)]
mod tests {
    use crate::python::support::testing::mutants;

    #[test]
    fn through_zero() {
        assert_eq!(
            mutants("number-down", "a[0:1] + 0\n"),
            ["a[-1:1] + 0\n", "a[0:0] + 0\n", "a[0:1] + -1\n",]
        );
        assert_eq!(mutants("number-down", "x = 0 .real\n"), ["x = (-1) .real\n"]);
        assert_eq!(
            mutants("number-down", "x = a - 0.5if b else c\n"),
            ["x = a - -0.5 if b else c\n"]
        );
    }
}
