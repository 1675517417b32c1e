//! Receipts and evidence: what a run leaves holds, and whatever is changed in it is named.

use std::fs;

use serde_json::{Value, json};

use crate::harness::{Sandbox, copy, executable};

const TASK: &str = "\
contract_id = 'contract-calc'
[[acceptance]]
id = 'unit'
argv = ['python3', 'tests/check.py']
[mutate]
include = ['calc.py']
[env]
set = { PYTHONPATH = '.' }
";

/// A sealed run of the calc tree in `run`.
fn sealed() -> Sandbox {
    let sandbox = Sandbox::with("calc");
    sandbox.write("tree/tests/check.py", sandbox.read("tree/check.py"));
    fs::remove_file(sandbox.path("tree/check.py")).expect("it is there");
    sandbox.write("tree/adequacy.toml", TASK);
    let two = ["--operator", "binop-swap", "--operator", "compare-boundary", "-o", "run"];
    sandbox.seal(&two).run().exits(0);
    sandbox
}

/// What the run directory is then told to be.
fn verified(sandbox: &Sandbox, folder: &str) -> Vec<String> {
    let ran = sandbox.call(["evidence", "verify", folder, "--tree", "tree"]).run();
    ran.exits(if ran.out == "valid\n" { 0 } else { 1 });
    ran.out.lines().map(str::to_owned).collect()
}

#[test]
fn a_run_leaves_a_receipt_and_evidence_that_a_stranger_makes_again() {
    let sandbox = sealed();
    assert_eq!(verified(&sandbox, "run"), ["valid"]);
    let receipt = sandbox.json("run/receipt.json");
    assert_eq!(receipt["authority"]["level"], "ASSIST");
    assert_eq!(receipt["result"]["status"], "PASS");
    assert_eq!(receipt["terminal"]["state"], "LOCAL_ONLY");
    assert_eq!(receipt["terminal"]["receipt_complete"], false);
    assert_eq!([&receipt["measured"]["mutants"], &receipt["measured"]["killed"]], [2, 1]);
    let verdict = sandbox.json("run/evidence/final-verdict.json");
    assert_eq!(
        verdict["scope"],
        "1 of 2 mutants of this tree refused by these commands, in this environment"
    );
    assert_eq!(verdict["process_failures"], json!([]));
    let gate = sandbox.json("run/evidence/gates/baseline-000.json");
    assert_eq!(
        [&gate["gate"], &gate["exit"], &gate["parsed_from"]],
        [&json!("unit"), &json!(0), &json!("none")]
    );
    let manifest = sandbox.read("run/evidence/baseline.sha256");
    let paths = manifest.lines().map(|line| line.split_once("  ").expect("two columns").1);
    assert_eq!(paths.collect::<Vec<_>>(), ["tree/calc.py", "tree/tests/check.py"]);
    for (kind, name) in [
        ("baseline", "baseline"),
        ("path-budget", "path-budget"),
        ("final-verdict", "final-verdict"),
        ("gate-result", "gates/baseline-000"),
    ] {
        let path = format!("run/evidence/{name}.json");
        let ran = sandbox.call(["evidence", "validate", kind, &path, "--strict"]).run();
        ran.exits(0).same(ran.out.as_str(), "valid\n");
    }
}

#[test]
fn a_stamp_is_a_separate_act_and_covers_the_receipt() {
    let sandbox = sealed();
    let validate = |more: &[&str]| {
        sandbox
            .call(["receipt", "validate", "run/receipt.json", "--strict"].iter().chain(more))
            .run()
    };
    validate(&[]).exits(0);
    validate(&["--stamp"]).exits(0);
    assert_eq!(sandbox.json("run/receipt.json")["terminal"]["receipt_complete"], true);
    validate(&[]).exits(0);
    assert_eq!(verified(&sandbox, "run"), ["valid"]);
    let mut receipt = sandbox.json("run/receipt.json");
    receipt["run"]["tool"] = json!("another");
    sandbox.write("run/receipt.json", receipt.to_string());
    validate(&["--stamp"]).exits(1).says("complete-is-stamped");
}

#[test]
fn only_a_durable_reference_completes_a_run() {
    let sandbox = sealed();
    let one = ["--operator", "binop-swap", "-o", "kept", "--durable"];
    sandbox.measure(&[&one[..], &["git:refs/runs/1"]].concat()).run().exits(0);
    let receipt = sandbox.json("kept/receipt.json");
    assert_eq!(receipt["terminal"]["state"], "COMPLETED");
    assert_eq!(receipt["terminal"]["durable_ref"], "git:refs/runs/1");
    assert_eq!(verified(&sandbox, "kept"), ["valid"]);
    let ran = sandbox.measure(&[&one[..], &["./kept"]].concat()).run();
    ran.exits(2).tells("local");
}

/// Changes one member of a JSON file.
fn set(sandbox: &Sandbox, path: &str, pointer: &str, value: Value) {
    let mut record = sandbox.json(path);
    *record.pointer_mut(pointer).unwrap_or_else(|| panic!("{path} {pointer}")) = value;
    sandbox.write(path, serde_json::to_string_pretty(&record).expect("JSON"));
}

fn replace(sandbox: &Sandbox, path: &str, from: &str, to: &str) {
    let text = sandbox.read(path);
    assert!(text.contains(from), "{path} has no {from}");
    sandbox.write(path, text.replacen(from, to, 1));
}

fn first_file(sandbox: &Sandbox, folder: &str) -> String {
    let mut names = crate::harness::names(&sandbox.path(folder));
    names.sort();
    format!("{folder}/{}", names.first().expect("a file"))
}

fn remove(sandbox: &Sandbox, path: &str) {
    fs::remove_file(sandbox.path(path)).expect("it is there");
}

/// A way to tamper with the run in `bad`, and the code that names it.
type Tampering = (&'static str, fn(&Sandbox));

const TAMPERINGS: &[Tampering] = &[
    ("receipt_missing", |s| remove(s, "bad/receipt.json")),
    ("json_invalid", |s| {
        s.write("bad/receipt.json", "{");
    }),
    ("json_duplicate_member", |s| replace(s, "bad/receipt.json", "{", "{\"schema\": 1,")),
    ("receipt_differs receipt.json/measured/killed", |s| {
        set(s, "bad/receipt.json", "/measured/killed", json!(2));
    }),
    ("receipt_differs receipt.json/measured/mutants", |s| {
        set(s, "bad/receipt.json", "/measured/mutants", json!(20));
    }),
    ("receipt_differs receipt.json/measured/plan_sha256", |s| {
        set(s, "bad/receipt.json", "/measured/plan_sha256", json!("0".repeat(64)));
    }),
    ("receipt_differs receipt.json/measured/kill_vector_sha256", |s| {
        set(s, "bad/receipt.json", "/measured/kill_vector_sha256", json!("0".repeat(64)));
    }),
    ("receipt_differs receipt.json/measured/contract_sha256", |s| {
        set(s, "bad/receipt.json", "/measured/contract_sha256", json!("0".repeat(64)));
    }),
    ("receipt_differs receipt.json/run/id", |s| {
        set(s, "bad/receipt.json", "/run/id", json!("another"));
    }),
    ("receipt_differs receipt.json/verification/criteria/4/observed", |s| {
        set(
            s,
            "bad/receipt.json",
            "/verification/criteria/4/observed",
            json!("2 of 2 mutants killed"),
        );
    }),
    ("INV-07", |s| set(s, "bad/receipt.json", "/terminal/state", json!("COMPLETED"))),
    ("complete-is-stamped", |s| {
        set(s, "bad/receipt.json", "/terminal/receipt_complete", json!(true));
    }),
    ("file_changed run.json", |s| replace(s, "bad/run.json", "\"jobs\": 2", "\"jobs\": 3")),
    ("run_damaged", |s| replace(s, "bad/run.json", "\"killed\": 1", "\"killed\": 2")),
    ("run_damaged", |s| replace(s, "bad/mutants.jsonl", "binop-swap", "binop-swop")),
    ("file_changed outcomes.jsonl", |s| {
        replace(
            s,
            "bad/outcomes.jsonl",
            "\"outcome\":\"survived\"",
            "\"outcome\":\"killed\",\"reason\":\"exit\",\"command\":0",
        );
    }),
    ("run_damaged", |s| {
        let text = s.read("bad/outcomes.jsonl");
        let short = text.lines().take(2).map(|line| format!("{line}\n")).collect::<String>();
        s.write("bad/outcomes.jsonl", short);
    }),
    ("file_missing outcomes.jsonl", |s| remove(s, "bad/outcomes.jsonl")),
    ("log_changed", |s| {
        let log = first_file(s, "bad/logs");
        s.write(log, "all is well\n");
    }),
    ("log_missing", |s| remove(s, &first_file(s, "bad/logs"))),
    ("run_damaged", |s| {
        let source = first_file(s, "bad/sources");
        s.write(source, "x = 1\n");
    }),
    ("source_missing", |s| remove(s, &first_file(s, "bad/sources"))),
    ("evidence_missing evidence/baseline.sha256", |s| {
        remove(s, "bad/evidence/baseline.sha256");
    }),
    ("tree_changed tree/tests/check.py", |s| {
        let text = s.read("bad/evidence/baseline.sha256");
        let (first, second) = text.split_once('\n').expect("two lines");
        s.write(
            "bad/evidence/baseline.sha256",
            format!("{first}\n{}{}", "0".repeat(64), &second[64..]),
        );
    }),
    ("manifest_differs evidence/baseline.sha256", |s| {
        let text = s.read("bad/evidence/baseline.sha256");
        s.write("bad/evidence/baseline.sha256", format!("{}{}", "0".repeat(64), &text[64..]));
    }),
    ("manifest_differs evidence/baseline.json", |s| {
        set(s, "bad/evidence/baseline.json", "/files", json!(3));
    }),
    ("file_unlisted evidence/more.json", |s| {
        s.write("bad/evidence/more.json", "{}");
    }),
    ("evidence_differs evidence/path-budget.json/forbidden_acts/0/enforced_by", |s| {
        set(
            s,
            "bad/evidence/path-budget.json",
            "/forbidden_acts/0/enforced_by",
            json!("good will"),
        );
    }),
    ("evidence_differs evidence/gates/baseline-000.json/exit", |s| {
        set(s, "bad/evidence/gates/baseline-000.json", "/exit", json!(1));
    }),
    ("totals-have-a-source", |s| {
        set(s, "bad/evidence/gates/baseline-000.json", "/tests", json!(300));
    }),
    ("evidence_differs evidence/final-verdict.json/residual_risks", |s| {
        set(s, "bad/evidence/final-verdict.json", "/residual_risks", json!([]));
    }),
    ("verdict-status-scoped", |s| {
        set(s, "bad/evidence/final-verdict.json", "/status", json!("done"));
    }),
    ("contract_refused", |s| {
        replace(s, "bad/sealed/contract.json", "\"killed\":1", "\"killed\":2");
    }),
    ("statement_missing", |s| {
        remove(s, "bad/sealed/contract.statement.json");
    }),
    ("file_missing sealed/contract.json", |s| {
        remove(s, "bad/sealed/contract.json");
    }),
];

#[test]
fn every_kind_of_tampering_is_named() {
    let sandbox = sealed();
    assert!(TAMPERINGS.len() >= 30);
    for (code, tamper) in TAMPERINGS {
        copy(&sandbox.path("run"), &sandbox.path("bad"));
        tamper(&sandbox);
        let found = verified(&sandbox, "bad");
        assert!(found.iter().any(|line| line.starts_with(code)), "{code} is not in {found:#?}");
        fs::remove_dir_all(sandbox.path("bad")).expect("it can be removed");
    }
}

#[test]
fn a_tree_that_changed_since_is_named() {
    let sandbox = sealed();
    sandbox.write("tree/tests/check.py", "pass\n").write("tree/new.py", "x = 1\n");
    fs::remove_file(sandbox.path("tree/calc.py")).expect("it is there");
    let found = verified(&sandbox, "run").join("\n");
    for line in
        ["tree_changed tree/tests/check.py", "tree_appeared tree/new.py", "tree_went tree/calc.py"]
    {
        assert!(found.contains(line), "{found}");
    }
}

#[test]
fn a_run_without_kills_has_a_receipt_that_claims_nothing() {
    let sandbox = sealed();
    sandbox.write("tree/tests/check.py", "import calc\n");
    let ran = sandbox.measure(&["--operator", "binop-swap", "-o", "idle"]).run();
    ran.exits(0);
    let receipt = sandbox.json("idle/receipt.json");
    assert_eq!(
        [&receipt["result"]["status"], &receipt["verification"]["overall"]],
        ["FAIL", "FAIL"]
    );
    assert_eq!(receipt["measured"]["killed"], 0);
    assert_eq!(verified(&sandbox, "idle"), ["valid"]);
}

#[test]
fn a_change_is_held_to_the_letter_of_its_budget() {
    let sandbox = Sandbox::new();
    sandbox.write("before/a.py", "1").write("before/b.py", "1");
    sandbox.write("after/a.py", "2").write("after/b.py", "1").write("after/c.py", "1");
    let budget = json!({
        "allowed_existing": ["a.py"], "allowed_new": ["c.py"], "permitted_generated": ["__pycache__/"],
        "forbidden_acts": [], "on_breach": "stop the child and report the path"
    });
    sandbox.write("budget.json", budget.to_string());
    let judge = || sandbox.call(["evidence", "budget", "budget.json", "before", "after"]).run();
    judge().exits(0).says("within the budget");
    sandbox.write("after/b.py", "3").write("after/d.py", "1").write("after/__pycache__/a.pyc", "x");
    let ran = judge();
    ran.exits(1).tells("on breach: stop the child");
    ran.same(ran.out.as_str(), "changed: b.py\nappeared: d.py\n");
    set(&sandbox, "budget.json", "/allowed_existing", json!(["a.py", "b.py", "../x"]));
    judge().exits(1).says("path_malformed /allowed_existing/2");
}

#[test]
fn a_review_says_nothing_of_files_that_moved() {
    let sandbox = Sandbox::new();
    sandbox.write("src/a.py", "1");
    let ran = sandbox.call(["evidence", "review", "src", "--axis", "data"]).run();
    sandbox.write("review.json", &ran.exits(0).out);
    let filled = || sandbox.call(["evidence", "review", "src", "--filled", "review.json"]).run();
    filled().exits(0).says("valid");
    set(&sandbox, "review.json", "/executed_compiled_output", json!(true));
    filled().exits(1).says("review-of-a-build");
    set(&sandbox, "review.json", "/executed_compiled_output", json!(false));
    sandbox.write("src/a.py", "2");
    filled().exits(1).says("review-pins-hold /source_pins/a.py");
}

#[test]
fn what_looks_like_a_credential_waits_for_a_person() {
    let sandbox = Sandbox::new();
    sandbox.write("src/a.py", format!("key = '{}{}'\n", "AKIA", "0123456789ABCDEF"));
    let ran = sandbox.call(["evidence", "scan", "src"]).run();
    ran.exits(1).tells("unclassified: a.py, offset 7: aws-access-key-id");
    let hit =
        "[[hit]]\nfile = 'a.py'\npattern = 'aws-access-key-id'\noffset = 7\nclassification = ";
    let scan = |classification: &str| {
        sandbox.write("known.toml", format!("{hit}'{classification}'\n"));
        sandbox.call(["evidence", "scan", "src", "--classified", "known.toml"]).run()
    };
    scan("documentation example").exits(0);
    scan("real credential").exits(1);
    scan("whatever").exits(1);
}

#[test]
fn conformance_is_proved_and_gives_the_examples() {
    let sandbox = Sandbox::new();
    let ran = sandbox.call(["receipt", "conformance", "--emit-examples", "examples"]).run();
    ran.exits(0).says("0 answered otherwise than they must be");
    let names = crate::harness::names(&sandbox.path("examples"));
    assert_eq!(names.len(), 5, "{names:?}");
    for name in names {
        let path = format!("examples/{name}");
        sandbox.call(["receipt", "validate", &path, "--strict"]).run().exits(0).says("valid");
    }
    let tool = sandbox.call(["receipt", "schema", "--tool"]).run();
    let tool = serde_json::from_str::<Value>(&tool.exits(0).out).expect("JSON");
    assert_eq!(tool["tools"][0]["input_schema"]["allOf"][0]["title"], "INV-01");
    let reduced = sandbox.call(["receipt", "schema", "--reduced"]).run();
    let reduced = serde_json::from_str::<Value>(&reduced.exits(0).out).expect("JSON");
    assert!(reduced.get("allOf").is_none());
    sandbox.call(["receipt", "rules"]).run().exits(0).says("- G-12: ").says("- INV-09: ");
}

#[test]
fn a_run_without_a_valid_receipt_is_not_reported_or_judged() {
    let sandbox = sealed();
    fs::remove_file(sandbox.path("run/receipt.json")).expect("it is there");
    for words in [&["report", "run"][..], &["gate", "run", "--no-zero-kill"]] {
        sandbox.call(words).run().exits(11).tells("no valid receipt").tells("--allow no-receipt");
        let ran = sandbox.call(words.iter().chain(&["--allow", "no-receipt"])).run();
        ran.exits(0).tells("No valid receipt (receipt.json: ");
    }
    let report = ["report", "run", "--format", "markdown", "--allow", "no-receipt"];
    sandbox.call(report).run().exits(0).says("No valid receipt");
}

#[test]
fn shards_and_what_is_merged_of_them_hold_too() {
    let sandbox = sealed();
    let two = ["--operator", "binop-swap", "--operator", "compare-boundary"];
    for shard in ["1/2", "2/2"] {
        let folder = format!("part-{}", &shard[..1]);
        sandbox.measure(&[&two[..], &["--shard", shard, "-o", &folder]].concat()).run().exits(0);
        assert_eq!(verified(&sandbox, &folder), ["valid"]);
        let receipt = sandbox.json(&format!("{folder}/receipt.json"));
        assert_eq!(receipt["result"]["status"], "UNKNOWN", "a part says nothing of the whole");
    }
    sandbox.call(["merge", "part-1", "part-2", "-o", "whole"]).run().exits(0);
    assert_eq!(verified(&sandbox, "whole"), ["valid"]);
    sandbox.call(["seal", "tree", "--run", "whole"]).run().exits(0);
    assert_eq!(verified(&sandbox, "whole"), ["valid"]);
    let contract = |run: &str| sandbox.bytes(&format!("{run}/sealed/contract.json"));
    assert!(contract("run") == contract("whole"), "the sealed bytes do not show the shards");
    remove(&sandbox, "part-2/receipt.json");
    let ran = sandbox.call(["merge", "part-1", "part-2", "-o", "again"]).run();
    ran.exits(11).tells("`part-2` has no valid receipt");
}

#[test]
fn what_setup_and_commands_leave_is_written_down() {
    let sandbox = Sandbox::with("calc");
    let check = format!("open('report.txt', 'w').close()\n{}", sandbox.read("tree/check.py"));
    sandbox
        .write("tree/check.py", check)
        .write("tree/package-lock.json", "{}\n")
        .write("tree/package.json", "{}\n");
    let task = "contract_id = 'c'\n[[acceptance]]\nid = 'unit'\nargv = ['python3', 'check.py']\n\
                [mutate]\ninclude = ['calc.py']\n[setup]\nargv = ['python3', 'setup_it.py']\n";
    let setup = "import os\nos.makedirs('node_modules/@a/b')\nos.mkdir('node_modules/c')\n\
                 open('package.json', 'a').write(' ')\n";
    sandbox.write("tree/adequacy.toml", task).write("tree/setup_it.py", setup);
    sandbox.measure(&["--operator", "binop-swap", "-o", "run"]).run().exits(0);
    assert_eq!(verified(&sandbox, "run"), ["valid"]);
    let record = sandbox.json("run/evidence/frozen-install.json");
    let inputs = record["pre"]["inputs"].as_object().expect("inputs").keys().collect::<Vec<_>>();
    assert_eq!(inputs, ["package-lock.json", "package.json"]);
    assert_eq!(record["pre"]["node_modules_present"], false);
    let post = json!({"exit": 0, "projects": null, "packages_added": 2, "lock_unchanged": true, "all_inputs_unchanged": false});
    assert_eq!(record["post"], post);
    let risks = sandbox.json("run/evidence/final-verdict.json")["residual_risks"].to_string();
    assert!(risks.contains("do not leave `report.txt`"), "{risks}");
    let gate = || sandbox.json("run/evidence/gates/baseline-000.json")["outside_budget"].clone();
    assert_eq!(gate(), json!(["tree/report.txt"]));
    assert!(!sandbox.read("run/outcomes.jsonl").contains("report.txt"), "a good run leaves it too");
    assert_eq!(
        sandbox.json("run/run.json")["left"],
        json!({"changed": [], "appeared": ["report.txt"], "went": []})
    );
    let allowed = task.replace("'check.py']", "'check.py']\nrun_writes = ['report.txt']");
    sandbox.write("tree/adequacy.toml", allowed);
    sandbox.measure(&["--operator", "binop-swap", "-o", "run"]).run().exits(0);
    let risks = sandbox.json("run/evidence/final-verdict.json")["residual_risks"].to_string();
    assert!(!risks.contains("report.txt"), "{risks}");
    assert_eq!(gate(), json!([]));
}

#[test]
fn a_path_that_only_a_mutant_leaves_is_told_beside_its_run() {
    let sandbox = Sandbox::with("calc");
    let check = sandbox.read("tree/check.py").replace(
        "assert calc.add(2, 3) == 5",
        "if calc.add(2, 3) != 5:\n    open('trace.txt', 'w').close()\n    raise SystemExit(1)",
    );
    let task = "contract_id = 'c'\n[[acceptance]]\nid = 'unit'\nargv = ['python3', 'check.py']\n\
                [mutate]\ninclude = ['calc.py']\n";
    sandbox.write("tree/check.py", check).write("tree/adequacy.toml", task);
    let told = |how: &str| {
        let words = ["--operator", "binop-swap", "--workspace", how, "-o", "run"];
        sandbox.measure(&words).run().exits(0);
        assert_eq!(verified(&sandbox, "run"), ["valid"]);
        let run = sandbox.lines("run/outcomes.jsonl")[1]["runs"][0].clone();
        let verdict = sandbox.json("run/evidence/final-verdict.json");
        let told = verdict["residual_risks"].to_string().contains("leave `tree/trace.txt` outside");
        let budget = sandbox.json("run/evidence/path-budget.json");
        let seen = budget["forbidden_acts"][1]["enforced_by"].as_str().expect("words").to_owned();
        (run["outside_budget"].clone(), told, seen.starts_with("seen after each run"))
    };
    for how in ["auto", "reset"] {
        assert_eq!(told(how), (json!(["tree/trace.txt"]), true, true), "{how}");
    }
    assert_eq!(told("copy"), (Value::Null, false, false), "nobody looked");
    let allowed = task.replace("'check.py']", "'check.py']\nrun_writes = ['trace.txt']");
    sandbox.write("tree/adequacy.toml", allowed);
    assert_eq!(told("auto"), (Value::Null, false, true));
}

#[test]
fn totals_come_from_what_a_runner_tells_a_machine_in_a_run_of_its_own() {
    let sandbox = Sandbox::with("calc");
    let mut task = "contract_id = 'c'\n[mutate]\ninclude = ['calc.py']\n".to_owned();
    let runners = [("node", "'--test'"), ("go", "'test', './...'"), ("cargo", "'nextest', 'run'")];
    for (name, words) in runners {
        let script = format!("tree/{name}");
        sandbox.write(&script, include_str!("fake_runner.py"));
        executable(&sandbox.path(&script));
        task.push_str(&format!("[[acceptance]]\nid = '{name}'\nargv = ['./{name}', {words}]\n"));
    }
    sandbox.write("tree/adequacy.toml", task);
    sandbox.write("tree/Cargo.toml", "[package]\nname = 'calc'\nversion = '0.1.0'\n");
    sandbox.measure(&["--operator", "binop-swap", "-o", "run"]).run().exits(0);
    assert_eq!(verified(&sandbox, "run"), ["valid"]);
    let sources = ["JUnit", "go test -json", "libtest-json"];
    for (place, source) in sources.iter().enumerate() {
        let gate = sandbox.json(&format!("run/evidence/gates/baseline-{place:03}.json"));
        let totals = ["tests", "passed", "failed", "pending"].map(|name| gate[name].clone());
        assert_eq!(totals, [3, 2, 0, 1], "{gate}");
        assert!(gate["parsed_from"].as_str().expect("words").contains(source), "{gate}");
        // The first step is cargo's, which builds.
        let log = format!("run/logs/baseline-1.{}.{}.log", place + 1, runners[place].0);
        assert_eq!(sandbox.read(&log), "99 tests, 99 passed\n", "a run that judges is as it was");
    }
    // A run of nothing accepts everything.
    sandbox.write("tree/node", sandbox.read("tree/node").replace("ends.items())", "())"));
    let ran = sandbox.measure(&["--operator", "binop-swap", "-o", "run"]).run();
    ran.exits(3).tells("`node` passes on the unmutated tree but ran no test");
}

#[test]
fn a_second_answer_that_was_asked_for_is_no_failure_of_the_run() {
    let sandbox = sealed();
    let words = ["--operator", "binop-swap", "--confirm", "all", "-o", "twice"];
    sandbox.measure(&words).run().exits(0);
    let line = &sandbox.lines("twice/outcomes.jsonl")[1];
    assert_eq!(line["runs"][1]["attempt"], "confirm");
    assert_eq!(sandbox.json("twice/evidence/final-verdict.json")["process_failures"], json!([]));
    assert_eq!(verified(&sandbox, "twice"), ["valid"]);
}
