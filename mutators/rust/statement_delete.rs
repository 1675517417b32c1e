//! `statement-delete`.

use syn::{BinOp, Expr, Stmt};

use super::support::edits::Edits;
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "statement-delete",
        family: Family::Done1,
        statement: true,
        summary: "A call, an assignment or another expression that stands as a statement is gone",
        shows: "No test depends on what the statement does",
        examples: &[(
            "fn f(a: &mut Vec<u8>) { a.push(1); a.sort(); }\n",
            "fn f(a: &mut Vec<u8>) {  a.sort(); }\n",
        )],
    },
    edits,
};

fn edits(site: &Site<'_>, out: &mut Edits<'_>) {
    let Site::Block(block) = site else { return };
    for statement in &block.stmts {
        let Stmt::Expr(expression, Some(_)) = statement else { continue };
        if super::support::attributes::is_test(super::support::walk::attributes(expression)) {
            continue;
        }
        if has_effect(expression) {
            let span = out.source().range(statement);
            out.replace(span.start, span, "");
        }
    }
}

fn has_effect(expression: &Expr) -> bool {
    match expression {
        Expr::Assign(_) | Expr::Call(_) | Expr::MethodCall(_) => true,
        Expr::Await(awaited) => has_effect(&awaited.base),
        Expr::Try(tried) => has_effect(&tried.expr) || matches!(*tried.expr, Expr::Macro(_)),
        Expr::Binary(binary) => matches!(
            binary.op,
            BinOp::AddAssign(_)
                | BinOp::SubAssign(_)
                | BinOp::MulAssign(_)
                | BinOp::DivAssign(_)
                | BinOp::RemAssign(_)
                | BinOp::BitAndAssign(_)
                | BinOp::BitOrAssign(_)
                | BinOp::BitXorAssign(_)
                | BinOp::ShlAssign(_)
                | BinOp::ShrAssign(_)
        ),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::rust::support::testing::mutants;

    #[test]
    fn what_has_an_effect_goes() {
        assert_eq!(
            mutants(
                "statement-delete",
                "fn f() { a = 1; b += 2; g()?; write!(c, \"\")?; h().await; g() }"
            )
            .len(),
            5
        );
        for source in [
            "fn f() { let a = g(); return; log!(a); if b { return }; a; }",
            "fn f() { unsafe { g(); } }",
        ] {
            assert!(mutants("statement-delete", source).is_empty(), "{source}");
        }
        assert_eq!(
            mutants("statement-delete", "fn f() { #[cfg(test)] g(); h(); }"),
            ["fn f() { #[cfg(test)] g();  }"]
        );
    }
}
