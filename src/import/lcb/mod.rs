//! Tasks of one problem: a prompt, a place to start, cases that are shown and cases that are held out.

mod starter;

use std::fs;
use std::path::Path;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::document::{Acceptance, Document, Protected, first_line};
use super::folder::Folder;
use super::{ImportError, Imported, record};
use crate::task::TASK_FILE;

/// Runs a solution on cases; the same for visible and held-out ones.
const CHECK: &str = include_str!("check.py");

/// What is imported.
#[derive(Debug, Clone, Copy)]
pub struct Lcb<'a> {
    /// The file of records.
    pub record: &'a Path,
    /// The id of the record, where the file holds several.
    pub instance: Option<&'a str>,
    /// A right solution, instead of the record's own.
    pub solution: Option<&'a Path>,
}

/// The members of a record that a task is made of.
#[derive(Debug, Deserialize)]
struct Record {
    #[serde(deserialize_with = "record::text")]
    question_id: String,
    #[serde(default)]
    question_title: String,
    #[serde(default)]
    question_content: String,
    #[serde(default)]
    starter_code: String,
    #[serde(deserialize_with = "record::list")]
    public_test_cases: Vec<Case>,
    /// Read after a look at how it is packed.
    #[serde(default)]
    private_test_cases: Value,
    #[serde(default, deserialize_with = "entry")]
    metadata: Option<String>,
    reference_solution: Option<String>,
    code: Option<String>,
}

/// One case, as records have it and as the checker reads it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
struct Case {
    input: String,
    output: String,
    #[serde(default)]
    testtype: TestType,
}

/// How a case is put to a solution.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
enum TestType {
    /// The input of a program and what it prints.
    #[default]
    Stdin,
    /// The arguments of a function, a JSON value a line, and what it returns.
    Functional,
}

/// The file that the checker reads.
#[derive(Serialize)]
struct Cases<'a> {
    entry: Option<&'a str>,
    cases: &'a [Case],
}

/// Makes the task directory `place`: `start` and `reference` with `solution.py` and the visible cases
/// below `tests`, the private cases in `heldout`, and `adequacy.toml`.
///
/// # Errors
/// [`ImportError`]; then nothing is left at `place` or beside it.
pub fn lcb(source: &Lcb<'_>, place: &Path) -> Result<Imported, ImportError> {
    let record: Record = record::read(source.record, "question_id", source.instance)?;
    let held = private(&record.private_test_cases, source.record)?;
    let entry = record.metadata.as_deref();
    let solution = solution(source, &record)?;
    let start = check(&record, &held, &solution)?;
    let folder = Folder::begin(place)?;
    let cases = |cases: &[Case]| {
        serde_json::to_string_pretty(&Cases { entry, cases }).expect("texts are JSON") + "\n"
    };
    let visible = &record.public_test_cases;
    for (tree, text) in [("start", &start), ("reference", &solution)] {
        folder.file(&format!("{tree}/solution.py"), text)?;
        if !visible.is_empty() {
            folder.file(&format!("{tree}/tests/check.py"), CHECK)?;
            folder.file(&format!("{tree}/tests/visible.json"), cases(visible))?;
        }
    }
    if !held.is_empty() {
        folder.file("heldout/check.py", CHECK)?;
        folder.file("heldout/heldout.json", cases(&held))?;
    }
    folder.file(TASK_FILE, document(&record, !held.is_empty()).text())?;
    folder.finish()?;
    let mut notes = Vec::new();
    if visible.is_empty() {
        notes.push("the record has no visible case: the agent gets none".to_owned());
    }
    let made = vec![
        match entry {
            Some(entry) => format!("start, reference: solution.py with the function `{entry}`"),
            None => "start, reference: solution.py, a program".to_owned(),
        },
        format!("{TASK_FILE}: {} visible cases, {} held-out cases", visible.len(), held.len()),
    ];
    Ok(Imported { made, notes })
}

/// The private cases, if they are packed as JSON.
fn private(value: &Value, path: &Path) -> Result<Vec<Case>, ImportError> {
    if let Value::String(text) = value
        && !text.trim_start().is_empty()
        && !text.trim_start().starts_with('[')
    {
        return Err(ImportError::Refused(
            "the record's `private_test_cases` are packed as a Python pickle, which may run any code when it is opened and is never opened here; unpack it where you trust its source, and put the list of cases as JSON in its place".to_owned(),
        ));
    }
    record::list(value.clone()).map_err(|error| ImportError::Record {
        path: path.to_owned(),
        what: format!("cannot be read: private_test_cases: {error}"),
    })
}

/// The function's name in `metadata`, an object or its JSON.
fn entry<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    #[derive(Deserialize)]
    struct Metadata {
        func_name: Option<String>,
    }
    let value = match Value::deserialize(deserializer)? {
        Value::String(text) if text.trim().is_empty() => return Ok(None),
        Value::String(text) => serde_json::from_str(&text).map_err(serde::de::Error::custom)?,
        Value::Null => return Ok(None),
        value => value,
    };
    let metadata: Metadata = serde_json::from_value(value).map_err(serde::de::Error::custom)?;
    Ok(metadata.func_name.filter(|name| !name.is_empty()))
}

fn solution(source: &Lcb<'_>, record: &Record) -> Result<String, ImportError> {
    if let Some(path) = source.solution {
        return fs::read_to_string(path)
            .map_err(|source| ImportError::Read { path: path.to_owned(), source });
    }
    let own = record.reference_solution.as_ref().or(record.code.as_ref());
    own.filter(|text| !text.trim().is_empty()).cloned().ok_or_else(|| {
        let what = "the record holds no right solution; give one with --solution FILE";
        ImportError::Refused(what.to_owned())
    })
}

/// Refuses what could only fail later; gives the text of the start's solution.
fn check(record: &Record, held: &[Case], solution: &str) -> Result<String, ImportError> {
    let refused = |what: String| Err(ImportError::Refused(what));
    let cases = || record.public_test_cases.iter().chain(held);
    if cases().next().is_none() {
        return refused("the record has no case, visible or private".to_owned());
    }
    for (number, case) in
        cases().enumerate().filter(|(_, case)| case.testtype == TestType::Functional)
    {
        let is_json = |text: &str| serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
        let arguments = case.input.lines().filter(|line| !line.trim().is_empty()).all(is_json);
        if !arguments || !is_json(&case.output) {
            let number = number + 1;
            return refused(format!(
                "case {number} of the record's public and private ones is functional, and its arguments or its answer are no JSON values"
            ));
        }
    }
    let functional = cases().any(|case| case.testtype == TestType::Functional);
    let start = match (&record.metadata, functional) {
        (None, true) => {
            return refused(
                "the record has functional cases and no `func_name` in its metadata".to_owned(),
            );
        }
        (Some(name), true) => {
            if !starter::is_identifier(name) || !starter::defines(solution, name) {
                return refused(format!(
                    "the solution defines no function `{}`",
                    name.escape_debug()
                ));
            }
            starter::function(&record.starter_code, name)
        }
        (_, false) => starter::program(&record.starter_code),
    };
    if start == solution {
        return refused("the solution is what the agent starts with".to_owned());
    }
    Ok(start)
}

fn document(record: &Record, has_held: bool) -> Document {
    let argv = |check: &str, cases: &str| ["python3", check, cases].map(str::to_owned).to_vec();
    let mut acceptance = Vec::new();
    let mut protected = Vec::new();
    if !record.public_test_cases.is_empty() {
        let argv = argv("tests/check.py", "tests/visible.json");
        acceptance.push(Acceptance { id: "visible", argv, ..Acceptance::default() });
        protected.push(Protected { path: "tests".to_owned(), kind: "directory" });
    }
    if has_held {
        let argv = argv("../heldout/check.py", "../heldout/heldout.json");
        let role = Some("heldout");
        acceptance.push(Acceptance { id: "heldout", role, argv, ..Acceptance::default() });
    }
    let task = first_line(&record.question_title).or(first_line(&record.question_content));
    Document {
        contract_id: format!("contract-{}", record.question_id),
        task: task.unwrap_or(&record.question_id).to_owned(),
        start: "start",
        reference: Some("reference"),
        heldout: has_held.then_some("heldout"),
        acceptance,
        protected,
        ..Document::default()
    }
}
