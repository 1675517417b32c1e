//! `boolean-flip`.

use super::support::edits::Edits;
use super::support::syntax::Kind;
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "boolean-flip",
        family: Family::Extra,
        statement: false,
        summary: "`True` becomes `False` and the other way round",
        shows: "No test depends on the flag",
        examples: &[("x = True\n", "x = False\n")],
    },
    kinds: &[Kind::True, Kind::False],
    edits,
};

fn edits(site: &Site<'_, '_>, out: &mut Edits<'_>) {
    let other: &[u8] = if site.kind == Kind::True { b"False" } else { b"True" };
    out.replace(site.node, site.node.byte_range(), &[other]);
}

#[cfg(test)]
mod tests {
    use crate::python::support::testing::mutants;

    #[test]
    fn flags_but_not_patterns_or_annotations() {
        assert_eq!(
            mutants("boolean-flip", "f(a=True, b=[False])\n"),
            ["f(a=False, b=[False])\n", "f(a=True, b=[True])\n",]
        );
        let source =
            "x: Literal[True] = y\nmatch x:\n    case True: pass\n    case C(a=False): pass\n";
        assert!(mutants("boolean-flip", source).is_empty());
    }
}
