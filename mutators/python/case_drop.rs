//! `case-drop`.

use super::support::edits::Edits;
use super::support::layout;
use super::support::syntax::{Field, Kind, field, kind, parts};
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "case-drop",
        family: Family::Extra,
        statement: false,
        summary: "One of several cases of a `match` is gone",
        shows: "No test has a subject for this case",
        examples: &[(
            "match a:\n    case 1:\n        b()\n    case _:\n        c()\n",
            "match a:\n    case _:\n        c()\n",
        )],
    },
    kinds: &[Kind::MatchStatement],
    edits,
};

fn edits(site: &Site<'_, '_>, out: &mut Edits<'_>) {
    let Some(body) = field(site.node, Field::Body) else { return };
    let cases: Vec<_> = parts(body).filter(|part| kind(*part) == Kind::CaseClause).collect();
    if cases.len() < 2 {
        return;
    }
    for (index, case) in cases.iter().enumerate() {
        let span = layout::clause_span(site.source, *case, cases.get(index + 1).copied());
        out.replace(*case, span, &[]);
    }
}

#[cfg(test)]
mod tests {
    use crate::python::support::testing::mutants;

    #[test]
    fn one_mutant_a_case() {
        let source = "match a:\n\tcase -1 | 2: b\n\tcase _:\n\t\tc";
        assert_eq!(
            mutants("case-drop", source),
            ["match a:\n\tcase _:\n\t\tc", "match a:\n\tcase -1 | 2: b\n",]
        );
        assert!(mutants("case-drop", "match a:\n  case b: c\n").is_empty());
    }
}
