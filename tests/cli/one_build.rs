//! Mutants of a tree in one build. What is expected here is what `--exact` decides, once by hand.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::harness::Sandbox;
use crate::rust::with_cargo;

#[test]
fn what_shares_a_build_is_decided_as_each_build_alone_decides() {
    let sandbox = Sandbox::with("rust-one-build");
    let words = ["measure", "tree", "--baselines", "1", "-j", "1", "--confirm", "off"];
    let command = ["--", "cargo", "test", "--workspace", "--offline"];
    let ran = with_cargo(sandbox.call(words.iter().chain(&command))).run();
    ran.exits(0)
        .totals("49 mutants: 42 killed (0 by time-out), 7 survived, 0 undecided; 2 unviable, 0 not built")
        .says("Verdicts by executor: 40 one-build, 11 exact; survivors by basis: 7 reach\n")
        .says("10 of 40 mutants that faster executors judged (5 of them survivors)")
        .says("none differs\n");
    let rows = sandbox.lines("adequacy.out/mutants.jsonl");
    let rows = rows.iter().map(|row| (row["id"].to_string(), row)).collect::<BTreeMap<_, _>>();
    let word = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let mut found = BTreeMap::<String, usize>::new();
    for line in sandbox.lines("adequacy.out/outcomes.jsonl").split_off(1) {
        let function = word(&rows[&line["id"].to_string()]["function"]);
        let [outcome, executor] = ["outcome", "executor"].map(|name| word(&line[name]));
        *found.entry(format!("{function}: {outcome} by {executor}")).or_default() += 1;
    }
    let found = found.iter().map(|(what, count)| format!("{what}, {count}")).collect::<Vec<_>>();
    ran.same(
        found.iter().map(String::as_str).collect::<Vec<_>>(),
        vec![
            // Constants stand outside of functions.
            "-: killed by exact, 3",
            "-: unviable by exact, 1",
            "hidden: killed by exact, 6",
            "larger: killed by one-build, 2",
            "larger: survived by one-build, 1",
            "main: killed by one-build, 2",
            // Of `+` and `*`, what is swapped decides what binds first.
            "mixed: killed by one-build, 6",
            "mixed: survived by one-build, 1",
            "never_entered: survived by one-build, 5",
            "only_documented: killed by one-build, 4",
            "shifted: killed by one-build, 5",
            // The compiler refuses it beside the others, and alone.
            "shifted: unviable by exact, 1",
            "sum: killed by one-build, 4",
            "told: killed by one-build, 10",
        ],
    );
    // What its runs leave is not looked at, and the budget does not claim it.
    let budget = sandbox.read("adequacy.out/evidence/path-budget.json");
    assert!(budget.contains("but those on one build of many mutants"), "{budget}");
    sandbox.call(["evidence", "verify", "adequacy.out", "--tree", "tree"]).run().exits(0);
}
