//! `arm-delete`.

use syn::{Expr, Pat};

use super::support::edits::Edits;
use super::support::operators::holds_let;
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "arm-delete",
        family: Family::Extra,
        statement: true,
        summary: "An arm of a `match` is gone, where a last `_` takes what it took",
        shows: "No test reaches that arm, or sees a difference",
        examples: &[(
            "fn f(a: u8) -> u8 { match a { 1 => 2, _ => 3 } }\n",
            "fn f(a: u8) -> u8 { match a { _ => 3 } }\n",
        )],
    },
    edits,
};

fn edits(site: &Site<'_>, out: &mut Edits<'_>) {
    let Site::Expression(Expr::Match(matched)) = site else { return };
    let takes_all = |pattern: &Pat| matches!(pattern, Pat::Wild(_));
    if !matched.arms.iter().any(|arm| takes_all(&arm.pat)) {
        return;
    }
    for (place, arm) in matched.arms.iter().enumerate() {
        // A guard that never holds is the same mutant.
        let is_guarded = matches!(&arm.pat, Pat::Guard(guarded) if !holds_let(&guarded.guard));
        if takes_all(&arm.pat) || is_guarded {
            continue;
        }
        let span = out.source().range(arm);
        // Up to the next arm on the same line, so that no gap is left.
        let next = matched.arms.get(place + 1).map(|next| out.source().range(next).start);
        let between = next.map(|next| &out.source().text[span.end..next]);
        let is_gap = between.is_some_and(|text| text.bytes().all(|byte| byte == b' '));
        let end = if is_gap { next.unwrap_or(span.end) } else { span.end };
        out.replace(span.start, span.start..end, "");
    }
}

#[cfg(test)]
mod tests {
    use crate::rust::support::testing::mutants;

    #[test]
    fn every_arm_but_the_last_resort() {
        assert_eq!(
            mutants(
                "arm-delete",
                "fn f() { match a { A => {}\n B if c => d,\n C if let D = d => {}\n _ => e } }"
            ),
            [
                "fn f() { match a { \n B if c => d,\n C if let D = d => {}\n _ => e } }",
                "fn f() { match a { A => {}\n B if c => d,\n \n _ => e } }",
            ]
        );
        assert!(
            mutants("arm-delete", "fn f() { match a { A => 1, B => 2, _ if c => 3 } }").is_empty()
        );
    }
}
