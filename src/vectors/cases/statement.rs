//! The Statement.

use super::{Edit, FULL, PLAIN, Row, bad, bad_bytes, bad_statement, bad_statement_bytes};
use crate::base::code::Code;
use crate::base::code::Code::{
    StatementFields as Fields, StatementJsonDuplicateKey as Duplicate,
    StatementJsonInvalid as Invalid, StatementJsonNumber as Number,
    StatementPredicateDiffers as Differs, StatementPredicateTypeWrong as PredicateType,
    StatementSubjectMalformed as Subject, StatementSubjectUnbound as Unbound,
    StatementTypeWrong as Type,
};

/// The Statement's subject, with what stands before or behind its digest replaced.
macro_rules! subject {
    ($id:literal, $says:literal, $($from:literal => $to:literal),+) => {
        bad_statement($id, PLAIN, $says, &[$(($from, $to)),+], Subject)
    };
}

/// The record's file, changed after the Statement was made.
const fn late(id: &'static str, says: &'static str, late: fn(&str) -> Vec<u8>) -> Row {
    Row { late: Edit::Bytes(late), ..bad(id, PLAIN, says, &[], Unbound) }
}

/// The full control's predicate, changed.
const fn differs(
    id: &'static str,
    says: &'static str,
    at: &'static [(&'static str, &'static str)],
) -> Row {
    bad_statement(id, FULL, says, at, Differs)
}

pub(super) const ROWS: &[Row] = &[
    bad_statement_bytes(
        "statement-truncated",
        "the Statement's last closing brace is missing",
        |text| text.trim_end().trim_end_matches('}').into(),
        Invalid,
    ),
    bad_statement_bytes("statement-empty", "the Statement is empty", |_| Vec::new(), Invalid),
    bad_statement_bytes(
        "statement-byte-order-mark",
        "the Statement starts with a byte order mark",
        |text| ["\u{feff}", text].concat().into(),
        Invalid,
    ),
    bad_statement_bytes(
        "statement-trailing-data",
        "more follows the Statement",
        |text| [text, "null"].concat().into(),
        Invalid,
    ),
    bad_statement_bytes(
        "statement-not-utf-8",
        "the Statement ends with a byte that is not UTF-8",
        |text| [text.as_bytes(), b"\xff"].concat(),
        Invalid,
    ),
    bad_statement(
        "statement-duplicate-member",
        PLAIN,
        "the Statement has its type twice",
        &[(r#""subject""#, r#""_type": "https://in-toto.io/Statement/v1", "subject""#)],
        Duplicate,
    ),
    bad_statement(
        "statement-duplicate-in-predicate",
        PLAIN,
        "the predicate has a member twice",
        &[(r#""killed": 3"#, r#""killed": 3, "killed": 3"#)],
        Duplicate,
    ),
    bad_statement(
        "statement-not-a-number",
        PLAIN,
        "a count of the predicate is NaN",
        &[(r#""killed": 3"#, r#""killed": NaN"#)],
        Number,
    ),
    bad_statement_bytes(
        "statement-list",
        "the Statement is a list that holds it",
        |text| ["[", text, "]"].concat().into(),
        Fields,
    ),
    bad_statement(
        "statement-member-unexpected",
        PLAIN,
        "the Statement has a date",
        &[(r#""subject""#, r#""date": 0, "subject""#)],
        Fields,
    ),
    bad_statement(
        "statement-type-missing",
        PLAIN,
        "the Statement has no type",
        &[(r#""_type": "https://in-toto.io/Statement/v1","#, "")],
        Fields,
    ),
    bad_statement(
        "statement-type-wrong",
        PLAIN,
        "the Statement's type is v0.1",
        &[("Statement/v1", "Statement/v0.1")],
        Type,
    ),
    bad_statement(
        "statement-type-not-text",
        PLAIN,
        "the Statement's type is a list",
        &[(r#""https://in-toto.io/Statement/v1""#, r#"["https://in-toto.io/Statement/v1"]"#)],
        Type,
    ),
    bad_statement(
        "statement-predicate-type-wrong",
        PLAIN,
        "the predicate type is another of the same family",
        &[("v1/done-contract", "v1/done-receipt")],
        PredicateType,
    ),
    bad_statement(
        "statement-predicate-type-slash",
        PLAIN,
        "the predicate type ends with a slash",
        &[("v1/done-contract", "v1/done-contract/")],
        PredicateType,
    ),
    subject!("statement-subjects-two", "a second subject is named", r#""subject": ["# => r#""subject": [{"name": "other", "digest": {"sha256": "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"}}, "#),
    bad_statement_bytes(
        "statement-subjects-none",
        "no subject is named",
        |text| subject_becomes(text, "[]"),
        Subject,
    ),
    bad_statement_bytes(
        "statement-subject-object",
        "the subject is an object, not a list",
        |text| subject_becomes(text, r#"{"name": "contract.json"}"#),
        Subject,
    ),
    subject!("statement-subject-name-empty", "the subject's name is empty", r#""contract.json""# => r#""""#),
    subject!("statement-subject-name-not-text", "the subject's name is a number", r#""contract.json""# => "1"),
    subject!("statement-subject-name-missing", "the subject has no name", r#""name": "contract.json", "# => ""),
    subject!("statement-subject-member-unexpected", "the subject has a uri", r#""name": "contract.json""# => r#""name": "contract.json", "uri": "x""#),
    subject!("statement-subject-two-digests", "the subject has a second digest", r#""digest": {"# => r#""digest": {"sha1": "x", "#),
    subject!("statement-subject-other-algorithm", "the digest is another algorithm's", r#""digest": {"sha256""# => r#""digest": {"sha512""#),
    subject!("statement-subject-digest-text", "the digest is a string with its algorithm", r#""digest": {"sha256": ""# => r#""digest": "sha256:"#, "\"}}]" => "\"}]"),
    subject!("statement-subject-digest-long", "the digest has 65 digits", r#""digest": {"sha256": ""# => r#""digest": {"sha256": "0"#),
    bad_statement_bytes(
        "statement-subject-digest-uppercase",
        "the digest has capital letters",
        |text| with_digest(text, &str::to_uppercase),
        Subject,
    ),
    bad_statement_bytes(
        "statement-subject-unbound",
        "the digest is of other bytes",
        |text| with_digest(text, &|digest| digest.chars().rev().collect()),
        Unbound,
    ),
    late(
        "statement-subject-unbound-newline",
        "a newline is added to the record's file afterwards",
        |text| [text, "\n"].concat().into(),
    ),
    late(
        "statement-subject-unbound-line-ends",
        "the record's line ends are changed afterwards",
        |text| text.replace('\n', "\r\n").into(),
    ),
    late(
        "statement-subject-unbound-spelling",
        "white space is taken out of the record afterwards",
        |text| text.replace(": ", ":").into(),
    ),
    differs(
        "statement-predicate-differs",
        "the predicate's killed is one more",
        &[(r#""killed": 9"#, r#""killed": 10"#)],
    ),
    differs(
        "statement-predicate-member-missing",
        "the predicate has no task",
        &[(r#""task": "make parse_weight refuse negative weights","#, "")],
    ),
    differs(
        "statement-predicate-list-order",
        "the predicate lists two paths the other way round",
        &[(
            r#"["parcel/weight.py", "parcel/label.py"]"#,
            r#"["parcel/label.py", "parcel/weight.py"]"#,
        )],
    ),
    differs(
        "statement-predicate-text",
        "the predicate's task has one capital letter",
        &[("make parse_weight", "Make parse_weight")],
    ),
    Row {
        contract: Edit::Replace(&[("setup.cfg", "s\u{e9}tup.cfg")]),
        ..differs(
            "statement-predicate-normalisation",
            "the predicate spells a path in another Unicode normalisation",
            &[("s\u{e9}tup.cfg", "se\u{301}tup.cfg")],
        )
    },
    differs(
        "statement-predicate-threshold",
        "a gate's threshold is another number",
        &[(r#""threshold": 0.2"#, r#""threshold": 0.25"#)],
    ),
    bad_statement_bytes(
        "statement-predicate-null",
        "the predicate is null",
        |text| predicate_becomes(text, "null"),
        Differs,
    ),
    bad_statement_bytes(
        "statement-predicate-text-of-record",
        "the predicate is a string",
        |text| predicate_becomes(text, "\"contract.json\""),
        Differs,
    ),
    // Which of two documents is judged first, and which of two faults.
    bad_bytes(
        "order-record-json-after-statement",
        "the record is not JSON; its Statement holds the control",
        |_| b"{".into(),
        Code::ContractJsonInvalid,
    ),
    Row {
        contract: Edit::Bytes(|_| b"{".to_vec()),
        ..bad_statement(
            "order-statement-before-record",
            PLAIN,
            "the Statement's type is wrong and the record is not JSON: the Statement is judged first",
            &[("Statement/v1", "Statement/v2")],
            Type,
        )
    },
    Row {
        contract: Edit::Replace(&[(r#""killed": 3"#, r#""killed": 5"#)]),
        ..bad_statement_bytes(
            "order-record-before-subject-digest",
            "the record breaks a rule and the subject's digest is of other bytes: the record is judged first",
            |text| with_digest(text, &|digest| digest.chars().rev().collect()),
            Code::ContractAdequacyOvercount,
        )
    },
    Row {
        late: Edit::Bytes(|text| [text, " "].concat().into()),
        ..bad_statement(
            "order-subject-digest-before-predicate",
            PLAIN,
            "the predicate differs and the subject's digest is of other bytes: the digest is judged first",
            &[("\"killed\": 3", "\"killed\": 2")],
            Unbound,
        )
    },
    Row {
        contract: Edit::Bytes(|_| b"NaN".to_vec()),
        ..bad_statement(
            "order-predicate-number-before-record-number",
            PLAIN,
            "both hold NaN: the Statement is judged first",
            &[("\"killed\": 3", "\"killed\": NaN")],
            Number,
        )
    },
    bad_statement(
        "order-statement-fields-before-type",
        PLAIN,
        "the Statement has a member too many and a wrong type",
        &[(r#""_type": "https://in-toto.io/Statement/v1""#, r#""_type": 1, "date": 0"#)],
        Fields,
    ),
    bad_statement(
        "order-statement-type-before-predicate-type",
        PLAIN,
        "the Statement's type and the predicate type are wrong",
        &[("Statement/v1", "Statement/v2"), ("v1/done-contract", "v2/done-contract")],
        Type,
    ),
    bad_statement(
        "order-predicate-type-before-subject",
        PLAIN,
        "the predicate type is wrong and the subject has no name",
        &[(r#""contract.json""#, r#""""#), ("v1/done-contract", "v2/done-contract")],
        PredicateType,
    ),
    bad_statement(
        "order-subject-before-record",
        PLAIN,
        "the subject has no name and the predicate differs",
        &[(r#""contract.json""#, r#""""#), ("\"killed\": 3", "\"killed\": 2")],
        Subject,
    ),
];

/// The Statement with its subject's digest spelled differently.
fn with_digest(text: &str, spell: &dyn Fn(&str) -> String) -> Vec<u8> {
    let mark = r#""digest": {"sha256": ""#;
    let start = text.find(mark).expect("a Statement has a subject") + mark.len();
    [&text[..start], &spell(&text[start..start + 64]), &text[start + 64..]].concat().into()
}

/// The Statement with another subject.
fn subject_becomes(text: &str, subject: &str) -> Vec<u8> {
    let (before, rest) = text.split_once(r#""subject": "#).expect("a Statement has a subject");
    let (_, after) = rest.split_once("}}]").expect("a subject ends so");
    [before, r#""subject": "#, subject, after].concat().into()
}

/// The Statement with another predicate.
fn predicate_becomes(text: &str, predicate: &str) -> Vec<u8> {
    let (before, _) = text.split_once(r#""predicate": "#).expect("a Statement has a predicate");
    [before, r#""predicate": "#, predicate, "\n}\n"].concat().into()
}
