//! Where commands of a check or an audit run and what they find there: the sealed directory, and
//! directories that were left out of the copies.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use crate::harness::{Sandbox, append, copy, note};

/// A bundle `b` of `calc` whose command is sealed to run in `place`, and a right `final`.
fn sealed_place() -> Sandbox {
    let sandbox = Sandbox::with("calc");
    sandbox.write("place/old.txt", "hidden while the copy is there");
    append(&sandbox.path("tree/check.py"), "import os\nprint('in', os.getcwd())\n");
    let place = sandbox.path("place");
    let task = format!(
        "[[acceptance]]\nid = \"c\"\nargv = [\"python3\", \"check.py\"]\ncwd = \"{}\"\nseal_exe = true\n",
        place.display()
    );
    sandbox.write("tree/adequacy.toml", task);
    sandbox.seal(&[]).run().exits(0);
    sandbox.call(["bundle", "tree", "-o", "b"]).run().exits(0);
    copy(&sandbox.path("b/sealed/reference"), &sandbox.path("final"));
    sandbox
}

fn answer(sandbox: &Sandbox, words: &[&str], exit: i32) -> Value {
    let ran = sandbox.call(["check", "b", "final", "--json"].iter().chain(words)).run();
    serde_json::from_str(&ran.exits(exit).out).expect("JSON")
}

#[test]
fn without_namespaces_a_sealed_place_cannot_be_had() {
    let sandbox = sealed_place();
    let answer = answer(&sandbox, &["--isolation", "none"], 10);
    assert_eq!(answer["commands"][0]["verdict"], "UNKNOWN");
    let evidence = answer["commands"][0]["evidence"].as_str().expect("text");
    assert!(evidence.contains("only namespaces can put the copy there"), "{evidence}");
    let words = ["audit", "b", "--seed", "1", "--isolation", "none"];
    let ran = sandbox.call(words).run();
    ran.exits(10).says("`c`: it is sealed to run in").says("only namespaces");
    ran.same(ran.out.lines().last(), Some("cannot rebuild"));
}

#[test]
fn namespaces_show_the_copy_at_the_sealed_place() {
    let sandbox = sealed_place();
    let held = ["check", "b", "final", "--isolation", "namespaces"];
    if sandbox.call(held).run().exits_one_of(&[0, 11]) == 11 {
        note("no namespaces here; a sealed place is UNKNOWN, see above");
        return;
    }
    let words = ["--isolation", "namespaces"];
    let right = answer(&sandbox, &words, 0);
    assert_eq!(right["commands"][0]["verdict"], "PASS");
    // What a wrong solution prints shows where it ran, and that it may write there.
    let look = "import os\nopen('new', 'w').close()\nos._exit(len(os.listdir('.')) and print(\n    \
                os.getcwd(), os.path.exists('old.txt'), flush=True) or 7)\n";
    sandbox.write("final/calc.py", look);
    let wrong = answer(&sandbox, &words, 1);
    let place = sandbox.path("place");
    assert_eq!(wrong["commands"][0]["output"], format!("{} False", place.display()));
    assert_eq!(wrong["commands"][0]["evidence"], "exit 7");
    assert_eq!(fs::read_dir(&place).expect("it stays").count(), 1);
    let words = ["audit", "b", "--seed", "1", "--sample", "4", "--isolation", "namespaces"];
    sandbox.call(words).run().exits(0).says("4 of 4 claims agree");
    fs::remove_file(place.join("old.txt")).and_then(|()| fs::remove_dir(&place)).expect("ours");
    let gone = answer(&sandbox, &["--isolation", "namespaces"], 10);
    let evidence = gone["commands"][0]["evidence"].as_str().expect("text");
    assert!(evidence.contains("no such directory here"), "{evidence}");
}

#[test]
fn left_out_directories_that_a_command_names_are_linked() {
    let sandbox = Sandbox::with("calc");
    let tool = "#!/bin/sh\nexec python3 \"$@\"\n";
    let install = |tree: &str| {
        sandbox.write(format!("{tree}/.venv/bin/tool"), tool);
        let path = sandbox.path(&format!("{tree}/.venv/bin/tool"));
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("our own file");
    };
    install("tree");
    sandbox.seal(&["--", ".venv/bin/tool", "check.py"]).run().exits(0);
    sandbox.call(["bundle", "tree", "-o", "b"]).run().exits(0);
    assert!(!sandbox.path("b/sealed/reference/.venv").exists());
    copy(&sandbox.path("b/sealed/reference"), &sandbox.path("final"));
    // Nobody has it.
    let none = answer(&sandbox, &[], 10);
    assert_eq!(none["commands"][0]["verdict"], "UNKNOWN");
    // The verifier has it.
    let own = answer(&sandbox, &["--links-from", "tree"], 0);
    assert_eq!(own["commands"][0]["verdict"], "PASS");
    // The final tree has it, and nobody knows what it put there.
    install("final");
    let theirs = answer(&sandbox, &[], 10);
    assert_eq!(theirs["commands"][0]["verdict"], "PASS");
    assert_eq!(theirs["collection"]["changes"][0]["path"], ".venv");
    sandbox.call(["audit", "b", "--seed", "1"]).run().exits(10).says("cannot rebuild");
    let words = ["audit", "b", "--seed", "1", "--sample", "4", "--links-from", "tree"];
    sandbox.call(words).run().exits(0).says("4 of 4 claims agree");
    let ran = sandbox.call(["audit", "b", "--seed", "1", "--links-from", "nowhere"]).run();
    ran.exits(2).tells("`nowhere` is no directory");
}

#[test]
fn the_audit_record_is_what_was_found_and_replaces_no_file() {
    let sandbox = Sandbox::with("calc");
    sandbox.seal(&["--", "python3", "check.py"]).run().exits(0);
    sandbox.call(["bundle", "tree", "-o", "b"]).run().exits(0);
    let words = ["audit", "b", "--sample", "4", "--seed", "7", "--json", "-o", "record.json"];
    let ran = sandbox.call(words).run();
    ran.exits(0);
    ran.same(ran.out.as_str(), sandbox.read("record.json").as_str());
    let record = sandbox.json("record.json");
    let claims = sandbox.json("b/sealed/compile.json")["mutants"].as_array().expect("a list").len();
    assert_eq!(
        (&record["format"], &record["word"], &record["seed"], &record["sample_size"]),
        (&json!("adequacy-audit/1"), &json!("agrees"), &json!(7), &json!(4))
    );
    assert_eq!((&record["claims"], &record["sample"]["compared"]), (&json!(claims), &json!(4)));
    sandbox.call(words).run().exits(8).tells("`record.json` is there already");
}
