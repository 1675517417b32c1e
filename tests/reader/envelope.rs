//! DSSE envelopes: the bytes the field writes, and every way one is refused.

use adequacy::base::code::Code;
use adequacy::envelope::{MAX_SIGNATURES, PAYLOAD_TYPE, PublicKey, SecretKey, open, seal};
use adequacy::statement::{self, StatementError};
use adequacy::verify::verify_envelope;
use adequacy::{contract, vectors};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::{Signer as _, SigningKey};

fn key(byte: u8) -> SecretKey {
    SecretKey::from_seed(&[byte; 32])
}

/// The full control in canonical form.
fn record() -> Vec<u8> {
    let member = vectors::members().into_iter().find(|member| member.id == "valid-full");
    let parsed = contract::parse(&member.expect("the control is a member").contract);
    parsed.expect("it is valid").to_canonical_bytes().expect("and can be written")
}

/// Written by PyPI's jcs-admit 0.1.0 (`dsse.sign`) with the seed 00 01 .. 1f over this record.
const FIELD: &str = include_str!("jcs-admit.dsse.json");
const FIELD_RECORD: &str = include_str!("jcs-admit.contract.json");

#[test]
fn our_envelope_is_byte_for_byte_the_fields() {
    let seed = std::array::from_fn(|at| u8::try_from(at).expect("below 32"));
    let key = SecretKey::from_seed(&seed);
    let sealed = seal(FIELD_RECORD.as_bytes(), &key).expect("a record");
    assert_eq!(std::str::from_utf8(&sealed), Ok(FIELD));
    assert_eq!(open(FIELD.as_bytes(), &key.public()).as_deref(), Ok(FIELD_RECORD.as_bytes()));
}

#[test]
fn an_envelope_opens_under_its_key_alone() {
    let record = record();
    let sealed = seal(&record, &key(1)).expect("a record");
    assert!(verify_envelope(&sealed, &record, &key(1).public()).is_ok());
    assert_eq!(open(&sealed, &key(2).public()), Err(Code::EnvelopeSignature));
    let differs = verify_envelope(&sealed, &[record, b"\n".to_vec()].concat(), &key(1).public());
    assert_eq!(differs.err(), Some(Code::EnvelopePayloadDiffers));
}

#[test]
fn every_changed_byte_is_noticed() {
    let sealed = seal(&record(), &key(1)).expect("a record");
    let public = key(1).public();
    for at in (0..sealed.len()).step_by(7) {
        let mut changed = sealed.clone();
        changed[at] ^= 1;
        // The key id is a hint and not signed; everything else is.
        let keyid = sealed.windows(5).position(|word| word == b"keyid").expect("there is one");
        if !(keyid + 8..keyid + 72).contains(&at) {
            assert!(open(&changed, &public).is_err(), "byte {at}");
        }
    }
}

#[test]
fn forms_of_envelopes_are_refused_by_name() {
    let sealed = String::from_utf8(seal(&record(), &key(1)).expect("a record")).expect("ASCII");
    let refused = |text: &str| open(text.as_bytes(), &key(1).public()).expect_err("refused");
    assert_eq!(refused(&sealed[1..]), Code::EnvelopeJsonInvalid);
    let twice = sealed.replacen('{', r#"{"payload":"","#, 1);
    assert_eq!(refused(&twice), Code::EnvelopeJsonDuplicateKey);
    assert_eq!(refused("[NaN]"), Code::EnvelopeJsonNumber);
    assert_eq!(refused("{}"), Code::EnvelopeFields);
    assert_eq!(refused(&sealed.replacen('{', r#"{"note":1,"#, 1)), Code::EnvelopeFields);
    assert_eq!(
        refused(&sealed.replacen("\"payload\":\"", "\"payload\":\" ", 1)),
        Code::EnvelopeFields
    );
    let (before, rest) = sealed.split_once("\"signatures\":[").expect("the field's name");
    let (one, after) = rest.split_once(']').expect("one signature");
    let signed = |list: &str| format!("{before}\"signatures\":[{list}]{after}");
    assert_eq!(refused(&signed("")), Code::EnvelopeFields);
    let many = |count| signed(&vec![one; count].join(","));
    assert!(open(many(MAX_SIGNATURES).as_bytes(), &key(1).public()).is_ok());
    assert_eq!(refused(&many(MAX_SIGNATURES + 1)), Code::EnvelopeFields);
    let other_type = sealed.replacen("done-contract", "done-receipt", 1);
    assert_eq!(refused(&other_type), Code::EnvelopeSignature);
}

#[test]
fn what_is_signed_is_checked_in_its_order() {
    let signed = |payload_type: &str, payload: &[u8]| {
        let head = format!("DSSEv1 {} {payload_type} {} ", payload_type.len(), payload.len());
        let signer = SigningKey::from_bytes(&[1; 32]);
        let sig = signer.sign(&[head.as_bytes(), payload].concat()).to_bytes();
        let (payload, sig) = (STANDARD.encode(payload), STANDARD.encode(sig));
        let text = format!(
            r#"{{"payload":"{payload}","payloadType":"{payload_type}","signatures":[{{"sig":"{sig}"}}]}}"#
        );
        open(text.as_bytes(), &key(1).public()).map(|_| ())
    };
    let record = record();
    let spaced = [b" ".to_vec(), record.clone()].concat();
    assert_eq!(signed(PAYLOAD_TYPE, &record), Ok(()));
    assert_eq!(signed("application/json", &spaced), Err(Code::EnvelopePayloadType));
    assert_eq!(signed(PAYLOAD_TYPE, &spaced), Err(Code::EnvelopePayloadNotCanonical));
    assert_eq!(signed(PAYLOAD_TYPE, b"{"), Err(Code::EnvelopePayloadNotCanonical));
    assert_eq!(signed(PAYLOAD_TYPE, b"[9007199254740993]"), Err(Code::EnvelopePayloadNotCanonical));
    assert_eq!(signed(PAYLOAD_TYPE, b"[9007199254740992]"), Err(Code::ContractFields));
    let beyond = format!("[1{}]", "0".repeat(400));
    assert_eq!(signed(PAYLOAD_TYPE, beyond.as_bytes()), Err(Code::EnvelopePayloadNotCanonical));
}

#[test]
fn only_canonical_records_are_sealed() {
    let record = record();
    let spaced = [b" ".to_vec(), record.clone()].concat();
    assert_eq!(seal(&spaced, &key(1)), Err(StatementError::NotCanonical));
    assert_eq!(statement::seal(&spaced), Err(StatementError::NotCanonical));
    let refused = StatementError::Refused(Code::ContractFields);
    assert_eq!(seal(b"{}", &key(1)), Err(refused));
}

#[test]
fn keys_are_64_lowercase_hex_digits() {
    let shown = key(1).public().to_string();
    assert_eq!(shown.parse(), Ok(key(1).public()));
    for text in ["", "ab", &shown.to_uppercase(), &format!("{shown}0"), &"zz".repeat(32)] {
        assert!(text.parse::<PublicKey>().is_err(), "{text}");
    }
    let seed = "01".repeat(32);
    assert_eq!(
        SecretKey::from_seed_file(&format!("{seed}\n")).ok().map(|k| k.public()),
        Some(key(1).public())
    );
    for text in [String::new(), format!("{seed}\n\n"), format!(" {seed}"), seed[1..].to_owned()] {
        assert!(SecretKey::from_seed_file(&text).is_err(), "{text:?}");
    }
    assert!(!format!("{:?}", key(1)).contains("0101"));
}
