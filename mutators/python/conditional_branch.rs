//! `conditional-branch`.

use super::support::edits::Edits;
use super::support::syntax::{Kind, parts};
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "conditional-branch",
        family: Family::Extra,
        statement: false,
        summary: "A conditional expression always takes the same side",
        shows: "No test needs both sides",
        examples: &[
            ("x = a if b else c\n", "x = a if True else c\n"),
            ("x = a if b else c\n", "x = a if False else c\n"),
        ],
    },
    kinds: &[Kind::ConditionalExpression],
    edits,
};

fn edits(site: &Site<'_, '_>, out: &mut Edits<'_>) {
    if let Some(test) = parts(site.node).nth(1) {
        out.replace(site.node, test.byte_range(), &[b"True"]);
        out.replace(site.node, test.byte_range(), &[b"False"]);
    }
}

#[cfg(test)]
mod tests {
    use crate::python::support::testing::mutants;

    #[test]
    fn nested_ones_each() {
        assert_eq!(
            mutants("conditional-branch", "x = a if(b)else c if d else e\n"),
            [
                "x = a if False else c if d else e\n",
                "x = a if True else c if d else e\n",
                "x = a if(b)else c if False else e\n",
                "x = a if(b)else c if True else e\n",
            ]
        );
    }
}
