//! `none-falsy`.

use super::support::edits::Edits;
use super::support::syntax::{Field, Kind, field, is_none, parts};
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "none-falsy",
        family: Family::Extra,
        statement: false,
        summary: "A test for `None` becomes a test for truth",
        shows: "No test uses a value that is empty or zero but not `None`",
        examples: &[
            ("if x is None:\n    f()\n", "if not x:\n    f()\n"),
            ("y = x is not None\n", "y = (not not x)\n"),
        ],
    },
    kinds: &[Kind::ComparisonOperator],
    edits,
};

fn edits(site: &Site<'_, '_>, out: &mut Edits<'_>) {
    let not: &[u8] = match field(site.node, Field::Operators).map(|operator| operator.kind()) {
        Some("is") => b"not ",
        Some("is not") => b"not not ",
        _ => return,
    };
    let [left, right] = parts(site.node).collect::<Vec<_>>()[..] else { return };
    if !is_none(right) {
        return;
    }
    let stands_alone = matches!(
        site.parent_kind(),
        Kind::IfStatement
            | Kind::ElifClause
            | Kind::WhileStatement
            | Kind::IfClause
            | Kind::ParenthesizedExpression
    );
    let (open, close): (&[u8], &[u8]) = if stands_alone { (b"", b"") } else { (b"(", b")") };
    out.replace(site.node, site.node.byte_range(), &[open, not, site.text(left), close]);
}

#[cfg(test)]
mod tests {
    use crate::python::support::testing::mutants;

    #[test]
    fn parentheses_where_not_would_bind_otherwise() {
        assert_eq!(mutants("none-falsy", "x = not a is None\n"), ["x = not (not a)\n"]);
        assert_eq!(
            mutants("none-falsy", "x = a + 1 is not None and b\n"),
            ["x = (not not a + 1) and b\n"]
        );
        assert_eq!(
            mutants("none-falsy", "x = [a for a in b if a is not None]\n"),
            ["x = [a for a in b if not not a]\n"]
        );
        assert!(mutants("none-falsy", "a == None\na is None is b\na is b\nNone is a\n").is_empty());
    }
}
