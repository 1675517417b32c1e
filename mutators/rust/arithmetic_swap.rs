//! `arithmetic-swap`.

use syn::{BinOp, Expr, ExprLit, Lit};

use super::support::edits::Edits;
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "arithmetic-swap",
        family: Family::Done1,
        statement: false,
        summary: "An arithmetic operator becomes another: `+` to `-`, `*`; `-` to `+`, `/`; `*` to `+`, `/`; `/` to `%`, `*`; `%` to `/`, `+`",
        shows: "No test depends on the result of the calculation",
        examples: &[(
            "fn f(a: u8, b: u8) -> u8 { a + b }\n",
            "fn f(a: u8, b: u8) -> u8 { a - b }\n",
        )],
    },
    edits,
};

fn edits(site: &Site<'_>, out: &mut Edits<'_>) {
    let Site::Expression(Expr::Binary(binary)) = site else { return };
    let others: &[&str] = match binary.op {
        // Text is joined with `+`, and with nothing else.
        BinOp::Add(_) if is_text(&binary.left) || is_text(&binary.right) => return,
        BinOp::Add(_) => &["-", "*"],
        BinOp::Sub(_) => &["+", "/"],
        BinOp::Mul(_) => &["+", "/"],
        BinOp::Div(_) => &["%", "*"],
        BinOp::Rem(_) => &["/", "+"],
        _ => return,
    };
    super::support::operators::swap(binary, others, out);
}

fn is_text(operand: &Expr) -> bool {
    match operand {
        Expr::Lit(ExprLit { lit: Lit::Str(_), .. }) => true,
        Expr::Reference(reference) => is_text(&reference.expr),
        Expr::Binary(binary) => is_text(&binary.left) || is_text(&binary.right),
        Expr::Macro(call) => call.mac.path.is_ident("format"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::rust::support::testing::mutants;

    #[test]
    fn tokens_stay_apart() {
        assert_eq!(
            mutants("arithmetic-swap", "fn f() { a-*b }"),
            ["fn f() { a+ *b }", "fn f() { a/ *b }"]
        );
        assert_eq!(
            mutants("arithmetic-swap", "fn f() { a +b }"),
            ["fn f() { a *b }", "fn f() { a -b }"]
        );
        let text = "#!/usr/bin/env x\r\nfn f() { \"\u{1f980}\"; a/b }\r\n";
        assert_eq!(mutants("arithmetic-swap", text)[0], text.replace("a/b", "a%b"));
    }

    #[test]
    fn text_is_only_joined() {
        for source in ["a + \"b\"", "\"a\" + b + c", "a + &format!(\"b\")"] {
            assert!(mutants("arithmetic-swap", &format!("fn f() {{ {source} }}")).is_empty());
        }
    }

    #[test]
    fn code_in_known_macros() {
        assert_eq!(
            mutants("arithmetic-swap", "fn f() { format!(\"{}\", a * b) }"),
            ["fn f() { format!(\"{}\", a + b) }", "fn f() { format!(\"{}\", a / b) }"]
        );
    }
}
