//! `unary-remove`.

use syn::{Expr, UnOp};

use super::support::edits::Edits;
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "unary-remove",
        family: Family::Extra,
        statement: false,
        summary: "A `!` or a unary `-` is gone",
        shows: "No test depends on the negation",
        examples: &[
            ("fn f(a: bool) -> bool { !a }\n", "fn f(a: bool) -> bool { a }\n"),
            ("fn f(a: i8) -> i8 { -a }\n", "fn f(a: i8) -> i8 { a }\n"),
        ],
    },
    edits,
};

fn edits(site: &Site<'_>, out: &mut Edits<'_>) {
    let Site::Expression(Expr::Unary(unary)) = site else { return };
    let span = match &unary.op {
        UnOp::Not(token) => token.span,
        UnOp::Neg(token) => token.span,
        _ => return,
    };
    let span = out.source().range_of(span);
    out.replace(span.start, span, "");
}

#[cfg(test)]
mod tests {
    use crate::rust::support::testing::mutants;

    #[test]
    fn words_stay_apart() {
        assert_eq!(mutants("unary-remove", "fn f() { return!x }"), ["fn f() { return x }"]);
        assert_eq!(mutants("unary-remove", "fn f() { a - -1; *b }"), ["fn f() { a - 1; *b }"]);
    }
}
