//! `adequacy verify --batch DIR`.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use super::{Ran, adequacy, make_fifo, put};

fn batch(root: &Path) -> Ran {
    adequacy(["verify".as_ref(), "--batch".as_ref(), root.as_os_str()])
}

#[test]
fn every_member_of_the_corpus_has_its_line_in_order() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors-done-contract");
    let ran = batch(&root);
    assert_eq!(ran.exit, Some(1));
    let mut expected: Vec<String> = adequacy::vectors::members()
        .iter()
        .map(|member| {
            let answer = member.code.map_or("valid", |code| code.text());
            format!("cases/{} {answer}", member.id)
        })
        .collect();
    expected.sort();
    assert_eq!(ran.out.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn folders_come_in_the_order_of_their_bytes_at_any_depth() {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let root = scratch.path();
    for folder in ["", "a", "a/b", "a-b", "a/b/c/d e", "A", "\u{e9}"] {
        put(&root.join(folder), "valid-plain");
    }
    fs::create_dir(root.join("empty")).expect("a folder");
    fs::write(root.join("a/other.json"), "{}").expect("a file");
    let ran = batch(root);
    assert_eq!(ran.exit, Some(0), "{}", ran.err);
    let lines = [
        ". valid",
        "A valid",
        "a valid",
        "a-b valid",
        "a/b valid",
        "a/b/c/d e valid",
        "\u{e9} valid",
    ];
    assert_eq!(ran.out.lines().collect::<Vec<_>>(), lines);
    assert!(ran.err.contains("7 folders: 7 valid"), "{}", ran.err);
}

#[test]
fn nothing_ends_a_batch_early() {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let root = scratch.path();
    let alone = |folder: &str, keep: &str| {
        let path = put(&root.join(folder), "valid-plain");
        for name in ["contract.json", "statement.json"] {
            if name != keep {
                fs::remove_file(path.join(name)).expect("it was put there");
            }
        }
        path
    };
    alone("contract-alone", "contract.json");
    alone("statement-alone", "statement.json");
    make_fifo(&alone("fifo", "statement.json").join("contract.json"));
    fs::create_dir(alone("directory", "statement.json").join("contract.json")).expect("a folder");
    let link = alone("link", "contract.json").join("statement.json");
    symlink(root.join("sealed/contract.statement.json"), link).expect("a link");
    let large = fs::File::create(alone("large", "contract.json").join("statement.json"));
    large.expect("a file").set_len(16 * 1024 * 1024 + 1).expect("a sparse file");
    let sealed = put(&root.join("sealed"), "valid-plain");
    fs::rename(sealed.join("statement.json"), sealed.join("contract.statement.json"))
        .expect("renamed");
    let both = put(&root.join("both"), "valid-plain");
    fs::copy(both.join("statement.json"), both.join("contract.statement.json")).expect("copied");
    symlink(root.join("sealed"), root.join("linked-folder")).expect("a link");
    put(&root.join("z\u{1b}[31m\nz"), "twin-of-itself");

    let ran = batch(root);
    assert_eq!(ran.exit, Some(1));
    let lines = [
        "both member_ambiguous",
        "contract-alone member_incomplete",
        "directory member_unreadable",
        "fifo member_unreadable",
        "large member_unreadable",
        "link member_unreadable",
        "sealed valid",
        "statement-alone member_incomplete",
        r"z\u{1b}[31m\nz contract_acceptance_twin",
    ];
    assert_eq!(ran.out.lines().collect::<Vec<_>>(), lines);
    assert!(ran.err.contains("is a FIFO") && ran.err.contains("is larger than 16 MiB"));
    assert!(ran.err.contains("9 folders: 1 valid, 1 invalid, 7 refused"), "{}", ran.err);
}

#[test]
fn json_has_one_object_a_folder() {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    put(&scratch.path().join("good"), "valid-plain");
    put(&scratch.path().join("nan"), "json-nan");
    let words =
        ["verify".as_ref(), "--json".as_ref(), "--batch".as_ref(), scratch.path().as_os_str()];
    let ran = adequacy(words);
    let lines: Vec<serde_json::Value> =
        ran.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.len(), 2);
    assert_eq!((&lines[0]["folder"], &lines[0]["verdict"]), (&"good".into(), &"valid".into()));
    assert_eq!(
        (&lines[1]["folder"], &lines[1]["code"]),
        (&"nan".into(), &"contract_json_number".into())
    );
}

#[test]
fn a_batch_of_nothing_is_not_valid() {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let ran = batch(scratch.path());
    assert_eq!((ran.exit, ran.out.as_str()), (Some(5), ""));
    let ran = batch(&scratch.path().join("missing"));
    assert_eq!((ran.exit, ran.out.as_str()), (Some(11), ""));
    assert!(ran.err.contains("missing"), "{}", ran.err);
}
