//! `guard-true`.

use super::support::edits::Edits;
use super::support::syntax::{Kind, only_part};
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "guard-true",
        family: Family::Extra,
        statement: false,
        summary: "The guard of a `case` always holds",
        shows: "No test has a subject that fits the pattern but not the guard",
        examples: &[(
            "match a:\n    case b if c:\n        d()\n",
            "match a:\n    case b if True:\n        d()\n",
        )],
    },
    kinds: &[Kind::IfClause],
    edits,
};

fn edits(site: &Site<'_, '_>, out: &mut Edits<'_>) {
    if site.parent_kind() == Kind::CaseClause
        && let Some(guard) = only_part(site.node)
    {
        out.replace(site.node, guard.byte_range(), &[b"True"]);
    }
}

#[cfg(test)]
mod tests {
    use crate::python::support::testing::mutants;

    #[test]
    fn guards_but_not_comprehensions() {
        assert_eq!(
            mutants("guard-true", "match a:\n  case 1 if(b): c\n"),
            ["match a:\n  case 1 if True: c\n"]
        );
        assert!(mutants("guard-true", "[a for a in b if c]\n").is_empty());
    }
}
