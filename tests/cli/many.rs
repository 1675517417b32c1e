//! `--all`: many tasks beside each other, what goes wrong in one, and a second call; their summary.

use std::collections::BTreeMap;
use std::fs;

use rustix::process::Signal;
use serde_json::Value;

use crate::harness::{Ran, Sandbox, append, copy, names, trees};

/// Reads its own mutants: A is killed, B survives. Where `wait` is in STATE, the mutant of B waits
/// until it is gone.
const CHECK: &str = "\
import os, sys, time
sys.path.insert(0, '.')
import product
state = os.environ.get('STATE', '')
if state and product.B and os.path.exists(os.path.join(state, 'wait')):
    with open(os.path.join(state, 'waits'), 'w'): pass
    while os.path.exists(os.path.join(state, 'wait')): time.sleep(0.01)
sys.exit(1 if product.A else 0)
";

/// A task with two mutants, one of them killed.
fn task(sandbox: &Sandbox, id: &str) {
    let product = "A = False\nB = False\n";
    sandbox.write(format!("tasks/{id}/product.py"), product);
    sandbox.write(format!("tasks/{id}/tests/check.py"), CHECK);
    let name = id.replace('/', "-");
    let file = format!(
        "contract_id = 'contract-{name}'\n[[acceptance]]\nid = 'unit'\n\
         argv = ['python3', 'tests/check.py']\n[mutate]\noperators = ['boolean-flip']\n"
    );
    sandbox.write(format!("tasks/{id}/adequacy.toml"), file);
}

/// Three tasks: `a`, `deep/b`, and `c` whose unmutated tree does not pass.
fn three() -> Sandbox {
    let sandbox = Sandbox::new();
    ["a", "deep/b", "c"].iter().for_each(|id| task(&sandbox, id));
    sandbox.write("tasks/c/tests/check.py", "import sys\nsys.exit(3)\n");
    sandbox
}

fn seal<'a>(sandbox: &'a Sandbox, words: &[&str]) -> Ran<'a> {
    let first = ["seal", "--all", "tasks", "--baselines", "1", "-j", "2"];
    sandbox.call(first.iter().chain(words)).run()
}

/// The last row of a task.
fn row(sandbox: &Sandbox, rows: &str, id: &str) -> Value {
    let rows = sandbox.lines(rows);
    let row = rows.into_iter().rfind(|row| row["task"] == id);
    row.unwrap_or_else(|| panic!("no row of {id}"))
}

const TOTALS: &str =
    "2 mutants: 1 killed (0 by time-out), 1 survived, 0 undecided; 0 unviable, 0 not built";

#[test]
fn what_goes_wrong_in_one_is_a_row_and_the_others_go_on() {
    let sandbox = three();
    let ran = seal(&sandbox, &["-o", "runs"]);
    ran.exits(1).says(&format!("a: exit 0: {TOTALS}")).says(&format!("deep/b: exit 0: {TOTALS}"));
    ran.says("c: exit 3: ").tells("c: exit 3: ");
    ran.totals("3 tasks: 2 done, 1 failed, 0 not ended; 0 of them in an earlier call");
    let failed = row(&sandbox, "runs/seal-all.jsonl", "c");
    assert_eq!(failed["exit"], 3);
    let message = failed["message"].as_str().expect("a text");
    assert!(message.contains("`unit`"), "{message}");
    for id in ["a", "deep/b"] {
        let statement = format!("runs/{id}/sealed/contract.statement.json");
        let contract = format!("runs/{id}/sealed/contract.json");
        sandbox.call(["verify", &statement, &contract]).run().exits(0);
        let digest = adequacy::base::Sha256::of(&sandbox.bytes(&contract)).to_string();
        let row = row(&sandbox, "runs/seal-all.jsonl", id);
        assert_eq!(row["answer"]["contract_sha256"], digest.as_str());
    }
    assert_eq!(names(&sandbox.path("tasks/a")), ["adequacy.toml", "product.py", "tests"]);
}

#[test]
fn a_second_call_runs_what_changed_and_what_is_gone_alone() {
    let sandbox = three();
    seal(&sandbox, &[]).exits(1);
    let contract = sandbox.bytes("tasks/a/adequacy.out/sealed/contract.json");
    let lines = sandbox.lines("tasks/seal-all.jsonl").len();
    let ran = seal(&sandbox, &["-q"]);
    ran.exits(1).totals("3 tasks: 2 done, 1 failed, 0 not ended; 3 of them in an earlier call");
    ran.never_says("a: exit 0").says("c: exit 3");
    assert_eq!(sandbox.lines("tasks/seal-all.jsonl").len(), lines, "nothing was run");
    // A mended task has other inputs; a run directory that is gone stands for nothing.
    sandbox.write("tasks/c/tests/check.py", CHECK);
    fs::remove_dir_all(sandbox.path("tasks/a/adequacy.out")).expect("it is there");
    let ran = seal(&sandbox, &[]);
    ran.exits(0).totals("3 tasks: 3 done, 0 failed, 0 not ended; 1 of them in an earlier call");
    assert!(sandbox.bytes("tasks/a/adequacy.out/sealed/contract.json") == contract);
    // Another seed is another question.
    let ran = seal(&sandbox, &["--seed", "5"]);
    ran.totals("3 tasks: 3 done, 0 failed, 0 not ended; 0 of them in an earlier call");
}

#[test]
fn what_failed_is_run_again_when_a_person_says_so() {
    let sandbox = three();
    sandbox.write(
        "tasks/c/tests/check.py",
        CHECK.replace("1 if product.A else 0", "int(os.environ['HOW'])"),
    );
    let seal = |how: &str, words: &[&str]| {
        let first = ["seal", "--all", "tasks", "--baselines", "1", "-j", "2", "--env", "HOW"];
        let call = sandbox.call(first.iter().chain(words)).env("HOW", how);
        let ran = call.run();
        (ran.out.lines().last().unwrap_or_default().to_owned(), ran.exits_one_of(&[0, 1]))
    };
    let line = |done: &str| format!("3 tasks: {done} of them in an earlier call");
    assert_eq!(seal("1", &[]), (line("2 done, 1 failed, 0 not ended; 0"), 1));
    assert_eq!(seal("0", &[]), (line("2 done, 1 failed, 0 not ended; 3"), 1));
    // It kills nothing now, which another exit says.
    assert_eq!(seal("0", &["--retry-failed"]), (line("2 done, 1 failed, 0 not ended; 2"), 1));
    let last = row(&sandbox, "tasks/seal-all.jsonl", "c");
    assert_eq!(last["exit"], 1);
    let message = last["message"].as_str().expect("a text");
    assert!(message.contains("the commands killed nothing"), "{message}");
}

#[test]
fn an_interrupted_call_goes_on_where_it_was() {
    let sandbox = Sandbox::new();
    ["a", "b", "c"].iter().for_each(|id| task(&sandbox, id));
    sandbox.write("state/wait", "");
    let call = |words: &[&str]| {
        let first = ["seal", "--all", "tasks", "--baselines", "1", "-j", "1", "--env", "STATE"];
        let first = [&first[..], &["--allow-write", "state"], words].concat();
        sandbox.call(first).env("STATE", sandbox.path("state"))
    };
    let mut started = call(&[]).start();
    started.until("the mutant that waits", || sandbox.path("state/waits").exists());
    started.signal(Signal::INT);
    let ran = started.wait().nothing_left();
    ran.exits(130).says("0 done, 0 failed, 3 not ended");
    fs::remove_file(sandbox.path("state/wait")).expect("it is there");
    let ran = call(&[]).run();
    ran.exits(0).totals("3 tasks: 3 done, 0 failed, 0 not ended; 0 of them in an earlier call");
    assert_eq!(sandbox.json("tasks/a/adequacy.out/run.json")["resumed"], true);
    assert_eq!(sandbox.json("tasks/b/adequacy.out/run.json")["resumed"], false);
}

#[test]
fn rows_of_a_killed_program_are_read_and_those_of_another_command_are_not() {
    let sandbox = Sandbox::new();
    task(&sandbox, "a");
    let ran = sandbox.call(["estimate", "--all", "tasks", "-j", "2"]).run();
    ran.exits(0).says("a: exit 0: 2 mutants, ").says("to be run: 2 mutants, ");
    append(&sandbox.path("tasks/estimate-all.jsonl"), "{\"task\":");
    let ran = sandbox.call(["estimate", "--all", "tasks", "-j", "2"]).run();
    ran.exits(0).totals("1 tasks: 1 done, 0 failed, 0 not ended; 1 of them in an earlier call");
    let ran = seal(&sandbox, &["--rows", "tasks/estimate-all.jsonl"]);
    ran.exits(8).tells("does not hold the rows of this command");
    append(&sandbox.path("tasks/estimate-all.jsonl"), "nonsense\n");
    let ran = sandbox.call(["estimate", "--all", "tasks"]).run();
    ran.exits(8).tells("estimate-all.jsonl`, line 4");
}

#[test]
fn what_is_no_folder_of_tasks_is_said() {
    let sandbox = Sandbox::new();
    task(&sandbox, "a");
    let fails = |words: &[&str], code: i32, text: &str| {
        sandbox.call(words).run().exits(code).tells(text);
    };
    fails(&["seal", "--all", "tasks/a"], 2, "`--all` takes a folder of tasks");
    fails(&["seal", "--all", "none"], 2, "cannot read `none`");
    fails(&["seal", "--all", "tasks/a/tests"], 5, "is no directory that holds adequacy.toml");
    fails(&["seal", "--all", "tasks", "--resume"], 2, "leave out `--resume`");
    fails(&["seal", "--all", "tasks", "--out", "x"], 2, "`--all` seals into each run directory");
    fails(&["check", "--all", "tasks", "tasks"], 5, "is no bundle");
    fails(&["seal", "tasks/a", "--retry-failed"], 2, "--all");
}

/// `a`, the failing `c`, and `price` with a start tree; sealed into `runs`.
fn sealed() -> Sandbox {
    let sandbox = three();
    fs::remove_dir_all(sandbox.path("tasks/deep")).expect("it is there");
    copy(&trees().join("price-task"), &sandbox.path("tasks/price"));
    seal(&sandbox, &["-o", "runs"]).exits(1);
    sandbox
}

#[test]
fn many_bundles_are_checked_and_audited() {
    let sandbox = sealed();
    fs::create_dir(sandbox.path("bundles")).expect("a free name");
    for (id, bundle) in [("a", "a.bundle"), ("price", "price.tar.zst")] {
        let (task, run) = (format!("tasks/{id}"), format!("runs/{id}"));
        let bundle = format!("bundles/{bundle}");
        sandbox.call(["bundle", &task, "--run", &run, "-o", &bundle]).run().exits(0);
    }
    fs::create_dir(sandbox.path("finals")).expect("a free name");
    copy(&sandbox.path("tasks/a"), &sandbox.path("finals/a"));
    copy(&sandbox.path("tasks/price/start"), &sandbox.path("finals/price"));
    let words = ["check", "--all", "bundles", "finals", "-j", "2", "--receipt", "receipts"];
    let check = || sandbox.call(words).run();
    let status = |receipt: &str| {
        sandbox.call(["receipt", "validate", receipt, "--strict"]).run().exits(0);
        sandbox.json(receipt)["result"]["status"].as_str().expect("a word").to_owned()
    };
    let ran = check();
    ran.exits(1).says("a: exit 0: supported").says("price: exit 1: contradicted: `visible` fails");
    ran.totals("2 tasks: 1 done, 1 failed, 0 not ended; 0 of them in an earlier call");
    let row = row(&sandbox, "finals/check-all.jsonl", "price");
    assert_eq!(row["answer"]["word"], "contradicted");
    assert_eq!([status("receipts/a.json"), status("receipts/price.json")], ["PASS", "FAIL"]);
    check().totals("2 tasks: 1 done, 1 failed, 0 not ended; 2 of them in an earlier call");
    fs::remove_file(sandbox.path("receipts/price.json")).expect("it is there");
    check().totals("2 tasks: 1 done, 1 failed, 0 not ended; 1 of them in an earlier call");
    assert_eq!(status("receipts/price.json"), "FAIL", "it was checked again");
    // Another final tree is another question; one that is not there is a row.
    sandbox.write("finals/price/price.py", sandbox.bytes("tasks/price/reference/price.py"));
    fs::remove_dir_all(sandbox.path("finals/a")).expect("it is there");
    let ran = check();
    ran.exits(1).says("price: exit 0: supported").says("a: exit 2: the final tree");
    let audit = ["audit", "--all", "bundles", "--seed", "1", "--sample", "4", "-j", "2"];
    let ran = sandbox.call(audit.iter().chain(&["-o", "audits", "--receipt", "receipts"])).run();
    ran.exits(0).says("a: exit 0: agrees").says("price: exit 0: agrees");
    assert_eq!(status("receipts/price.json"), "PASS");
    assert_eq!(sandbox.json("audits/price.json")["word"], "agrees");
}

/// The fields of a line of CSV in which no field holds a quote.
fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut quoted) = (vec![String::new()], false);
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            c => fields.last_mut().expect("never empty").push(c),
        }
    }
    fields
}

#[test]
fn the_forms_of_a_summary_say_the_same_as_the_runs() {
    let sandbox = sealed();
    sandbox.call(["summary", "runs", "-o", "published"]).run().exits(0);
    let rows = sandbox.lines("published/summary.jsonl");
    let ids = rows.iter().map(|row| row["id"].as_str().expect("an id")).collect::<Vec<_>>();
    assert_eq!(ids, ["a", "c", "price"]);
    let csv = sandbox.read("published/summary.csv");
    let mut lines = csv.lines().map(fields);
    let header = lines.next().expect("a header");
    for (row, line) in rows.iter().zip(lines) {
        assert_eq!(line.len(), header.len());
        let line: BTreeMap<_, _> = header.iter().cloned().zip(line).collect();
        let numbers = &row["numbers"];
        let id = row["id"].as_str().expect("an id");
        assert_eq!(line["id"], id);
        assert_eq!(line["exit"], row["exit"].to_string());
        if id == "c" {
            assert_eq!((numbers, line["mutants"].as_str()), (&Value::Null, ""));
            assert_eq!(line["message"], row["message"].as_str().expect("a text"));
            continue;
        }
        let run = sandbox.json(&format!("runs/{id}/run.json"));
        for name in ["mutants", "killed", "survived", "undecided", "unviable"] {
            assert_eq!(line[name], run["totals"][name].to_string(), "{name}");
            assert_eq!(numbers[name], run["totals"][name], "{name}");
        }
        assert_eq!(numbers["classes"], run["totals"]["by_class"]);
        for (class, counts) in numbers["classes"].as_object().expect("classes") {
            assert_eq!(line[&format!("{class}_killed")], counts["killed"].to_string());
        }
        assert_eq!(numbers["gates"], run["gates"]);
        let contract = sandbox.bytes(&format!("runs/{id}/sealed/contract.json"));
        let digest = adequacy::base::Sha256::of(&contract).to_string();
        assert_eq!(
            (line["contract_sha256"].as_str(), numbers["contract_sha256"].as_str()),
            (digest.as_str(), Some(digest.as_str()))
        );
        assert!(numbers["cpu_s"].as_f64().expect("a number") > 0.0);
    }
    let price = &rows[2]["numbers"];
    let at_change = price["patch_region_survivors"].as_u64().expect("a number");
    let change = &price["classes"]["change"];
    let number = |name: &str| change[name].as_u64().expect("a count");
    assert_eq!(at_change, number("mutants") - number("killed"));
    let surviving = usize::from(at_change > 0);
    let card = sandbox.read("published/dataset-card.md");
    for words in [
        "3 tasks: 2 measured, 2 of them sealed, 1 without numbers.".to_owned(),
        format!("Tasks with at least one survivor in the patch region: {surviving} of 1."),
        "1 measured tasks have no mutant there.".to_owned(),
        "| full | 1 | 1 | 0 | 50.0 | 50.0 | 50.0 | 50.0 | 50.0 | 50.0 | 50.0 |".to_owned(),
        "- c (exit 3): ".to_owned(),
    ] {
        assert!(card.contains(&words), "{words}\n{card}");
    }
    let diff = |new: &str| sandbox.call(["summary", "diff", "published/summary.jsonl", new]).run();
    diff("runs").exits(0).totals("0 added, 0 gone, 0 differ, 3 the same");
    // A run directory that an earlier call left says nothing of a task that fails now.
    sandbox.write("tasks/a/adequacy.toml", "nonsense");
    seal(&sandbox, &["-o", "runs"]).exits(1).says("a: exit 2: ");
    let ran = diff("runs");
    ran.exits(1).says("~ a: exit: 0 -> 2; numbers: measured -> none");
    ran.totals("0 added, 0 gone, 1 differ, 2 the same");
    diff("published/summary.csv").exits(11).tells("it is no summary.jsonl");
}
