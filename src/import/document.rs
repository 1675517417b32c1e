//! The task file that an import writes.

use serde::Serialize;

/// Its first line.
const HEAD: &str = "# Written by `adequacy import`; docs/task-file.md describes every key.\n\n";

/// The keys of a task file that imports use, in the order in which they stand.
#[derive(Debug, Default, Serialize)]
pub(super) struct Document {
    pub(super) contract_id: String,
    pub(super) task: String,
    pub(super) start: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reference: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) patch: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) heldout: Option<&'static str>,
    pub(super) acceptance: Vec<Acceptance>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) protected: Vec<Protected>,
}

/// One command.
#[derive(Debug, Default, Serialize)]
pub(super) struct Acceptance {
    pub(super) id: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) role: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) prepatch: Option<&'static str>,
    pub(super) argv: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) ids: Vec<String>,
}

/// One protected path.
#[derive(Debug, Serialize)]
pub(super) struct Protected {
    pub(super) path: String,
    pub(super) kind: &'static str,
}

impl Document {
    /// The text of the file.
    pub(super) fn text(&self) -> String {
        let text = toml::to_string_pretty(self).expect("texts and lists of texts are TOML");
        format!("{HEAD}{text}")
    }
}

/// The first line of a text that is not empty, trimmed.
pub(super) fn first_line(text: &str) -> Option<&str> {
    text.lines().map(str::trim).find(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_comes_back_from_the_file() {
        let odd = "it's \"x\"\n\ttab \\ '''\"\"\" é \u{1f600} \u{7f} [a] = # b\r";
        let document = Document {
            contract_id: odd.to_owned(),
            task: odd.to_owned(),
            start: "start",
            acceptance: vec![Acceptance {
                id: "one",
                argv: vec!["python3".to_owned(), odd.to_owned()],
                ids: vec![odd.to_owned()],
                ..Acceptance::default()
            }],
            protected: vec![Protected { path: odd.to_owned(), kind: "file" }],
            ..Document::default()
        };
        let read: toml::Table = toml::from_str(&document.text()).expect("TOML");
        let command = &read["acceptance"][0];
        for text in [
            &read["contract_id"],
            &read["task"],
            &command["argv"][1],
            &command["ids"][0],
            &read["protected"][0]["path"],
        ] {
            assert_eq!(text.as_str(), Some(odd));
        }
    }

    #[test]
    fn a_task_is_its_first_line_with_words() {
        assert_eq!(first_line("\n  \r\n  Fix it \nMore"), Some("Fix it"));
        assert_eq!(first_line(" \n"), None);
    }
}
