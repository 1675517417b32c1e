//! The records of a benchmark: one JSON object, a list of them, or one a line.

use std::fs;
use std::path::Path;

use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::ImportError;

/// Reads the record of `path` whose member `key` is `wanted`, or the only one.
pub(super) fn read<T: DeserializeOwned>(
    path: &Path,
    key: &str,
    wanted: Option<&str>,
) -> Result<T, ImportError> {
    let bytes =
        fs::read(path).map_err(|source| ImportError::Read { path: path.to_owned(), source })?;
    let choice = |what: String| ImportError::Choice { path: path.to_owned(), what };
    let fault = |what: String| ImportError::Record { path: path.to_owned(), what };
    let mut found = Vec::new();
    for value in serde_json::Deserializer::from_slice(&bytes).into_iter::<Value>() {
        let value = value.map_err(|error| fault(format!("is no JSON: {error}")))?;
        let values = match value {
            Value::Array(values) => values,
            value => vec![value],
        };
        found
            .extend(values.into_iter().filter(|value| wanted.is_none_or(|id| is(&value[key], id))));
    }
    let count = found.len();
    let (Some(record), 1) = (found.pop(), count) else {
        return Err(choice(match (wanted, count) {
            (Some(id), 0) => format!("no record has the {key} `{id}`"),
            (Some(id), _) => format!("{count} records have the {key} `{id}`"),
            (None, 0) => "holds no record".to_owned(),
            (None, _) => format!("holds {count} records; choose one by its {key} with --instance"),
        }));
    };
    serde_json::from_value(record).map_err(|error| fault(format!("cannot be read: {error}")))
}

fn is(value: &Value, id: &str) -> bool {
    match value {
        Value::String(text) => text == id,
        Value::Number(number) => number.to_string() == id,
        _ => false,
    }
}

/// A list, or a text that holds its JSON.
pub(super) fn list<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    let value = match Value::deserialize(deserializer)? {
        Value::String(text) if text.trim().is_empty() => Value::Array(Vec::new()),
        Value::String(text) => serde_json::from_str(&text)
            .map_err(|error| D::Error::custom(format!("a text is no JSON of a list: {error}")))?,
        Value::Null => Value::Array(Vec::new()),
        value => value,
    };
    serde_json::from_value(value).map_err(D::Error::custom)
}

/// A text, or a number as text.
pub(super) fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    match Value::deserialize(deserializer)? {
        Value::String(text) => Ok(text),
        Value::Number(number) => Ok(number.to_string()),
        _ => Err(D::Error::custom("an id is neither a text nor a number")),
    }
}
