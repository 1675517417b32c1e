//! `bitwise-swap`.

use super::support::edits::Edits;
use super::support::operands;
use super::support::syntax::Kind;
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "bitwise-swap",
        family: Family::Extra,
        statement: false,
        summary: "A bitwise operator becomes another: `&` and `|`, `^` to `&`, `<<` and `>>`",
        shows: "No test depends on which bits come out",
        examples: &[("a & b\n", "a | b\n"), ("a << b\n", "a >> b\n")],
    },
    kinds: &[Kind::BinaryOperator],
    edits,
};

fn edits(site: &Site<'_, '_>, out: &mut Edits<'_>) {
    let new = match operands::operator_name(site.node) {
        "&" => "|",
        "|" | "^" => "&",
        "<<" => ">>",
        ">>" => "<<",
        _ => return,
    };
    if !operands::is_misread(site) {
        operands::swap_operator(site, new, out);
    }
}

#[cfg(test)]
mod tests {
    use crate::python::support::testing::mutants;

    #[test]
    fn the_operands_stay_what_they_were() {
        assert_eq!(mutants("bitwise-swap", "a | b | c\n"), ["(a | b) & c\n", "a & b | c\n"]);
        assert_eq!(mutants("bitwise-swap", "a & b | c\n"), ["a | b | c\n", "a & b & c\n"]);
        assert_eq!(mutants("bitwise-swap", "a | b & c\n"), ["a & (b & c)\n", "a | (b | c)\n"]);
        assert_eq!(mutants("bitwise-swap", "a ^ b | c\n"), ["(a ^ b) & c\n", "a & b | c\n"]);
        assert_eq!(mutants("bitwise-swap", "a & b + c\n"), ["a | b + c\n"]);
        assert_eq!(mutants("bitwise-swap", "1<<a>>b\n"), ["1>>a>>b\n", "1<<a<<b\n"]);
    }

    #[test]
    fn what_the_grammar_ranks_otherwise_than_python_is_left_alone() {
        assert!(mutants("bitwise-swap", "a ^ b & c\n").is_empty());
        assert!(mutants("bitwise-swap", "a & b ^ c\n").is_empty());
        assert_eq!(mutants("bitwise-swap", "(a ^ b) & c\n").len(), 2);
    }
}
