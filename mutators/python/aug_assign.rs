//! `aug-assign`.

use super::support::edits::Edits;
use super::support::operands;
use super::support::syntax::Kind;
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "aug-assign",
        family: Family::Extra,
        statement: false,
        summary: "An augmented assignment becomes a plain one",
        shows: "No test has a value before this one that matters",
        examples: &[("a += b\n", "a = b\n")],
    },
    kinds: &[Kind::AugmentedAssignment],
    edits,
};

fn edits(site: &Site<'_, '_>, out: &mut Edits<'_>) {
    if let Some(operator) = operands::operator(site.node) {
        out.replace(site.node, operator.byte_range(), &[b"="]);
    }
}

#[cfg(test)]
mod tests {
    use crate::python::support::testing::mutants;

    #[test]
    fn any_operator_and_target() {
        assert_eq!(mutants("aug-assign", "a.b[0] //= c, d\n"), ["a.b[0] = c, d\n"]);
        assert_eq!(mutants("aug-assign", "a@=b; c\n"), ["a=b; c\n"]);
        assert!(mutants("aug-assign", "__all__ += a\n").is_empty());
    }
}
