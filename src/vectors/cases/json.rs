//! Strict JSON: what is refused before any rule of the record, and where each fault is met.

use super::{PLAIN, Row, bad, bad_bytes};
use crate::base::code::Code::{
    ContractFields, ContractJsonDuplicateKey as Duplicate, ContractJsonInvalid as Invalid,
    ContractJsonNumber as Number,
};

/// The plain control's `killed`, written differently.
macro_rules! killed {
    ($id:literal, $says:literal, $value:literal, $code:expr) => {
        bad($id, PLAIN, $says, &[(r#""killed": 3"#, concat!("\"killed\": ", $value))], $code)
    };
}

/// The plain control's `contract_id`, written differently.
macro_rules! id {
    ($id:literal, $says:literal, $value:expr) => {
        bad($id, PLAIN, $says, &[(r#""contract-parcel-1""#, $value)], Invalid)
    };
}

/// A gate behind the plain control's counts.
macro_rules! gate {
    ($id:literal, $says:literal, $gate:expr, $code:expr) => {
        bad(
            $id,
            PLAIN,
            $says,
            &[(r#""killed": 3"#, concat!("\"killed\": 3, \"gates\": ", $gate))],
            $code,
        )
    };
}

pub(super) const ROWS: &[Row] = &[
    bad_bytes(
        "json-truncated",
        "the last closing brace is missing",
        |text| text.trim_end().trim_end_matches('}').into(),
        Invalid,
    ),
    bad_bytes("json-empty", "the file is empty", |_| Vec::new(), Invalid),
    bad_bytes("json-blank", "the file holds only white space", |_| b" \t\r\n".into(), Invalid),
    bad_bytes(
        "json-trailing-data",
        "a second value follows",
        |text| [text, "{}"].concat().into(),
        Invalid,
    ),
    bad_bytes(
        "json-trailing-nul",
        "a NUL byte follows",
        |text| [text, "\0"].concat().into(),
        Invalid,
    ),
    bad_bytes(
        "json-byte-order-mark",
        "a byte order mark stands in front",
        |text| ["\u{feff}", text].concat().into(),
        Invalid,
    ),
    bad_bytes(
        "json-utf-16",
        "the file is in UTF-16",
        |text| text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        Invalid,
    ),
    bad_bytes(
        "json-latin-1",
        "a byte of the id is not UTF-8",
        |text| spoil(text, b"\xe9"),
        Invalid,
    ),
    bad_bytes(
        "json-overlong",
        "a slash in the id is encoded in two bytes",
        |text| spoil(text, b"\xc0\xaf"),
        Invalid,
    ),
    bad_bytes(
        "json-encoded-surrogate",
        "half a surrogate pair in the id is encoded in three bytes",
        |text| spoil(text, b"\xed\xa0\x80"),
        Invalid,
    ),
    bad_bytes(
        "json-beyond-unicode",
        "a character of the id is beyond U+10FFFF",
        |text| spoil(text, b"\xf4\x90\x80\x80"),
        Invalid,
    ),
    bad_bytes("json-list", "the record is a list", |_| b"[]\n".into(), ContractFields),
    bad_bytes(
        "json-string",
        "the record is a string",
        |_| b"\"contract\"\n".into(),
        ContractFields,
    ),
    bad_bytes("json-null", "the record is null", |_| b"null\n".into(), ContractFields),
    killed!("json-nan", "killed is NaN", "NaN", Number),
    killed!("json-infinity", "killed is Infinity", "Infinity", Number),
    killed!("json-minus-infinity", "killed is -Infinity", "-Infinity", Number),
    killed!("json-nan-prefix", "only the start of a word is NaN", "NaNx", Number),
    killed!(
        "json-minus-infinity-prefix",
        "only the start of a word is -Infinity",
        "-Infinityx",
        Number
    ),
    killed!("json-minus-nan", "killed is -NaN", "-NaN", Invalid),
    killed!("json-nan-lowercase", "killed is nan", "nan", Invalid),
    killed!("json-infinity-short", "killed is Infinit", "Infinit", Invalid),
    killed!("json-inf", "killed is inf", "inf", Invalid),
    killed!("json-number-plus", "a number has a plus sign", "+3", Invalid),
    killed!("json-number-leading-zero", "a number has a leading zero", "03", Invalid),
    killed!("json-number-no-fraction", "a number has a point without digits", "3.", Invalid),
    killed!("json-number-no-whole", "a number starts with its point", ".5", Invalid),
    killed!("json-number-no-exponent", "a number has an exponent without digits", "3e", Invalid),
    killed!("json-number-minus-alone", "a number is a minus sign", "-", Invalid),
    killed!("json-number-hexadecimal", "a number is in hexadecimal", "0x3", Invalid),
    killed!(
        "json-number-arabic-digit",
        "a number has a digit that is not ASCII",
        "\u{663}",
        Invalid
    ),
    killed!("json-word-uppercase", "a word is True", "True", Invalid),
    killed!("json-comment", "a comment follows a value", "3 /* of 4 */", Invalid),
    killed!("json-trailing-comma", "a comma follows the last member", "3,", Invalid),
    killed!("json-form-feed", "a form feed stands between two tokens", "\u{c}3", Invalid),
    killed!(
        "json-no-break-space",
        "a no-break space stands between two tokens",
        "\u{a0}3",
        Invalid
    ),
    id!("json-single-quotes", "a string is in single quotes", "'contract-parcel-1'"),
    id!("json-raw-newline", "a string holds a line feed as it is", "\"contract\n1\""),
    id!("json-raw-nul", "a string holds NUL as it is", "\"contract\u{0}1\""),
    id!("json-escape-unknown", "a string has an unknown escape", r#""contract\x31""#),
    id!("json-escape-short", "a string has an escape of three digits", r#""contract\u031""#),
    id!("json-escape-signed", "a string has an escape with a sign", r#""contract\u+031""#),
    id!("json-name-unquoted", "a member's name has no quotes", r#""contract-parcel-1", task: "t""#),
    id!("json-colon-missing", "a member has no colon", r#""contract-parcel-1", "task" "t""#),
    id!(
        "json-comma-missing",
        "two members have no comma between them",
        r#""contract-parcel-1" "task": "t""#
    ),
    killed!("json-duplicate-member", "killed is given twice", "3, \"killed\": 3", Duplicate),
    killed!(
        "json-duplicate-escaped",
        "a member is given again with an escape in its name",
        r#"3, "kille\u0064": 3"#,
        Duplicate
    ),
    gate!(
        "json-duplicate-in-gate",
        "a free member of a gate has a member twice",
        r#"{"g": {"pass": true, "x": [{"y": 1, "y": 1}]}}"#,
        Duplicate
    ),
    gate!(
        "json-duplicate-pair",
        "a name is given as a character and as its pair of escapes",
        "{\"\u{1f600}\": {\"pass\": true}, \"\\ud83d\\ude00\": {\"pass\": true}}",
        Duplicate
    ),
    gate!(
        "json-duplicate-among-many",
        "the first of eleven names is given again",
        r#"{"g": {"pass": true, "a": 0, "b": 0, "c": 0, "d": 0, "e": 0, "f": 0, "g": 0, "h": 0, "i": 0, "j": 0, "pass": true}}"#,
        Duplicate
    ),
    // The order of faults.
    bad_bytes(
        "order-nan-then-bad-byte",
        "NaN stands in front of a byte that is not UTF-8: the encoding is judged first",
        |text| spoil(&text.replacen('[', "[NaN, ", 1), b"\xff"),
        Invalid,
    ),
    bad_bytes(
        "order-byte-order-mark-then-nan",
        "a byte order mark stands in front of NaN: the first fault is reported",
        |_| "\u{feff}NaN".into(),
        Invalid,
    ),
    gate!(
        "order-duplicate-then-nan",
        "NaN stands behind a second name, before the object closes: the number is reported",
        r#"{"a": 1, "a": NaN}"#,
        Number
    ),
    gate!(
        "order-nested-duplicate-then-nan",
        "an object with a duplicate closes before NaN: the duplicate is reported",
        r#"{"z": {"a": 1, "a": 2}, "b": NaN}"#,
        Duplicate
    ),
    bad_bytes(
        "order-duplicate-then-truncated",
        "the text ends before the object with a duplicate closes: the end is reported",
        |_| br#"{"a": 1, "a": 2"#.into(),
        Invalid,
    ),
    bad_bytes(
        "order-duplicate-then-trailing-data",
        "more follows the object with a duplicate: the duplicate is reported",
        |_| br#"{"a": 1, "a": 2}x"#.into(),
        Duplicate,
    ),
    bad_bytes(
        "order-syntax-then-nan",
        "a missing colon stands in front of NaN: the first fault is reported",
        |_| br#"{"a" 1, "b": NaN}"#.into(),
        Invalid,
    ),
    bad_bytes(
        "order-nan-then-syntax",
        "NaN stands in front of a missing colon: the first fault is reported",
        |_| br#"{"b": NaN, "a" 1}"#.into(),
        Number,
    ),
    bad_bytes(
        "order-outer-duplicate-after-inner-nan",
        "the outer object has a duplicate, an inner one NaN: the number comes before the outer object closes",
        |_| br#"{"a": 1, "a": {"b": NaN}}"#.into(),
        Number,
    ),
    gate!(
        "order-duplicate-then-rule",
        "a duplicate in the last member, a rule broken in the first: JSON is judged first",
        "[], \"gates\": []",
        Duplicate
    ),
];

/// The text with `bytes` in place of the id's last character.
fn spoil(text: &str, bytes: &[u8]) -> Vec<u8> {
    let (before, after) = text.split_once("parcel-1").expect("the control has this id");
    [before.as_bytes(), b"parcel-", bytes, after.as_bytes()].concat()
}
