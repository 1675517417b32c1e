//! `boolop-drop`.

use super::support::edits::Edits;
use super::support::operands;
use super::support::syntax::Kind;
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "boolop-drop",
        family: Family::Extra,
        statement: false,
        summary: "One operand of an `and` or `or` is gone",
        shows: "No test depends on this condition alone",
        examples: &[("a and b\n", "b\n"), ("a and b\n", "a\n")],
    },
    kinds: &[Kind::BooleanOperator],
    edits,
};

fn edits(site: &Site<'_, '_>, out: &mut Edits<'_>) {
    let Some(chain) = operands::chain(site) else { return };
    for pair in chain.operands.windows(2) {
        out.replace(site.node, pair[0].start_byte()..pair[1].start_byte(), &[]);
    }
    if let [.., before, last] = chain.operands[..] {
        out.replace(site.node, before.end_byte()..last.end_byte(), &[]);
    }
}

#[cfg(test)]
mod tests {
    use crate::python::support::testing::mutants;

    #[test]
    fn each_operand_of_a_chain_once() {
        assert_eq!(
            mutants("boolop-drop", "if(a)and(b)and c: d\n"),
            ["if(b)and c: d\n", "if(a)and c: d\n", "if(a)and(b): d\n"]
        );
        assert_eq!(
            mutants("boolop-drop", "x = a or b and c\n"),
            ["x = b and c\n", "x = a\n", "x = a or c\n", "x = a or b\n",]
        );
    }
}
