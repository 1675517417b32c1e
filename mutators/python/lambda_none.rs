//! `lambda-none`.

use super::support::edits::Edits;
use super::support::syntax::{Field, Kind, field, is_none};
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "lambda-none",
        family: Family::Extra,
        statement: false,
        summary: "The value of a lambda becomes `None`",
        shows: "No test depends on what the lambda computes",
        examples: &[("f = lambda x: x.y\n", "f = lambda x: None\n")],
    },
    kinds: &[Kind::Lambda],
    edits,
};

fn edits(site: &Site<'_, '_>, out: &mut Edits<'_>) {
    if let Some(body) = field(site.node, Field::Body)
        && !is_none(body)
    {
        out.replace(site.node, body.byte_range(), &[b"None"]);
    }
}

#[cfg(test)]
mod tests {
    use crate::python::support::testing::mutants;

    #[test]
    fn tokens_stay_apart() {
        assert_eq!(mutants("lambda-none", "lambda*_:_\n"), ["lambda*_:None\n"]);
        assert_eq!(
            mutants("lambda-none", "x = [a for a in b if(lambda:0)]\n"),
            ["x = [a for a in b if(lambda:None)]\n"]
        );
        assert!(mutants("lambda-none", "lambda: None\n").is_empty());
    }
}
