//! `number-shift`.

use super::support::edits::Edits;
use super::support::number;
use super::support::syntax::Kind;
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "number-shift",
        family: Family::Done1,
        statement: false,
        summary: "A number becomes the next larger one",
        shows: "No test is near enough to the limit this number sets",
        examples: &[
            ("x = 9\n", "x = 10\n"),
            ("x = 0xff\n", "x = 0x100\n"),
            ("x = 0.5\n", "x = 1.5\n"),
        ],
    },
    kinds: &[Kind::Integer, Kind::Float],
    edits,
};

fn edits(site: &Site<'_, '_>, out: &mut Edits<'_>) {
    let literal = site.text(site.node);
    let next = match site.kind {
        Kind::Integer => number::shifted_integer(literal, number::Shift::Up),
        _ => number::shifted_float(literal, number::Shift::Up),
    };
    if let Some(next) = next {
        out.replace(site.node, site.node.byte_range(), &[&next]);
    }
}

#[cfg(test)]
mod tests {
    use crate::python::support::testing::mutants;

    #[test]
    fn numbers_wherever_they_stand() {
        assert_eq!(
            mutants("number-shift", "f(-1, x=2.0)[3]\n"),
            ["f(-2, x=2.0)[3]\n", "f(-1, x=3.0)[3]\n", "f(-1, x=2.0)[4]\n",]
        );
        assert_eq!(mutants("number-shift", "f'{1:{2}}'\n"), ["f'{2:{2}}'\n", "f'{1:{3}}'\n"]);
        assert!(mutants("number-shift", "x = True + 1j\n").is_empty());
    }

    #[test]
    fn a_name_straight_after_is_kept_apart() {
        assert_eq!(mutants("number-shift", "x if 0else y\n"), ["x if 1 else y\n"]);
        assert_eq!(mutants("number-shift", "x if.5else y\n"), ["x if 1.5 else y\n"]);
        assert_eq!(mutants("number-shift", "_[_:=0]\n"), ["_[_:=1]\n"]);
    }

    #[test]
    fn patterns_are_left_alone() {
        let source =
            "match x:\n    case -1: pass\n    case 1+2j: pass\n    case [2, {3: 4}]: pass\n";
        assert!(mutants("number-shift", source).is_empty());
    }
}
