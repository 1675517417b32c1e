//! `loop-control`.

use super::support::edits::Edits;
use super::support::syntax::Kind;
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "loop-control",
        family: Family::Extra,
        statement: false,
        summary: "`break` becomes `continue` and the other way round",
        shows: "No test has elements after the one that ends the loop or the turn",
        examples: &[("for a in b:\n    break\n", "for a in b:\n    continue\n")],
    },
    kinds: &[Kind::BreakStatement, Kind::ContinueStatement],
    edits,
};

fn edits(site: &Site<'_, '_>, out: &mut Edits<'_>) {
    let other: &[u8] = if site.kind == Kind::BreakStatement { b"continue" } else { b"break" };
    out.replace(site.node, site.node.byte_range(), &[other]);
}

#[cfg(test)]
mod tests {
    use crate::python::support::testing::mutants;

    #[test]
    fn both_ways() {
        assert_eq!(
            mutants("loop-control", "while a:\n\tif b: break\n\tcontinue;"),
            ["while a:\n\tif b: continue\n\tcontinue;", "while a:\n\tif b: break\n\tbreak;",]
        );
    }
}
