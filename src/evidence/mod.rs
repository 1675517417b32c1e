//! The evidence of a run: records of known shapes, each holding a claim and what it rests on.
//!
//! `docs/evidence.md` describes them. Anybody's records of these shapes can be validated; what the
//! engine writes of its own runs goes through the same schemas.

pub mod budget;
mod kind;
pub mod manifest;
pub mod review;
mod rules;
pub mod scan;
mod shape;
pub mod static_scan;

pub use kind::{Checked, Kind};
pub use rules::{CLASSIFICATIONS, RULES, Rule};
pub use shape::{CODES, DIGEST, Fault, PATH, SECRET, Shape};

/// Whether a page of the documentation holds this table; with `UPDATE_DOCS` it is put where the page
/// holds `place`, or the table with the same head.
#[cfg(test)]
pub(crate) fn assert_page_holds(page: &str, place: &str, table: &str) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(page);
    let mut text = std::fs::read_to_string(&path).unwrap();
    if std::env::var_os("UPDATE_DOCS").is_some() && !text.contains(table) {
        let head = table.lines().next().unwrap();
        text = match text.find(&format!("{head}\n")) {
            Some(start) => {
                let rest = &text[start..];
                let end = rest.find("\n\n").map_or(rest.len(), |end| end + 1);
                format!("{}{table}{}", &text[..start], &rest[end..])
            }
            None => text.replacen(&format!("{place}\n"), table, 1),
        };
        std::fs::write(&path, &text).unwrap();
    }
    assert!(text.contains(table), "{page}: run the tests once with UPDATE_DOCS=1");
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;

    #[test]
    fn the_page_lists_every_code_and_rule() {
        let mut codes = String::from("| code | demands that |\n|---|---|\n");
        for (code, says) in CODES {
            writeln!(codes, "| `{code}` | {says} |").unwrap();
        }
        assert_page_holds("docs/evidence.md", "CODES_TABLE", &codes);
        let mut rules = String::from("| shape | rule | says |\n|---|---|---|\n");
        for rule in RULES {
            writeln!(rules, "| `{}` | `{}` | {} |", rule.kind.name(), rule.id, rule.says).unwrap();
        }
        assert_page_holds("docs/evidence.md", "RULES_TABLE", &rules);
    }
}
