//! `integer-shift`.

use syn::{Expr, ExprLit, Lit};

use super::support::edits::Edits;
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "integer-shift",
        family: Family::Done1,
        statement: false,
        summary: "An integer becomes the next larger one; the largest of its type the one before it",
        shows: "No test depends on the exact number",
        examples: &[
            ("fn f() -> u8 { 41 }\n", "fn f() -> u8 { 42 }\n"),
            ("fn f() -> u8 { 0xffu8 }\n", "fn f() -> u8 { 0xfeu8 }\n"),
        ],
    },
    edits,
};

fn edits(site: &Site<'_>, out: &mut Edits<'_>) {
    let Site::Expression(Expr::Lit(ExprLit { lit: Lit::Int(number), .. })) = site else { return };
    let Ok(value) = number.base10_parse::<u128>() else { return };
    let Some(shifted) =
        (if is_largest(value) { value.checked_sub(1) } else { value.checked_add(1) })
    else {
        return;
    };
    let span = out.source().range(number);
    let text = &out.source().text[span.clone()];
    let digits = match text.get(..2) {
        Some("0x") => format!("0x{shifted:x}"),
        Some("0o") => format!("0o{shifted:o}"),
        Some("0b") => format!("0b{shifted:b}"),
        _ => shifted.to_string(),
    };
    out.replace(span.start, span.clone(), &(digits + number.suffix()));
}

/// Whether one more may not fit; a type is rarely written at the number, so any largest one counts.
fn is_largest(value: u128) -> bool {
    (value + u128::from(value < u128::MAX)).is_power_of_two() && value >= 127 || value == u128::MAX
}

#[cfg(test)]
mod tests {
    use crate::rust::support::testing::mutants;

    #[test]
    fn every_radix_and_no_place_that_is_no_value() {
        for (before, after) in [
            ("0", "1"),
            ("1_000usize", "1001usize"),
            ("0xFE", "0xff"),
            ("0b11", "0b100"),
            ("0o17i8", "0o20i8"),
            ("255", "254"),
            ("127", "126"),
            ("63", "64"),
            ("u64::MAX - 18446744073709551615", "u64::MAX - 18446744073709551614"),
        ] {
            let source = |number: &str| format!("fn f() {{ {number} }}");
            assert_eq!(mutants("integer-shift", &source(before)), [source(after)]);
        }
        for source in [
            "fn f() { a.0; b[..]; 1.5; \"1\"; [e; 3]; x::<4>() }",
            "enum A { B = 1 }",
            "type A = [u8; 2];",
            "fn f() { Vec::<u8>::with_capacity(n + 1); }",
        ] {
            assert!(mutants("integer-shift", source).is_empty(), "{source}");
        }
        assert_eq!(
            mutants(
                "integer-shift",
                "const A: u8 = 1; impl B { const C: u8 = 2; } static D: u8 = 3;"
            )
            .len(),
            3
        );
    }
}
