//! `except-widen`.

use super::support::edits::Edits;
use super::support::syntax::{Field, Kind, fields, kind, parts};
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "except-widen",
        family: Family::Extra,
        statement: false,
        summary: "A handler catches every `Exception`",
        shows: "No test raises another exception and expects it to get through",
        examples: &[(
            "try:\n    a()\nexcept E as e:\n    b()\n",
            "try:\n    a()\nexcept Exception as e:\n    b()\n",
        )],
    },
    kinds: &[Kind::ExceptClause],
    edits,
};

fn edits(site: &Site<'_, '_>, out: &mut Edits<'_>) {
    let [value] = fields(site.node, Field::Value)[..] else { return };
    let caught = match kind(value) {
        Kind::AsPattern => parts(value).next().unwrap_or(value),
        _ => value,
    };
    if !matches!(site.text(caught), b"Exception" | b"BaseException") {
        out.replace(site.node, caught.byte_range(), &[b"Exception"]);
    }
}

#[cfg(test)]
mod tests {
    use crate::python::support::testing::mutants;

    #[test]
    fn any_type_but_the_widest() {
        assert_eq!(
            mutants("except-widen", "try: a\nexcept(E, F): b\n"),
            ["try: a\nexcept Exception: b\n"]
        );
        assert_eq!(
            mutants("except-widen", "try: a\nexcept*E as e: b\n"),
            ["try: a\nexcept*Exception as e: b\n"]
        );
        assert!(mutants("except-widen", "try: a\nexcept Exception: b\nexcept: c\n").is_empty());
    }
}
