//! `shift-swap`.

use syn::{BinOp, Expr};

use super::support::edits::Edits;
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "shift-swap",
        family: Family::Extra,
        statement: false,
        summary: "`<<` becomes `>>` and the other way round",
        shows: "No test depends on the direction of the shift",
        examples: &[("fn f(a: u8) -> u8 { a << 2 }\n", "fn f(a: u8) -> u8 { a >> 2 }\n")],
    },
    edits,
};

fn edits(site: &Site<'_>, out: &mut Edits<'_>) {
    let Site::Expression(Expr::Binary(binary)) = site else { return };
    let other = match binary.op {
        BinOp::Shl(_) => ">>",
        BinOp::Shr(_) => "<<",
        _ => return,
    };
    super::support::operators::swap(binary, &[other], out);
}
