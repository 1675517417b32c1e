//! `check --mutate-change`: how well the commands pin down a final tree's own change, beside the word.

use serde_json::{Value, json};

use crate::bundles::{bundled, unpack};
use crate::harness::{Sandbox, copy, trees};

const FINAL: &str = "final/price.py";

/// A sandbox with the bundle, and the right solution as `final`.
fn finished() -> Sandbox {
    let sandbox = bundled();
    copy(&trees().join("price-task/reference"), &sandbox.path("final"));
    sandbox
}

fn answer(sandbox: &Sandbox, subject: &str, exit: i32) -> Value {
    let ran = sandbox.call(["check", subject, "final", "--mutate-change", "--json"]).run();
    serde_json::from_str(&ran.exits(exit).out).expect("JSON")
}

#[test]
fn a_change_that_the_commands_pin_down_is_told_from_one_they_do_not() {
    let sandbox = finished();
    let tight = answer(&sandbox, "price.tar.zst", 0);
    let change = &tight["change"];
    assert_eq!(
        (&change["why_not"], &change["commands"]),
        (&Value::Null, &json!(["visible", "held"]))
    );
    let null_patch = json!({"class": "null_patch", "mutants": 1, "killed": 1});
    assert_eq!(change["by_class"][0], null_patch);
    let survivors =
        |answer: &Value| answer["change"]["survivors"].as_array().expect("a list").clone();
    let before = survivors(&tight);
    // More that is new, and that no command asks for.
    let text = sandbox.read(FINAL);
    sandbox.write(FINAL, format!("{text}\n\ndef unasked(a):\n    return a + 1\n"));
    let loose = answer(&sandbox, "price.tar.zst", 0);
    assert_eq!(loose["word"], "supported");
    let new = survivors(&loose).into_iter().filter(|one| {
        one["line"].as_u64() >= Some(7) && one["path"] == "price.py" && !before.contains(one)
    });
    let new =
        new.map(|one| one["operator"].as_str().expect("a name").to_owned()).collect::<Vec<_>>();
    assert!(new.contains(&"binop-swap".to_owned()), "{new:?}");
    // The numbers say the same as the list.
    let count = |member: &str| loose["change"][member].as_u64().expect("a count");
    let alive = survivors(&loose).len() as u64;
    assert_eq!(count("mutants"), count("killed") + count("undecided") + alive);
    let ran = sandbox.call(["check", "price.tar.zst", "final", "--mutate-change", "-j", "1"]).run();
    ran.exits(0)
        .says("of its mutants killed by `visible`, `held`")
        .says("accepted: price.py:10 binop-swap");
    ran.same(ran.out.lines().last(), Some("supported"));
}

#[test]
fn what_cannot_be_measured_is_said_and_changes_no_word() {
    let sandbox = finished();
    let change = |subject: &str, exit: i32| {
        let change = answer(&sandbox, subject, exit)["change"].clone();
        (change["why_not"].as_str().expect("a reason").to_owned(), change["mutants"].clone())
    };
    sandbox.write(FINAL, "def total(prices, discount=0):\n    return {(1, 2): 3}[tuple(prices)]\n");
    let (why, mutants) = change("price.tar.zst", 1);
    assert!(why.starts_with("a command fails on the final tree"), "{why}");
    assert_eq!(mutants, 0);
    // Without the bundle there is nothing that the tree was made of.
    sandbox.write(FINAL, sandbox.bytes_of("price-task/reference/price.py"));
    unpack(&sandbox);
    for name in ["contract.json", "contract.statement.json"] {
        sandbox.write(format!("alone/{name}"), sandbox.bytes(&format!("b/{name}")));
    }
    let (why, _) = change("alone", 10);
    assert!(why.starts_with("there is no start tree"), "{why}");
    // The other flag is about these mutants alone.
    let ran = sandbox.call(["check", "price.tar.zst", "final", "-j", "2"]).run();
    ran.exits(2).tells("--mutate-change");
}

#[test]
fn a_tree_without_a_change_has_no_mutants_of_one() {
    let sandbox = Sandbox::with("price-task");
    // A command that asks for nothing new.
    let task = sandbox.read("tree/adequacy.toml");
    let (head, _) = task.split_once("[[acceptance]]").expect("it has commands");
    let old = "[[acceptance]]\nid = \"old\"\nargv = [\"python3\", \"-c\", \"import price\"]\nprepatch = \"pass\"\n";
    sandbox.write("tree/adequacy.toml", format!("{head}{old}"));
    let allow = ["null_patch_survived", "change_floor_unmet", "zero-kill", "cheat_class_survived"];
    let words = allow.iter().flat_map(|gate| ["--allow", gate]).collect::<Vec<_>>();
    sandbox.seal(&words).run().exits(0);
    sandbox.call(["bundle", "tree", "-o", "b"]).run().exits(0);
    copy(&sandbox.path("tree/start"), &sandbox.path("final"));
    let answer = answer(&sandbox, "b", 10);
    let why = answer["change"]["why_not"].as_str().expect("a reason");
    assert!(why.contains("there is no change to test"), "{why}");
}
