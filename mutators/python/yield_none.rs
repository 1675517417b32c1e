//! `yield-none`.

use super::support::edits::Edits;
use super::support::syntax::{Kind, children, is_none, only_part};
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "yield-none",
        family: Family::Extra,
        statement: false,
        summary: "A yielded value becomes `None`",
        shows: "No test looks at what the generator gives",
        examples: &[("def f():\n    yield x\n", "def f():\n    yield None\n")],
    },
    kinds: &[Kind::Yield],
    edits,
};

fn edits(site: &Site<'_, '_>, out: &mut Edits<'_>) {
    let is_delegating = children(site.node).any(|child| child.kind() == "from");
    if !is_delegating
        && let Some(value) = only_part(site.node)
        && !is_none(value)
    {
        out.replace(site.node, value.byte_range(), &[b"None"]);
    }
}

#[cfg(test)]
mod tests {
    use crate::python::support::testing::mutants;

    #[test]
    fn values_but_not_other_generators() {
        assert_eq!(
            mutants("yield-none", "def f():\n  x = yield(a), b\n"),
            ["def f():\n  x = yield None\n"]
        );
        assert!(
            mutants("yield-none", "def f():\n  yield\n  yield None\n  yield from g\n").is_empty()
        );
    }
}
