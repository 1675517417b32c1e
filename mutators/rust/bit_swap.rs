//! `bit-swap`.

use syn::{BinOp, Expr};

use super::support::edits::Edits;
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "bit-swap",
        family: Family::Extra,
        statement: false,
        summary: "A bit operator becomes another: `&` to `|`, `^`; `|` to `&`, `^`; `^` to `|`, `&`",
        shows: "No test has bits set that tell the operators apart",
        examples: &[(
            "fn f(a: u8, b: u8) -> u8 { a & b }\n",
            "fn f(a: u8, b: u8) -> u8 { a | b }\n",
        )],
    },
    edits,
};

fn edits(site: &Site<'_>, out: &mut Edits<'_>) {
    let Site::Expression(Expr::Binary(binary)) = site else { return };
    let others: &[&str] = match binary.op {
        BinOp::BitAnd(_) => &["|", "^"],
        BinOp::BitOr(_) => &["&", "^"],
        BinOp::BitXor(_) => &["|", "&"],
        _ => return,
    };
    super::support::operators::swap(binary, others, out);
}

#[cfg(test)]
mod tests {
    use crate::rust::support::testing::mutants;

    #[test]
    fn only_between_values() {
        assert_eq!(mutants("bit-swap", "fn f(a: &u8) { a&&b; |x| x|&y; *a^b }").len(), 4);
        assert_eq!(
            mutants("bit-swap", "fn f() { a|&b }"),
            ["fn f() { a& &b }", "fn f() { a^ &b }"]
        );
    }
}
