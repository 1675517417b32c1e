//! GitLab's code quality report: one issue a survivor, known again by its content when lines move.

use serde_json::{Value, json};

use super::log::RunLog;
use super::ratchet::content_keys;
use super::sarif::message;
use crate::plan::Class;

/// The report as indented JSON; paths begin with `prefix`.
pub(super) fn render(log: &RunLog, prefix: &str) -> String {
    let keyed = content_keys(log).into_iter().zip(&log.entries);
    let survivors = keyed.filter(|(_, entry)| entry.is_survivor());
    let issues = survivors.map(|(key, entry)| {
        let region = log.region(entry);
        json!({
            "description": message(log, entry),
            "check_name": entry.row.operator,
            "fingerprint": key.to_string(),
            "severity": severity(entry.row.class),
            "location": {
                "path": format!("{prefix}{}", entry.row.path),
                "lines": {"begin": region.start.line, "end": region.end.line},
            },
        })
    });
    format!("{:#}\n", Value::Array(issues.collect()))
}

/// Doing nothing, or cheating, and being accepted is worse than an operator that nobody notices.
const fn severity(class: Class) -> &'static str {
    match class {
        Class::NullPatch | Class::StubPatch | Class::FileRevert | Class::HunkRevert => "critical",
        Class::Cheat | Class::CheatExtra | Class::Degenerate => "major",
        Class::Change | Class::Function | Class::Rest | Class::Extra | Class::Full => "minor",
    }
}
