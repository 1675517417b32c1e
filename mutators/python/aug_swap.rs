//! `aug-swap`.

use super::support::edits::Edits;
use super::support::operands;
use super::support::syntax::Kind;
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "aug-swap",
        family: Family::Extra,
        statement: false,
        summary: "An augmented assignment uses another operator: `+=` and `-=`, `*=` to `//=`, `/=`, `//=` and `**=` to `*=`, `%=` to `//=`, `<<=` and `>>=`, `&=` and `|=`, `^=` to `&=`",
        shows: "No test depends on the accumulated value",
        examples: &[("a += b\n", "a -= b\n")],
    },
    kinds: &[Kind::AugmentedAssignment],
    edits,
};

fn edits(site: &Site<'_, '_>, out: &mut Edits<'_>) {
    let Some(operator) = operands::operator(site.node) else { return };
    let new: &[u8] = match operator.kind() {
        "+=" => b"-=",
        "-=" => b"+=",
        "*=" | "%=" => b"//=",
        "/=" | "//=" | "**=" => b"*=",
        "<<=" => b">>=",
        ">>=" => b"<<=",
        // Not `^=`: it is the same as long as no bit is set twice, as when a mask is built.
        "|=" | "^=" => b"&=",
        "&=" => b"|=",
        _ => return,
    };
    out.replace(site.node, operator.byte_range(), &[new]);
}

#[cfg(test)]
mod tests {
    use crate::python::support::testing::mutants;

    #[test]
    fn a_mask_that_is_built_up_is_not_made_with_an_exclusive_or() {
        assert_eq!(
            mutants("aug-swap", "for b in bits: mask |= 1 << b\n"),
            ["for b in bits: mask &= 1 << b\n"]
        );
    }

    #[test]
    fn each_operator_becomes_the_listed_one() {
        for (before, after) in [
            ("+=", "-="),
            ("-=", "+="),
            ("*=", "//="),
            ("/=", "*="),
            ("//=", "*="),
            ("%=", "//="),
            ("**=", "*="),
            ("<<=", ">>="),
            (">>=", "<<="),
            ("&=", "|="),
            ("^=", "&="),
        ] {
            let made = mutants("aug-swap", &format!("a.b{before}c\n"));
            assert_eq!(made, [format!("a.b{after}c\n")]);
        }
        assert!(mutants("aug-swap", "a @= b\n").is_empty());
    }
}
