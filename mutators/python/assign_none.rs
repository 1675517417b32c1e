//! `assign-none`.

use super::support::edits::Edits;
use super::support::syntax::{Field, Kind, field, is_none, kind};
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "assign-none",
        family: Family::Extra,
        statement: false,
        summary: "An assigned value becomes `None`",
        shows: "No test depends on the assigned value",
        examples: &[("x = a\n", "x = None\n"), ("a = b = 2\n", "a = b = None\n")],
    },
    kinds: &[Kind::Assignment],
    edits,
};

fn edits(site: &Site<'_, '_>, out: &mut Edits<'_>) {
    let Some(value) = field(site.node, Field::Right) else { return };
    let Some(target) = field(site.node, Field::Left) else { return };
    let is_single = matches!(kind(target), Kind::Identifier | Kind::Attribute | Kind::Subscript);
    let is_value =
        !matches!(kind(value), Kind::Assignment | Kind::AugmentedAssignment | Kind::Yield);
    if is_single && is_value && !is_none(value) {
        let whole = site.ancestors().take_while(|node| kind(*node) == Kind::Assignment).last();
        out.replace(whole.unwrap_or(site.node), value.byte_range(), &[b"None"]);
    }
}

#[cfg(test)]
mod tests {
    use crate::python::support::testing::{mutants, places};

    #[test]
    fn the_innermost_value_of_a_chain() {
        assert_eq!(mutants("assign-none", "a = b[0] = c.d = 2\n"), ["a = b[0] = c.d = None\n"]);
        assert_eq!(places("assign-none", "a = b[0] = c.d = 2\n"), [(1, 0)]);
        assert_eq!(mutants("assign-none", "a: int = 2\n"), ["a: int = None\n"]);
        assert_eq!(mutants("assign-none", "a=-b; c\n"), ["a=None; c\n"]);
        assert_eq!(mutants("assign-none", "a = b, c\n"), ["a = None\n"]);
        assert!(
            mutants("assign-none", "a, b = c\nd = None\n__version__ = '1'\ne: int\n").is_empty()
        );
    }
}
