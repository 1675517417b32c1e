//! `if-unwrap-else`.

use super::support::edits::Edits;
use super::support::syntax::{Field, Kind, field};
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "if-unwrap-else",
        family: Family::Done1,
        statement: true,
        summary: "The `else` of an `if` or `elif`, or the `elif` that follows it, always runs",
        shows: "No test has the condition true and tells that the block ran",
        examples: &[("if a:\n    b()\nelse:\n    c()\n", "if False:\n    b()\nelse:\n    c()\n")],
    },
    kinds: &[Kind::IfStatement, Kind::ElifClause],
    edits,
};

fn edits(site: &Site<'_, '_>, out: &mut Edits<'_>) {
    let has_else = match site.kind {
        Kind::IfStatement => field(site.node, Field::Alternative).is_some(),
        _ => site.parent().is_some_and(|whole| site.node.end_byte() < whole.end_byte()),
    };
    if has_else && let Some(condition) = field(site.node, Field::Condition) {
        out.replace(site.node, condition.byte_range(), &[b"False"]);
    }
}

#[cfg(test)]
mod tests {
    use crate::python::support::testing::mutants;

    #[test]
    fn only_where_something_else_can_run() {
        assert!(mutants("if-unwrap-else", "if a: b\n").is_empty());
        assert_eq!(
            mutants("if-unwrap-else", "if a: b\nelif c: d\n# end\n"),
            ["if False: b\nelif c: d\n# end\n"]
        );
        assert_eq!(
            mutants("if-unwrap-else", "if a: b\nelif c: d\n# between\nelse: e\n"),
            [
                "if False: b\nelif c: d\n# between\nelse: e\n",
                "if a: b\nelif False: d\n# between\nelse: e\n",
            ]
        );
    }
}
