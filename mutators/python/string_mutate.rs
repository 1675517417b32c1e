//! `string-mutate`.

use super::support::edits::Edits;
use super::support::strings;
use super::support::syntax::Kind;
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "string-mutate",
        family: Family::Done1,
        statement: false,
        summary: "A string gets a NUL and the word `mutated` at its end",
        shows: "No test depends on the exact text",
        examples: &[
            ("x = 'a'\n", "x = 'a\\x00mutated'\n"),
            ("x = r'\\d' 'e'\n", "x = r'\\d' 'e\\x00mutated'\n"),
            ("x = r'\\d'\n", "x = r'\\d' '\\x00mutated'\n"),
        ],
    },
    kinds: &[Kind::String, Kind::ConcatenatedString],
    edits,
};

fn edits(site: &Site<'_, '_>, out: &mut Edits<'_>) {
    if site.parent_kind() == Kind::ConcatenatedString {
        return;
    }
    let Some(pieces) = strings::pieces(site.source, site.node) else { return };
    let has_text = pieces.iter().any(|piece| !piece.is_format() || piece.has_text);
    if has_text && !pieces[0].is_bytes() {
        strings::append(site, &pieces, b"", out);
    }
}

#[cfg(test)]
mod tests {
    use crate::python::support::testing::mutants;

    #[test]
    fn prefixes_and_quotes_are_kept() {
        assert_eq!(mutants("string-mutate", "x = ''\n"), ["x = '\\x00mutated'\n"]);
        assert_eq!(mutants("string-mutate", "x = u\"a\"\n"), ["x = u\"a\\x00mutated\"\n"]);
        assert_eq!(
            mutants("string-mutate", "x = '''a\n  b\\\n'''\n"),
            ["x = '''a\n  b\\\n\\x00mutated'''\n"]
        );
        assert_eq!(
            mutants("string-mutate", "x = rf'{a}\\d'.y\n"),
            ["x = rf'{a}\\d' '\\x00mutated'.y\n"]
        );
        assert!(mutants("string-mutate", "x = b'a' rb'b'\n").is_empty());
    }

    #[test]
    fn joined_strings_are_one() {
        assert_eq!(
            mutants("string-mutate", "x = ('a'  # one\n     'b')\n"),
            ["x = ('a'  # one\n     'b\\x00mutated')\n"]
        );
    }

    #[test]
    fn format_strings_only_in_their_text() {
        assert_eq!(
            mutants("string-mutate", "f'{a == b}' f\"{d[\"k\"] + 1:>{w + 2}} {x!r} {a=}\"\n"),
            [
                "f'{a == b}' f\"{d[\"k\\x00mutated\"] + 1:>{w + 2}} {x!r} {a=}\"\n",
                "f'{a == b}' f\"{d[\"k\"] + 1:>{w + 2}} {x!r} {a=}\\x00mutated\"\n"
            ]
        );
        assert!(mutants("string-mutate", "f'{a:>3}{b!r}'\n").is_empty());
    }

    #[test]
    fn text_that_decides_nothing_is_left_alone() {
        for source in [
            "'doc'\n",
            "r'''doc''' 'more'\n",
            "def f():\n    ('doc')\n",
            "class A:\n    x = 1\n    u'attribute doc'\n",
            "__all__ = ['a', 'b']\n",
            "__all__ += ('a',)\n",
            "__all__.extend(['a'])\n",
            "__version__ = version = '1.0'\n",
            "version = '1.0'\n",
            "x: 'A' = y\n",
            "def f(a: 'A', *b: 'B', c: 'C' = d) -> 'R': pass\n",
            "type X = 'Y'\n",
            "logger.info('a', f'{b}', c['d'])\n",
            "@d('a')\nclass A: pass\n",
            "import a\nfrom b import c\nfrom __future__ import d\n",
            "if __name__ == '__main__': f()\n",
            "if typing.TYPE_CHECKING:\n    x = 'a'\n",
            "match x:\n    case 'a': pass\n    case {'b': C(d='e')}: pass\n",
            "s = '# adequacy: skip'  # adequacy: skip\n",
        ] {
            assert!(mutants("string-mutate", source).is_empty(), "{source}");
        }
        for source in [
            "'doc'.x\n",
            "self.logger.info('a')\n",
            "log('a')\n",
            "logging.getLogger('a').info('b')\n",
            "x = {'version': 1}\n",
            "if TYPE_CHECKING: pass\nelse: f('a')\n",
            "match x:\n    case _ if y == 'a': pass\n",
            "def f(): version = '1'\n",
        ] {
            assert_eq!(mutants("string-mutate", source).len(), 1, "{source}");
        }
    }
}
