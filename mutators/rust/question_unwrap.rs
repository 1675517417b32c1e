//! `question-unwrap`.

use syn::Expr;

use super::support::edits::Edits;
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "question-unwrap",
        family: Family::Extra,
        statement: false,
        summary: "A `?` becomes `.unwrap()`: what it would hand to the caller panics",
        shows: "No test makes the operation fail",
        examples: &[(
            "fn f(a: Option<u8>) -> Option<u8> { Some(a? + 1) }\n",
            "fn f(a: Option<u8>) -> Option<u8> { Some(a.unwrap() + 1) }\n",
        )],
    },
    edits,
};

fn edits(site: &Site<'_>, out: &mut Edits<'_>) {
    let Site::Expression(Expr::Try(tried)) = site else { return };
    let span = out.source().range(&tried.question_token);
    let start = out.source().range(tried).start;
    out.replace(start, span, ".unwrap()");
}

#[cfg(test)]
mod tests {
    use crate::rust::support::testing::mutants;

    #[test]
    fn every_question() {
        assert_eq!(
            mutants("question-unwrap", "fn f() { a()?.b()?; }"),
            ["fn f() { a().unwrap().b()?; }", "fn f() { a()?.b().unwrap(); }"]
        );
    }
}
