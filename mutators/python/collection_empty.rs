//! `collection-empty`.

use super::support::edits::Edits;
use super::support::syntax::{Kind, parts};
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "collection-empty",
        family: Family::Extra,
        statement: false,
        summary: "A list, tuple, set or dictionary display becomes empty",
        shows: "No test depends on its elements",
        examples: &[
            ("x = [a, b]\n", "x = []\n"),
            ("x = {a}\n", "x = set()\n"),
            ("x = {a: b}\n", "x = {}\n"),
        ],
    },
    kinds: &[Kind::Dictionary, Kind::List, Kind::Set, Kind::Tuple],
    edits,
};

fn edits(site: &Site<'_, '_>, out: &mut Edits<'_>) {
    let empty: &[u8] = match site.kind {
        Kind::Dictionary => b"{}",
        Kind::List => b"[]",
        Kind::Set => b"set()",
        _ => b"()",
    };
    // A tuple after `with` holds context managers, one after `del` targets; what a `for` goes
    // through is emptied by loop-zero.
    let is_value =
        !matches!(site.parent_kind(), Kind::DeleteStatement | Kind::ForStatement | Kind::WithItem);
    if is_value && parts(site.node).next().is_some() {
        out.replace(site.node, site.node.byte_range(), &[empty]);
    }
}

#[cfg(test)]
mod tests {
    use crate::python::support::testing::mutants;

    #[test]
    fn displays_but_not_targets() {
        assert_eq!(
            mutants("collection-empty", "f((a,), {**b}, {*c})\n"),
            ["f((), {**b}, {*c})\n", "f((a,), {}, {*c})\n", "f((a,), {**b}, set())\n",]
        );
        let source = "[a, b] = c\nfor (d, e) in [f]: del (g, h)\nx = [i for (i, j) in k]\ny = []\nwith (l, m): pass\n";
        assert!(mutants("collection-empty", source).is_empty());
    }
}
