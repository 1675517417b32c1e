//! `call-unwrap`.

use super::support::edits::Edits;
use super::support::syntax::{Field, Kind, children, field, kind};
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "call-unwrap",
        family: Family::Extra,
        statement: false,
        summary: "A call that orders, copies, converts or cleans its argument is left out",
        shows: "No test has input that needs it",
        examples: &[("x = sorted(y)\n", "x = (y)\n"), ("x = y.strip()\n", "x = y\n")],
    },
    kinds: &[Kind::Call],
    edits,
};

const FUNCTIONS: &[&[u8]] = &[
    b"abs",
    b"bool",
    b"copy.copy",
    b"copy.deepcopy",
    b"deepcopy",
    b"dict",
    b"float",
    b"frozenset",
    b"int",
    b"list",
    b"math.ceil",
    b"math.floor",
    b"reversed",
    b"round",
    b"set",
    b"sorted",
    b"str",
    b"tuple",
];
const METHODS: &[&[u8]] = &[
    b"capitalize",
    b"casefold",
    b"copy",
    b"lower",
    b"lstrip",
    b"rstrip",
    b"strip",
    b"title",
    b"upper",
];

fn edits(site: &Site<'_, '_>, out: &mut Edits<'_>) {
    let (Some(function), Some(list)) =
        (field(site.node, Field::Function), field(site.node, Field::Arguments))
    else {
        return;
    };
    if kind(list) != Kind::ArgumentList {
        return;
    }
    match *site.arguments() {
        [only] if FUNCTIONS.contains(&site.text(function)) => {
            let is_plain = !matches!(
                kind(only),
                Kind::DictionarySplat | Kind::KeywordArgument | Kind::ListSplat
            );
            // Without the function a comma would make it a tuple.
            if is_plain && children(list).all(|child| child.kind() != ",") {
                out.replace(site.node, site.node.start_byte()..list.start_byte(), &[]);
            }
        }
        [] if kind(function) == Kind::Attribute => {
            if let (Some(object), Some(name)) =
                (field(function, Field::Object), field(function, Field::Attribute))
                && METHODS.contains(&site.text(name))
            {
                out.replace(site.node, object.end_byte()..site.node.end_byte(), &[]);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use crate::python::support::testing::mutants;

    #[test]
    fn only_with_one_argument_or_none() {
        assert_eq!(
            mutants("call-unwrap", "return_ = list(a := b)[0]\n"),
            ["return_ = (a := b)[0]\n"]
        );
        assert_eq!(
            mutants("call-unwrap", "(a\n  .lower()\n  .strip())\n"),
            ["(a\n  .strip())\n", "(a\n  .lower())\n"]
        );
        let source =
            "list()\nint(a, 16)\nsorted(a, key=b)\nset(*a)\nlist(a,)\na.strip('b')\nc.list(d)\n";
        assert!(mutants("call-unwrap", source).is_empty());
    }
}
