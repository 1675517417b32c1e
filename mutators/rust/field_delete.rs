//! `field-delete`.

use syn::Expr;

use super::support::edits::Edits;
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "field-delete",
        family: Family::Extra,
        statement: false,
        summary: "A field is left to the `..` at the end of a struct expression",
        shows: "No test looks at the value of that field",
        examples: &[("fn f(a: A) -> A { A { b: 1, ..a } }\n", "fn f(a: A) -> A { A { ..a } }\n")],
    },
    edits,
};

fn edits(site: &Site<'_>, out: &mut Edits<'_>) {
    let Site::Expression(Expr::Struct(made)) = site else { return };
    let (Some(dots), Some(_)) = (&made.dot2_token, &made.rest) else { return };
    let starts = made.fields.iter().map(|field| out.source().range(field).start);
    let last = out.source().range(dots).start;
    let starts = starts.chain([last]).collect::<Vec<_>>();
    for pair in starts.windows(2) {
        let (start, next) = (pair[0], pair[1]);
        let text = &out.source().text[start..next];
        let end = text.find(',').map_or(next, |_| start + text.trim_end().len());
        let end =
            if out.source().text[end..next].bytes().all(|byte| byte == b' ') { next } else { end };
        out.replace(start, start..end, "");
    }
}

#[cfg(test)]
mod tests {
    use crate::rust::support::testing::mutants;

    #[test]
    fn each_field_with_its_comma() {
        assert_eq!(
            mutants("field-delete", "fn f() { A { b: (1, 2),\n c, ..d } }"),
            ["fn f() { A { \n c, ..d } }", "fn f() { A { b: (1, 2),\n ..d } }"]
        );
        assert!(mutants("field-delete", "fn f() { A { b: 1 } }").is_empty());
    }
}
