//! Stage 9: does a Statement hold for a record? Pure: bytes in, an answer out.
//!
//! The reader stands alone: with `default-features = false` it is all there is, and it opens no file,
//! starts no process and asks no clock. No input makes it panic, hang or recurse, and
//! memory stays below 30 times the input, of which more than 2 times 16 MiB is refused.
//!
//! ```
//! use adequacy::base::code::Code;
//! use adequacy::verify::verify;
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/vectors-done-contract/cases/valid-full");
//!
//! let statement = std::fs::read(format!("{folder}/statement.json"))?;
//! let contract = std::fs::read(format!("{folder}/contract.json"))?;
//!
//! let verified = verify(&statement, &contract)?;
//! let adequacy = &verified.record.adequacy;
//! assert_eq!((adequacy.killed.as_u64(), adequacy.mutants.as_u64()), (Some(9), Some(12)));
//!
//! // The digest covers the record's bytes as they are: one more newline is another record.
//! let refused = verify(&statement, &[contract, b"\n".to_vec()].concat()).unwrap_err();
//! assert_eq!(refused, Code::StatementSubjectUnbound);
//! println!("{refused}: {} ({})", refused.rule(), refused.source());
//! # Ok(())
//! # }
//! ```

use crate::base::Sha256;
use crate::base::code::Code;
use crate::contract::{self, Record};
use crate::envelope::{self, PublicKey};
use crate::statement;

/// The largest Statement or record that is read: 16 MiB.
pub const MAX_BYTES: usize = 16 * 1024 * 1024;

/// A Statement and a record that belong together and break no rule.
#[derive(Debug, Clone, PartialEq)]
pub struct Verified {
    /// The record.
    pub record: Record,
    /// SHA-256 of the record's bytes.
    pub contract_sha256: Sha256,
}

/// Judges a Statement and the record's bytes as they were supplied.
///
/// A valid Statement says nothing about who made it: it is unsigned.
///
/// # Errors
/// The [`Code`] of the first rule broken, in the order of `done-records` section 1.
pub fn verify(statement: &[u8], contract: &[u8]) -> Result<Verified, Code> {
    if statement.len() > MAX_BYTES || contract.len() > MAX_BYTES {
        return Err(Code::MemberUnreadable);
    }
    let statement = statement::document(statement)?;
    let head = statement::head(statement.root())?;
    let parsed = contract::document(contract)?;
    let record = contract::read(parsed.root())?;
    let contract_sha256 = Sha256::of(contract);
    if head.subject != contract_sha256 {
        return Err(Code::StatementSubjectUnbound);
    }
    if head.predicate != parsed.root() {
        return Err(Code::StatementPredicateDiffers);
    }
    Ok(Verified { record, contract_sha256 })
}

/// Judges a DSSE envelope under a key its reader trusts, and the record's bytes as they were supplied.
///
/// # Errors
/// The [`Code`] of the first rule broken: the envelope's ([`envelope::open`]), then that its payload
/// is the record.
pub fn verify_envelope(
    envelope: &[u8],
    contract: &[u8],
    key: &PublicKey,
) -> Result<Verified, Code> {
    if envelope.len() > MAX_BYTES || contract.len() > MAX_BYTES {
        return Err(Code::MemberUnreadable);
    }
    if envelope::open(envelope, key)? != contract {
        return Err(Code::EnvelopePayloadDiffers);
    }
    Ok(Verified { record: contract::parse(contract)?, contract_sha256: Sha256::of(contract) })
}
