//! RFC 8785 bytes: the one spelling of a JSON value that digests and signatures cover.
//!
//! The spelling itself is the work of the crate `serde_json_canonicalizer`; what is refused is ours.

use serde::ser::{Error as _, Serialize, SerializeMap as _, SerializeSeq as _, Serializer};

use super::json::{Document, MAX_DEPTH, Node, Value};

/// The largest whole number that survives the trip through a double: 2^53 - 1.
pub const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;

/// A value has no canonical bytes that every reader takes for the same value.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum CanonicalError {
    /// NaN or an infinity.
    #[error("a number that is not finite has no canonical form")]
    NotFinite,
    /// RFC 8785 would round it.
    #[error("the whole number {0} is beyond 2^53-1 and would be rounded")]
    Unsafe(String),
    /// More containers inside one another than [`MAX_DEPTH`].
    #[error("a value is nested deeper than {MAX_DEPTH}")]
    TooDeep,
    /// An object names a member twice.
    #[error("an object names the member `{}` twice", .0.escape_debug())]
    DuplicateName(String),
}

/// The canonical bytes of a value this program made.
///
/// # Errors
/// [`CanonicalError`] for what no canonical form keeps: nothing is rounded, dropped or repaired.
pub fn to_vec(value: &Value) -> Result<Vec<u8>, CanonicalError> {
    check(value, 0)?;
    Ok(serde_json_canonicalizer::to_vec(&Owned(value))
        .expect("numbers are finite, names distinct, and writing to memory cannot fail"))
}

/// Whether a text is the canonical form of what it holds, as RFC 8785 spells it (whole numbers beyond
/// 2^53 included, which [`to_vec`] would not write).
#[must_use]
pub fn is_canonical(text: &[u8]) -> bool {
    let spelling =
        |document: &Document<'_>| serde_json_canonicalizer::to_vec(&Read(document.root()));
    Document::parse(text).is_ok_and(|document| spelling(&document).is_ok_and(|own| own == text))
}

fn check(value: &Value, depth: usize) -> Result<(), CanonicalError> {
    if depth == MAX_DEPTH && matches!(value, Value::Array(_) | Value::Object(_)) {
        return Err(CanonicalError::TooDeep);
    }
    match value {
        Value::Null | Value::Bool(_) | Value::String(_) => Ok(()),
        Value::Float(number) if !number.is_finite() => Err(CanonicalError::NotFinite),
        Value::Float(_) => Ok(()),
        Value::Integer(number) => {
            let safe = number.as_i64().filter(|n| n.unsigned_abs() <= MAX_SAFE_INTEGER);
            safe.map(|_| ()).ok_or_else(|| CanonicalError::Unsafe(number.to_string()))
        }
        Value::Array(items) => items.iter().try_for_each(|item| check(item, depth + 1)),
        Value::Object(members) => {
            let mut names: Vec<&str> = members.iter().map(|(name, _)| name.as_str()).collect();
            names.sort_unstable();
            if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
                return Err(CanonicalError::DuplicateName(pair[0].to_owned()));
            }
            members.iter().try_for_each(|(_, value)| check(value, depth + 1))
        }
    }
}

/// A value that [`check`] has passed.
struct Owned<'v>(&'v Value);

impl Serialize for Owned<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Null => serializer.serialize_unit(),
            Value::Bool(flag) => serializer.serialize_bool(*flag),
            Value::Integer(number) => {
                let number = number.as_i64().ok_or_else(|| S::Error::custom("not safe"))?;
                serializer.serialize_i64(number)
            }
            Value::Float(number) => serializer.serialize_f64(*number),
            Value::String(text) => serializer.serialize_str(text),
            Value::Array(items) => serializer.collect_seq(items.iter().map(Owned)),
            Value::Object(members) => {
                serializer.collect_map(members.iter().map(|(name, value)| (name, Owned(value))))
            }
        }
    }
}

/// A value of a parsed document: its numbers are finite and its names distinct.
struct Read<'d>(Node<'d>);

impl Serialize for Read<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let node = self.0;
        if let Some(text) = node.as_str() {
            return serializer.serialize_str(text);
        }
        if let Some(items) = node.items() {
            let mut list = serializer.serialize_seq(None)?;
            items.map(Read).try_for_each(|item| list.serialize_element(&item))?;
            return list.end();
        }
        if let Some(members) = node.members() {
            let mut map = serializer.serialize_map(None)?;
            for (name, value) in members {
                map.serialize_entry(name, &Read(value))?;
            }
            return map.end();
        }
        if let Some(digits) = node.as_integer() {
            // RFC 8785 knows only doubles; the writer would turn an infinite one into `null`.
            let number: f64 = digits.parse().map_err(S::Error::custom)?;
            if number.is_infinite() {
                return Err(S::Error::custom("a whole number beyond all doubles"));
            }
            return serializer.serialize_f64(number);
        }
        match (node.as_float(), node.as_bool()) {
            (Some(number), _) => serializer.serialize_f64(number),
            (None, Some(flag)) => serializer.serialize_bool(flag),
            (None, None) => serializer.serialize_unit(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(text: &str) -> Result<String, CanonicalError> {
        let document = Document::parse(text.as_bytes()).expect("JSON");
        let bytes = to_vec(&document.root().to_value())?;
        assert!(is_canonical(&bytes));
        Ok(String::from_utf8(bytes).expect("JSON is UTF-8"))
    }

    #[test]
    fn names_numbers_and_strings_are_spelled_as_rfc_8785_says() {
        let pairs = [
            (r#"{"\ue000":1,"\ud83d\ude00":2,"a":3}"#, "{\"a\":3,\"\u{1f600}\":2,\"\u{e000}\":1}"),
            ("[1.0,1e21,1e20,-0,-0.0,0.1e1,1E-7]", "[1,1e+21,100000000000000000000,0,0,1,1e-7]"),
            (r#""\u0000\u001f\u007f\/\"\\\n\u00e9""#, "\"\\u0000\\u001f\u{7f}/\\\"\\\\\\n\u{e9}\""),
            ("9007199254740991", "9007199254740991"),
        ];
        for (text, expected) in pairs {
            assert_eq!(canonical(text).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_would_be_rounded_or_lost_is_refused() {
        let beyond = CanonicalError::Unsafe("9007199254740992".to_owned());
        assert_eq!(canonical("9007199254740992"), Err(beyond));
        assert!(canonical("[-9007199254740991]").is_ok());
        assert!(canonical("-9007199254740992").is_err());
        let nan = Value::Array(vec![Value::Float(f64::NAN)]);
        assert_eq!(to_vec(&nan), Err(CanonicalError::NotFinite));
        let twice = Value::object([("a", true.into()), ("a", true.into())]);
        assert_eq!(to_vec(&twice), Err(CanonicalError::DuplicateName("a".to_owned())));
        let nested = |depth| (0..depth).fold(Value::Null, |inner, _| Value::Array(vec![inner]));
        assert!(to_vec(&nested(128)).is_ok());
        assert_eq!(to_vec(&nested(129)), Err(CanonicalError::TooDeep));
    }

    #[test]
    fn one_spelling_is_canonical_and_no_other() {
        for text in ["[1]", "{\"a\":1,\"b\":[]}", "\"\u{e9}\"", "9007199254740992"] {
            assert!(is_canonical(text.as_bytes()), "{text}");
        }
        let others =
            ["[1 ]", "[1]\n", "[1.0]", "{\"b\":1,\"a\":1}", "\"\\u00e9\"", "9007199254740993"];
        for text in others {
            assert!(!is_canonical(text.as_bytes()), "{text}");
        }
        assert!(!is_canonical(format!("[1{}]", "0".repeat(400)).as_bytes()));
        assert!(!is_canonical(b"{"));
    }
}
