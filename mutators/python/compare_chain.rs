//! `compare-chain`.

use super::support::edits::Edits;
use super::support::syntax::{Field, Kind, fields};
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "compare-chain",
        family: Family::Extra,
        statement: false,
        summary: "An operator after the first in a chain of comparisons becomes its opposite",
        shows: "No test fails only the later part of the chain",
        examples: &[("a < b < c\n", "a < b >= c\n")],
    },
    kinds: &[Kind::ComparisonOperator],
    edits,
};

fn edits(site: &Site<'_, '_>, out: &mut Edits<'_>) {
    for operator in fields(site.node, Field::Operators).into_iter().skip(1) {
        if let Some(opposite) = super::compare_swap::opposite(operator.kind()) {
            out.replace(site.node, operator.byte_range(), &[opposite.as_bytes()]);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::python::support::testing::mutants;

    #[test]
    fn not_the_first() {
        assert!(mutants("compare-chain", "a < b\n").is_empty());
        assert_eq!(
            mutants("compare-chain", "a < b != c not in d\n"),
            ["a < b == c not in d\n", "a < b != c in d\n"]
        );
    }
}
