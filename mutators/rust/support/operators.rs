//! Binary operators.

use syn::ExprBinary;

use super::edits::Edits;

/// Puts each of `others` in the place of the operator of `binary`.
pub(crate) fn swap(binary: &ExprBinary, others: &[&str], out: &mut Edits<'_>) {
    let span = out.source().range(&binary.op);
    for other in others {
        out.replace(span.start, span.clone(), other);
    }
}
