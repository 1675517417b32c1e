//! `binop-swap`.

use super::support::edits::Edits;
use super::support::operands;
use super::support::syntax::Kind;
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "binop-swap",
        family: Family::Done1,
        statement: false,
        summary: "An arithmetic operator becomes another: `+` and `-`, `*` to `//`, `/` to `*`, `//` to `*`, `%` to `//`, `**` to `*`",
        shows: "No test depends on the number this computes",
        examples: &[
            ("a + b\n", "a - b\n"),
            ("a ** b ** c\n", "a * b ** c\n"),
            ("a ** b ** c\n", "a ** (b * c)\n"),
        ],
    },
    kinds: &[Kind::BinaryOperator],
    edits,
};

fn edits(site: &Site<'_, '_>, out: &mut Edits<'_>) {
    let new = match operands::operator_name(site.node) {
        "+" => "-",
        "-" => "+",
        "/" | "//" | "**" => "*",
        "*" | "%" => "//",
        _ => return,
    };
    operands::swap_operator(site, new, out);
}

#[cfg(test)]
mod tests {
    use crate::python::support::testing::mutants;

    #[test]
    fn each_operator_becomes_the_listed_one() {
        for (before, after) in
            [("+", "-"), ("-", "+"), ("*", "//"), ("/", "*"), ("//", "*"), ("%", "//"), ("**", "*")]
        {
            let made = mutants("binop-swap", &format!("a {before} b\n"));
            assert_eq!(made, [format!("a {after} b\n")]);
        }
        for other in ["|", "&", "^", "<<", ">>", "@"] {
            assert!(mutants("binop-swap", &format!("a {other} b\n")).is_empty());
        }
    }

    #[test]
    fn the_operands_stay_what_they_were() {
        assert_eq!(mutants("binop-swap", "a - b + c\n"), ["a + b + c\n", "a - b - c\n"]);
        assert_eq!(mutants("binop-swap", "-a ** -b\n"), ["-(a * -b)\n"]);
        assert_eq!(mutants("binop-swap", "x % a ** b\n"), ["x // a ** b\n", "x % (a * b)\n"]);
        assert_eq!(mutants("binop-swap", "a ** b % x\n"), ["a * b % x\n", "a ** b // x\n"]);
        assert_eq!(mutants("binop-swap", "-await a ** b\n"), ["-(await a * b)\n"]);
        assert_eq!(mutants("binop-swap", "await a ** b\n"), ["await a * b\n"]);
    }

    #[test]
    fn signs_that_are_no_operators_are_left_alone() {
        let source =
            "def f(a, /, *, b): pass\nfrom m import *\nf(*x, **y)\ntry: pass\nexcept* E: pass\n";
        assert!(mutants("binop-swap", source).is_empty());
        assert!(mutants("binop-swap", "c: int | None = a\nd: x + y\n").is_empty());
    }
}
