//! Stage 8: the in-toto Statement that carries a record under the done-contract predicate.

use crate::base::Sha256;
use crate::base::canonical;
use crate::base::code::Code;
use crate::base::json::{Document, Fault, Node};
use crate::contract;

/// in-toto's Statement type.
pub const STATEMENT_TYPE: &str = "https://in-toto.io/Statement/v1";

/// The predicate: what "done" means for one task, and how well its commands tell.
pub const PREDICATE_TYPE: &str = "https://w3id.org/agent-evidence/predicate/v1/done-contract";

/// A record's bytes cannot be put into a Statement or an envelope.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum StatementError {
    /// They break a rule.
    #[error("the record breaks the rule {0}: {rule}", rule = .0.rule())]
    Refused(Code),
    /// They are not their own RFC 8785 form, so that what carries them could not say the same.
    #[error("the record's bytes are not in RFC 8785 form")]
    NotCanonical,
}

/// The RFC 8785 bytes of the unsigned Statement over a record's bytes. Its subject is named
/// `contract.json`.
///
/// # Errors
/// [`StatementError`] when the record is not one, or is not in canonical form.
pub fn seal(contract: &[u8]) -> Result<Vec<u8>, StatementError> {
    check_sealable(contract)?;
    // Canonical forms nest: the record goes in as it is, and the names here are in order.
    let head = format!(r#"{{"_type":"{STATEMENT_TYPE}","predicate":"#);
    let tail = format!(
        r#","predicateType":"{PREDICATE_TYPE}","subject":[{{"digest":{{"sha256":"{}"}},"name":"contract.json"}}]}}"#,
        Sha256::of(contract)
    );
    let statement = [head.as_bytes(), contract, tail.as_bytes()].concat();
    // One level deeper than the record: the limit of depth may be passed only here.
    document(&statement).map_err(StatementError::Refused)?;
    Ok(statement)
}

/// Whether a record's bytes can be sealed as they are.
pub(crate) fn check_sealable(contract: &[u8]) -> Result<(), StatementError> {
    contract::parse(contract).map_err(StatementError::Refused)?;
    if canonical::is_canonical(contract) { Ok(()) } else { Err(StatementError::NotCanonical) }
}

/// The JSON of a Statement, before its rules.
pub(crate) fn document(bytes: &[u8]) -> Result<Document<'_>, Code> {
    Document::parse(bytes).map_err(|fault| match fault {
        Fault::Invalid => Code::StatementJsonInvalid,
        Fault::DuplicateKey => Code::StatementJsonDuplicateKey,
        Fault::Number => Code::StatementJsonNumber,
    })
}

/// What a well-formed Statement says.
pub(crate) struct Head<'d> {
    /// The digest its one subject claims for the record.
    pub(crate) subject: Sha256,
    /// What it says the record holds.
    pub(crate) predicate: Node<'d>,
}

/// Checks all of a Statement but its predicate (`done-records` section 3).
pub(crate) fn head(root: Node<'_>) -> Result<Head<'_>, Code> {
    let ([kind, subject, predicate_type, predicate], []) = root
        .fields(["_type", "subject", "predicateType", "predicate"], [])
        .ok_or(Code::StatementFields)?;
    if kind.as_str() != Some(STATEMENT_TYPE) {
        return Err(Code::StatementTypeWrong);
    }
    if predicate_type.as_str() != Some(PREDICATE_TYPE) {
        return Err(Code::StatementPredicateTypeWrong);
    }
    let subject = digest_of_subject(subject).ok_or(Code::StatementSubjectMalformed)?;
    Ok(Head { subject, predicate })
}

fn digest_of_subject(subject: Node<'_>) -> Option<Sha256> {
    let mut subjects = subject.items()?;
    let (Some(only), None) = (subjects.next(), subjects.next()) else { return None };
    let ([name, digest], []) = only.fields(["name", "digest"], [])?;
    name.as_str().filter(|name| !name.is_empty())?;
    let ([sha256], []) = digest.fields(["sha256"], [])?;
    sha256.as_str()?.parse().ok()
}
