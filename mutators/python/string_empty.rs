//! `string-empty`.

use super::support::edits::Edits;
use super::support::strings;
use super::support::syntax::Kind;
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "string-empty",
        family: Family::Extra,
        statement: false,
        summary: "A string becomes empty",
        shows: "No test depends on the text being there",
        examples: &[("x = 'a'\n", "x = ''\n"), ("x = f'{a}b'\n", "x = f''\n")],
    },
    kinds: &[Kind::String, Kind::ConcatenatedString],
    edits,
};

fn edits(site: &Site<'_, '_>, out: &mut Edits<'_>) {
    if site.parent_kind() == Kind::ConcatenatedString {
        return;
    }
    let Some(pieces) = strings::pieces(site.source, site.node) else { return };
    if let [only] = &pieces[..] {
        out.replace_inside_literal(site.node, only.content.clone(), &[]);
    } else if pieces.iter().any(|piece| !piece.content.is_empty()) {
        let prefix: &[u8] = if pieces[0].is_bytes() { b"b" } else { b"" };
        let quote = &pieces[0].quotes[..1];
        out.replace(site.node, site.node.byte_range(), &[prefix, quote, quote]);
    }
}

#[cfg(test)]
mod tests {
    use crate::python::support::testing::mutants;

    #[test]
    fn any_kind_of_string() {
        for (before, after) in [
            ("x = rb'''a\nb'''\n", "x = rb''''''\n"),
            ("x = 'a' \"b\"\n", "x = ''\n"),
            ("x = b\"a\" b'b'\n", "x = b\"\"\n"),
            ("x = (f'{a}'\n  r'b')\n", "x = ('')\n"),
        ] {
            assert_eq!(mutants("string-empty", before), [after]);
        }
        assert!(mutants("string-empty", "x = ''\ny = '' f''\n'doc'\n").is_empty());
    }
}
