//! `comprehension-filter`.

use super::support::edits::Edits;
use super::support::syntax::{Kind, only_part};
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "comprehension-filter",
        family: Family::Extra,
        statement: false,
        summary: "A condition of a comprehension always holds",
        shows: "No test has an element that the condition keeps out",
        examples: &[("x = [a for a in b if c(a)]\n", "x = [a for a in b if True]\n")],
    },
    kinds: &[Kind::IfClause],
    edits,
};

fn edits(site: &Site<'_, '_>, out: &mut Edits<'_>) {
    if site.parent_kind() != Kind::CaseClause
        && let Some(condition) = only_part(site.node)
    {
        out.replace(site.node, condition.byte_range(), &[b"True"]);
    }
}

#[cfg(test)]
mod tests {
    use crate::python::support::testing::mutants;

    #[test]
    fn every_kind_of_comprehension() {
        assert_eq!(
            mutants("comprehension-filter", "f(a for a in b if(c)if d)\n"),
            ["f(a for a in b if True if d)\n", "f(a for a in b if(c)if True)\n"]
        );
        assert_eq!(mutants("comprehension-filter", "{a: b for a in c if not a}\n").len(), 1);
        assert!(mutants("comprehension-filter", "match a:\n  case b if c: d\n").is_empty());
    }
}
