//! Binary operators.

use syn::{Expr, ExprBinary};

use super::edits::Edits;

/// Whether a condition binds something with `let`.
pub(crate) fn holds_let(condition: &Expr) -> bool {
    match condition {
        Expr::Let(_) => true,
        Expr::Binary(binary) => holds_let(&binary.left) || holds_let(&binary.right),
        _ => false,
    }
}

/// Whether the last thing in an operand is the type of a cast.
fn ends_in_type(operand: &Expr) -> bool {
    match operand {
        Expr::Cast(_) => true,
        Expr::Binary(binary) => ends_in_type(&binary.right),
        Expr::Unary(unary) => ends_in_type(&unary.expr),
        Expr::Reference(reference) => ends_in_type(&reference.expr),
        _ => false,
    }
}

/// Puts each of `others` in the place of the operator of `binary`.
pub(crate) fn swap(binary: &ExprBinary, others: &[&str], out: &mut Edits<'_>) {
    let span = out.source().range(&binary.op);
    for other in others {
        if other.starts_with('<') && ends_in_type(&binary.left) {
            // Behind a type, `<` would begin its arguments.
            let left = out.source().range(&*binary.left);
            let text = format!("({}) {other}", &out.source().text[left.clone()]);
            out.replace(span.start, left.start..span.end, &text);
        } else {
            out.replace(span.start, span.clone(), other);
        }
    }
}
