//! What must hold of every case, whatever it is.

use adequacy::base::code::Code;
use adequacy::base::json::{Document, Fault};
use adequacy::contract::{self, WriteError};
use adequacy::{statement, verify};

use super::cases::Case;

/// Checks a case and gives the answer to it.
pub(crate) fn check(case: &Case) -> Result<(), Code> {
    same_as_another_parser(&case.contract);
    same_as_another_parser(&case.statement);
    let answer = verify::verify(&case.statement, &case.contract);
    match contract::parse(&case.contract) {
        Ok(record) => {
            if let Ok(verified) = &answer {
                assert_eq!(verified.record, record);
            }
            seals_again(&record);
        }
        Err(code) => {
            let got = answer.as_ref().expect_err("a Statement over no record is not valid");
            assert!(*got == code || got.text().starts_with("statement_"), "{got} for {code}");
        }
    }
    answer.map(|_| ())
}

/// What was read can be written, sealed and verified, and is the same record then.
fn seals_again(record: &contract::Record) {
    let bytes = match record.to_canonical_bytes() {
        Ok(bytes) => bytes,
        Err(WriteError::Canonical(_)) => return, // a count beyond 2^53 - 1
        Err(WriteError::Refused(code)) => {
            // Only what a reader of the field would refuse.
            let portable = [
                Code::ContractAcceptanceArgv,
                Code::ContractProtectedPathNotNormalized,
                Code::ContractExcludeInvalid,
                Code::ContractAcceptanceRunWrites,
                Code::ContractNativeLoaded,
                Code::ContractModuleUnderTest,
            ];
            assert!(portable.contains(&code), "{code} for a record that was read");
            return;
        }
    };
    // A Statement is one level deeper than its record.
    let Ok(statement) = statement::seal(&bytes) else { return };
    let again = verify::verify(&statement, &bytes).expect("what was sealed is valid");
    assert_eq!(again.record.to_canonical_bytes(), Ok(bytes));
}

/// Agrees with an independent parser on what is JSON, apart from our limits and its own.
fn same_as_another_parser(text: &[u8]) {
    let other = serde_json::from_slice::<serde_json::Value>(text);
    match Document::parse(text) {
        Ok(_) => {
            let limits = longest_number(text) > 300 || deepest(text) >= 128;
            assert!(other.is_ok() || limits, "we read what is not JSON: {other:?}");
        }
        Err(Fault::Invalid) => {
            let limits = longest_number(text) > 4300 || deepest(text) >= 128;
            assert!(other.is_err() || limits, "we refuse what is JSON");
        }
        Err(Fault::Number) => assert!(other.is_err(), "we find a number where there is none"),
        Err(Fault::DuplicateKey) => {} // the other takes the last of them
    }
}

fn longest_number(text: &[u8]) -> usize {
    text.split(|byte| !byte.is_ascii_digit()).map(<[u8]>::len).max().unwrap_or(0)
}

/// An upper bound of the depth.
fn deepest(text: &[u8]) -> usize {
    text.iter().filter(|byte| matches!(byte, b'{' | b'[')).count()
}
