//! `adequacy vectors`.

use std::fs;
use std::path::{Path, PathBuf};

use adequacy::base::Sha256;

use super::{Ran, adequacy};

fn vectors(command: &str, dir: &Path) -> Ran {
    adequacy(["vectors".as_ref(), command.as_ref(), dir.as_os_str()])
}

fn generated(scratch: &Path) -> PathBuf {
    let root = scratch.join("corpus");
    assert_eq!(vectors("generate", &root).exit, Some(0));
    root
}

#[test]
fn the_generated_corpus_agrees_and_is_not_written_over() {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let root = generated(scratch.path());
    let ran = vectors("check", &root);
    let total = adequacy::vectors::members().len();
    assert_eq!(ran.out, format!("{total} members: {total} agree, 0 do not\n"));
    assert_eq!(ran.exit, Some(0));
    let again = vectors("generate", &root);
    assert_eq!(again.exit, Some(8));
    assert!(again.err.contains("not an empty folder"), "{}", again.err);
}

#[test]
fn a_changed_file_folder_or_manifest_is_noticed() {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let root = generated(scratch.path());
    let disagrees = |told: &str| {
        let ran = vectors("check", &root);
        assert_eq!(ran.exit, Some(1), "{told}");
        assert!(ran.out.contains(told), "{}", ran.out);
    };
    let file = root.join("cases/valid-plain/contract.json");
    let bytes = fs::read(&file).expect("generated");
    fs::write(&file, [&bytes[..], b"\n"].concat()).expect("changed");
    disagrees("valid-plain: contract.json has another digest");
    fs::write(&file, &bytes).expect("put back");

    fs::write(root.join("cases/valid-plain/notes.txt"), "").expect("added");
    disagrees("valid-plain: its files are not those the manifest names");
    fs::remove_file(root.join("cases/valid-plain/notes.txt")).expect("put back");

    fs::create_dir(root.join("cases/unheard-of")).expect("added");
    disagrees("cases/unheard-of: the manifest does not name it");
    fs::remove_dir(root.join("cases/unheard-of")).expect("put back");

    fs::rename(root.join("cases/json-nan"), scratch.path().join("json-nan")).expect("moved");
    disagrees("json-nan: its folder cannot be read");
    fs::rename(scratch.path().join("json-nan"), root.join("cases/json-nan")).expect("put back");

    let manifest = root.join("MANIFEST.json");
    let text = fs::read_to_string(&manifest).expect("generated");
    fs::write(&manifest, text.replacen("plain: killed is NaN", "plain: killed is nan", 1))
        .expect("changed");
    disagrees("corpusDigest");
    fs::remove_file(&manifest).expect("removed");
    let ran = vectors("check", &root);
    assert_eq!(ran.exit, Some(11));
    assert!(ran.err.contains("MANIFEST.json"), "{}", ran.err);
}

#[test]
fn a_member_that_disagrees_is_told_with_both_answers() {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let root = generated(scratch.path());
    let manifest = root.join("MANIFEST.json");
    let text = fs::read_to_string(&manifest).expect("generated");
    let changed = text.replacen("\"code\": \"contract_id\"", "\"code\": \"contract_task\"", 1);
    assert_ne!(changed, text);
    // The digest covers the list as it would stand alone: two spaces further left.
    let (_, list) = changed.split_once("\"vectors\": ").expect("the list");
    let list = list.trim_end().trim_end_matches('}').trim_end().replace("\n  ", "\n") + "\n";
    let (before, rest) = changed.split_once("\"corpusDigest\": \"").expect("the digest");
    let bound =
        format!("{before}\"corpusDigest\": \"{}{}", Sha256::of(list.as_bytes()), &rest[64..]);
    fs::write(&manifest, bound).expect("changed");
    let ran = vectors("check", &root);
    assert_eq!(ran.exit, Some(1), "{}", ran.out);
    let told = r#"expected {"contract":{"code":"contract_task","verdict":"invalid"}}, got {"contract":{"code":"contract_id","verdict":"invalid"}}"#;
    assert!(ran.out.contains(told), "{}", ran.out);
    assert!(ran.out.contains("1 do not"), "{}", ran.out);
}
