//! `if-unwrap-body`.

use super::support::edits::Edits;
use super::support::syntax::{Field, Kind, field};
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "if-unwrap-body",
        family: Family::Done1,
        statement: true,
        summary: "The block of an `if` or `elif` always runs",
        shows: "No test has the condition false and tells that the block did not run",
        examples: &[("if a:\n    b()\nelse:\n    c()\n", "if True:\n    b()\nelse:\n    c()\n")],
    },
    kinds: &[Kind::IfStatement, Kind::ElifClause],
    edits,
};

// The block stays where it is under a condition that always holds: nothing is indented anew, so
// strings and comments of several lines keep every byte, and no line moves.
fn edits(site: &Site<'_, '_>, out: &mut Edits<'_>) {
    if let Some(condition) = field(site.node, Field::Condition) {
        out.replace(site.node, condition.byte_range(), &[b"True"]);
    }
}

#[cfg(test)]
mod tests {
    use crate::python::support::testing::{mutants, places};

    #[test]
    fn if_and_elif() {
        assert_eq!(
            mutants("if-unwrap-body", "if(a): b\nelif not c:\n\td = '''\nx'''\n"),
            [
                "if True: b\nelif not c:\n\td = '''\nx'''\n",
                "if(a): b\nelif True:\n\td = '''\nx'''\n",
            ]
        );
        assert!(mutants("if-unwrap-body", "if True: a\nwhile b: c\n").is_empty());
        assert_eq!(places("if-unwrap-body", "if a: b\nelif c: d\n"), [(1, 0), (2, 0)]);
    }
}
