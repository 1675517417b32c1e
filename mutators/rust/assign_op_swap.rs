//! `assign-op-swap`.

use syn::{BinOp, Expr, ExprLit, Lit};

use super::support::edits::Edits;
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "assign-op-swap",
        family: Family::Extra,
        statement: false,
        summary: "A compound assignment uses another operator: `+=` to `-=`, `*=`; `-=` to `+=`, `/=`; `*=` to `+=`, `/=`; `/=` to `%=`, `*=`; `%=` to `/=`, `+=`; `&=` to `|=`; `|=` to `&=`; `^=` to `|=`, `&=`; `<<=` and `>>=`",
        shows: "No test depends on how the value changes",
        examples: &[("fn f(a: &mut u8) { *a += 2; }\n", "fn f(a: &mut u8) { *a -= 2; }\n")],
    },
    edits,
};

fn edits(site: &Site<'_>, out: &mut Edits<'_>) {
    let Site::Expression(Expr::Binary(binary)) = site else { return };
    let is_text = matches!(*binary.right, Expr::Lit(ExprLit { lit: Lit::Str(_), .. }));
    let others: &[&str] = match binary.op {
        BinOp::AddAssign(_) if is_text => return,
        BinOp::AddAssign(_) => &["-=", "*="],
        BinOp::SubAssign(_) => &["+=", "/="],
        BinOp::MulAssign(_) => &["+=", "/="],
        BinOp::DivAssign(_) => &["%=", "*="],
        BinOp::RemAssign(_) => &["/=", "+="],
        BinOp::BitAndAssign(_) => &["|="],
        BinOp::BitOrAssign(_) => &["&="],
        BinOp::BitXorAssign(_) => &["|=", "&="],
        BinOp::ShlAssign(_) => &[">>="],
        BinOp::ShrAssign(_) => &["<<="],
        _ => return,
    };
    super::support::operators::swap(binary, others, out);
}

#[cfg(test)]
mod tests {
    use crate::rust::support::testing::mutants;

    #[test]
    fn a_mask_being_built_is_not_turned_over() {
        assert_eq!(mutants("assign-op-swap", "fn f() { a |= 1; }"), ["fn f() { a &= 1; }"]);
        assert!(mutants("assign-op-swap", "fn f() { a += \"b\"; a = b; }").is_empty());
    }
}
