//! What the compiler says of a tree that holds many mutants: which of them do not compile.

use std::collections::BTreeSet;

use serde::Deserialize;

use super::schema::number_of;

/// The errors of a build.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Errors {
    /// Numbers of the mutants that they are in.
    pub(super) arms: BTreeSet<u32>,
    /// Those that are in no mutant, in the compiler's words.
    pub(super) others: Vec<String>,
}

#[derive(Deserialize)]
struct Line {
    message: Option<Diagnostic>,
}

#[derive(Deserialize)]
struct Diagnostic {
    level: String,
    message: String,
    #[serde(default)]
    spans: Vec<Span>,
    #[serde(default)]
    children: Vec<Diagnostic>,
}

#[derive(Deserialize)]
struct Span {
    file_name: String,
    is_primary: bool,
    expansion: Option<Box<Expansion>>,
}

#[derive(Deserialize)]
struct Expansion {
    span: Span,
}

impl Errors {
    /// The errors among the lines that cargo wrote for a build whose mutants stand in `folder`.
    pub(super) fn read(lines: &[u8], folder: &str) -> Self {
        let mut errors = Self::default();
        for line in lines.split(|&byte| byte == b'\n') {
            // A test's own output is no line of cargo's.
            let Ok(Line { message: Some(said) }) = serde_json::from_slice(line) else { continue };
            let is_error = said.level.starts_with("error");
            if !is_error || said.spans.is_empty() && said.message.starts_with("aborting due to") {
                continue;
            }
            let mut arms = said.arms(folder, true);
            if arms.is_empty() {
                arms = said.arms(folder, false);
            }
            if arms.is_empty() {
                errors.others.push(said.message);
            }
            errors.arms.extend(arms);
        }
        errors
    }
}

impl Diagnostic {
    /// The mutants that it points to; with `primary` by the places it is about.
    fn arms(&self, folder: &str, primary: bool) -> BTreeSet<u32> {
        let spans = self.spans.iter().filter(|span| span.is_primary || !primary);
        let mut arms = spans.flat_map(|span| span.arms(folder)).collect::<BTreeSet<_>>();
        if !primary {
            arms.extend(self.children.iter().flat_map(|child| child.arms(folder, false)));
        }
        arms
    }
}

impl Span {
    fn arms(&self, folder: &str) -> Vec<u32> {
        let mut found = Vec::new();
        let mut next = Some(self);
        while let Some(span) = next {
            found.extend(number_of(&span.file_name, folder));
            next = span.expansion.as_ref().map(|expansion| &expansion.span);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn said(level: &str, message: &str, spans: &Value) -> String {
        let said = json!({"level": level, "message": message, "spans": spans, "children": []});
        json!({"reason": "compiler-message", "message": said}).to_string() + "\n"
    }

    #[test]
    fn an_error_is_of_the_mutants_it_points_to() {
        let span = |file: &str, is_primary: bool| json!({"file_name": file, "is_primary": is_primary, "expansion": null});
        let inside = json!({
            "file_name": "/std/macros.rs", "is_primary": true,
            "expansion": {"span": span("/w/one/m3.rs", false)},
        });
        let lines = [
            said(
                "error",
                "plain",
                &json!([span("/w/one/m12.rs", true), span("/w/one/m1.rs", false)]),
            ),
            said("error", "in a macro", &json!([inside])),
            said(
                "error",
                "beside",
                &json!([span("src/lib.rs", true), span("/w/one/m4.rs", false)]),
            ),
            said("error", "elsewhere", &json!([span("src/lib.rs", true)])),
            said("error", "aborting due to 4 previous errors", &json!([])),
            said("warning", "unused", &json!([span("/w/one/m5.rs", true)])),
            "{\"reason\":\"build-finished\",\"success\":false}\nno JSON\n".to_owned(),
        ];
        assert_eq!(
            Errors::read(lines.concat().as_bytes(), "/w/one"),
            Errors { arms: [3, 4, 12].into(), others: vec!["elsewhere".to_owned()] }
        );
    }
}
