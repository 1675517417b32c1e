//! `default-none`.

use super::support::edits::Edits;
use super::support::syntax::{Field, Kind, field, is_none};
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "default-none",
        family: Family::Extra,
        statement: false,
        summary: "A default of a parameter becomes `None`",
        shows: "No test leaves this argument out",
        examples: &[("def f(a=1): pass\n", "def f(a=None): pass\n")],
    },
    kinds: &[Kind::DefaultParameter, Kind::TypedDefaultParameter],
    edits,
};

fn edits(site: &Site<'_, '_>, out: &mut Edits<'_>) {
    if let Some(value) = field(site.node, Field::Value)
        && !is_none(value)
    {
        out.replace(site.node, value.byte_range(), &[b"None"]);
    }
}

#[cfg(test)]
mod tests {
    use crate::python::support::testing::mutants;

    #[test]
    fn of_functions_and_lambdas() {
        assert_eq!(
            mutants("default-none", "def f(a: int = b, /, *, c=None): pass\n"),
            ["def f(a: int = None, /, *, c=None): pass\n"]
        );
        assert_eq!(mutants("default-none", "lambda a=1: a\n"), ["lambda a=None: a\n"]);
    }
}
