//! `compare-swap`.

use super::support::edits::Edits;
use super::support::syntax::{Field, Kind, field};
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "compare-swap",
        family: Family::Done1,
        statement: false,
        summary: "The first operator of a comparison becomes its opposite: `==` and `!=`, `<` and `>=`, `>` and `<=`, `is` and `is not`, `in` and `not in`",
        shows: "No test tells which way the comparison goes",
        examples: &[
            ("a == b\n", "a != b\n"),
            ("a < b\n", "a >= b\n"),
            ("a not in b\n", "a in b\n"),
        ],
    },
    kinds: &[Kind::ComparisonOperator],
    edits,
};

fn edits(site: &Site<'_, '_>, out: &mut Edits<'_>) {
    if let Some(operator) = field(site.node, Field::Operators)
        && let Some(opposite) = opposite(operator.kind())
    {
        out.replace(site.node, operator.byte_range(), &[opposite.as_bytes()]);
    }
}

/// The comparison that holds exactly when `operator` does not.
pub(crate) fn opposite(operator: &str) -> Option<&'static str> {
    Some(match operator {
        "==" => "!=",
        "!=" => "==",
        "<" => ">=",
        ">=" => "<",
        ">" => "<=",
        "<=" => ">",
        "is" => "is not",
        "is not" => "is",
        "in" => "not in",
        "not in" => "in",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use crate::python::support::testing::{mutants, places};

    #[test]
    fn every_operator_has_its_opposite() {
        for (one, other) in
            [("==", "!="), ("<", ">="), (">", "<="), ("is", "is not"), ("in", "not in")]
        {
            for (before, after) in [(one, other), (other, one)] {
                let made = mutants("compare-swap", &format!("x = (a) {before} b\n"));
                assert_eq!(made, [format!("x = (a) {after} b\n")]);
            }
        }
    }

    #[test]
    fn only_the_first_of_a_chain() {
        assert_eq!(mutants("compare-swap", "a < b < c\n"), ["a >= b < c\n"]);
    }

    #[test]
    fn no_space_is_no_obstacle() {
        assert_eq!(mutants("compare-swap", "x = a in(b)\n"), ["x = a not in(b)\n"]);
        assert_eq!(mutants("compare-swap", "x = (a)is(b)\n"), ["x = (a)is not(b)\n"]);
        assert_eq!(mutants("compare-swap", "x = 0in b\n"), ["x = 0 not in b\n"]);
        assert_eq!(mutants("compare-swap", "(a not\\\n in b)\n"), ["(a in b)\n"]);
    }

    #[test]
    fn the_place_is_where_the_comparison_starts() {
        assert_eq!(places("compare-swap", "x = 1\nif f(a) == b: pass\n"), [(2, 3)]);
        assert_eq!(places("compare-swap", "\u{feff}a == b\n"), [(1, 0)]);
    }
}
