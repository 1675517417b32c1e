//! Code inside macro invocations: only of macros known to take plain expressions.

use syn::parse::{ParseStream, Parser as _};
use syn::punctuated::Punctuated;
use syn::{Expr, Macro, Token};

/// Macros of the standard library whose arguments are expressions that run once.
const KNOWN: &[&str] = &["assert", "assert_eq", "assert_ne", "format", "vec", "write", "writeln"];

/// The expressions that a known macro is given; nothing of any other macro.
pub(crate) fn expressions(call: &Macro) -> Vec<Expr> {
    // A path would be a macro of somebody else's by that name.
    let Some(name) = call.path.get_ident().map(ToString::to_string) else { return Vec::new() };
    if !KNOWN.contains(&&*name) {
        return Vec::new();
    }
    let list = |input: ParseStream<'_>| {
        let list = Punctuated::<Expr, Token![,]>::parse_terminated(input)?;
        Ok(list.into_iter().collect::<Vec<_>>())
    };
    let repeated = |input: ParseStream<'_>| {
        let element = input.parse::<Expr>()?;
        input.parse::<Token![;]>()?;
        Ok(vec![element, input.parse::<Expr>()?])
    };
    let tokens = &call.tokens;
    let found = list.parse2(tokens.clone());
    let found =
        if name == "vec" { found.or_else(|_| repeated.parse2(tokens.clone())) } else { found };
    let mut found = found.unwrap_or_default();
    if name.starts_with("assert") {
        // What follows is the message of a panic.
        found.truncate(if name == "assert" { 1 } else { 2 });
    }
    found
}
