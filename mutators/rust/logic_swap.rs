//! `logic-swap`.

use syn::{BinOp, Expr};

use super::support::edits::Edits;
use super::support::operators::{holds_let, swap};
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "logic-swap",
        family: Family::Done1,
        statement: false,
        summary: "`&&` becomes `||` and the other way round",
        shows: "No test has conditions of which only one holds",
        examples: &[(
            "fn f(a: bool, b: bool) -> bool { a && b }\n",
            "fn f(a: bool, b: bool) -> bool { a || b }\n",
        )],
    },
    edits,
};

fn edits(site: &Site<'_>, out: &mut Edits<'_>) {
    let Site::Expression(Expr::Binary(binary)) = site else { return };
    let other = match binary.op {
        // A chain with `let` in it takes `&&` alone.
        BinOp::And(_) if !holds_let(&binary.left) && !holds_let(&binary.right) => "||",
        BinOp::Or(_) => "&&",
        _ => return,
    };
    swap(binary, &[other], out);
}

#[cfg(test)]
mod tests {
    use crate::rust::support::testing::mutants;

    #[test]
    fn chains_with_let_stay() {
        assert!(mutants("logic-swap", "fn f() { if let A = a && b && c {} }").is_empty());
        assert_eq!(
            mutants("logic-swap", "fn f() { if let A = a && (b&&&c) {} }"),
            ["fn f() { if let A = a && (b|| &c) {} }"]
        );
    }
}
