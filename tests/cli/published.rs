//! Bundles to be published: by reference, with their licence files, with a canary.

use std::fs;

use adequacy::base::Sha256;
use serde_json::{Value, json};

use crate::harness::{Sandbox, copy, names};

const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";
const UUID: &str = "0d7f1c9e-2f54-4a39-9d0b-0a4f4f1c2b11";
const ADDRESS: &str = "https://example.org/price";

/// The words of `bundle` by reference.
fn by_reference<'a>(place: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let words = ["bundle", "tree", "-o", place, "--by-reference", ADDRESS, "--commit", COMMIT];
    words.iter().chain(more).copied().collect()
}

#[test]
fn a_bundle_by_reference_names_its_start_tree_and_takes_it_from_a_checkout() {
    let sandbox = Sandbox::with("price-task");
    for tree in ["start", "reference"] {
        sandbox.write(format!("tree/{tree}/LICENSE"), "Do as you like.\n");
    }
    sandbox.seal(&[]).run().exits(0);
    sandbox.call(by_reference("b", &[])).run().exits(0).tells("licence files: `LICENSE`");
    sandbox.call(by_reference("again.tar.zst", &[])).run().exits(0);
    sandbox.call(by_reference("agent", &["--agent"])).run().exits(0);
    let agent = ["contract.json", "contract.statement.json", "workspace.json"];
    assert_eq!(names(&sandbox.path("agent")), agent);
    let record = sandbox.json("agent/workspace.json");
    assert_eq!(
        (&record["repository"], &record["commit"], &record["licences"], &record["image"]),
        (&json!(ADDRESS), &json!(COMMIT), &json!(["LICENSE"]), &Value::Null)
    );
    let digest = Sha256::of(&sandbox.bytes("tree/start/price.py")).to_string();
    let listed = json!({"path": "price.py", "kind": "file", "sha256": digest});
    assert!(record["files"].as_array().expect("a list").contains(&listed), "{record}");
    // Without a checkout it holds, and a check does not need one.
    sandbox.call(["bundle", "verify", "b"]).run().exits(0).tells("was not looked at");
    copy(&sandbox.path("tree/reference"), &sandbox.path("final"));
    sandbox.call(["check", "b", "final"]).run().exits(0);
    let ran = sandbox.call(["audit", "b", "--seed", "1"]).run();
    ran.exits(10).says(&format!("give a checkout of it ({ADDRESS} at {COMMIT}) with `--checkout`"));
    // With one, what else lies in that does not matter.
    copy(&sandbox.path("tree/start"), &sandbox.path("checkout"));
    sandbox.write("checkout/.git/config", "x").write("checkout/more.py", "x");
    let verify = ["bundle", "verify", "again.tar.zst", "--checkout", "checkout"];
    sandbox.call(verify).run().exits(0).says("valid");
    let audit = ["audit", "b", "--seed", "1", "--sample", "2", "--checkout", "checkout"];
    sandbox.call(audit).run().exits(0).says("2 of 2 claims agree");
    let check = ["check", "b", "final", "--mutate-change", "--checkout", "checkout", "--json"];
    let ran = sandbox.call(check).run();
    let answer: Value = serde_json::from_str(&ran.exits(0).out).expect("JSON");
    assert_eq!(answer["change"]["why_not"], Value::Null);
    // One that is another, or lies behind a link, is none.
    sandbox.write("checkout/price.py", "x");
    let ran = sandbox.call(verify).run();
    ran.exits(1).says("bundle_files_differ").tells("`price.py` is another");
    sandbox.write("checkout/price.py", sandbox.bytes("tree/start/price.py"));
    fs::rename(sandbox.path("checkout/tests"), sandbox.path("away")).expect("a free name");
    std::os::unix::fs::symlink("../away", sandbox.path("checkout/tests")).expect("a free name");
    sandbox.call(verify).run().exits(1).tells("`tests` is no directory");
    // A bundle that has its start tree takes no other, and a task without one has none to leave out.
    sandbox.call(["bundle", "tree", "-o", "whole"]).run().exits(0);
    let ran = sandbox.call(["bundle", "verify", "whole", "--checkout", "checkout"]).run();
    ran.exits(8).tells("is not needed");
}

#[test]
fn a_canary_stands_in_every_file_that_can_hold_it() {
    let sandbox = Sandbox::with("price-task");
    // The contract holds it because its task sentence did before it was sealed.
    let task = sandbox.read("tree/adequacy.toml").replace("Totals", &format!("({UUID}) Totals"));
    sandbox.write("tree/adequacy.toml", task);
    sandbox.seal(&[]).run().exits(0);
    let ran = sandbox.call(by_reference("b", &["--canary", UUID])).run();
    ran.exits(0).tells("warning: no licence file in the tree").tells("canary: in 7 of 13 files");
    let ran = sandbox.call(["bundle", "tree", "-o", "agent", "--agent", "--canary", UUID]).run();
    ran.exits(0).tells("canary: in 3 of 6 files");
    let compile = sandbox.json("b/sealed/compile.json");
    let carried = json!([
        "CANARY",
        "contract.json",
        "contract.statement.json",
        "sealed/CANARY",
        "sealed/adequacy.toml",
        "workspace.json"
    ]);
    assert_eq!(compile["canary"], json!({"uuid": UUID, "carried_by": carried}));
    for path in carried.as_array().expect("a list").iter().filter_map(Value::as_str) {
        assert!(sandbox.read(&format!("b/{path}")).contains(UUID), "{path}");
    }
    assert!(sandbox.read("agent/CANARY").starts_with(&format!("Canary: {UUID}\n")));
    sandbox.call(["bundle", "verify", "b"]).run().exits(0).says("valid");
    // Taken out by somebody who mends the list too.
    let path = "sealed/adequacy.toml";
    let text = sandbox.read(&format!("b/{path}")).replace(UUID, "gone");
    let digest = Sha256::of(text.as_bytes()).to_string();
    sandbox.write(format!("b/{path}"), text);
    let mut compile = compile;
    let files = compile["files"].as_array_mut().expect("a list");
    let file = files.iter_mut().find(|file| file["path"] == path).expect("it is listed");
    file["sha256"] = json!(digest);
    sandbox.write("b/sealed/compile.json", compile.to_string());
    let ran = sandbox.call(["bundle", "verify", "b"]).run();
    ran.exits(1).says("bundle_canary_missing").tells("`sealed/adequacy.toml` does not hold");
}

#[test]
fn what_would_mislead_or_leak_is_refused_before_anything_is_read() {
    let sandbox = Sandbox::new();
    let refused = |words: &[&str], message: &str| {
        let all = ["bundle", "nowhere", "-o", "b"].iter().chain(words);
        sandbox.call(all).run().exits(2).tells(message);
    };
    refused(&["--by-reference", ADDRESS], "--commit");
    refused(&["--by-reference", ADDRESS, "--commit", "main"], "40 or 64 lower-case hex digits");
    let secret = "https://me:word@example.org/price";
    refused(&["--by-reference", secret, "--commit", COMMIT], "holds a password");
    refused(&["--canary", "canary"], "must be a UUID");
}
