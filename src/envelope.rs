//! DSSE envelopes around a record: the signed form the field exchanges (`done-records` section 10).
//!
//! An envelope says who sealed a record, to someone who already knows the sealer's public key. The
//! in-toto Statement beside it stays unsigned, as the predicate demands.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};

use crate::base::Sha256;
use crate::base::canonical;
use crate::base::code::Code;
use crate::base::json::{Document, Fault, Node, Value};
use crate::contract;
use crate::statement::{self, StatementError};

/// What the payload is.
pub const PAYLOAD_TYPE: &str = "application/vnd.probity.done-contract.v1+json";

/// More signatures than this are refused: each costs a pass over the payload.
pub const MAX_SIGNATURES: usize = 16;

/// An Ed25519 key that signs.
pub struct SecretKey(SigningKey);

/// An Ed25519 key that verifies; shown and read as 64 lowercase hex digits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PublicKey(VerifyingKey);

/// The text is no key.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("not an Ed25519 key: expected 64 lowercase hex digits that spell one")]
pub struct KeyError;

impl SecretKey {
    /// The key that grows from 32 random bytes.
    #[must_use]
    pub fn from_seed(seed: &[u8; 32]) -> Self {
        Self(SigningKey::from_bytes(seed))
    }

    /// The key of a seed file: 64 lowercase hex digits and a newline.
    ///
    /// # Errors
    /// [`KeyError`] when the text is anything else.
    pub fn from_seed_file(text: &str) -> Result<Self, KeyError> {
        let digits = text.strip_suffix('\n').unwrap_or(text);
        let seed: Sha256 = digits.parse().map_err(|_| KeyError)?;
        Ok(Self::from_seed(seed.as_raw()))
    }

    /// The key others verify with.
    #[must_use]
    pub fn public(&self) -> PublicKey {
        PublicKey(self.0.verifying_key())
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretKey of {}", self.public())
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Sha256::from_raw(self.0.to_bytes()).fmt(f)
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for PublicKey {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        let raw: Sha256 = text.parse().map_err(|_| KeyError)?;
        VerifyingKey::from_bytes(raw.as_raw()).map(Self).map_err(|_| KeyError)
    }
}

/// The RFC 8785 bytes of an envelope over a record's bytes, signed.
///
/// # Errors
/// [`StatementError`] when the record is not one, or is not in canonical form.
pub fn seal(contract: &[u8], key: &SecretKey) -> Result<Vec<u8>, StatementError> {
    statement::check_sealable(contract)?;
    let signature = key.0.sign(&encoding(PAYLOAD_TYPE, contract));
    let signature = Value::object([
        ("keyid", key.public().to_string().into()),
        ("sig", STANDARD.encode(signature.to_bytes()).into()),
    ]);
    let envelope = Value::object([
        ("payload", STANDARD.encode(contract).into()),
        ("payloadType", PAYLOAD_TYPE.into()),
        ("signatures", Value::Array(vec![signature])),
    ]);
    Ok(canonical::to_vec(&envelope).expect("an envelope holds strings alone"))
}

/// The record's bytes out of an envelope that a signature under `key` covers.
///
/// Key ids are hints of whoever wrote the envelope and are not looked at.
///
/// # Errors
/// The [`Code`] of the first rule broken: the envelope's form, its signature, its payload type, the
/// payload's canonical form, then the record's own rules.
pub fn open(envelope: &[u8], key: &PublicKey) -> Result<Vec<u8>, Code> {
    let document = Document::parse(envelope).map_err(|fault| match fault {
        Fault::Invalid => Code::EnvelopeJsonInvalid,
        Fault::DuplicateKey => Code::EnvelopeJsonDuplicateKey,
        Fault::Number => Code::EnvelopeJsonNumber,
    })?;
    let Signed { payload, payload_type, signatures } =
        signed(document.root()).ok_or(Code::EnvelopeFields)?;
    let covered = encoding(payload_type, &payload);
    // Strict: a key of small order, under which anything verifies, verifies nothing.
    let verifies = |signature| key.0.verify_strict(&covered, signature).is_ok();
    if !signatures.iter().any(verifies) {
        return Err(Code::EnvelopeSignature);
    }
    if payload_type != PAYLOAD_TYPE {
        return Err(Code::EnvelopePayloadType);
    }
    if !canonical::is_canonical(&payload) {
        return Err(Code::EnvelopePayloadNotCanonical);
    }
    contract::parse(&payload)?;
    Ok(payload)
}

/// The parts of an envelope.
struct Signed<'d> {
    payload: Vec<u8>,
    payload_type: &'d str,
    signatures: Vec<Signature>,
}

fn signed(root: Node<'_>) -> Option<Signed<'_>> {
    let ([payload, payload_type, signatures], []) =
        root.fields(["payload", "payloadType", "signatures"], [])?;
    let signatures =
        signatures.items().filter(|items| (1..=MAX_SIGNATURES).contains(&items.len()))?;
    Some(Signed {
        payload: STANDARD.decode(payload.as_str()?).ok()?,
        payload_type: payload_type.as_str()?,
        signatures: signatures.map(signature).collect::<Option<_>>()?,
    })
}

fn signature(entry: Node<'_>) -> Option<Signature> {
    let ([sig], [keyid]) = entry.fields(["sig"], ["keyid"])?;
    if keyid.is_some_and(|node| node.as_str().is_none()) {
        return None;
    }
    Signature::from_slice(&STANDARD.decode(sig.as_str()?).ok()?).ok()
}

/// DSSE's pre-authentication encoding: what a signature covers.
fn encoding(payload_type: &str, payload: &[u8]) -> Vec<u8> {
    let head = format!("DSSEv1 {} {payload_type} {} ", payload_type.len(), payload.len());
    [head.as_bytes(), payload].concat()
}
