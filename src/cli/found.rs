//! What stands in the files where a rule is broken: a rule says what must be there, and a person wants
//! to know what is.

use crate::base::Sha256;
use crate::base::canonical;
use crate::base::code::Code;
use crate::base::json::{Document, Node};
use crate::report::terminal::plain;

/// Characters of a value that are shown.
const SHOWN: usize = 100;

/// Whether the first bytes are a record and the second a Statement or an envelope.
pub(super) fn are_swapped(first: &[u8], second: &[u8]) -> bool {
    let has = |bytes: &[u8], names: &[&str]| {
        Document::parse(bytes)
            .is_ok_and(|document| names.iter().any(|name| document.root().member(name).is_some()))
    };
    has(first, &["contract_id", "schema_version"]) && has(second, &["predicateType", "payload"])
}

/// What a Statement or its record has where the rule of this code is broken, in a few words; `None`
/// where that cannot be told from the code alone.
pub(super) fn found(code: Code, statement: &[u8], record: &[u8]) -> Option<String> {
    let (bytes, member) = match code {
        Code::StatementFields => return members("the Statement", statement),
        Code::ContractFields => return members("the record", record),
        Code::StatementSubjectUnbound => return unbound(statement, record),
        Code::StatementTypeWrong => (statement, "_type"),
        Code::StatementPredicateTypeWrong => (statement, "predicateType"),
        Code::StatementSubjectMalformed => (statement, "subject"),
        Code::ContractSchemaUnsupported => (record, "schema_version"),
        Code::ContractId => (record, "contract_id"),
        Code::ContractTask => (record, "task"),
        Code::ContractStrength => (record, "strength"),
        Code::ContractProtectedPathsType => (record, "protected_paths"),
        Code::ContractAcceptanceEmpty => (record, "acceptance"),
        Code::ContractAdequacyFields
        | Code::ContractAdequacyCount
        | Code::ContractAdequacyOvercount => (record, "adequacy"),
        _ => return None,
    };
    let document = Document::parse(bytes).ok()?;
    Some(format!("{member} is {}", shown(document.root().member(member)?)))
}

fn members(what: &str, bytes: &[u8]) -> Option<String> {
    let document = Document::parse(bytes).ok()?;
    let Some(members) = document.root().members() else {
        return Some(format!("{what} is {}", shown(document.root())));
    };
    let names = members.map(|(name, _)| plain(name.as_bytes())).collect::<Vec<_>>();
    Some(match names.is_empty() {
        true => format!("{what} has no members"),
        false => format!("{what} has {}", names.join(", ")),
    })
}

fn unbound(statement: &[u8], record: &[u8]) -> Option<String> {
    let document = Document::parse(statement).ok()?;
    let subject = document.root().member("subject")?.items()?.next()?;
    let claimed = subject.member("digest")?.member("sha256")?;
    Some(format!(
        "the Statement names {}, and the record has {}",
        shown(claimed),
        Sha256::of(record)
    ))
}

fn shown(node: Node<'_>) -> String {
    let bytes = canonical::to_vec(&node.to_value()).unwrap_or_default();
    let text = plain(&bytes);
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}
