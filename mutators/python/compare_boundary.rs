//! `compare-boundary`.

use super::support::edits::Edits;
use super::support::syntax::{Field, Kind, fields};
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "compare-boundary",
        family: Family::Extra,
        statement: false,
        summary: "A limit of a comparison moves onto its other side: `<` and `<=`, `>` and `>=`",
        shows: "No test uses the value exactly at the limit",
        examples: &[("a < b\n", "a <= b\n"), ("a >= b\n", "a > b\n")],
    },
    kinds: &[Kind::ComparisonOperator],
    edits,
};

fn edits(site: &Site<'_, '_>, out: &mut Edits<'_>) {
    for operator in fields(site.node, Field::Operators) {
        let moved: &[u8] = match operator.kind() {
            "<" => b"<=",
            "<=" => b"<",
            ">" => b">=",
            ">=" => b">",
            _ => continue,
        };
        out.replace(site.node, operator.byte_range(), &[moved]);
    }
}

#[cfg(test)]
mod tests {
    use crate::python::support::testing::mutants;

    #[test]
    fn every_limit_of_a_chain() {
        assert_eq!(mutants("compare-boundary", "0<a<=-b\n"), ["0<=a<=-b\n", "0<a<-b\n"]);
        assert_eq!(mutants("compare-boundary", "a > b >= c\n"), ["a >= b >= c\n", "a > b > c\n"]);
        assert!(mutants("compare-boundary", "a == b is c in d << e\nx -> y\n").is_empty());
    }
}
