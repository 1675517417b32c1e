//! Mutants of a tree in one build. What is expected here is what `--exact` decides, once by hand.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use rustix::process::Signal;
use serde_json::Value;

use crate::harness::{Call, Sandbox, executable, names};
use crate::rust::{MANIFEST, toolchain, with_cargo};

/// A crate of functions `f0`, `f1` and so on, each of which has two mutants, and a test with this body.
fn functions(count: usize, value: &str, kind: &str, test: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    let mut source = String::new();
    for number in 0..count {
        let _ = writeln!(source, "pub fn f{number}(a: u8, b: u8) -> {kind} {{\n    {value}\n}}");
    }
    sandbox.write("tree/Cargo.toml", MANIFEST).write("tree/src/lib.rs", source);
    sandbox.write("tree/tests/all.rs", format!("#[test]\nfn all() {{\n{test}}}\n"));
    sandbox
}

/// Lines of a test that hold the functions of these numbers to `value`, of 2 and 1.
fn asked(numbers: std::ops::Range<usize>, value: &str) -> String {
    let line = |number| format!("    assert_eq!(small::f{number}(2, 1){value});\n");
    numbers.map(line).collect()
}

/// Measures the mutants of sums.
fn sums<'a>(sandbox: &'a Sandbox, words: &[&str], command: &[&str]) -> Call<'a> {
    let first = ["measure", "tree", "--baselines", "1", "--confirm", "off"];
    let own = ["--operator", "arithmetic-swap"];
    let all = first.iter().chain(&own).chain(words).chain(&["--"]).chain(command);
    with_cargo(sandbox.call(all))
}

const COMMAND: &[&str] = &["cargo", "test", "--offline"];

const TWO: &[&str] = &["-j", "2"];

/// Builds of the product that holds all mutants, the same with its tests, and runs that note what is entered.
fn builds_and_notes(sandbox: &Sandbox) -> [usize; 3] {
    let logs = names(&sandbox.path("adequacy.out/logs"));
    [".product.log", ".build.log", ".trace.log"].map(|end| {
        logs.iter().filter(|name| name.starts_with("one-build-") && name.ends_with(end)).count()
    })
}

#[test]
fn what_shares_a_build_is_decided_as_each_build_alone_decides() {
    let sandbox = Sandbox::with("rust-one-build");
    let words = ["measure", "tree", "--baselines", "1", "-j", "2", "--confirm", "off"];
    let command = ["--", "cargo", "test", "--workspace", "--offline"];
    let ran = with_cargo(sandbox.call(words.iter().chain(&command))).run();
    ran.exits(0)
        .totals("49 mutants: 42 killed (0 by time-out), 7 survived, 0 undecided; 4 unviable, 0 not built")
        .says("Verdicts by executor: 40 one-build, 13 exact; survivors by basis: 7 reach\n")
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
            "half: killed by one-build, 1",
            // Allocating is for no `const fn`, alone or beside the others.
            "half: unviable by exact, 2",
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
            "told: killed by one-build, 9",
        ],
    );
    sandbox.call(["evidence", "verify", "adequacy.out", "--tree", "tree"]).run().exits(0);
    // Of the product one that fails for each crate and one that does not; of all one, or one for each worker.
    let [products, builds, notes] = builds_and_notes(&sandbox);
    assert!((1..=2).contains(&builds), "{builds} builds");
    assert_eq!((products, notes), (3, 2));
}

#[test]
fn what_a_run_on_one_build_leaves_is_told_and_gone_before_the_next() {
    // The second run of a worker would find what the first left.
    let stray = "    let place = std::path::Path::new(\"stray\");\n    assert!(!place.exists());\n    \
                 if small::f1(2, 1) != 3 {\n        std::fs::write(place, \"\").unwrap();\n    }\n";
    let sandbox = functions(25, "a + b", "u8", &format!("{stray}{}", asked(2..25, ", 3")));
    let ran = sums(&sandbox, TWO, COMMAND).run();
    ran.exits(0).says("none differs\n");
    let lines = sandbox.lines("adequacy.out/outcomes.jsonl").split_off(1);
    let left = lines.iter().flat_map(|line| line["runs"].as_array().expect("runs"));
    let left = left.filter_map(|run| run["outside_budget"].as_array()).flatten();
    ran.same(left.filter_map(Value::as_str).collect::<Vec<_>>(), vec!["tree/stray", "tree/stray"]);
    sandbox.call(["evidence", "verify", "adequacy.out", "--tree", "tree"]).run().exits(0);
}

#[test]
fn a_run_on_one_build_is_gone_on_with_after_an_interrupt() {
    let test = asked(4..30, ", 3");
    let [whole, sandbox] = [(), ()].map(|()| functions(30, "a + b", "u8", &test));
    let totals =
        "60 mutants: 52 killed (0 by time-out), 8 survived, 0 undecided; 0 unviable, 0 not built";
    sums(&whole, TWO, COMMAND).run().exits(0).totals(totals);
    let mut started = sums(&sandbox, TWO, COMMAND).start();
    let decided = || {
        let text = fs::read_to_string(sandbox.path("adequacy.out/outcomes.jsonl"));
        text.is_ok_and(|text| text.lines().count() > 1)
    };
    started.until("a decided mutant", decided);
    started.signal(Signal::INT);
    started.wait().nothing_left().exits(130);
    let known = sandbox.lines("adequacy.out/outcomes.jsonl").len() - 1;
    let ran = sums(&sandbox, &["-j", "2", "--resume"], COMMAND).run();
    ran.exits(0).totals(totals).tells(&format!("resumed: {known} of 60 verdicts are taken over"));
    ran.says("Verdicts by executor: 60 one-build;").says("none differs\n");
    ran.same(sandbox.outcomes(), whole.outcomes());
}

#[test]
fn a_difference_sends_the_whole_command_to_the_exact_path() {
    // The file of a mutated body has another name: one of the doubts that the spot check is for.
    let test = asked(0..20, ".1, \"src/lib.rs\"");
    let sandbox = functions(20, "(a + b, file!())", "(u8, &'static str)", &test);
    let ran = sums(&sandbox, TWO, COMMAND).run();
    ran.exits(0)
        .totals("40 mutants: 0 killed (0 by time-out), 40 survived, 0 undecided; 0 unviable, 0 not built")
        .says("Verdicts by executor: 40 exact; survivors by basis: 40 ran\n")
        .tells("the spot check found a verdict of `command` that the exact path does not give; 40 mutants");
    let check = &sandbox.json("adequacy.out/run.json")["executors"]["spot_check"];
    ran.same(check["differences"].as_array().map(Vec::len), Some(10));
}

#[test]
fn nothing_is_concluded_from_what_is_entered_only_now_and_then() {
    let test = "    let place = std::env::var(\"STATE\").unwrap() + \"/runs\";
    let runs = std::fs::read_to_string(&place).unwrap_or_default();
    std::fs::write(&place, format!(\"{runs}x\")).unwrap();
    if runs.len() % 2 == 0 {
        small::f0(2, 1);
    }
";
    let sandbox = functions(20, "a + b", "u8", test);
    sandbox.write("state/runs", "");
    // With one worker, so that no two runs count at the same time.
    let words = ["--env", "STATE", "--allow-write", "state", "-j", "1"];
    let ran = sums(&sandbox, &words, COMMAND).env("STATE", sandbox.path("state")).run();
    ran.exits(0)
        .says("Verdicts by executor: 40 one-build; survivors by basis: 40 ran\n")
        .says("none differs\n");
    assert_eq!(builds_and_notes(&sandbox), [1, 1, 2]);
}

#[test]
fn documentation_tests_that_are_one_program_decide_on_one_build_too() {
    let sandbox = functions(20, "a + b", "u8", "");
    let mut source = sandbox.read("tree/src/lib.rs");
    for number in 0..10 {
        let test = format!("/// ```\n/// assert_eq!(small::f{number}(2, 1), 3);\n/// ```\n");
        let begin = format!("pub fn f{number}(");
        source = source.replace(&begin, &format!("{test}{begin}"));
    }
    let manifest = MANIFEST.replace("2021", "2024");
    assert_ne!(manifest, MANIFEST);
    sandbox.write("tree/src/lib.rs", source).write("tree/Cargo.toml", manifest);
    let ran = sums(&sandbox, TWO, COMMAND).run();
    ran.exits(0)
        .totals("40 mutants: 20 killed (0 by time-out), 20 survived, 0 undecided; 0 unviable, 0 not built")
        .says("Verdicts by executor: 40 one-build; survivors by basis: 20 reach\n")
        .says("none differs\n");
    // Rustdoc itself says that it merged them.
    let logs = names(&sandbox.path("adequacy.out/logs"));
    let merged = |name: &&String| {
        let log = sandbox.read(&format!("adequacy.out/logs/{name}"));
        log.contains("merged doctests")
    };
    ran.same(logs.iter().filter(merged).count() > 0, true);
}

/// Does what nextest does: each test in a process of its own, here with nothing in its environment, up to
/// the first that fails; no documentation tests.
const NEXTEST: &str = r#"#!/usr/bin/env python3
import json, os, subprocess, sys

words = [word for word in sys.argv[1:] if word not in ("nextest", "run", "--no-run")]
build = ["cargo", "test", "--no-run", "--message-format=json", *words]
built = subprocess.run(build, stdout=subprocess.PIPE)
if built.returncode != 0:
    sys.exit(101)
if "--no-run" in sys.argv:
    sys.exit(0)
for line in built.stdout.splitlines():
    program = json.loads(line).get("executable")
    if not program:
        continue
    listed = subprocess.run([program, "--list", "--format", "terse"], stdout=subprocess.PIPE, text=True)
    for test in listed.stdout.splitlines():
        name = test.removesuffix(": test")
        if subprocess.run([program, "--exact", name], env={}).returncode != 0:
            print(f"        FAIL [   0.1s] small {name}", file=sys.stderr)
            sys.exit(100)
"#;

#[test]
fn nextest_runs_on_one_build_too() {
    // Of the last two, one is run and not asked, and one is not run.
    let test = asked(0..18, ", 3") + "    small::f18(2, 1);\n";
    let sandbox = functions(20, "a + b", "u8", &test);
    sandbox.write("bin/cargo-nextest", NEXTEST);
    executable(&sandbox.path("bin/cargo-nextest"));
    let mut path = sandbox.path("bin").into_os_string();
    path.push(":");
    path.push(toolchain());
    let call = sums(&sandbox, TWO, &["cargo", "nextest", "run", "--offline"]);
    let ran = call.env("PATH", path).run();
    ran.exits(0)
        .totals("40 mutants: 36 killed (0 by time-out), 4 survived, 0 undecided; 0 unviable, 0 not built")
        .says("Verdicts by executor: 40 one-build; survivors by basis: 2 ran, 2 reach\n")
        .says("none differs\n");
}
