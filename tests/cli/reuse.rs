//! `measure --reuse`: verdicts of an earlier run stand only where all that they rest on is the same.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use crate::harness::{Call, Ran, Sandbox, append, search_path};

/// The calc tree with an interpreter of its own, which has nothing installed, and a run of it in `first`:
/// two mutants, one killed.
fn measured() -> Sandbox {
    let sandbox = Sandbox::with("calc");
    let venv = Command::new("python3")
        .args(["-m", "venv", "--without-pip", "--symlinks"])
        .arg(sandbox.path("venv"))
        .env("PATH", search_path())
        .output()
        .expect("python3");
    assert!(venv.status.success(), "{}", String::from_utf8_lossy(&venv.stderr));
    let ran = measure(&sandbox, "nothing", "first").run();
    ran.exits(0).totals(TOTALS).tells("no verdict is reused").tells("nothing` holds no run");
    sandbox
}

const TOTALS: &str =
    "2 mutants: 1 killed (0 by time-out), 1 survived, 0 undecided; 0 unviable, 0 not built";

/// Measures into `output` with verdicts of `earlier`.
fn measure<'a>(sandbox: &'a Sandbox, earlier: &str, output: &str) -> Call<'a> {
    words(sandbox, earlier, output, "compare-boundary", &["check.py"])
}

fn words<'a>(
    sandbox: &'a Sandbox,
    earlier: &str,
    output: &str,
    operator: &str,
    command: &[&str],
) -> Call<'a> {
    let python = sandbox.path("venv/bin/python").display().to_string();
    let own = ["--reuse", earlier, "-o", output, "--include", "calc.py", "--env", "MODE"];
    let two = ["--operator", "binop-swap", "--operator", operator, "--"];
    let all = [&own[..], &two, &[&python], command].concat();
    sandbox.measure(&all).env("MODE", "one")
}

/// How many verdicts of the run in `folder` are an earlier run's, as each of its files says.
fn reused(sandbox: &Sandbox, folder: &str) -> usize {
    let lines = sandbox.lines(&format!("{folder}/outcomes.jsonl"));
    let lines = lines.iter().filter(|line| line.get("reused_from").is_some()).count();
    let record = sandbox.json(&format!("{folder}/run.json"))["reuse"].clone();
    assert_eq!(record["verdicts"], lines, "{record}");
    lines
}

/// Every mutant ran, and the run says why.
fn ran_all(sandbox: &Sandbox, ran: &Ran<'_>, why: &str) {
    ran.exits(0).totals(TOTALS).tells("no verdict is reused, every mutant is run").tells(why);
    assert_eq!(reused(sandbox, "second"), 0);
}

#[test]
fn the_same_in_all_is_not_run_again_and_says_so() {
    let sandbox = measured();
    let ran = measure(&sandbox, "first", "second").run();
    ran.exits(0).totals(TOTALS).tells("reused: 2 of 2 verdicts");
    ran.says("2 verdicts are those of an earlier run");
    assert_eq!(reused(&sandbox, "second"), 2);
    let full = sandbox.call(["report", "second", "--format", "full-json"]).run();
    let full: Value = serde_json::from_str(&full.out).expect("JSON");
    for mutant in full["mutants"].as_array().expect("a list") {
        assert!(mutant["reused_from"].is_string() && mutant["wall_s"] == 0.0, "{mutant}");
    }
    let id = full["mutants"][0]["id"].as_str().expect("text");
    let shown = sandbox.call(["show", id, "second"]).run();
    shown.exits(0).says("reused    the verdict and runs of an earlier run").says("logs/reused/");
    shown.never_says("its output is not there");
    // A stranger finds all of it whole, the receipt claims less, and nothing of it is sealed or merged.
    sandbox.call(["evidence", "verify", "second", "--tree", "tree"]).run().exits(0);
    assert_eq!(sandbox.json("second/receipt.json")["result"]["status"], "DEGRADED");
    let seal = sandbox.call(["seal", "tree", "--run", "second"]).run();
    seal.exits(11).tells("verdicts of an earlier run").tells("never sealed");
    sandbox.call(["merge", "second", "-o", "merged"]).run().exits(11).tells("not merged");
    let seal = sandbox.call(["seal", "tree", "--reuse", "first"]).run();
    seal.exits(2).tells("are never sealed");
    // What was taken over once is taken over again, from the run directory's own place.
    measure(&sandbox, "second", "second").run().exits(0).tells("reused: 2 of 2 verdicts");
    assert_eq!(reused(&sandbox, "second"), 2);
    // Another choice of mutants: those that were decided are not run again.
    let ran = words(&sandbox, "first", "third", "return-none", &["check.py"]).run();
    ran.exits(0).tells("reused: 1 of 3 verdicts");
}

#[test]
fn whatever_differs_is_named_and_everything_runs() {
    let sandbox = measured();
    append(&sandbox.path("tree/check.py"), "# one more line\n");
    ran_all(&sandbox, &measure(&sandbox, "first", "second").run(), "the tree: another");
    fs::copy(crate::harness::trees().join("calc/check.py"), sandbox.path("tree/check.py"))
        .expect("the check as it was");
    let other = measure(&sandbox, "first", "second").env("MODE", "two").run();
    ran_all(&sandbox, &other, "the environment: another");
    let command = ["-B", "check.py"];
    let other = words(&sandbox, "first", "second", "compare-boundary", &command).run();
    ran_all(&sandbox, &other, "the commands: another");
    // An import that the tree does not hold.
    let places = fs::read_dir(sandbox.path("venv/lib")).expect("a folder").flatten();
    let site = places.map(|it| it.path().join("site-packages")).find(|it| it.is_dir());
    fs::write(site.expect("of the venv").join("extra.py"), "X = 1\n").expect("room");
    let other = measure(&sandbox, "first", "second").run();
    ran_all(&sandbox, &other, "the installed distributions: another");
    // A line for a shell may start anything.
    let shell = ["--reuse", "first", "-o", "second", "--include", "calc.py"];
    let two = ["--operator", "binop-swap", "--operator", "compare-boundary", "--"];
    let command = ["sh", "-c", "python3 check.py"];
    let other = sandbox.measure(&[&shell[..], &two, &command].concat()).run();
    ran_all(&sandbox, &other, "what the commands start: not known");
    // A run that recorded nothing.
    let python = sandbox.path("venv/bin/python").display().to_string();
    let plain = ["-o", "plain", "--include", "calc.py", "--operator", "binop-swap", "--"];
    sandbox.measure(&[&plain[..], &[&python, "check.py"]].concat()).run().exits(0);
    let other = measure(&sandbox, "plain", "second").run();
    ran_all(&sandbox, &other, "made without `--reuse`");
}

#[test]
fn a_forged_run_is_refused() {
    let sandbox = measured();
    let whole = sandbox.read("first/outcomes.jsonl");
    let forged = whole.replace("\"outcome\":\"survived\"", "\"outcome\":\"undecided\"");
    assert_ne!(whole, forged);
    sandbox.write("first/outcomes.jsonl", forged);
    let ran = measure(&sandbox, "first", "second").run();
    ran.exits(11).tells("can be reused");
    assert!(!sandbox.path("second").exists());
    sandbox.write("first/outcomes.jsonl", whole);
    let receipt = sandbox.json("first/receipt.json");
    let mut claims_more = receipt.clone();
    claims_more["measured"]["killed"] = json!(2);
    sandbox.write("first/receipt.json", claims_more.to_string());
    measure(&sandbox, "first", "second").run().exits(11).tells("receipt");
    fs::remove_file(sandbox.path("first/receipt.json")).expect("it is there");
    measure(&sandbox, "first", "second").run().exits(11).tells("receipt");
    sandbox.write("first/receipt.json", receipt.to_string());
    fs::remove_file(sandbox.path("first/evidence/final-verdict.json")).expect("it is there");
    measure(&sandbox, "first", "second").run().exits(11);
    sandbox.call(["measure", "tree", "--reuse", "first", "--resume"]).run().exits(2);
    sandbox.call(["measure", "tree", "--reuse", "first", "--shard", "1/2"]).run().exits(2);
}
