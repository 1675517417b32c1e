//! mutation-testing-report-schema, version 2: what dashboards and the page's viewer read.
//!
//! Its states, by their published meanings: a time-out that killed is `Timeout`, every other kill
//! `Killed`; a survivor `Survived`, whatever it rests on; an undecided mutant `RuntimeError`, a run
//! that ended in an error rather than in an answer; one that was not run yet `Pending`; one that does
//! not compile or build `CompileError`; one that is not counted `Ignored`. The schema's score leaves
//! `RuntimeError` out, ours counts an undecided mutant as not killed.

use std::collections::BTreeMap;
use std::sync::Arc;

use adequacy_mutators::Language;
use serde::Serialize;
use serde_json::{Value, json};

use super::count::flaky;
use super::entry::{Entry, Standing};
use super::log::RunLog;
use super::place::Region;
use super::reached::reached;
use crate::outcome::{Outcome, Reason};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Report<'a> {
    schema_version: &'static str,
    thresholds: Value,
    files: BTreeMap<&'a str, File<'a>>,
    test_files: Value,
    framework: Value,
    config: Value,
}

#[derive(Serialize)]
struct File<'a> {
    language: &'static str,
    source: String,
    mutants: Vec<Mutant<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Mutant<'a> {
    id: &'a str,
    mutator_name: &'a str,
    description: String,
    replacement: String,
    location: Region,
    status: &'static str,
    status_reason: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    killed_by: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    covered_by: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tests_completed: Option<usize>,
}

/// The report as indented JSON.
pub(super) fn render(log: &RunLog) -> String {
    let mut text = serde_json::to_string_pretty(&report(log)).expect("plain values");
    text.push('\n');
    text
}

pub(super) fn report(log: &RunLog) -> Report<'_> {
    let flaky = flaky(&log.run);
    let mut files = BTreeMap::<&str, File<'_>>::new();
    for entry in &log.entries {
        let file = files.entry(&entry.row.path).or_insert_with(|| File {
            language: language(&entry.row.path),
            source: log.source(entry).map_or_else(String::new, super::Source::text),
            mutants: Vec::new(),
        });
        let mutant = mutant(log, entry, &flaky);
        if log.missing.contains(&*entry.row.path) {
            // Empty lines for those that are not at hand: readers count on every place being there.
            let lines = file.source.len().max(mutant.location.end.line);
            file.source = "\n".repeat(lines);
        }
        file.mutants.push(mutant);
    }
    let (name, version) = log.run.tool.split_once(' ').unwrap_or((&log.run.tool, ""));
    Report {
        schema_version: "2.0",
        thresholds: json!({"high": 100, "low": 80}),
        files,
        test_files: test_files(log),
        framework: json!({"name": name, "version": version}),
        config: json!({"contractId": log.run.task.contract_id, "notes": log.notes()}),
    }
}

/// The commands, and where they are known their tests, by file.
fn test_files(log: &RunLog) -> Value {
    let mut files = BTreeMap::<&str, Vec<Value>>::new();
    for (place, command) in log.run.commands.iter().enumerate() {
        let whole = json!({"id": place.to_string(), "name": command.id});
        files.entry("acceptance commands").or_default().push(whole);
        let tests = log.tests.get(&command.id).into_iter().flat_map(|reach| &reach.tests);
        for (number, (name, _)) in tests.enumerate() {
            let file = name.split("::").next().unwrap_or(name);
            let test = json!({"id": test_id(place, number), "name": name});
            files.entry(file).or_default().push(test);
        }
    }
    files.into_iter().map(|(file, tests)| (file.to_owned(), json!({"tests": tests}))).collect()
}

/// What a test of the command at `place` is called.
fn test_id(place: usize, number: usize) -> String {
    format!("{place}.{number}")
}

/// The tests that failed, of those that are known.
fn failed(log: &RunLog, entry: &Entry) -> Vec<String> {
    let id = |(place, test): &(usize, Arc<str>)| {
        let reach = log.tests.get(&log.run.commands[*place].id)?;
        let number = reach.tests.iter().position(|(name, _)| **name == **test)?;
        Some(test_id(*place, number))
    };
    entry.failed.iter().filter_map(id).collect()
}

fn mutant<'a>(log: &RunLog, entry: &'a Entry, flaky: &[bool]) -> Mutant<'a> {
    let row = &entry.row;
    let standing = entry.standing();
    let done = entry.outcome.is_some();
    let ran = entry.verdicts.iter().filter(|verdict| verdict.is_some()).count();
    let text = |place: usize| place.to_string();
    let places = entry.verdicts.iter().enumerate().filter(|(_, verdict)| verdict.is_some());
    let tests = reached(log, entry).into_iter().flat_map(|one| {
        let id = move |number| test_id(one.command, number);
        one.tests.into_iter().map(id)
    });
    Mutant {
        id: &row.id,
        mutator_name: &row.operator,
        description: row.in_words().unwrap_or_else(|| summary(&row.operator).to_owned()),
        replacement: row.after(),
        location: log.region(entry),
        status: status(standing),
        status_reason: standing.why(&log.run),
        killed_by: entry.killers(flaky).map(text).chain(failed(log, entry)).collect(),
        covered_by: places.map(|(place, _)| text(place)).chain(tests).collect(),
        duration: done.then(|| u64::try_from(entry.wall.as_millis()).unwrap_or(u64::MAX)),
        tests_completed: done.then_some(ran),
    }
}

fn status(standing: Standing<'_>) -> &'static str {
    match standing {
        Standing::Decided(Outcome::Killed { reason: Reason::TimeOut, .. }) => "Timeout",
        Standing::Decided(Outcome::Killed { .. }) => "Killed",
        Standing::Decided(Outcome::Survived) => "Survived",
        Standing::Decided(Outcome::Undecided { .. }) => "RuntimeError",
        Standing::Decided(Outcome::Unviable) | Standing::Unviable(_) => "CompileError",
        Standing::Decided(Outcome::NotBuilt) => "CompileError",
        Standing::Left(_) => "Ignored",
        Standing::Pending => "Pending",
    }
}

/// What an operator changes, in one sentence.
pub(super) fn summary(operator: &str) -> &str {
    adequacy_mutators::operator(operator).map_or(operator, |found| found.summary)
}

fn language(path: &str) -> &'static str {
    Language::of_file_name(path.as_bytes()).map_or("none", Language::name)
}
