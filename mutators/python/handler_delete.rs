//! `handler-delete`.

use super::support::edits::Edits;
use super::support::layout;
use super::support::syntax::{Kind, kind, parts};
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};
use tree_sitter::Node;

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "handler-delete",
        family: Family::Done1,
        statement: true,
        summary: "One of several `except` handlers is gone",
        shows: "No test raises what this handler catches",
        examples: &[(
            "try:\n    a()\nexcept E:\n    b()\nexcept F:\n    c()\n",
            "try:\n    a()\nexcept F:\n    c()\n",
        )],
    },
    kinds: &[Kind::TryStatement],
    edits,
};

fn edits(site: &Site<'_, '_>, out: &mut Edits<'_>) {
    let clauses: Vec<_> = parts(site.node).filter(|part| kind(*part).is_clause()).collect();
    let is_handler = |clause: &&Node<'_>| kind(**clause) == Kind::ExceptClause;
    if clauses.iter().filter(is_handler).count() < 2 {
        return;
    }
    for (index, clause) in clauses.iter().enumerate().filter(|(_, clause)| is_handler(clause)) {
        out.replace(
            site.node,
            layout::clause_span(site.source, *clause, clauses.get(index + 1).copied()),
            &[],
        );
    }
}

#[cfg(test)]
mod tests {
    use crate::python::support::testing::{mutants, places};

    #[test]
    fn one_mutant_a_handler() {
        let source =
            "if x:\n\ttry:\n\t\ta\n\texcept E: b\n\t# c\n\texcept F:\n\t\td\n\telse:\n\t\te\n";
        assert_eq!(
            mutants("handler-delete", source),
            [
                "if x:\n\ttry:\n\t\ta\n\texcept F:\n\t\td\n\telse:\n\t\te\n",
                "if x:\n\ttry:\n\t\ta\n\texcept E: b\n\t# c\n\telse:\n\t\te\n",
            ]
        );
        let source = " try: a\n except E: b\n except: c";
        assert_eq!(
            mutants("handler-delete", source),
            [" try: a\n except: c", " try: a\n except E: b\n"]
        );
        assert!(mutants("handler-delete", "try: a\nexcept E: b\nelse: c\n").is_empty());
    }

    #[test]
    fn the_place_is_that_of_the_try() {
        assert_eq!(
            places("handler-delete", "try: a\nexcept E: b\nexcept F: c\n"),
            [(1, 0), (1, 0)]
        );
    }
}
