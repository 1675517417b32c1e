//! `unary-drop`.

use super::support::edits::Edits;
use super::support::operands;
use super::support::syntax::{Field, Kind, field, kind};
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "unary-drop",
        family: Family::Extra,
        statement: false,
        summary: "A `-`, `~` or `not` is gone",
        shows: "No test depends on the sign, the complement or the negation",
        examples: &[("x = -a\n", "x = a\n"), ("f(not a)\n", "f(a)\n")],
    },
    kinds: &[Kind::UnaryOperator, Kind::NotOperator],
    edits,
};

fn edits(site: &Site<'_, '_>, out: &mut Edits<'_>) {
    let node = site.node;
    let Some(argument) = field(node, Field::Argument) else { return };
    // `+` changes almost no value; a condition that is nothing but `not x` is already negated by
    // negate-condition.
    if operands::operator_name(node) != "+"
        && !(site.kind == Kind::NotOperator && is_whole_condition(site))
    {
        out.replace(node, node.start_byte()..argument.start_byte(), &[]);
    }
}

fn is_whole_condition(site: &Site<'_, '_>) -> bool {
    let outer = site.ancestors().map(kind).find(|kind| *kind != Kind::ParenthesizedExpression);
    matches!(outer, Some(Kind::IfStatement | Kind::ElifClause | Kind::WhileStatement))
}

#[cfg(test)]
mod tests {
    use crate::python::support::testing::mutants;

    #[test]
    fn tokens_stay_apart() {
        assert_eq!(mutants("unary-drop", "def f(): return-x\n"), ["def f(): return x\n"]);
        assert_eq!(mutants("unary-drop", "x = a if b else-1\n"), ["x = a if b else 1\n"]);
        assert_eq!(mutants("unary-drop", "x = - ~ a\n"), ["x = ~ a\n", "x = - a\n"]);
        assert_eq!(mutants("unary-drop", "x = a and not(b)\n"), ["x = a and (b)\n"]);
        assert_eq!(mutants("unary-drop", "x = +a\n"), [""; 0]);
    }

    #[test]
    fn a_negated_condition_is_the_work_of_another_operator() {
        assert!(mutants("unary-drop", "if not a: b\nelif (not c): d\n").is_empty());
        assert_eq!(mutants("unary-drop", "if -a: b\n").len(), 1);
        assert_eq!(mutants("unary-drop", "x = [a for a in b if not a]\n").len(), 1);
    }

    #[test]
    fn a_pattern_has_no_operators() {
        let source =
            "match x:\n    case -2: a\n    case 1+2j | -3.0-1j: b\n    case A() | B(): c\n";
        assert!(mutants("unary-drop", source).is_empty());
    }
}
