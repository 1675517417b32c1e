//! `guard-replace`.

use syn::{Expr, Pat};

use super::support::edits::Edits;
use super::support::operators::holds_let;
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "guard-replace",
        family: Family::Extra,
        statement: false,
        summary: "The guard of an arm always holds, or never",
        shows: "No test has a value that the pattern takes and the guard refuses, or takes",
        examples: &[(
            "fn f(a: u8, b: bool) -> u8 { match a { 1 if b => 2, _ => 3 } }\n",
            "fn f(a: u8, b: bool) -> u8 { match a { 1 if true => 2, _ => 3 } }\n",
        )],
    },
    edits,
};

fn edits(site: &Site<'_>, out: &mut Edits<'_>) {
    let Site::Expression(Expr::Match(matched)) = site else { return };
    for arm in &matched.arms {
        let Pat::Guard(pattern) = &arm.pat else { continue };
        let span = out.source().range(&*pattern.guard);
        // What a `let` there binds would be gone.
        if holds_let(&pattern.guard) {
            continue;
        }
        for value in ["true", "false"] {
            out.replace(span.start, span.clone(), value);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::rust::support::testing::mutants;

    #[test]
    fn a_guard_that_binds_stays() {
        assert!(
            mutants("guard-replace", "fn f() { match a { A if let B = b && c => d, _ => e } }")
                .is_empty()
        );
        assert_eq!(
            mutants("guard-replace", "fn f() { match a { A if b==c => d, _ => e } }"),
            [
                "fn f() { match a { A if false => d, _ => e } }",
                "fn f() { match a { A if true => d, _ => e } }"
            ]
        );
    }
}
