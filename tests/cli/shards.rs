//! Shards: that the parts of a run give what the whole gives, and which parts are refused.

use std::fs;

use serde_json::{Value, json};

use crate::harness::{Call, Sandbox, copy, names, outcome_lines};

/// Six mutants, of which the command kills A, C and E; `unseen.py` is loaded by nobody.
fn flags(more: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    let lines: String = "ABCDE".chars().map(|name| format!("{name} = False\n")).collect();
    sandbox.write("tree/product.py", lines).write("tree/unseen.py", "F = False\n");
    sandbox.write("tree/check.sh", "! grep -q '^[ACE] = True\\|^raise' product.py\n");
    let task = "contract_id = 'contract-flags'\n\
                [[acceptance]]\nid = 'unit'\nargv = ['sh', 'check.sh']\n\
                [mutate]\noperators = ['boolean-flip']\n";
    sandbox.write("tree/adequacy.toml", format!("{task}{more}"));
    sandbox
}

/// `measure` of shard `shard` into the directory `output`.
fn shard<'a>(sandbox: &'a Sandbox, shard: &str, output: &str, words: &[&str]) -> Call<'a> {
    let first = ["measure", "tree", "--baselines", "1", "-j", "1", "--shard", shard, "-o", output];
    sandbox.call(first.iter().chain(words))
}

fn merge<'a>(sandbox: &'a Sandbox, runs: &[&str]) -> Call<'a> {
    sandbox.call(["merge", "-o", "merged"].iter().chain(runs))
}

const SEALED: [&str; 2] = ["sealed/contract.json", "sealed/contract.statement.json"];

fn bytes(sandbox: &Sandbox, output: &str) -> Vec<Vec<u8>> {
    let all = ["mutants.jsonl"].iter().chain(&SEALED);
    all.map(|name| sandbox.bytes(&format!("{output}/{name}"))).collect()
}

#[test]
fn shards_give_the_bytes_of_a_whole_run_in_any_order() {
    let sandbox = Sandbox::with("price-task");
    sandbox.call(["seal", "tree", "-j", "2", "-o", "whole"]).run().exits(0);
    for number in ["1", "2", "3"] {
        let words = ["measure", "tree", "-j", "2", "--shard", &format!("{number}/3")];
        let output = ["-o", &format!("s{number}")];
        let ran = sandbox.call(words.iter().chain(&output)).run();
        ran.exits(0).says(&format!("This is shard {number}/3 of a run: "));
        ran.never_says("gate `");
    }
    let whole = outcome_lines(&sandbox, "whole");
    for order in [["s1", "s2", "s3"], ["s3", "s1", "s2"]] {
        let ran = merge(&sandbox, &order).run();
        ran.exits(0).never_says("This is shard").says("null patch       killed");
        ran.same(outcome_lines(&sandbox, "merged"), whole.clone());
        sandbox.call(["seal", "tree", "--run", "merged"]).run().exits(0).tells("sealed `");
        assert!(bytes(&sandbox, "merged") == bytes(&sandbox, "whole"), "{order:?}");
    }
    // What else reads a run directory takes a merged one for a run.
    let ran = sandbox.call(["report", "merged", "--format", "full-json"]).run();
    ran.exits(0)
        .same(serde_json::from_str::<Value>(&ran.out).expect("JSON")["pending"].clone(), json!(0));
    sandbox.call(["gate", "merged", "--no-zero-kill", "--against", "whole"]).run().exits(0);
    sandbox.call(["bundle", "tree", "--run", "merged", "-o", "price.tar.zst"]).run().exits(0);
    let run = sandbox.json("merged/run.json");
    let decided = run["merged_from"].as_array().expect("parts").iter();
    let decided = decided.map(|part| part["decided"].as_u64().expect("a count")).sum::<u64>();
    let counted = sandbox.lines("whole/outcomes.jsonl").len() as u64 - 1;
    assert_eq!(
        (decided, &run["shard"], &run["state"]),
        (counted, &json!(null), &json!("finished"))
    );
    // Its logs are those of its runs.
    let line = &sandbox.lines("merged/outcomes.jsonl")[1]["runs"][0];
    let log = sandbox.bytes(&format!("merged/logs/{}", line["log"].as_str().expect("a log")));
    assert_eq!(line["log_sha256"], adequacy::base::Sha256::of(&log).to_string());
}

#[test]
fn a_lone_shard_is_no_run() {
    let sandbox = flags("");
    shard(&sandbox, "1/2", "s1", &[]).run().exits(0).totals(
        "3 mutants: 3 killed (0 by time-out), 0 survived, 0 undecided; 0 unviable, 0 not built",
    );
    assert_eq!(sandbox.json("s1/run.json")["state"], "shard");
    sandbox.call(["seal", "tree", "--run", "s1"]).run().exits(11).tells("is shard 1/2");
    sandbox.call(["gate", "s1", "--no-zero-kill"]).run().exits(10).tells("This is shard 1/2");
    sandbox.call(["report", "s1"]).run().exits(10).says("3 of its 6 mutants are of other shards");
    sandbox.call(["bundle", "tree", "--run", "s1", "-o", "b"]).run().exits(11);
    let ran = merge(&sandbox, &["s1"]).run();
    let ids: Vec<_> =
        sandbox.lines("s1/mutants.jsonl").iter().map(|row| row["id"].clone()).collect();
    let ids = [1, 3, 5].map(|place: usize| ids[place].as_str().expect("an id").to_owned());
    ran.exits(11).tells(&format!("no run decided 3 of 6 mutants: {}; shard 2/2", ids.join(", ")));
    assert!(!sandbox.path("merged").exists(), "something was written");
    // It is gone on with as what it is, and as nothing else.
    let words = ["--resume"];
    shard(&sandbox, "2/2", "s1", &words).run().exits(8).tells("the shard differs");
    shard(&sandbox, "1/2", "s1", &words).run().exits(0).tells("3 of 3 verdicts are taken over");
    shard(&sandbox, "3/2", "s1", &[]).run().exits(2).tells("K from 1 to N");
    sandbox.call(["seal", "tree", "--shard", "1/2"]).run().exits(2);
    sandbox.call(["seal", "tree", "--run", "s1", "-j", "2"]).run().exits(2).tells("--run");
}

#[test]
fn what_is_known_of_files_and_commands_is_put_together() {
    // Nothing of either file is killed in the third shard; only `unseen.py` is loaded by nobody.
    let sandbox = flags("");
    for (number, output) in [("1/3", "s1"), ("2/3", "s2"), ("3/3", "s3")] {
        shard(&sandbox, number, output, &[]).run().exits(0);
    }
    merge(&sandbox, &["s2", "s3", "s1"])
        .run()
        .exits(0)
        .says("Not loaded by any command: unseen.py");
    assert_eq!(sandbox.json("merged/run.json")["not_reached"], json!(["unseen.py"]));
    sandbox.measure(&["-o", "whole"]).run().exits(0);
    assert_eq!(outcome_lines(&sandbox, "merged"), outcome_lines(&sandbox, "whole"));
    // Runs that overlap and agree are no harm, nor is a merged run among them.
    let ran = sandbox.call(["merge", "-o", "again", "merged", "s1", "whole"]).run();
    ran.exits(0).never_says("warning");
    assert_eq!(outcome_lines(&sandbox, "again"), outcome_lines(&sandbox, "whole"));
}

#[test]
fn runs_that_are_no_parts_of_one_are_refused_by_name() {
    let sandbox = flags("");
    shard(&sandbox, "1/2", "s1", &[]).run().exits(0);
    let refused = |words: &[&str], what: &str| {
        shard(&sandbox, "2/2", "s2", words).run().exits(0);
        let ran = merge(&sandbox, &["s1", "s2"]).run();
        ran.exits(11).tells(&format!("`s1` and `s2` are not parts of one run: {what} differs"));
        assert!(!sandbox.path("merged").exists(), "something was written");
    };
    refused(&["--timeout", "77"], "the task");
    refused(&["--full-matrix"], "the task");
    refused(&["--limit", "4"], "the sampler");
    refused(&["--include", "product.py"], "the plan");
    sandbox.write("tree/data.txt", "new");
    refused(&[], "a tree");
    fs::remove_file(sandbox.path("tree/data.txt")).expect("it is there");
    shard(&sandbox, "2/2", "s2", &[]).run().exits(0);
    let good = sandbox.read("s2/run.json");
    let edited = |from: &str, to: &str| {
        assert!(good.contains(from), "{from}");
        sandbox.write("s2/run.json", good.replacen(from, to, 1));
        let ran = merge(&sandbox, &["s2", "s1"]).run();
        ran.exits_one_of(&[8, 11]);
        ran.err.clone()
    };
    let version = format!("adequacy {}", env!("CARGO_PKG_VERSION"));
    assert!(edited(&version, "adequacy 0.0.1").contains("another version"));
    assert!(edited("\"state\": \"shard\"", "\"state\": \"begun\"").contains("is not finished"));
    assert!(edited("\"state\": \"shard\"", "\"state\": \"spoiled\"").contains("spoiled"));
    sandbox.write("s2/run.json", &good);
    // Where the merged run goes, none of its parts may stand.
    for (output, runs) in [("s1", ["s1", "s2"]), ("s", ["s1", "s.old"])] {
        copy(&sandbox.path("s2"), &sandbox.path("s.old"));
        let ran = sandbox.call(["merge", "-o", output].iter().chain(&runs)).run();
        ran.exits(8).tells("is one of the runs to merge");
        fs::remove_dir_all(sandbox.path("s.old")).expect("it is there");
    }
    sandbox.call(["merge", "-o", "merged", "s1", "tree"]).run().exits(8).tells("no run.json");
    assert_eq!(names(&sandbox.path("s1")), names(&sandbox.path("s2")));
}

#[test]
fn an_overlap_that_disagrees_is_refused() {
    let sandbox = flags("");
    sandbox.measure(&["-o", "whole"]).run().exits(0);
    shard(&sandbox, "1/2", "s1", &[]).run().exits(0);
    // The shard's first kill becomes a survivor, runs and all.
    let text = sandbox.read("s1/outcomes.jsonl");
    let mut lines = sandbox.lines("s1/outcomes.jsonl");
    let line = lines.iter_mut().find(|line| line["outcome"] == "killed").expect("a kill");
    let id = line["id"].as_str().expect("an id").to_owned();
    let before = text.lines().find(|line| line.contains(&id)).expect("its line");
    line["runs"][0]["exit"] = json!({"code": 0});
    let half = text.replace(before, &line.to_string());
    sandbox.write("s1/outcomes.jsonl", &half);
    let ran = merge(&sandbox, &["whole", "s1"]).run();
    ran.exits(8).tells(&format!("the verdict of `{id}` is not what its runs mean"));
    let line = line.as_object_mut().expect("a line");
    line.insert("outcome".to_owned(), json!("survived"));
    for name in ["reason", "command"] {
        line.remove(name);
    }
    let changed = text.replace(before, &json!(line).to_string());
    sandbox.write("s1/outcomes.jsonl", changed);
    for order in [["whole", "s1"], ["s1", "whole"]] {
        let ran = merge(&sandbox, &order).run();
        ran.exits(11).tells(&format!("runs that overlap disagree about {id}:"));
    }
}

#[test]
fn a_command_that_gave_two_answers_in_one_shard_kills_in_none() {
    let sandbox = flags("");
    // Fails the second of all times, and on every mutant: only the first shard can notice.
    let shaky = "echo run >> \"$STATE/runs\"\ntest $(wc -l < \"$STATE/runs\") -ne 2 || exit 1\n\
                 ! grep -q 'True\\|^raise' product.py\n";
    sandbox.write("tree/shaky.sh", shaky).write("state/x", "");
    let task = sandbox.read("tree/adequacy.toml");
    let more = "[[acceptance]]\nid = 'shaky'\nargv = ['sh', 'shaky.sh']\n[[acceptance]]";
    sandbox.write("tree/adequacy.toml", task.replacen("[[acceptance]]", more, 1));
    for (number, output) in [("1/2", "s1"), ("2/2", "s2")] {
        let words = ["measure", "tree", "-j", "1", "--baselines", "2", "--allow", "flaky"];
        let more = ["--shard", number, "-o", output, "--env", "STATE", "--allow-write", "state"];
        let call = sandbox.call(words.iter().chain(&more));
        call.env("STATE", sandbox.path("state")).run().exits(0);
    }
    let flaky = ["s1", "s2"].map(|run| sandbox.json(&format!("{run}/run.json"))["flaky"].clone());
    assert_eq!(flaky, [json!(["shaky"]), json!([])]);
    merge(&sandbox, &["s2", "s1"]).run().exits(6).tells("gate `undecided` fails").totals(
        "6 mutants: 3 killed (0 by time-out), 1 survived, 2 undecided; 0 unviable, 0 not built",
    );
    assert_eq!(sandbox.json("merged/run.json")["flaky"], json!(["shaky"]));
}

#[test]
fn a_budget_is_no_number_that_shards_can_share() {
    let sandbox = flags("budget = '1cpu-h'\n");
    let ran = shard(&sandbox, "1/2", "s1", &[]).run();
    ran.exits(2).tells("shards would choose different ones").tells("--limit");
    shard(&sandbox, "1/2", "s1", &["--limit", "4"]).run().exits(0);
    shard(&sandbox, "2/2", "s2", &["--limit", "4"]).run().exits(0);
    merge(&sandbox, &["s1", "s2"]).run().exits(0);
    sandbox.call(["seal", "tree", "--run", "merged"]).run().exits(0);
    sandbox.seal(&["--limit", "4", "-o", "whole"]).run().exits(0);
    assert!(bytes(&sandbox, "merged") == bytes(&sandbox, "whole"));
}

#[test]
fn a_finished_run_is_sealed_later_if_all_is_as_it_was() {
    let sandbox = flags("");
    sandbox.seal(&["-o", "whole"]).run().exits(0);
    sandbox.measure(&["-o", "late"]).run().exits(0);
    let seal =
        |words: &[&str]| sandbox.call(["seal", "tree", "--run", "late"].iter().chain(words)).run();
    let runs = sandbox.lines("late/outcomes.jsonl");
    seal(&[]).exits(0).tells("sealed `contract-flags`").totals(
        "6 mutants: 3 killed (0 by time-out), 3 survived, 0 undecided; 0 unviable, 0 not built",
    );
    assert!(bytes(&sandbox, "late") == bytes(&sandbox, "whole"));
    assert_eq!(sandbox.lines("late/outcomes.jsonl"), runs, "no mutant was run");
    // Its trees may have been moved, and stay what they are.
    copy(&sandbox.path("tree"), &sandbox.path("moved"));
    sandbox.call(["seal", "moved", "--run", "late", "--out", "there"]).run().exits(0);
    assert_eq!(sandbox.bytes("there/contract.json"), sandbox.bytes("whole/sealed/contract.json"));
    let id = ["--contract-id", "contract-other", "--out", "other"];
    seal(&id).exits(0).tells("sealed `contract-other`");
    fs::remove_dir_all(sandbox.path("late/sealed")).expect("it is there");
    let refused = |path: &str, text: &str, what: &str| {
        let before = sandbox.read(path);
        sandbox.write(path, text);
        let ran = sandbox.call(["seal", "tree", "--run", "late"]).writes_tree().run();
        ran.exits(11).tells(&format!("{what} differs"));
        sandbox.write(path, before);
        assert!(!sandbox.path("late/sealed").exists(), "something was sealed");
    };
    let task = sandbox.read("tree/adequacy.toml");
    refused("tree/adequacy.toml", &task.replace("'sh', ", "'sh', '-e', "), "the task");
    refused("tree/adequacy.toml", &format!("task = 'Flags'\n{task}"), "the task");
    refused("tree/product.py", "A = False\n", "a tree");
    let run = sandbox.read("late/run.json");
    refused(
        "late/run.json",
        &run.replacen("\"version\": \"3", "\"version\": \"2", 1),
        "the interpreter",
    );
    let gate = sandbox.call(["seal", "tree", "--run", "late", "--max-undecided", "3"]).run();
    gate.exits(0);
    assert_eq!(sandbox.json("late/run.json")["max_undecided"], json!(3));
    // Half of a run is none.
    sandbox.write("late/run.json", run.replacen("\"finished\"", "\"begun\"", 1));
    seal(&[]).exits(11).tells("not finished");
}

#[test]
fn a_bare_tree_is_sealed_from_its_run_with_the_command_it_had() {
    let sandbox = flags("");
    fs::remove_file(sandbox.path("tree/adequacy.toml")).expect("it is there");
    let words = ["--operator", "boolean-flip", "--", "sh", "check.sh"];
    sandbox.measure(&words).run().exits(0);
    sandbox.call(["seal", "tree", "--run", "adequacy.out"]).run().exits(0);
    let contract = sandbox.json("adequacy.out/sealed/contract.json");
    assert_eq!(contract["acceptance"], json!([{"id": "command", "argv": ["sh", "check.sh"]}]));
}
