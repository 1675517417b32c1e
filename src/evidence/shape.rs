//! A record of a known shape: strict JSON, then its JSON Schema, then what no schema can say.
//!
//! The schema is what is enforced, not a description beside the code: every fault it finds is
//! reported under a code that stays the same.

use std::fmt;

use jsonschema::Validator;
use jsonschema::error::ValidationErrorKind;
use serde_json::Value;

use crate::base::json::{self, Document};

/// What is wrong with a record.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fault {
    /// Its stable name: one of [`CODES`], or the number or name of a rule.
    pub code: String,
    /// Where in the record, as a JSON Pointer; empty for the whole.
    pub at: String,
    /// What is wrong there.
    pub message: String,
}

impl Fault {
    /// A fault at a place.
    #[must_use]
    pub fn new(code: &str, at: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code: code.to_owned(), at: at.into(), message: message.into() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = if self.at.is_empty() { "/" } else { &self.at };
        write!(f, "{} {at}: {}", self.code, self.message)
    }
}

/// The codes of faults that any shape can have, each with what it means.
pub const CODES: &[(&str, &str)] = &[
    ("json_invalid", "the record is JSON in UTF-8, at most 128 deep"),
    ("json_duplicate_member", "no object names a member twice"),
    ("json_number", "every number is finite"),
    ("member_missing", "every member that the shape demands is there"),
    ("member_type", "a member has the type that the shape demands"),
    ("member_word", "a member with a fixed vocabulary holds one of its words"),
    ("member_empty", "a member that must say something is not empty"),
    ("member_range", "a number lies in its range"),
    ("digest_malformed", "a digest is 64 lowercase hex digits"),
    ("path_malformed", "a path is relative and has no empty, `.` or `..` segment"),
    ("secret_literal", "a secret is named by an op:// reference, never given"),
    ("member_unknown", "the record holds no member that the shape does not know"),
];

/// The pattern of a digest, in every schema.
pub const DIGEST: &str = "^[0-9a-f]{64}$";

/// The pattern of a relative path without climbing, in every schema.
pub const PATH: &str = r"^(?!/)(?!.*//)(?!.*/$)(?!(?:.*/)?\.{1,2}(?:/|$)).+$";

/// The pattern of a reference to a secret.
pub const SECRET: &str = "^op://[^/]+/[^/]+/.+$";

/// A compiled shape.
pub struct Shape {
    schema: Value,
    lenient: Validator,
    /// Refuses every member that the schema does not name.
    closed: Validator,
}

impl Shape {
    /// Compiles a schema.
    ///
    /// # Panics
    /// When it is no JSON Schema: schemas are part of this program.
    #[must_use]
    pub fn new(schema: Value) -> Self {
        let compiled = |schema: &Value| Validator::new(schema).expect("a schema of this program");
        let mut closed = schema.clone();
        close(&mut closed);
        Self { lenient: compiled(&schema), closed: compiled(&closed), schema }
    }

    /// The JSON Schema.
    #[must_use]
    pub fn schema(&self) -> &Value {
        &self.schema
    }

    /// Reads a record: itself, or why it is none.
    ///
    /// # Errors
    /// The one [`Fault`] that keeps the text from being read.
    pub fn read(bytes: &[u8]) -> Result<Value, Fault> {
        let strict = Document::parse(bytes).map(|_| ());
        strict.map_err(|fault| {
            let code = match fault {
                json::Fault::Invalid => "json_invalid",
                json::Fault::DuplicateKey => "json_duplicate_member",
                json::Fault::Number => "json_number",
            };
            Fault::new(code, "", fault.to_string())
        })?;
        serde_json::from_slice(bytes)
            .map_err(|error| Fault::new("json_invalid", "", error.to_string()))
    }

    /// What the schema has against a record, in the order of the places.
    #[must_use]
    pub fn faults(&self, record: &Value) -> Vec<Fault> {
        let mut faults =
            self.lenient.iter_errors(record).map(|error| self.fault(&error)).collect::<Vec<_>>();
        faults.sort();
        faults.dedup();
        faults
    }

    /// Members of a record that the shape does not know, each as a fault.
    #[must_use]
    pub fn unknown(&self, record: &Value) -> Vec<Fault> {
        let mut faults = Vec::new();
        for error in self.closed.iter_errors(record) {
            if let ValidationErrorKind::AdditionalProperties { unexpected } = error.kind() {
                let at = error.instance_path().to_string();
                faults.extend(unexpected.iter().map(|name| {
                    Fault::new(
                        "member_unknown",
                        format!("{at}/{name}"),
                        "the shape knows no such member",
                    )
                }));
            }
        }
        faults.sort();
        faults
    }

    fn fault(&self, error: &jsonschema::ValidationError<'_>) -> Fault {
        let code = match error.kind() {
            ValidationErrorKind::Required { .. } => "member_missing",
            ValidationErrorKind::Type { .. } => "member_type",
            ValidationErrorKind::Pattern { pattern } if pattern == DIGEST => "digest_malformed",
            ValidationErrorKind::Pattern { pattern } if pattern == PATH => "path_malformed",
            ValidationErrorKind::Pattern { pattern } if pattern == SECRET => "secret_literal",
            ValidationErrorKind::MinLength { .. }
            | ValidationErrorKind::MinItems { .. }
            | ValidationErrorKind::MinProperties { .. } => "member_empty",
            ValidationErrorKind::Minimum { .. } | ValidationErrorKind::Maximum { .. } => {
                "member_range"
            }
            ValidationErrorKind::PropertyNames { .. } => "path_malformed",
            _ => "member_word",
        };
        let at = error.instance_path().to_string();
        match self.rule_of(error) {
            Some((rule, says)) => Fault::new(rule, at, format!("{says} ({})", error.masked())),
            None => Fault::new(code, at, error.masked().to_string()),
        }
    }

    /// The rule that a conditional of the schema stands for.
    fn rule_of(&self, error: &jsonschema::ValidationError<'_>) -> Option<(&str, &str)> {
        let path = error.schema_path().to_string();
        let place = path.strip_prefix("/allOf/")?.split('/').next()?.parse::<usize>().ok()?;
        let rule = &self.schema["allOf"][place];
        Some((rule["title"].as_str()?, rule["description"].as_str()?))
    }
}

/// Adds `additionalProperties: false` wherever a schema names the members of an object.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            if members.contains_key("properties") && !members.contains_key("additionalProperties") {
                members.insert("additionalProperties".to_owned(), Value::Bool(false));
            }
            // Conditionals name only the members they are about.
            let inner = members.iter_mut().filter(|(name, _)| name.as_str() != "allOf");
            inner.for_each(|(_, value)| close(value));
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shape() -> Shape {
        Shape::new(json!({
            "type": "object",
            "required": ["name", "pins"],
            "properties": {
                "name": {"type": "string", "minLength": 1},
                "pins": {
                    "type": "object",
                    "propertyNames": {"pattern": PATH},
                    "additionalProperties": {"type": "string", "pattern": DIGEST}
                },
                "inner": {"type": "object", "properties": {"a": {"type": "integer", "minimum": 0}}}
            },
            "allOf": [{
                "title": "INV-99",
                "description": "a needs b",
                "if": {"properties": {"name": {"const": "a"}}, "required": ["name"]},
                "then": {"required": ["inner"]}
            }]
        }))
    }

    fn codes(record: &Value) -> Vec<String> {
        shape()
            .faults(record)
            .into_iter()
            .map(|fault| format!("{} {}", fault.code, fault.at))
            .collect()
    }

    #[test]
    fn each_kind_of_fault_has_its_code() {
        let digest = "0".repeat(64);
        assert_eq!(codes(&json!({"name": "x", "pins": {"a/b": digest}})), [""; 0]);
        assert_eq!(codes(&json!({"name": "x"})), ["member_missing "]);
        assert_eq!(codes(&json!({"name": "", "pins": {}})), ["member_empty /name"]);
        assert_eq!(codes(&json!({"name": 1, "pins": {}})), ["member_type /name"]);
        assert_eq!(codes(&json!({"name": "x", "pins": {"a": "0"}})), ["digest_malformed /pins/a"]);
        let negative = json!({"name": "x", "pins": {}, "inner": {"a": -1}});
        assert_eq!(codes(&negative), ["member_range /inner/a"]);
        assert_eq!(codes(&json!({"name": "a", "pins": {}})), ["INV-99 "]);
    }

    #[test]
    fn a_path_that_climbs_is_refused() {
        let digest = "0".repeat(64);
        for path in ["../x", "a/../b", "/x", "a//b", "a/", ".", "./a", "a/.", ""] {
            let found = codes(&json!({"name": "x", "pins": {path: digest}}));
            assert_eq!(found, ["path_malformed /pins"], "{path:?}");
        }
        for path in ["a", "..a", "a/.b", ".hidden/x", "a..b/c", "a/b..", "é/ü"] {
            assert_eq!(codes(&json!({"name": "x", "pins": {path: digest}})), [""; 0], "{path:?}");
        }
    }

    #[test]
    fn unknown_members_are_found_at_every_depth_and_only_there() {
        let record = json!({"name": "x", "pins": {}, "more": 1, "inner": {"a": 1, "b": 2}});
        let found = shape().unknown(&record).into_iter().map(|fault| fault.at).collect::<Vec<_>>();
        assert_eq!(found, ["/inner/b", "/more"]);
    }

    #[test]
    fn a_text_is_read_strictly() {
        let code = |text: &str| Shape::read(text.as_bytes()).expect_err("refused").code;
        assert_eq!(code("{"), "json_invalid");
        assert_eq!(code(r#"{"a": 1, "a": 2}"#), "json_duplicate_member");
        assert_eq!(code(r#"{"a": NaN}"#), "json_number");
        assert_eq!(Shape::read(br#"{"a": 1}"#), Ok(json!({"a": 1})));
    }
}
