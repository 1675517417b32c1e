//! `relation-swap`.

use syn::{BinOp, Expr};

use super::support::edits::Edits;
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "relation-swap",
        family: Family::Done1,
        statement: false,
        summary: "A comparison becomes another: `==` and `!=`; `<` to `==`, `>`, `<=`; `>` to `==`, `<`, `>=`; `<=` to `>`; `>=` to `<`",
        shows: "No test has values on both sides of the comparison, or the value at its limit",
        examples: &[
            ("fn f(a: u8, b: u8) -> bool { a == b }\n", "fn f(a: u8, b: u8) -> bool { a != b }\n"),
            ("fn f(a: u8, b: u8) -> bool { a < b }\n", "fn f(a: u8, b: u8) -> bool { a <= b }\n"),
        ],
    },
    edits,
};

fn edits(site: &Site<'_>, out: &mut Edits<'_>) {
    let Site::Expression(Expr::Binary(binary)) = site else { return };
    let others: &[&str] = match binary.op {
        BinOp::Eq(_) => &["!="],
        BinOp::Ne(_) => &["=="],
        BinOp::Lt(_) => &["==", ">", "<="],
        BinOp::Gt(_) => &["==", "<", ">="],
        BinOp::Le(_) => &[">"],
        BinOp::Ge(_) => &["<"],
        _ => return,
    };
    super::support::operators::swap(binary, others, out);
}

#[cfg(test)]
mod tests {
    use crate::rust::support::testing::mutants;

    #[test]
    fn every_comparison() {
        let made = |operator: &str| {
            let source = format!("fn f() -> bool {{ a {operator} b }}");
            let made = mutants("relation-swap", &source);
            made.iter()
                .map(|text| text[19..].trim_end_matches(" b }").to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(made("<"), ["<=", "==", ">"]);
        assert_eq!(made(">"), ["<", "==", ">="]);
        assert_eq!(
            mutants("relation-swap", "fn f() { a + b as u8 >= c }"),
            ["fn f() { (a + b as u8) < c }"]
        );
        // `<-` is another token.
        assert_eq!(mutants("relation-swap", "fn f() { a>=-b }"), ["fn f() { a< -b }"]);
        assert_eq!(
            [made("<="), made(">="), made("=="), made("!=")].concat(),
            [">", "<", "!=", "=="]
        );
    }

    #[test]
    fn neither_patterns_nor_types_nor_tests_nor_unknown_macros() {
        for source in [
            "fn f() { let g: Vec<u8> = h::<u8>(); }",
            "fn f(x: u8) { match x { 1..=2 => {} _ => {} } }",
            "#[test] fn f() { a < b; }",
            "#[cfg(test)] mod tests { fn f() { a < b; } }",
            "fn f() { my!(a < b); std::assert!(a < b); }",
            "fn f() { unsafe { a < b; } } unsafe fn g() { a < b; }",
            "fn f() -> [u8; (1 < 2) as usize] { [0; (1 < 2) as usize] }",
        ] {
            assert!(mutants("relation-swap", source).is_empty(), "{source}");
        }
        assert_eq!(
            mutants("relation-swap", "fn f() { assert!(a == b, \"{}\", c == d) }"),
            ["fn f() { assert!(a != b, \"{}\", c == d) }"]
        );
        assert_eq!(mutants("relation-swap", "fn f() { vec![a == b; n] }").len(), 1);
    }
}
