//! Runs that are broken off: what they leave behind, and that they are gone on with to the same end.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::OnceLock;
use std::thread::sleep;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::Value;

use crate::harness::{Call, Sandbox, Started, append, contents};

/// Six mutants in order: A, C and E are killed. D waits for the file `open` in STATE, where every
/// run of a mutant leaves a line in a file of its name.
const CHECK: &str = "\
import os, subprocess, sys, time, product
flags = [name for name, value in vars(product).items() if value is True]
state = os.environ['STATE']
for flag in flags:
    with open(os.path.join(state, flag), 'a') as file: file.write('run\\n')
    if flag == 'D' and not os.path.exists(os.path.join(state, 'open')):
        subprocess.Popen(['sleep', '600'], start_new_session=True)
        with open(os.path.join(state, 'waits'), 'w'): pass
        while not os.path.exists(os.path.join(state, 'open')): time.sleep(0.01)
    if flag in 'ACE': sys.exit(1)
";

const TASK: &str = "\
contract_id = 'contract-interrupted'
[[acceptance]]
id = 'unit'
argv = ['python3', 'check.py']
[[protected]]
path = 'check.py'
kind = 'file'
";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    let flags: String = "ABCDEF".chars().map(|name| format!("{name} = False\n")).collect();
    sandbox.write("tree/product.py", flags).write("tree/check.py", CHECK);
    sandbox.write("tree/adequacy.toml", TASK).write("state/x", "");
    sandbox
}

fn seal<'a>(sandbox: &'a Sandbox, words: &[&str]) -> Call<'a> {
    let first =
        ["seal", "tree", "--baselines", "1", "--operator", "boolean-flip", "--env", "STATE"];
    let first = [&first[..], &["--allow-write", "state"]].concat();
    sandbox.call(first.iter().chain(words)).env("STATE", sandbox.path("state"))
}

/// What a run that nobody broke off seals and decides.
fn whole() -> &'static End {
    static WHOLE: OnceLock<End> = OnceLock::new();
    WHOLE.get_or_init(|| {
        let sandbox = sandbox();
        sandbox.write("state/open", "");
        seal(&sandbox, &["-j", "2"]).run().exits(0);
        end(&sandbox)
    })
}

type End = (Vec<u8>, String, BTreeMap<String, Value>);

/// The contract, the plan, and the outcome of each mutant without what differs between honest runs.
fn end(sandbox: &Sandbox) -> End {
    let decided = sandbox.lines("adequacy.out/outcomes.jsonl").into_iter().skip(1).map(|line| {
        let kept = ["outcome", "reason", "command", "executor", "basis"];
        let kept = kept.map(|name| line[name].clone());
        (line["id"].to_string(), Value::from(kept.to_vec()))
    });
    (
        sandbox.bytes("adequacy.out/sealed/contract.json"),
        sandbox.read("adequacy.out/mutants.jsonl"),
        decided.collect(),
    )
}

/// A run that stands at mutant D.
fn begun<'a>(sandbox: &'a Sandbox, words: &[&str]) -> Started<'a> {
    let mut started = seal(sandbox, words).start();
    started.until("mutant D", || sandbox.path("state/waits").exists());
    started
}

fn times_run(sandbox: &Sandbox, flag: &str) -> usize {
    sandbox.read(&format!("state/{flag}")).lines().count()
}

#[test]
fn an_interrupt_ends_everything_and_the_run_is_gone_on_with() {
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 130)] {
        let sandbox = sandbox();
        let started = begun(&sandbox, &["-j", "1"]);
        started.signal(signal);
        let ran = started.wait().nothing_left();
        ran.exits(code).tells("interrupted").same(ran.out.as_str(), "");
        assert!(!sandbox.path("adequacy.out/sealed").exists(), "nothing is sealed");
        // B passed, and is known to have; the kills wait for a sentinel that was not run.
        let known = sandbox.lines("adequacy.out/outcomes.jsonl");
        ran.same(known.len(), 2).same(known[1]["outcome"].clone(), Value::from("survived"));
        let receipt = sandbox.json("adequacy.out/receipt.json");
        ran.same(&receipt["terminal"]["state"], &Value::from("INTERRUPTED"));
        ran.same(&receipt["result"]["status"], &Value::from("UNKNOWN"));
        sandbox.call(["receipt", "validate", "adequacy.out/receipt.json"]).run().exits(0);
        sandbox.write("state/open", "");
        seal(&sandbox, &["-j", "2", "--resume"]).run().exits(0);
        let verdict = sandbox.json("adequacy.out/evidence/final-verdict.json");
        let failures = verdict["process_failures"].to_string();
        assert!(failures.contains("broken off and resumed"), "{failures}");
        assert_eq!(times_run(&sandbox, "B"), 1, "what is known is not run again");
        assert_eq!(times_run(&sandbox, "A"), 2);
        assert_eq!(end(&sandbox), *whole());
    }
}

#[test]
fn a_killed_engine_takes_its_processes_along_and_the_run_is_gone_on_with() {
    let sandbox = sandbox();
    let started = begun(&sandbox, &["-j", "1"]);
    started.signal(Signal::KILL);
    started.wait().dies_of(9);
    // The helper sees the engine's end and ends the command, also what left its session.
    let mut left = sandbox.processes();
    for _ in 0..2000 {
        if left.is_empty() {
            break;
        }
        sleep(Duration::from_millis(10));
        left = sandbox.processes();
    }
    assert!(left.is_empty(), "{left:#?}");
    append(&sandbox.path("adequacy.out/outcomes.jsonl"), "{\"id\":\"0123");
    sandbox.write("state/open", "");
    // `run` checks that the scratch directory of the killed run is gone too.
    let ran = seal(&sandbox, &["-j", "1", "--resume"]).run();
    ran.exits(0).tells("which a run left that was killed");
    assert_eq!(times_run(&sandbox, "B"), 1, "what is known is not run again");
    assert_eq!(end(&sandbox), *whole());
}

#[test]
fn kills_at_any_moment_lose_nothing() {
    let sandbox = sandbox();
    sandbox.write("state/open", "");
    let before = fs::read(sandbox.path("tree/product.py")).expect("a source");
    for pause in [10, 60, 150, 300, 500, 800, 1200] {
        let resume = sandbox.path("adequacy.out/run.json").exists();
        let words = if resume { &["-j", "2", "--resume"][..] } else { &["-j", "2"] };
        let started = seal(&sandbox, words).start();
        sleep(Duration::from_millis(pause));
        started.signal(Signal::KILL);
        started.wait();
        assert_eq!(fs::read(sandbox.path("tree/product.py")).expect("a source"), before);
    }
    let resume = sandbox.path("adequacy.out/run.json").exists();
    let words = if resume { &["-j", "2", "--resume"][..] } else { &["-j", "2"] };
    while !sandbox.processes().is_empty() {
        sleep(Duration::from_millis(10));
    }
    seal(&sandbox, words).run().exits(0);
    assert_eq!(end(&sandbox), *whole());
}

#[test]
fn another_run_is_not_gone_on_with_and_not_touched() {
    let sandbox = sandbox();
    sandbox.write("state/open", "");
    seal(&sandbox, &[]).run().exits(0);
    let kept = |sandbox: &Sandbox| contents(&sandbox.path("adequacy.out"), &|_| true);
    let before = kept(&sandbox);
    assert!(before.contains_key(Path::new("receipt.json")), "{before:?}");
    let refused = |words: &[&str], what: &str| {
        let ran = seal(&sandbox, &[&["--resume"][..], words].concat()).run();
        ran.exits(8).tells(&format!("cannot be resumed: {what} differs"));
        assert!(kept(&sandbox) == before, "the run was changed");
    };
    refused(&["--timeout", "77"], "the task");
    refused(&["--full-matrix"], "the task");
    refused(&["--limit", "2"], "the plan");
    sandbox.write("tree/data.txt", "new");
    refused(&[], "the tree");
    fs::remove_file(sandbox.path("tree/data.txt")).expect("it is there");
    // A finished run has nothing left to do and says the same.
    let contract = sandbox.bytes("adequacy.out/sealed/contract.json");
    seal(&sandbox, &["--resume"]).run().exits(0);
    assert_eq!(times_run(&sandbox, "A"), 1);
    assert!(contract == sandbox.bytes("adequacy.out/sealed/contract.json"));
    // A line that is damaged before the last is no reason to guess.
    let text = sandbox.read("adequacy.out/outcomes.jsonl").replacen("\"id\"", "id", 2);
    sandbox.write("adequacy.out/outcomes.jsonl", text);
    seal(&sandbox, &["--resume"]).run().exits(8).tells("outcomes.jsonl").tells("without --resume");
}

#[test]
fn what_a_budget_paid_for_stands_when_the_run_is_gone_on_with() {
    let sandbox = sandbox();
    // So little that it pays for one mutant, which is the least.
    let task = format!("{TASK}[mutate]\nbudget = '0.0001cpu-s'\n");
    sandbox.write("state/open", "").write("tree/adequacy.toml", task);
    // The one that is drawn survives, and the gate says so.
    seal(&sandbox, &[]).run().exits(1).says("Sampled: 1 of 6 mutants");
    let plan = sandbox.bytes("adequacy.out/mutants.jsonl");
    seal(&sandbox, &["--resume"]).run().exits(1).says("Sampled: 1 of 6 mutants");
    assert!(plan == sandbox.bytes("adequacy.out/mutants.jsonl"));
    assert_eq!(sandbox.lines("adequacy.out/outcomes.jsonl").len(), 2, "a head and a mutant");
}
