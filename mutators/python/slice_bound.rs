//! `slice-bound`.

use super::support::edits::Edits;
use super::support::syntax::{Kind, children, kind};
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "slice-bound",
        family: Family::Extra,
        statement: false,
        summary: "A bound or the step of a slice is left out",
        shows: "No test has a sequence longer than the slice",
        examples: &[("a[1:n]\n", "a[:n]\n"), ("a[1:n]\n", "a[1:]\n"), ("a[::2]\n", "a[::]\n")],
    },
    kinds: &[Kind::Slice],
    edits,
};

fn edits(site: &Site<'_, '_>, out: &mut Edits<'_>) {
    let children: Vec<_> = children(site.node).collect();
    let colons = children.iter().filter(|child| child.kind() == ":").count();
    let mut is_lower = true;
    for child in children {
        if child.kind() == ":" {
            is_lower = false;
        } else if child.is_named() && kind(child) != Kind::Comment {
            // Without a step a slice from 0 is one from the start.
            let is_start = is_lower && colons == 1 && site.text(child) == b"0";
            if !is_start {
                out.replace(site.node, child.byte_range(), &[]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::python::support::testing::mutants;

    #[test]
    fn each_part_once() {
        assert_eq!(
            mutants("slice-bound", "a[b:c:d, e]\n"),
            ["a[:c:d, e]\n", "a[b::d, e]\n", "a[b:c:, e]\n"]
        );
        assert_eq!(mutants("slice-bound", "a[0:-1]\n"), ["a[0:]\n"]);
        assert_eq!(mutants("slice-bound", "a[0::-1]\n"), ["a[::-1]\n", "a[0::]\n"]);
        assert!(mutants("slice-bound", "a[:]\na[b]\n").is_empty());
    }
}
