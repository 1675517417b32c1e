//! `keyword-drop`.

use super::support::edits::Edits;
use super::support::syntax::{Field, Kind, field, kind};
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "keyword-drop",
        family: Family::Extra,
        statement: false,
        summary: "A keyword argument is left out",
        shows: "No test needs another value than the default",
        examples: &[("f(a, b=1, c=2)\n", "f(a, c=2)\n"), ("f(b=1)\n", "f()\n")],
    },
    kinds: &[Kind::Call],
    edits,
};

fn edits(site: &Site<'_, '_>, out: &mut Edits<'_>) {
    let arguments = site.arguments();
    for (index, argument) in arguments.iter().enumerate() {
        if kind(*argument) != Kind::KeywordArgument {
            continue;
        }
        let span = match (index.checked_sub(1), arguments.get(index + 1)) {
            (_, Some(next)) => argument.start_byte()..next.start_byte(),
            (Some(before), None) => arguments[before].end_byte()..argument.end_byte(),
            // What stands between the parentheses, a comma included.
            (None, None) => {
                let list = field(site.node, Field::Arguments).unwrap_or(*argument);
                list.start_byte() + 1..list.end_byte() - 1
            }
        };
        out.replace(*argument, span, &[]);
    }
}

#[cfg(test)]
mod tests {
    use crate::python::support::testing::mutants;

    #[test]
    fn commas_and_comments_go_along() {
        assert_eq!(mutants("keyword-drop", "f(a=1,)\n"), ["f()\n"]);
        assert_eq!(
            mutants("keyword-drop", "f(\n  a=1,  # a\n  b=2,  # b\n)\n"),
            ["f(\n  b=2,  # b\n)\n", "f(\n  a=1,  # b\n)\n"]
        );
        assert!(mutants("keyword-drop", "f(a, *b, **c)\nclass A(metaclass=B): pass\n").is_empty());
        assert!(mutants("keyword-drop", "@dataclass(frozen=True)\nclass A: pass\n").is_empty());
    }
}
