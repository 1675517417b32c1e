//! `body-value`.

use syn::{Expr, Stmt};

use super::support::edits::Edits;
use super::support::values;
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "body-value",
        family: Family::Done1,
        statement: false,
        summary: "The whole body of a function becomes a value that its result type admits",
        shows: "No test looks at what the function does",
        examples: &[
            ("fn f(a: &str) -> bool { a.is_empty() }\n", "fn f(a: &str) -> bool { true }\n"),
            ("fn f(a: &mut u8) { *a = 1; }\n", "fn f(a: &mut u8) { () }\n"),
        ],
    },
    edits,
};

fn edits(site: &Site<'_>, out: &mut Edits<'_>) {
    let Site::Function(body) = site else { return };
    let span = out.source().range(body.block);
    let inner =
        out.source().text[span.clone()].trim_start_matches('{').trim_end_matches('}').trim();
    let is_there = |value: &str| {
        let plain = |text: &str| text.split_whitespace().collect::<String>();
        plain(inner) == plain(value) || inner.is_empty() && value == "()"
    };
    if says_nothing(&body.block.stmts) {
        return;
    }
    let start = out.source().range(&body.signature.fn_token).start;
    for value in values::of_function(&body.signature.output, body.place) {
        if !is_there(&value) {
            out.replace(start, span.clone(), &format!("{{ {value} }}"));
        }
    }
}

/// Whether the body only says that nothing is there yet.
fn says_nothing(statements: &[Stmt]) -> bool {
    let call = match statements {
        [Stmt::Macro(call)] => &call.mac,
        [Stmt::Expr(Expr::Macro(call), _)] => &call.mac,
        _ => return false,
    };
    ["todo", "unimplemented", "unreachable", "panic"].iter().any(|name| call.path.is_ident(name))
}

#[cfg(test)]
mod tests {
    use crate::rust::support::testing::mutants;

    #[test]
    fn bodies_that_are_the_value_already_or_nothing_yet_stay() {
        for source in [
            "fn f() {}",
            "fn f() -> ! { loop {} }",
            "fn f() -> u8 { todo!() }",
            "impl Default for A { fn default() -> Self { A::new() } }",
            "const fn f() -> A { A }",
            "trait A { fn f(&self) -> u8; }",
            "impl<T> A<T> { fn f(&self) -> T { self.0 } }",
            "trait A<T> { fn f(&self) -> T { self.g() } }",
        ] {
            assert!(mutants("body-value", source).is_empty(), "{source}");
        }
        assert_eq!(mutants("body-value", "const fn f() -> u8 { 0 }"), ["const fn f() -> u8 { 1 }"]);
        assert_eq!(mutants("body-value", "impl A { fn default() -> Self { A } }").len(), 1);
        for source in ["fn f<T: A + Default>() -> T { a }", "fn f<T>() -> T where T: Default { a }"]
        {
            assert_eq!(mutants("body-value", source).len(), 1, "{source}");
        }
        assert_eq!(mutants("body-value", "fn f() { fn g() -> bool { a } g() }").len(), 3);
    }
}
