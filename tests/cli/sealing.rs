//! `seal` and `verify`: what is sealed, what is refused, and that the sealed bytes repeat.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::harness::Sandbox;

const TASK: &str = "\
contract_id = 'contract-calc'
task = 'Add and compare'
[[acceptance]]
id = 'unit'
argv = ['python3', 'tests/check.py']
[mutate]
include = ['calc.py']
[env]
set = { PYTHONPATH = '.' }
";

/// The calc tree with its check below `tests`, and this in its task file beside the usual.
fn calc(more: &str) -> Sandbox {
    let sandbox = Sandbox::with("calc");
    sandbox.write("tree/tests/check.py", sandbox.read("tree/check.py"));
    fs::remove_file(sandbox.path("tree/check.py")).expect("it is there");
    sandbox.write("tree/adequacy.toml", format!("{TASK}{more}"));
    sandbox
}

const PROTECT: &str = "[[protected]]\npath = 'tests'\nkind = 'directory'\n";
const TWO: [&str; 4] = ["--operator", "binop-swap", "--operator", "compare-boundary"];

#[test]
fn what_is_sealed_verifies_and_says_what_was_measured() {
    let sandbox = calc(PROTECT);
    let ran = sandbox.seal(&TWO).run();
    ran.exits(0).tells("sealed `contract-calc`").never_says("warning");
    ran.totals(
        "2 mutants: 1 killed (0 by time-out), 1 survived, 0 undecided; 0 unviable, 0 not built",
    );
    let sealed = "adequacy.out/sealed";
    let names = crate::harness::names(&sandbox.path(sealed));
    ran.same(names, vec!["contract.json".to_owned(), "contract.statement.json".to_owned()]);
    let contract = sandbox.json(&format!("{sealed}/contract.json"));
    assert_eq!(contract["contract_id"], "contract-calc");
    assert_eq!(contract["task"], "Add and compare");
    assert_eq!(
        contract["acceptance"],
        json!([{"id": "unit", "argv": ["python3", "tests/check.py"]}])
    );
    assert_eq!(contract["protected_paths"][0]["path"], "tests");
    assert_eq!([&contract["adequacy"]["mutants"], &contract["adequacy"]["killed"]], [2, 1]);
    let run = sandbox.json("adequacy.out/run.json");
    let vector = &contract["adequacy"]["kill_vector_sha256"];
    assert_eq!(*vector, run["totals"]["kill_vector_sha256"]);
    let (statement, record) =
        (format!("{sealed}/contract.statement.json"), format!("{sealed}/contract.json"));
    let ran = sandbox.call(["verify", &statement, &record]).run();
    ran.exits(0).same(ran.out.as_str(), "valid\n").tells("origin: not established");
    // One more kill than there was.
    let forged = sandbox.read(&record).replacen("\"killed\":1", "\"killed\":2", 1);
    sandbox.write("forged.json", &forged);
    assert_ne!(forged, sandbox.read(&record));
    let ran = sandbox.call(["verify", &statement, "forged.json"]).run();
    ran.exits(1).same(ran.out.lines().count(), 1);
    assert!(ran.out == "statement_subject_unbound\n", "{}", ran.out);
    let ran = sandbox.call(["verify", &statement, "missing.json"]).run();
    ran.exits(11).same(ran.out.as_str(), "member_incomplete\n").tells("missing.json");
    sandbox.call(["verify", &record, &record]).run().exits(1).says("statement_");
    sandbox.call(["verify", &statement]).run().exits(2);
}

#[test]
fn the_same_verdicts_give_the_same_bytes_whoever_runs_them() {
    let sandbox = calc(PROTECT);
    let read = |place: &str| {
        ["contract.json", "contract.statement.json"]
            .map(|name| sandbox.bytes(&format!("{place}/{name}")))
    };
    let first = ["seal", "tree", "--baselines", "2"];
    let all = |words: &[&str]| {
        first.iter().chain(&TWO).chain(words).copied().map(str::to_owned).collect::<Vec<_>>()
    };
    sandbox.call(all(&["-j", "1", "--out", "one"])).run().exits(0);
    sandbox.call(all(&["-j", "2", "--out", "two", "-o", "elsewhere"])).run().exits(0);
    crate::harness::copy(&sandbox.path("tree"), &sandbox.path("moved"));
    let words = ["seal", "--baselines", "2", "-j", "2", "--full-matrix", "--out", "../three"];
    sandbox.call(words.iter().chain(&TWO)).inside("moved").run().exits(0);
    assert!(read("one") == read("two"), "one worker and two");
    assert!(read("one") == read("three"), "another place");
    assert!(!sandbox.path("adequacy.out/sealed").exists(), "`--out` is instead of `sealed`");
    sandbox.json("elsewhere/run.json");
}

#[test]
fn zero_kills_are_sealed_only_when_said() {
    let sandbox = calc("");
    let words = ["--operator", "compare-boundary"];
    let ran = sandbox.seal(&words).run();
    ran.exits(1).says("killed nothing").tells("not sealed").tells("--allow zero-kill");
    assert!(!sandbox.path("adequacy.out/sealed").exists());
    let ran = sandbox.seal(&[&words[..], &["--allow", "zero-kill"]].concat()).run();
    ran.exits(0).tells("no path is protected").tells("sealed `contract-calc`");
    let contract = sandbox.json("adequacy.out/sealed/contract.json");
    assert_eq!([&contract["adequacy"]["mutants"], &contract["adequacy"]["killed"]], [1, 0]);
    assert_eq!(sandbox.json("adequacy.out/run.json")["allowed"], json!(["zero-kill"]));
    // `measure` has done what it was asked to: survivors are an answer.
    sandbox.measure(&words).run().exits(0).says("killed nothing");
}

#[test]
fn a_tree_without_mutants_is_let_through_when_said_and_never_sealed() {
    let sandbox = Sandbox::new();
    sandbox.write("tree/README", "x").write("tree/tests/test_a.py", "X = 1 + 1\n");
    let words = ["--allow", "empty", "--", "touch", "ran"];
    let ran = sandbox.measure(&words).run();
    let none =
        "0 mutants: 0 killed (0 by time-out), 0 survived, 0 undecided; 0 unviable, 0 not built";
    ran.exits(0).same(ran.out.as_str(), &format!("{none}\n"));
    ran.tells("no mutants to run: no source file is left: `tests/test_a.py` is a test file");
    ran.tells("let through by `--allow empty`");
    let run = sandbox.json("adequacy.out/run.json");
    assert_eq!([&run["state"], &run["allowed"]], [&json!("finished"), &json!(["empty"])]);
    assert_eq!([&run["baselines"], &run["gates"]], [&json!([]), &json!({})]);
    assert_eq!(sandbox.lines("adequacy.out/outcomes.jsonl").len(), 1, "the header");
    let ran = sandbox.seal(&[&["--allow", "zero-kill"][..], &words].concat()).run();
    ran.exits(5).tells("not sealed: no mutant was run");
    assert!(!sandbox.path("adequacy.out/sealed").exists());
    let ran = sandbox.seal(&["--allow", "no-receipts", "--", "true"]).run();
    ran.exits(2).tells("zero-kill, empty, flaky, prepatch, unparsed, undecided, timeout_share, ");
}

#[test]
fn a_flaky_command_is_let_through_when_said_and_kills_nothing() {
    let sandbox = Sandbox::new();
    sandbox.write("tree/product.py", "A = 1 + 1\nB = 1 + 1\n");
    // Fails the second of three times, and on every mutant.
    let shaky = "echo run >> \"$COUNTER\"\ntest $(wc -l < \"$COUNTER\") -ne 2 || exit 1\n\
                 ! grep -q '1 - 1\\|^raise' product.py\n";
    sandbox.write("tree/shaky.sh", shaky);
    sandbox.write("tree/steady.sh", "! grep -q '^A = 1 - 1\\|^raise' product.py\n");
    sandbox.write(
        "tree/adequacy.toml",
        "[[acceptance]]\nid = 'shaky'\nargv = ['sh', 'shaky.sh']\n\
         [[acceptance]]\nid = 'steady'\nargv = ['sh', 'steady.sh']\n",
    );
    let seal = |words: &[&str]| {
        // It counts outside of its copy.
        let first = ["seal", "tree", "-j", "1", "--operator", "binop-swap", "--env", "COUNTER"];
        let open = ["--isolation", "none"];
        let call = sandbox.call(first.iter().chain(&open).chain(words));
        call.env("COUNTER", sandbox.path("home/counter")).run()
    };
    seal(&[]).exits(3).tells("`shaky` passed before and now exit 1").tells("`--allow flaky`");
    sandbox.write("home/counter", "");
    let ran = seal(&["--allow", "flaky"]);
    ran.exits(6).tells("`shaky` gave two answers on the unmutated tree; it is let through");
    let outcomes = sandbox.outcomes();
    let outcomes = outcomes.iter().filter_map(|line| line.split(": ").nth(1)).collect::<Vec<_>>();
    ran.same(outcomes, vec!["killed by steady (exit)", "undecided by shaky (two-answers)"]);
    let run = sandbox.json("adequacy.out/run.json");
    assert_eq!([&run["flaky"], &run["gates"]["flaky"]], [&json!(["shaky"]), &json!(false)]);
    // It is not forgotten when the run is gone on with, though it passes each time now.
    let ran = seal(&["--resume", "--allow", "undecided"]);
    ran.exits(1).tells("gate `flaky` fails: commands that gave two answers").tells("not sealed");
    seal(&["--resume", "--allow", "undecided", "--allow", "flaky"]).exits(0);
    let contract = sandbox.json("adequacy.out/sealed/contract.json");
    assert_eq!(contract["acceptance"].as_array().map(Vec::len), Some(2));
    assert_eq!([&contract["adequacy"]["mutants"], &contract["adequacy"]["killed"]], [2, 1]);
    let gates = &contract["adequacy"]["gates"];
    assert_eq!(gates["flaky"]["pass"], Value::Bool(false), "let through, and said");
}

#[test]
fn zero_mutants_are_never_sealed() {
    let sandbox = calc("");
    let words = ["--operator", "loop-zero", "--allow", "zero-kill"];
    sandbox.seal(&words).run().exits(5).tells("no mutants to run");
    assert!(!sandbox.path("adequacy.out").exists());
}

#[test]
fn what_cannot_be_protected_is_refused_before_anything_runs() {
    let entry =
        |path: &str, kind: &str| format!("[[protected]]\npath = '{path}'\nkind = '{kind}'\n");
    let refused = |sandbox: &Sandbox, what: &str| {
        sandbox.seal(&TWO).run().exits(11).tells(what);
        assert!(!sandbox.path("adequacy.out").exists(), "something ran");
    };
    refused(&calc(&entry("tests", "file")), "is not a file");
    refused(&calc(&entry("calc.py", "directory")), "is not a directory");
    let sandbox = calc(PROTECT);
    symlink("check.py", sandbox.path("tree/tests/link")).expect("a link");
    refused(&sandbox, "symbolic link");
    let sandbox = calc(PROTECT);
    sandbox.write("tree/tests/a\nb", "");
    refused(&sandbox, "control character");
    let sandbox = calc(PROTECT);
    let made = std::process::Command::new("mkfifo").arg(sandbox.path("tree/tests/pipe")).status();
    assert!(made.is_ok_and(|status| status.success()));
    refused(&sandbox, "no regular file");
    let sandbox = calc(&entry("empty", "directory"));
    fs::create_dir(sandbox.path("tree/empty")).expect("a folder");
    refused(&sandbox, "holds no file");
}

#[test]
fn what_cannot_be_sealed_is_misuse() {
    let sandbox = calc("");
    let words = [&TWO[..], &["--", "true"]].concat();
    sandbox.seal(&words).run().exits(2).tells("leave out what stands after");
    let text = TASK.replace("'python3', 'tests/check.py'", "'A=1', 'python3', 'tests/check.py'");
    sandbox.write("tree/adequacy.toml", &text);
    sandbox.seal(&TWO).run().exits(2).tells("adequacy.toml:5: acceptance.argv").tells("`=`");
    let image = TASK.replace("[env]", "[env]\nimage = 'python:3.12'");
    sandbox.write("tree/adequacy.toml", image);
    sandbox.seal(&TWO).run().exits(2).tells("env.image").tells("@sha256:");
    sandbox.call(["seal", "tree", "--allow", "everything"]).run().exits(2).tells("zero-kill");
    assert!(!sandbox.path("adequacy.out").exists(), "something ran");
}

#[test]
fn undecided_mutants_are_not_sealed_unless_said() {
    let sandbox = Sandbox::with("two-commands");
    let words =
        ["--operator", "boolean-flip", "--include", "product.py", "--max-output", "1000000"];
    sandbox.write("tree/product.py", "FIRST_FLOODS = False\nFIRST_FAILS = False\n");
    let ran = sandbox.seal(&words).run();
    ran.exits(6).tells("gate `undecided` fails").tells("not sealed");
    assert!(!sandbox.path("adequacy.out/sealed").exists());
    sandbox.seal(&[&words[..], &["--max-undecided", "1"]].concat()).run().exits(0);
    sandbox.seal(&[&words[..], &["--allow", "undecided"]].concat()).run().exits(0);
    let contract = sandbox.json("adequacy.out/sealed/contract.json");
    let gates = &contract["adequacy"]["gates"];
    assert_eq!(gates["undecided"]["pass"], Value::Bool(false), "let through, and said");
    assert_eq!(gates["measurement"]["undecided"], 1);
    assert_eq!([&contract["adequacy"]["mutants"], &contract["adequacy"]["killed"]], [2, 1]);
}

#[test]
fn a_gate_of_the_task_file_decides_the_exit() {
    let sandbox = calc("[gates]\nkill_ratio = 0.9\n");
    let ran = sandbox.measure(&TWO).run();
    ran.exits(1)
        .tells("gate `kill_ratio` fails: killed / mutants >= threshold (value 0.5, threshold 0.9)");
    ran.totals(
        "2 mutants: 1 killed (0 by time-out), 1 survived, 0 undecided; 0 unviable, 0 not built",
    );
    sandbox.measure(&[&TWO[..], &["--allow", "kill_ratio"]].concat()).run().exits(0);
}

#[test]
fn a_run_whose_time_limit_kills_is_not_sealable_silently() {
    let sandbox = Sandbox::new();
    sandbox.write("tree/product.py", "HANGS = False\nFAILS = False\n");
    sandbox.write(
        "tree/check.py",
        "import sys, time, product\n\
         if product.HANGS: time.sleep(600)\n\
         if product.FAILS: sys.exit(1)\n",
    );
    let words = ["--operator", "boolean-flip", "--timeout", "8", "--", "python3", "check.py"];
    let ran = sandbox.seal(&words).run();
    ran.exits(1).tells("gate `timeout_share` fails");
    ran.totals(
        "2 mutants: 2 killed (1 by time-out), 0 survived, 0 undecided; 0 unviable, 0 not built",
    );
    assert!(!sandbox.path("adequacy.out/sealed").exists());
}
