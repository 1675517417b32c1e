//! `raise-type`.

use super::support::edits::Edits;
use super::support::syntax::{Field, Kind, field, kind, parts};
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};
use tree_sitter::Node;

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "raise-type",
        family: Family::Extra,
        statement: false,
        summary: "A raised exception becomes a plain `Exception`",
        shows: "No test depends on the type of the exception",
        examples: &[
            ("raise E('a')\n", "raise Exception('a')\n"),
            ("raise a.E\n", "raise Exception\n"),
        ],
    },
    kinds: &[Kind::RaiseStatement],
    edits,
};

fn edits(site: &Site<'_, '_>, out: &mut Edits<'_>) {
    let Some(raised) = parts(site.node).next() else { return };
    let class = match kind(raised) {
        Kind::Call if takes_plain_arguments(raised) => {
            field(raised, Field::Function).unwrap_or(raised)
        }
        _ => raised,
    };
    let last = field(class, Field::Attribute).unwrap_or(class);
    let name = site.text(last);
    // By convention classes start with a capital; what does not may be an exception caught earlier.
    if matches!(kind(class), Kind::Identifier | Kind::Attribute)
        && name.first().is_some_and(u8::is_ascii_uppercase)
        && name != b"Exception"
    {
        out.replace(site.node, class.byte_range(), &[b"Exception"]);
    }
}

fn takes_plain_arguments(call: Node<'_>) -> bool {
    field(call, Field::Arguments).is_some_and(|list| {
        parts(list).all(|part| !matches!(kind(part), Kind::DictionarySplat | Kind::KeywordArgument))
    })
}

#[cfg(test)]
mod tests {
    use crate::python::support::testing::mutants;

    #[test]
    fn classes_by_their_names() {
        assert_eq!(mutants("raise-type", "raise a.E(b) from c\n"), ["raise Exception(b) from c\n"]);
        let source =
            "raise\nraise e\nraise make(b)\nraise E(a=b)\nraise Exception(a)\nraise E(**a)\n";
        assert!(mutants("raise-type", source).is_empty());
    }
}
