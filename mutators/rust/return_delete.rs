//! `return-delete`.

use syn::{Expr, Stmt};

use super::support::edits::Edits;
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "return-delete",
        family: Family::Extra,
        statement: true,
        summary: "An early `return` at the end of an `if` without `else` is gone",
        shows: "No test needs the function to end there",
        examples: &[(
            "fn f(a: bool) -> u8 { if a { return 1; } 2 }\n",
            "fn f(a: bool) -> u8 { if a {  } 2 }\n",
        )],
    },
    edits,
};

fn edits(site: &Site<'_>, out: &mut Edits<'_>) {
    let Site::Expression(Expr::If(branch)) = site else { return };
    let (None, Some(last)) = (&branch.else_branch, branch.then_branch.stmts.last()) else { return };
    if matches!(last, Stmt::Expr(Expr::Return(_), _)) {
        let span = out.source().range(last);
        out.replace(span.start, span, "");
    }
}

#[cfg(test)]
mod tests {
    use crate::rust::support::testing::mutants;

    #[test]
    fn only_where_what_is_left_has_no_value() {
        assert_eq!(
            mutants("return-delete", "fn f() { if a { b(); return } }"),
            ["fn f() { if a { b();  } }"]
        );
        assert!(
            mutants("return-delete", "fn f() { if a { return; } else { b } return; }").is_empty()
        );
    }
}
