//! `negate-condition`.

use super::support::edits::Edits;
use super::support::syntax::{Field, Kind, field, kind};
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "negate-condition",
        family: Family::Done1,
        statement: false,
        summary: "The condition of an `if`, `elif` or `while` is negated",
        shows: "No test reaches the branch, or none tells which one was taken",
        examples: &[
            ("if a == b:\n    c()\n", "if not (a == b):\n    c()\n"),
            ("while (a):\n    b()\n", "while not (a):\n    b()\n"),
        ],
    },
    kinds: &[Kind::IfStatement, Kind::ElifClause, Kind::WhileStatement],
    edits,
};

fn edits(site: &Site<'_, '_>, out: &mut Edits<'_>) {
    let Some(condition) = field(site.node, Field::Condition) else { return };
    if kind(condition) == Kind::ParenthesizedExpression {
        let start = condition.start_byte();
        out.replace(site.node, start..start, &[b"not "]);
    } else {
        out.replace(site.node, condition.byte_range(), &[b"not (", site.text(condition), b")"]);
    }
}

#[cfg(test)]
mod tests {
    use crate::python::support::testing::{mutants, places};

    #[test]
    fn every_kind_of_condition() {
        assert_eq!(
            mutants("negate-condition", "if a:\n\tb\nelif not c: d\n"),
            ["if not (a):\n\tb\nelif not c: d\n", "if a:\n\tb\nelif not (not c): d\n"]
        );
        assert_eq!(
            mutants("negate-condition", "while n := f(): g\n"),
            ["while not (n := f()): g\n"]
        );
        assert_eq!(mutants("negate-condition", "if(a): b\n"), ["if not (a): b\n"]);
        assert_eq!(mutants("negate-condition", "if (a) or (b): c\n"), ["if not ((a) or (b)): c\n"]);
        assert_eq!(mutants("negate-condition", "if-a: b\n"), ["if not (-a): b\n"]);
    }

    #[test]
    fn other_conditions_are_none_of_its_business() {
        assert!(
            mutants("negate-condition", "x = a if b else c\ny = [d for d in e if f]\n").is_empty()
        );
        assert!(mutants("negate-condition", "if __name__ == '__main__':\n    f()\n").is_empty());
        assert!(mutants("negate-condition", "if TYPE_CHECKING:\n    if a: b\n").is_empty());
    }

    #[test]
    fn an_elif_has_its_own_place() {
        assert_eq!(places("negate-condition", "if a: b\nelif c: d\n"), [(1, 0), (2, 0)]);
    }
}
