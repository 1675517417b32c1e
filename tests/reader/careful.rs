//! The careful answers of `done-records` section 8, and those on which readers of the field differ.

use adequacy::base::Sha256;
use adequacy::base::code::Code;
use adequacy::base::json::{Document, Fault};
use adequacy::verify::{MAX_BYTES, verify};

/// A record whose one gate has this as its member `x`.
fn record(x: &str) -> String {
    format!(
        r#"{{"schema_version":"probity-done-contract/v1","contract_id":"c","protected_paths":[],
        "acceptance":[{{"id":"unit","argv":["true"]}}],
        "adequacy":{{"mutants":4,"killed":1,"gates":{{"g":{{"pass":true,"x":{x}}}}}}}}}"#
    )
}

/// The Statement over the record's bytes that carries this predicate.
fn statement(record: &str, predicate: &str) -> String {
    format!(
        r#"{{"_type":"https://in-toto.io/Statement/v1",
        "subject":[{{"name":"contract.json","digest":{{"sha256":"{}"}}}}],
        "predicateType":"https://w3id.org/agent-evidence/predicate/v1/done-contract",
        "predicate":{predicate}}}"#,
        Sha256::of(record.as_bytes())
    )
}

fn answer(record: &str, predicate: &str) -> Result<(), Code> {
    verify(statement(record, predicate).as_bytes(), record.as_bytes()).map(|_| ())
}

/// The answer to a record with this in a gate, under a Statement that says nothing of it.
fn answer_alone(x: &str) -> Result<(), Code> {
    answer(&record(x), "null")
}

fn nested(depth: usize) -> String {
    format!("{}1{}", "[".repeat(depth), "]".repeat(depth))
}

#[test]
fn depth_128_is_read_and_129_is_not() {
    assert!(Document::parse(nested(128).as_bytes()).is_ok());
    assert_eq!(Document::parse(nested(129).as_bytes()).err(), Some(Fault::Invalid));
    // The gate's member stands four levels down, in the Statement five.
    assert_eq!(answer(&record(&nested(123)), &record(&nested(123))), Ok(()));
    assert_eq!(answer_alone(&nested(124)), Err(Code::StatementPredicateDiffers));
    assert_eq!(answer_alone(&nested(125)), Err(Code::ContractJsonInvalid));
    let deeper = answer(&record(&nested(124)), &record(&nested(124)));
    assert_eq!(deeper, Err(Code::StatementJsonInvalid));
}

#[test]
fn a_million_open_brackets_are_refused_without_a_stack() {
    for text in ["[".repeat(1_000_000), "{\"a\":".repeat(1_000_000)] {
        assert_eq!(Document::parse(text.as_bytes()).err(), Some(Fault::Invalid));
    }
}

#[test]
fn half_a_surrogate_pair_is_refused() {
    for x in [r#""\ud800""#, r#""\udc00""#, r#""\ud800\ud800""#, r#""\ud83dx""#, r#"{"\udfff":1}"#]
    {
        assert_eq!(answer_alone(x), Err(Code::ContractJsonInvalid), "{x}");
        let told = answer(&record("1"), &record(x));
        assert_eq!(told, Err(Code::StatementJsonInvalid), "{x}");
    }
    assert_eq!(answer(&record(r#""\ud83d\ude00""#), &record("\"\u{1f600}\"")), Ok(()));
}

#[test]
fn a_number_beyond_all_doubles_is_refused_where_it_stands() {
    for x in ["1e400", "-1e400", "1e99999999999999999999", "0.1e310"] {
        assert_eq!(answer_alone(x), Err(Code::ContractJsonNumber), "{x}");
    }
    assert_eq!(answer_alone("[1e400 x"), Err(Code::ContractJsonNumber));
    assert_eq!(answer_alone("[x 1e400"), Err(Code::ContractJsonInvalid));
    assert_eq!(answer(&record("1e-400"), &record("0.0")), Ok(()));
}

#[test]
fn integers_of_4300_digits_are_exact_and_longer_ones_refused() {
    let digits = "7".repeat(4300);
    assert_eq!(answer(&record(&digits), &record(&digits)), Ok(()));
    let other = format!("{}8", "7".repeat(4299));
    let differs = answer(&record(&digits), &record(&other));
    assert_eq!(differs, Err(Code::StatementPredicateDiffers));
    assert_eq!(answer_alone(&"7".repeat(4301)), Err(Code::ContractJsonInvalid));
    assert_eq!(answer_alone(&format!("-{}", "7".repeat(4301))), Err(Code::ContractJsonInvalid));
    let float = format!("0.{}", "7".repeat(5000));
    assert_eq!(answer(&record(&float), &record(&float)), Ok(()));
}

#[test]
fn the_types_of_json_are_kept_apart() {
    let pairs = [
        ("1", "true"),
        ("0", "false"),
        ("4", "4.0"),
        ("4", "4e0"),
        ("0", "-0.0"),
        ("9007199254740992", "9007199254740992.0"),
        ("9007199254740993", "9007199254740992"),
        ("1", "\"1\""),
        ("null", "false"),
        ("[]", "{}"),
        ("[1]", "1"),
        ("\"\"", "null"),
    ];
    for (own, other) in pairs {
        for (record_has, statement_has) in [(own, other), (other, own)] {
            let answer = answer(&record(record_has), &record(statement_has));
            let differs = Err(Code::StatementPredicateDiffers);
            assert_eq!(answer, differs, "{record_has} told as {statement_has}");
        }
    }
    for (own, other) in [("0", "-0"), ("0.0", "-0.0"), ("2.5", "25e-1"), ("\"a\"", r#""\u0061""#)] {
        assert_eq!(answer(&record(own), &record(other)), Ok(()), "{own} told as {other}");
    }
    let pass = record("1").replace("true", "1");
    assert_eq!(answer(&record("1"), &pass), Err(Code::StatementPredicateDiffers));
    let count = record("1").replace("\"mutants\":4", "\"mutants\":4.0");
    assert_eq!(answer(&record("1"), &count), Err(Code::StatementPredicateDiffers));
}

#[test]
fn counts_are_exact_where_words_and_doubles_end() {
    let with = |mutants: &str, killed: &str| {
        record("1")
            .replace("\"mutants\":4", &format!("\"mutants\":{mutants}"))
            .replace("\"killed\":1", &format!("\"killed\":{killed}"))
    };
    let answer = |text: &str| answer(text, text);
    let over = Err(Code::ContractAdequacyOvercount);
    assert_eq!(answer(&with("18446744073709551616", "18446744073709551615")), Ok(()));
    assert_eq!(answer(&with("18446744073709551616", "18446744073709551617")), over);
    assert_eq!(answer(&with("9007199254740992", "9007199254740993")), over);
    let long = "9".repeat(4300);
    assert_eq!(answer(&with(&long, &long)), Ok(()));
    assert_eq!(answer(&with(&long, "-1")), Err(Code::ContractAdequacyCount));
}

#[test]
fn sixteen_mib_are_read_and_a_byte_more_is_not() {
    let padded = |text: &str, size: usize| [text, &" ".repeat(size - text.len())].concat();
    let own = padded(&record("1"), MAX_BYTES);
    let told = padded(&statement(&own, &record("1")), MAX_BYTES);
    assert!(verify(told.as_bytes(), own.as_bytes()).is_ok());
    let longer = verify(&[told.as_bytes(), b" "].concat(), b"");
    assert_eq!(longer.err(), Some(Code::MemberUnreadable));
    let longer = verify(told.as_bytes(), &[own.as_bytes(), b" "].concat());
    assert_eq!(longer.err(), Some(Code::MemberUnreadable));
}

#[test]
fn many_names_in_any_order_are_compared_in_good_time() {
    // Quadratic work on these would take a hundred times as long as the rest of the test.
    let names = 20_000;
    let object = |names: &mut dyn Iterator<Item = usize>| {
        let members: Vec<_> = names.map(|n| format!("\"{n}\":1")).collect();
        format!("{{{}}}", members.join(","))
    };
    let up = object(&mut (0..names));
    let down = object(&mut (0..names).rev());
    assert_eq!(answer(&record(&up), &record(&down)), Ok(()));
    let other = down.replacen(":1", ":2", 1);
    let differs = answer(&record(&up), &record(&other));
    assert_eq!(differs, Err(Code::StatementPredicateDiffers));
    let twice = up.replacen("\"0\"", &format!("\"{}\"", names - 1), 1);
    assert_eq!(answer_alone(&twice), Err(Code::ContractJsonDuplicateKey));
}
