//! `loop-zero`.

use super::support::edits::Edits;
use super::support::syntax::{Field, Kind, children, field};
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "loop-zero",
        family: Family::Extra,
        statement: false,
        summary: "The body of a loop never runs",
        shows: "No test depends on the loop",
        examples: &[
            ("for a in b:\n    c()\n", "for a in ():\n    c()\n"),
            ("while a:\n    b()\n", "while False:\n    b()\n"),
        ],
    },
    kinds: &[Kind::ForStatement, Kind::WhileStatement],
    edits,
};

fn edits(site: &Site<'_, '_>, out: &mut Edits<'_>) {
    let is_async = children(site.node).next().is_some_and(|child| child.kind() == "async");
    let (part, empty): (_, &[u8]) = match site.kind {
        Kind::WhileStatement => (Field::Condition, b"False"),
        _ => (Field::Right, b"()"),
    };
    if !is_async && let Some(replaced) = field(site.node, part) {
        out.replace(site.node, replaced.byte_range(), &[empty]);
    }
}

#[cfg(test)]
mod tests {
    use crate::python::support::testing::mutants;

    #[test]
    fn every_loop_but_asynchronous_ones() {
        assert_eq!(mutants("loop-zero", "for a in b, c: d\n"), ["for a in (): d\n"]);
        assert_eq!(mutants("loop-zero", "while(a): b\n"), ["while False: b\n"]);
        assert!(mutants("loop-zero", "async def f():\n    async for a in b: c\n").is_empty());
    }
}
