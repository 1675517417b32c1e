//! `binop-drop`.

use super::support::edits::Edits;
use super::support::operands;
use super::support::syntax::{Field, Kind, field};
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "binop-drop",
        family: Family::Extra,
        statement: false,
        summary: "A binary operation becomes one of its operands",
        shows: "No test has an operand that changes the result",
        examples: &[("a + b\n", "a\n"), ("a + b\n", "b\n")],
    },
    kinds: &[Kind::BinaryOperator],
    edits,
};

fn edits(site: &Site<'_, '_>, out: &mut Edits<'_>) {
    let node = site.node;
    if let (Some(left), Some(right)) = (field(node, Field::Left), field(node, Field::Right))
        && !operands::is_misread(site)
    {
        out.replace(node, left.end_byte()..node.end_byte(), &[]);
        out.replace(node, node.start_byte()..right.start_byte(), &[]);
    }
}

#[cfg(test)]
mod tests {
    use crate::python::support::testing::mutants;

    #[test]
    fn the_rest_of_the_expression_stays() {
        assert_eq!(
            mutants("binop-drop", "x = a - b * c\n"),
            ["x = b * c\n", "x = a\n", "x = a - c\n", "x = a - b\n",]
        );
        assert_eq!(
            mutants("binop-drop", "return_ = x if(a)+b else c\n"),
            ["return_ = x if b else c\n", "return_ = x if(a) else c\n",]
        );
        assert_eq!(mutants("binop-drop", "x = (a  # a\n  + b)\n"), ["x = (b)\n", "x = (a)\n"]);
    }
}
