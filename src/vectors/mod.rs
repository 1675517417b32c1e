//! The conformance corpus `vectors-done-contract`: its generator and its checker.
//!
//! Both are pure: the generator gives paths and bytes, the checker takes them. Careful answers, in
//! which a reader may rightly differ from the field's (`done-records` section 8), are no members; they
//! are this project's own tests.

mod cases;
pub mod check;
mod python_json;
#[cfg(test)]
mod tests;

use crate::base::Sha256;
use crate::base::code::Code;
use crate::base::json::{Document, Value};
use crate::statement::{PREDICATE_TYPE, STATEMENT_TYPE};
use cases::{Edit, Row};

/// What the manifest calls this suite of rules.
pub const SUITE: &str = "done-contract/v2";

/// One member of the corpus.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Its name, and that of its folder.
    pub id: &'static str,
    /// What it changes from which control, as one sentence.
    pub edit: String,
    /// The code it is refused under; none if it is valid.
    pub code: Option<Code>,
    /// The record's file.
    pub contract: Vec<u8>,
    /// The Statement's file.
    pub statement: Vec<u8>,
}

/// Every member, in the corpus's order; the same bytes every time.
#[must_use]
pub fn members() -> Vec<Member> {
    cases::all().map(member).collect()
}

/// Every file of the corpus: its path below the corpus's folder, and its bytes.
#[must_use]
pub fn files() -> Vec<(String, Vec<u8>)> {
    let members = members();
    let manifest = ("MANIFEST.json".to_owned(), manifest(&members));
    let of_member = |member: Member| {
        let path = |name: &str| format!("cases/{}/{name}", member.id);
        [(path("contract.json"), member.contract), (path("statement.json"), member.statement)]
    };
    std::iter::once(manifest).chain(members.into_iter().flat_map(of_member)).collect()
}

fn member(row: &Row) -> Member {
    let contract = edited(row.id, row.control.text, &row.contract);
    // A record that is not JSON cannot stand in a Statement that is: the control stands there.
    let is_json = Document::parse(&contract).is_ok();
    let told = std::str::from_utf8(&contract).ok().filter(|_| is_json).unwrap_or(row.control.text);
    let statement = edited(row.id, &statement(told, &contract), &row.statement);
    let contract = match &row.late {
        Edit::Replace([]) => contract,
        late => edited(row.id, told, late),
    };
    let edit = format!("{}: {}", row.control.name, row.says);
    Member { id: row.id, edit, code: row.code, contract, statement }
}

fn statement(predicate: &str, contract: &[u8]) -> String {
    let predicate = predicate.trim_end();
    let digest = Sha256::of(contract);
    format!(
        r#"{{
  "_type": "{STATEMENT_TYPE}",
  "subject": [{{"name": "contract.json", "digest": {{"sha256": "{digest}"}}}}],
  "predicateType": "{PREDICATE_TYPE}",
  "predicate": {predicate}
}}
"#
    )
}

fn edited(id: &str, text: &str, edit: &Edit) -> Vec<u8> {
    match edit {
        Edit::Bytes(make) => make(text),
        Edit::Replace(places) => {
            let replace = |text: String, (from, to): &(&str, &str)| {
                assert_eq!(text.matches(from).count(), 1, "{id}: `{from}` must occur once");
                text.replacen(from, to, 1)
            };
            places.iter().fold(text.to_owned(), replace).into_bytes()
        }
    }
}

fn manifest(members: &[Member]) -> Vec<u8> {
    let vectors = Value::Array(members.iter().map(entry).collect());
    let manifest = Value::object([
        ("corpusDigest", corpus_digest(&vectors).to_string().into()),
        ("predicateType", PREDICATE_TYPE.into()),
        ("suite", SUITE.into()),
        ("vectors", vectors),
    ]);
    python_json::dump(&manifest).into_bytes()
}

fn entry(member: &Member) -> Value {
    let verdict = match member.code {
        None => Value::object([("verdict", "valid".into())]),
        Some(code) => Value::object([("code", code.text().into()), ("verdict", "invalid".into())]),
    };
    let digest = |bytes: &[u8]| Value::from(Sha256::of(bytes).to_string());
    Value::object([
        ("edit", member.edit.as_str().into()),
        ("expected", Value::object([("contract", verdict)])),
        (
            "files",
            Value::object([
                ("contract.json", digest(&member.contract)),
                ("statement.json", digest(&member.statement)),
            ]),
        ),
        ("id", member.id.into()),
        ("kind", if member.code.is_none() { "valid" } else { "invalid" }.into()),
        ("path", format!("cases/{}", member.id).into()),
    ])
}

/// The digest that binds a manifest's list of members.
fn corpus_digest(vectors: &Value) -> Sha256 {
    Sha256::of(python_json::dump(vectors).as_bytes())
}
