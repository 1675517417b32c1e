//! `adequacy verify STATEMENT CONTRACT`: answers, and files that cannot be had.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use super::{Ran, adequacy, make_fifo, member, put};

fn verify(statement: &Path, contract: &Path) -> Ran {
    adequacy([Path::new("verify"), statement, contract])
}

#[test]
fn a_valid_member_is_valid_and_its_origin_open() {
    let folder = member("valid-full");
    let ran = verify(&folder.join("statement.json"), &folder.join("contract.json"));
    assert_eq!((ran.exit, ran.out.as_str()), (Some(0), "valid\n"));
    assert!(ran.err.contains("origin: not established"), "{}", ran.err);
}

#[test]
fn a_broken_rule_is_named_and_told() {
    let folder = member("acceptance-argv-empty");
    let ran = verify(&folder.join("statement.json"), &folder.join("contract.json"));
    assert_eq!((ran.exit, ran.out.as_str()), (Some(1), "contract_acceptance_argv\n"));
    assert!(ran.err.contains("argv is a nonempty list") && ran.err.contains("5.3 (11e)"));
    assert!(!ran.err.contains("origin"), "{}", ran.err);
}

#[test]
fn files_in_each_others_place_are_told() {
    let folder = member("valid-full");
    let (statement, contract) = (folder.join("statement.json"), folder.join("contract.json"));
    let ran = verify(&contract, &statement);
    assert_eq!((ran.exit, ran.out.as_str()), (Some(1), "statement_fields\n"));
    let right = format!("`adequacy verify {} {}`", statement.display(), contract.display());
    assert!(ran.err.contains("hint: the files are in each other's place"), "{}", ran.err);
    assert!(ran.err.contains(&right), "{}", ran.err);
    // One of them twice is another fault.
    let ran = verify(&contract, &contract);
    assert!(!ran.err.contains("each other's place"), "{}", ran.err);
    assert!(ran.err.contains("found: the Statement has "), "{}", ran.err);
}

#[test]
fn what_was_found_in_place_of_what_must_be_there_is_told() {
    for (id, found) in [
        ("statement-type-wrong", "found: _type is \"https://in-toto.io/Statement/v0.1\"\n"),
        ("contract-id-empty", "found: contract_id is \"\"\n"),
        ("acceptance-empty", "found: acceptance is []\n"),
        ("statement-subject-unbound", "found: the Statement names \""),
    ] {
        let folder = member(id);
        let ran = verify(&folder.join("statement.json"), &folder.join("contract.json"));
        assert_eq!(ran.exit, Some(1));
        assert!(ran.err.contains(found), "{id}: {}", ran.err);
    }
}

#[test]
fn json_says_the_same() {
    let json = |id: &str| {
        let folder = member(id);
        let files = [folder.join("statement.json"), folder.join("contract.json")];
        let ran = adequacy(["verify".into(), "--json".into(), files[0].clone(), files[1].clone()]);
        let value: serde_json::Value = serde_json::from_str(&ran.out).expect("one JSON value");
        (ran.exit, value)
    };
    let (exit, value) = json("valid-plain");
    assert_eq!(exit, Some(0));
    assert_eq!((&value["verdict"], &value["origin"]), (&"valid".into(), &"not established".into()));
    assert_eq!(value["contract_sha256"].as_str().map(str::len), Some(64));
    let (exit, value) = json("json-nan");
    assert_eq!(exit, Some(1));
    assert_eq!(
        (&value["verdict"], &value["code"]),
        (&"invalid".into(), &"contract_json_number".into())
    );
    let (exit, value) = json("no-such-member");
    assert_eq!(exit, Some(11));
    assert_eq!(
        (&value["verdict"], &value["code"]),
        (&"refused".into(), &"member_incomplete".into())
    );
}

/// What can stand where a member's file should.
fn stand_ins(folder: &Path) -> Vec<(&'static str, std::path::PathBuf, &'static str)> {
    let at = |name: &str| folder.join(name);
    fs::create_dir(at("directory")).expect("a directory");
    make_fifo(&at("fifo"));
    symlink(member("valid-plain").join("contract.json"), at("link")).expect("a link");
    symlink(at("nowhere"), at("dangling")).expect("a link");
    let large = fs::File::create(at("large")).expect("a file");
    large.set_len(16 * 1024 * 1024 + 1).expect("a sparse file");
    vec![
        ("member_incomplete", at("missing"), "does not exist"),
        ("member_unreadable", at("directory"), "is a directory"),
        ("member_unreadable", at("fifo"), "is a FIFO"),
        ("member_unreadable", at("link"), "is a symbolic link"),
        ("member_unreadable", at("dangling"), "is a symbolic link"),
        ("member_unreadable", at("large"), "is larger than 16 MiB"),
        ("member_unreadable", "/dev/null".into(), "is a device"),
        // A regular file that nobody, not even root, can read from its start.
        ("member_unreadable", "/proc/self/mem".into(), "cannot be read"),
        ("member_unreadable", at("large").join("below"), "cannot be read"),
    ]
}

#[test]
fn every_kind_of_file_that_is_none_is_refused_by_name() {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let good = member("valid-plain");
    for (code, path, why) in stand_ins(scratch.path()) {
        for ran in [
            verify(&path, &good.join("contract.json")),
            verify(&good.join("statement.json"), &path),
        ] {
            assert_eq!((ran.exit, ran.out.trim_end()), (Some(11), code), "{path:?}: {}", ran.err);
            assert!(ran.err.contains(why), "{path:?}: {}", ran.err);
            assert!(ran.err.contains(&*path.to_string_lossy()), "{}", ran.err);
        }
    }
}

#[test]
fn a_file_without_permission_is_unreadable_unless_root_asks() {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let folder = put(&scratch.path().join("m"), "valid-plain");
    let path = folder.join("contract.json");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o0)).expect("own file");
    let readable = fs::File::open(&path).is_ok();
    let ran = verify(&folder.join("statement.json"), &path);
    let expected = if readable { (Some(0), "valid\n") } else { (Some(11), "member_unreadable\n") };
    assert_eq!((ran.exit, ran.out.as_str()), expected);
}

#[test]
fn a_file_that_cannot_be_read_comes_before_one_that_is_missing() {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let missing = scratch.path().join("missing");
    for (statement, contract) in [(&missing, scratch.path()), (&scratch.path().into(), &*missing)] {
        let ran = verify(statement, contract);
        assert_eq!((ran.exit, ran.out.as_str()), (Some(11), "member_unreadable\n"));
    }
    let ran = verify(&missing, &missing);
    assert_eq!((ran.exit, ran.out.as_str()), (Some(11), "member_incomplete\n"));
}

#[test]
fn hostile_names_reach_no_terminal() {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let path = scratch.path().join("a\u{1b}]0;x\u{7}\u{202e}\n");
    let ran = verify(&path, &path);
    assert!(ran.err.contains(r"a\u{1b}]0;x\u{7}\u{202e}\n"), "{}", ran.err);
    assert!(!ran.err.contains(['\u{1b}', '\u{7}', '\u{202e}']));
}

#[test]
fn arguments_that_make_no_sense_are_usage() {
    for words in [&["verify"][..], &["verify", "a"], &["verify", "a", "b", "--batch", "c"]] {
        assert_eq!(adequacy(words).exit, Some(2), "{words:?}");
    }
}
