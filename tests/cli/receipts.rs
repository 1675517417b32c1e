//! Receipts of `check` and `audit`: what they claim, what they rest on, and where they may stand.

use adequacy::base::Sha256;
use serde_json::Value;

use crate::bundles::bundled;
use crate::checks::finished;
use crate::harness::{Sandbox, copy, trees};

fn is_valid(sandbox: &Sandbox, receipt: &str) {
    let ran = sandbox.call(["receipt", "validate", receipt, "--strict"]).run();
    ran.exits(0).same(ran.out.as_str(), "valid\n");
}

fn verdict_of(receipt: &Value, id: &str) -> String {
    let criteria = receipt["verification"]["criteria"].as_array().expect("a list");
    let one = criteria.iter().find(|one| one["id"] == id).unwrap_or_else(|| panic!("{id}"));
    one["verdict"].as_str().expect("a word").to_owned()
}

#[test]
fn a_check_leaves_a_receipt_that_claims_what_it_found() {
    let sandbox = finished("reference");
    let check = |more: &[&str]| {
        let first = ["check", "price.tar.zst", "final", "--json", "--receipt", "receipt.json"];
        sandbox.call(first.iter().chain(more)).run()
    };
    let ran = check(&[]);
    ran.exits(0);
    is_valid(&sandbox, "receipt.json");
    let receipt = sandbox.json("receipt.json");
    assert_eq!(receipt["authority"]["level"], "OBSERVE");
    assert_eq!([&receipt["result"]["status"], &receipt["verification"]["overall"]], ["PASS"; 2]);
    assert_eq!(receipt["terminal"]["state"], "LOCAL_ONLY");
    let answer = serde_json::from_str::<Value>(&ran.out).expect("JSON");
    let judged = &receipt["judged"];
    assert_eq!(judged["answer_sha256"], Sha256::of(ran.out.as_bytes()).to_string());
    assert_eq!(judged["tree_sha256"], answer["tree_sha256"]);
    assert_eq!(judged["contract_sha256"], answer["contract"]["sha256"]);
    assert!(judged["bundle_sha256"].is_string() && judged["tree_sha256"].is_string());
    // The same call on another tree takes the place of it, and claims that.
    std::fs::remove_dir_all(sandbox.path("final")).expect("it is there");
    copy(&trees().join("price-task/start"), &sandbox.path("final"));
    check(&["--durable", "git:refs/receipts/1"]).exits(1);
    is_valid(&sandbox, "receipt.json");
    let again = sandbox.json("receipt.json");
    assert_eq!([&again["result"]["status"], &again["judged"]["word"]], ["FAIL", "contradicted"]);
    assert_eq!(again["terminal"]["state"], "COMPLETED");
    assert_eq!(
        [&*verdict_of(&again, "command visible"), &*verdict_of(&again, "contract")],
        ["FAIL", "PASS"]
    );
    assert_ne!(again["judged"]["tree_sha256"], receipt["judged"]["tree_sha256"]);
    assert_eq!(again["run"]["id"], receipt["run"]["id"], "the same question");
}

#[test]
fn what_is_refused_or_broken_off_has_a_receipt_that_knows_nothing() {
    let sandbox = finished("reference");
    sandbox.write("forged/contract.json", "{}").write("forged/contract.statement.json", "{}");
    sandbox.call(["check", "forged", "final", "--receipt", "refused.json"]).run().exits(11);
    is_valid(&sandbox, "refused.json");
    let receipt = sandbox.json("refused.json");
    assert_eq!([&receipt["result"]["status"], &receipt["judged"]["word"]], ["UNKNOWN", "refused"]);
    // An error is no answer: what was begun stays begun.
    sandbox.write("broken.tar.zst", "no archive");
    let words = ["audit", "broken.tar.zst", "--seed", "1", "--receipt", "none.json"];
    sandbox.call(words).run().exits(11);
    assert!(!sandbox.path("none.json").exists(), "nothing had begun");
    let words = ["check", "nowhere", "final", "--receipt", "open.json"];
    sandbox.call(words).run().exits(2);
    is_valid(&sandbox, "open.json");
    let receipt = sandbox.json("open.json");
    assert_eq!(receipt["terminal"]["state"], "INTERRUPTED");
    assert_eq!(receipt["result"]["status"], "UNKNOWN");
}

#[test]
fn a_receipt_stands_outside_of_what_is_read_and_over_no_other_file() {
    let sandbox = finished("reference");
    sandbox.write("mine.json", "{\"a\": 1}");
    let call = |place: &str| {
        sandbox.call(["check", "price.tar.zst", "final", "--no-commands", "--receipt", place]).run()
    };
    call("final/receipt.json").exits(2).tells("which is only read");
    call("mine.json").exits(8).tells("is there and no receipt");
    assert_eq!(sandbox.read("mine.json"), "{\"a\": 1}");
    assert!(!sandbox.path("final/receipt.json").exists());
    call("receipt.json").exits(10);
    assert_eq!(verdict_of(&sandbox.json("receipt.json"), "command held"), "UNKNOWN");
}

#[test]
fn an_audit_leaves_a_receipt_beside_its_record() {
    let sandbox = bundled();
    let words = ["audit", "price.tar.zst", "--sample", "2", "--seed", "1"];
    let more = ["-o", "record.json", "--receipt", "receipt.json"];
    sandbox.call(words.iter().chain(&more)).run().exits(0);
    is_valid(&sandbox, "receipt.json");
    let receipt = sandbox.json("receipt.json");
    assert_eq!([&receipt["run"]["command"], &receipt["authority"]["level"]], ["audit", "OBSERVE"]);
    assert_eq!([&receipt["result"]["status"], &receipt["judged"]["word"]], ["PASS", "agrees"]);
    let record = Sha256::of(&sandbox.bytes("record.json")).to_string();
    assert_eq!(receipt["judged"]["answer_sha256"], record);
    assert_eq!(receipt["judged"]["bundle_sha256"], sandbox.json("record.json")["compile_sha256"]);
    assert_eq!(verdict_of(&receipt, "random sample"), "PASS");
}
