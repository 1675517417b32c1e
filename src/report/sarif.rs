//! SARIF 2.1.0: one result a survivor, and none else.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::entry::Entry;
use super::json::summary;
use super::log::RunLog;
use super::text::short;

/// Characters of a before or after in a message.
const ROOM: usize = 200;

/// The log as indented JSON; paths begin with `prefix`.
pub(super) fn render(log: &RunLog, prefix: &str) -> String {
    let operators = log.survivors().map(|entry| &*entry.row.operator);
    let rules = operators.collect::<BTreeSet<_>>().into_iter().map(rule).collect::<Vec<_>>();
    let results = log.survivors().map(|entry| result(log, entry, prefix)).collect::<Vec<_>>();
    let (name, version) = log.run.tool.split_once(' ').unwrap_or((&log.run.tool, ""));
    let notes = log.notes();
    let notes = notes.iter().map(|note| json!({"message": {"text": note}, "level": "warning"}));
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": name, "semanticVersion": version, "rules": rules}},
            "columnKind": "utf16CodeUnits",
            "invocations": [{
                "executionSuccessful": log.is_finished(),
                "toolExecutionNotifications": notes.collect::<Vec<_>>(),
            }],
            "results": results,
        }],
    });
    format!("{document:#}\n")
}

fn rule(operator: &str) -> Value {
    let shows = adequacy_mutators::operator(operator).map_or(operator, |found| found.shows);
    json!({
        "id": operator,
        "shortDescription": {"text": summary(operator)},
        "fullDescription": {"text": shows},
        "defaultConfiguration": {"level": "warning"},
    })
}

fn result(log: &RunLog, entry: &Entry, prefix: &str) -> Value {
    let row = &entry.row;
    let region = log.region(entry);
    let known = log.source(entry).is_some() && row.line > 0;
    let mut place = json!({"startLine": region.start.line});
    if known {
        place["startColumn"] = json!(region.start.column);
        place["endLine"] = json!(region.end.line);
        place["endColumn"] = json!(region.end.column);
    }
    json!({
        "ruleId": row.operator,
        "kind": "fail",
        "level": "warning",
        "message": {"text": message(log, entry)},
        "locations": [{
            "physicalLocation": {
                "artifactLocation": {"uri": uri(&format!("{prefix}{}", row.path))},
                "region": place,
            },
            "logicalLocations": [{
                "fullyQualifiedName": row.function.as_deref().unwrap_or(&row.path),
                "kind": if row.function.is_some() { "function" } else { "module" },
            }],
        }],
        "partialFingerprints": {"adequacyMutant/v1": row.id},
        "properties": {"class": row.class.name(), "basis": entry.basis},
    })
}

/// What a survivor shows, as plain text of one line.
pub(super) fn message(log: &RunLog, entry: &Entry) -> String {
    let row = &entry.row;
    match row.in_words() {
        Some(words) => format!("every command accepts this mutant: {words}"),
        None => {
            let (before, after) = row.lines(log.source(entry));
            let (before, after) = (short(&before, ROOM), short(&after, ROOM));
            format!("every command accepts `{after}` instead of `{before}` ({})", row.operator)
        }
    }
}

/// A path as a relative URI reference.
fn uri(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => {
                text.push(char::from(byte));
            }
            _ => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_becomes_a_uri() {
        assert_eq!(uri("src/a b#é.py"), "src/a%20b%23%C3%A9.py");
    }
}
