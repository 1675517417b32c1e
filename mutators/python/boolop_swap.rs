//! `boolop-swap`.

use super::support::edits::Edits;
use super::support::operands;
use super::support::syntax::Kind;
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "boolop-swap",
        family: Family::Done1,
        statement: false,
        summary: "`and` becomes `or` and the other way round, in the whole of a chain",
        shows: "No test has operands that differ in truth",
        examples: &[("a and b\n", "a or b\n"), ("a and b and c\n", "a or b or c\n")],
    },
    kinds: &[Kind::BooleanOperator],
    edits,
};

fn edits(site: &Site<'_, '_>, out: &mut Edits<'_>) {
    let Some(chain) = operands::chain(site) else { return };
    let new: &[u8] = if operands::operator_name(site.node) == "and" { b"or" } else { b"and" };
    let mut pieces = vec![new];
    for pair in chain.operators.windows(2) {
        pieces.extend([&site.source[pair[0].end_byte()..pair[1].start_byte()], new]);
    }
    if let [first, .., last] | [first @ last] = &chain.operators[..] {
        out.replace(site.node, first.start_byte()..last.end_byte(), &pieces);
    }
}

#[cfg(test)]
mod tests {
    use crate::python::support::testing::{mutants, places};

    #[test]
    fn a_chain_is_one_expression_and_an_inner_one_another() {
        assert_eq!(mutants("boolop-swap", "a or b\n"), ["a and b\n"]);
        assert_eq!(
            mutants("boolop-swap", "a or b and c or d\n"),
            ["a and b and c and d\n", "a or b or c or d\n"]
        );
        assert_eq!(
            mutants("boolop-swap", "a and (b and c) and d\n"),
            ["a or (b and c) or d\n", "a and (b or c) and d\n"]
        );
        assert_eq!(places("boolop-swap", "x = a and b and c\n"), [(1, 4)]);
    }

    #[test]
    fn no_space_is_no_obstacle() {
        assert_eq!(mutants("boolop-swap", "(a)or(b)\n"), ["(a)and(b)\n"]);
        assert_eq!(mutants("boolop-swap", "0or\"x\"\n"), ["0 and \"x\"\n"]);
    }
}
