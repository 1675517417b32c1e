//! `none-falsy`.

use super::support::edits::Edits;
use super::support::syntax::{Field, Kind, fields, is_none, parts};
use super::support::walk::{Rule, Site};
use crate::{Family, Language, Operator};

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "none-falsy",
        language: Language::Python,
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
    let (Some(left), Some(right)) = (parts(site.node).next(), parts(site.node).nth(1)) else {
        return;
    };
    let not: &[u8] = match fields(site.node, Field::Operators)[..] {
        [one] if is_none(right) && one.kind() == "is" => b"not ",
        [one] if is_none(right) && one.kind() == "is not" => b"not not ",
        _ => return,
    };
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
