//! `range-end`.

use syn::{Expr, RangeLimits};

use super::support::edits::Edits;
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "range-end",
        family: Family::Extra,
        statement: false,
        summary: "The end of a range is part of it, or no longer: `..` and `..=`",
        shows: "No test reaches the end of the range",
        examples: &[
            (
                "fn f(n: u8) { for i in 0..n { g(i) } }\n",
                "fn f(n: u8) { for i in 0..=n { g(i) } }\n",
            ),
            ("fn f(a: &[u8]) -> &[u8] { &a[..=2] }\n", "fn f(a: &[u8]) -> &[u8] { &a[..2] }\n"),
        ],
    },
    edits,
};

fn edits(site: &Site<'_>, out: &mut Edits<'_>) {
    let Site::Expression(Expr::Range(range)) = site else { return };
    if range.end.is_none() {
        return;
    }
    let other = match range.limits {
        RangeLimits::HalfOpen(_) => "..=",
        RangeLimits::Closed(_) => "..",
    };
    let (node, limits) = (out.source().range(range), out.source().range(&range.limits));
    out.replace(node.start, limits, other);
}

#[cfg(test)]
mod tests {
    use crate::rust::support::testing::mutants;

    #[test]
    fn open_ranges_have_no_end() {
        assert!(mutants("range-end", "fn f() { a[1..]; a[..]; }").is_empty());
        assert_eq!(mutants("range-end", "fn f() { 0..-a }"), ["fn f() { 0..= -a }"]);
    }
}
