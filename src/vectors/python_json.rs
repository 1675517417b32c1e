//! JSON as Python's `json.dumps(value, indent=2, sort_keys=True)` and a newline write it: ASCII, names
//! sorted by code points. A corpus's digest covers that spelling.

use std::fmt::Write as _;

use crate::base::json::Value;

/// The value in that spelling. A float is spelled as Rust does it: a manifest that holds one may get
/// another digest than Python gives, and is then refused.
pub(super) fn dump(value: &Value) -> String {
    let mut text = String::new();
    write(value, 0, &mut text);
    text.push('\n');
    text
}

fn write(value: &Value, depth: usize, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(flag) => write!(out, "{flag}").expect("writing to a string"),
        Value::Integer(number) => write!(out, "{number}").expect("writing to a string"),
        Value::Float(number) => write!(out, "{number:?}").expect("writing to a string"),
        Value::String(text) => write_string(text, out),
        Value::Array(items) if items.is_empty() => out.push_str("[]"),
        Value::Object(members) if members.is_empty() => out.push_str("{}"),
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                out.push(if at == 0 { '[' } else { ',' });
                new_line(depth + 1, out);
                write(item, depth + 1, out);
            }
            new_line(depth, out);
            out.push(']');
        }
        Value::Object(members) => {
            let mut sorted: Vec<_> = members.iter().collect();
            sorted.sort_by_key(|(name, _)| name.as_str());
            for (at, (name, value)) in sorted.into_iter().enumerate() {
                out.push(if at == 0 { '{' } else { ',' });
                new_line(depth + 1, out);
                write_string(name, out);
                out.push_str(": ");
                write(value, depth + 1, out);
            }
            new_line(depth, out);
            out.push('}');
        }
    }
}

fn new_line(depth: usize, out: &mut String) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth));
}

fn write_string(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            ' '..='~' => out.push(c),
            _ => {
                let mut units = [0; 2];
                for unit in c.encode_utf16(&mut units) {
                    write!(out, "\\u{unit:04x}").expect("writing to a string");
                }
            }
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::Document;

    #[test]
    fn the_spelling_is_pythons() {
        let text = r#"{"b": [1, [], {}, null, true], "a\u0000": "\"\\\n\u007f\u00e9\ud83d\ude00~", "\uff5e": -12, "\ud83d\ude00": {"x": 0}}"#;
        let value = Document::parse(text.as_bytes()).expect("JSON").root().to_value();
        let python = "{\n  \"a\\u0000\": \"\\\"\\\\\\n\\u007f\\u00e9\\ud83d\\ude00~\",\n  \"b\": [\n    1,\n    [],\n    {},\n    null,\n    true\n  ],\n  \"\\uff5e\": -12,\n  \"\\ud83d\\ude00\": {\n    \"x\": 0\n  }\n}\n";
        assert_eq!(dump(&value), python);
    }
}
