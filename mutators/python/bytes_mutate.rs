//! `bytes-mutate`.

use super::support::edits::Edits;
use super::support::strings;
use super::support::syntax::Kind;
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "bytes-mutate",
        family: Family::Extra,
        statement: false,
        summary: "A bytes literal gets a NUL and the word `mutated` at its end",
        shows: "No test depends on the exact bytes",
        examples: &[
            ("x = b'a'\n", "x = b'a\\x00mutated'\n"),
            ("x = rb'\\d'\n", "x = rb'\\d' b'\\x00mutated'\n"),
        ],
    },
    kinds: &[Kind::String, Kind::ConcatenatedString],
    edits,
};

fn edits(site: &Site<'_, '_>, out: &mut Edits<'_>) {
    if site.parent_kind() == Kind::ConcatenatedString {
        return;
    }
    if let Some(pieces) = strings::pieces(site.source, site.node)
        && pieces[0].is_bytes()
    {
        strings::append(site, &pieces, b"b", out);
    }
}

#[cfg(test)]
mod tests {
    use crate::python::support::testing::mutants;

    #[test]
    fn bytes_and_nothing_else() {
        assert_eq!(mutants("bytes-mutate", "f(b'' B\"a\")\n"), ["f(b'' B\"a\\x00mutated\")\n"]);
        assert!(mutants("bytes-mutate", "f('a', f'b', r'c')\n").is_empty());
    }
}
