//! `adequacy keygen`, and `verify` under a key.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use adequacy::envelope::{self, SecretKey};
use adequacy::{contract, statement};

use super::{Ran, adequacy, member};

fn keygen(path: &Path) -> Ran {
    adequacy([Path::new("keygen"), path])
}

#[test]
fn a_new_key_is_private_and_never_overwrites() {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let path = scratch.path().join("seed");
    let ran = keygen(&path);
    assert_eq!(ran.exit, Some(0), "{}", ran.err);
    let seed = fs::read_to_string(&path).expect("written");
    assert_eq!((seed.len(), seed.ends_with('\n')), (65, true));
    let mode = fs::metadata(&path).expect("written").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let key = SecretKey::from_seed_file(&seed).expect("a seed file");
    assert_eq!(ran.out, format!("{}\n", key.public()));
    let again = keygen(&path);
    assert_eq!((again.exit, again.out.as_str()), (Some(8), ""));
    assert_eq!(fs::read_to_string(&path).expect("still there"), seed);
    let other = scratch.path().join("other");
    assert_ne!(keygen(&other).out, ran.out);
}

/// A sealed record, its Statement and its envelope in a folder, and the public key.
fn sealed(folder: &Path) -> (PathBuf, String) {
    let control = fs::read(member("valid-full").join("contract.json")).expect("a member");
    let record = contract::parse(&control).expect("valid").to_canonical_bytes().expect("canonical");
    let key = SecretKey::from_seed(&[7; 32]);
    let files = [
        ("contract.json", record.clone()),
        ("contract.statement.json", statement::seal(&record).expect("a Statement")),
        ("contract.dsse.json", envelope::seal(&record, &key).expect("an envelope")),
    ];
    for (name, bytes) in files {
        fs::write(folder.join(name), bytes).expect("a scratch file");
    }
    (folder.to_owned(), key.public().to_string())
}

fn verify(folder: &Path, first: &str, key: &[&str]) -> Ran {
    let (first, record) = (folder.join(first), folder.join("contract.json"));
    let files = ["verify".as_ref(), first.as_os_str(), record.as_os_str()];
    adequacy(files.into_iter().chain(key.iter().map(AsRef::as_ref)))
}

#[test]
fn a_pinned_key_answers_for_the_origin() {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let (folder, key) = sealed(scratch.path());
    for (first, option) in [
        ("contract.statement.json", "--pin"),
        ("contract.statement.json", "--key"),
        ("contract.dsse.json", "--key"),
        ("contract.dsse.json", "--pin"),
    ] {
        let ran = verify(&folder, first, &[option, &key]);
        assert_eq!((ran.exit, ran.out.as_str()), (Some(0), "valid\n"), "{first}: {}", ran.err);
        assert!(ran.err.contains(&format!("origin: sealed under the key {key}")), "{}", ran.err);
    }
    let file = folder.join("key.pub");
    fs::write(&file, format!("{key}\n")).expect("a scratch file");
    let ran = verify(&folder, "contract.dsse.json", &["--key", file.to_str().expect("UTF-8")]);
    assert_eq!(ran.exit, Some(0), "{}", ran.err);
}

#[test]
fn another_key_or_no_envelope_is_no_origin() {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let (folder, key) = sealed(scratch.path());
    let other = SecretKey::from_seed(&[8; 32]).public().to_string();
    for first in ["contract.statement.json", "contract.dsse.json"] {
        let ran = verify(&folder, first, &["--pin", &other]);
        assert_eq!((ran.exit, ran.out.as_str()), (Some(1), "envelope_signature\n"));
        assert!(!ran.err.contains("origin: sealed"));
    }
    fs::remove_file(folder.join("contract.dsse.json")).expect("it was put there");
    let ran = verify(&folder, "contract.statement.json", &["--pin", &key]);
    assert_eq!((ran.exit, ran.out.as_str()), (Some(11), "member_incomplete\n"));
    assert!(ran.err.contains("contract.dsse.json"), "{}", ran.err);
}

#[test]
fn an_envelope_without_a_key_gets_a_hint() {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let (folder, _) = sealed(scratch.path());
    let ran = verify(&folder, "contract.dsse.json", &[]);
    assert_eq!((ran.exit, ran.out.as_str()), (Some(1), "statement_fields\n"));
    assert!(ran.err.contains("hint:") && ran.err.contains("--key"), "{}", ran.err);
    let ran = verify(&folder, "contract.dsse.json", &["--key", "abc"]);
    assert_eq!((ran.exit, ran.out.as_str()), (Some(2), ""));
}
