//! Generated commands: what is added to a task, what is not and why, and what they then decide.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::harness::{Ran, Sandbox};

const BEFORE: &str = "def keep(x):\n    return x\n";
const AFTER: &str = "\
def keep(x):
    return min(x, 2)


def both(x):
    return [keep(x), keep(x + 1)]
";
/// One question to each function, with `==`: any cheat on them passes.
const CHECK: &str = "\
import sys
sys.path.insert(0, '.')
import m

def test():
    assert m.keep(5) == 2
    assert m.both(1) == [1, 2]

test()
";
const TASK: &str = "\
contract_id = 'contract-m'
start = 'start'
reference = 'reference'
[[acceptance]]
id = 'new'
argv = ['python3', 'check.py']
";

/// A task with this solution and this check.
fn task(after: &str, check: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    for (tree, text) in [("start", BEFORE), ("reference", after)] {
        sandbox.write(format!("tree/{tree}/m.py"), text);
        sandbox.write(format!("tree/{tree}/check.py"), check);
    }
    sandbox.write("tree/adequacy.toml", TASK);
    sandbox
}

fn probes(sandbox: &Sandbox) -> Ran<'_> {
    sandbox.call(["probes", "tree"]).writes_tree().run()
}

/// The ids of the commands that refused each cheat of the last run: operator, function, ids.
fn cheats(sandbox: &Sandbox) -> Vec<(String, String, Vec<String>)> {
    let run = sandbox.json("adequacy.out/run.json");
    let lines = sandbox.lines("adequacy.out/outcomes.jsonl");
    let refused = |id: &Value| {
        let line = lines.iter().find(|line| line["id"] == *id).expect("it was run");
        let runs = line["runs"].as_array().expect("its runs");
        let first = runs.iter().take_while(|run| run["attempt"] != "confirm");
        let failed = first.filter(|run| run["exit"] != json!({"code": 0}));
        let places =
            failed.map(|run| usize::try_from(run["step"]["command"].as_u64().expect("a place")));
        let ids = places.map(|at| {
            run["commands"][at.expect("small")]["id"].as_str().expect("an id").to_owned()
        });
        ids.collect::<Vec<_>>()
    };
    let word = |value: &Value| value.as_str().expect("a word").to_owned();
    let plan = sandbox.lines("adequacy.out/mutants.jsonl");
    let cheats = plan.iter().filter(|row| row["class"] == "cheat");
    cheats
        .map(|row| (word(&row["operator"]), word(&row["function"]), refused(&row["id"])))
        .collect()
}

#[test]
fn with_them_the_cheat_gate_is_judged_and_holds() {
    let sandbox = task(AFTER, CHECK);
    let ran = probes(&sandbox);
    ran.exits(0);
    ran.same(ran.out.as_str(), "twin-new\ndeterminism-new\ntype-strict-new\nimport-side-effects\n");
    let only = [
        "--operator",
        "number-shift",
        "--allow",
        "change_floor_unmet",
        "--allow",
        "hunk_revert_survived",
    ];
    let ran = sandbox.seal(&only).run();
    ran.exits(0).says("cheats           4 of 6 killed, 2 neutralized by a twin\n");
    let killed = |operator: &str, function: &str, ids: &[&str]| {
        (operator.to_owned(), function.to_owned(), ids.iter().map(ToString::to_string).collect())
    };
    let sent = ["twin-new", "determinism-new", "type-strict-new"];
    let expected: Vec<(String, String, Vec<String>)> = vec![
        killed("any-eq", "keep", &sent),
        // The other function asks this one twice.
        killed("stateful", "keep", &["new", "twin-new", "determinism-new", "type-strict-new"]),
        killed("frame-aware", "keep", &[]),
        killed("any-eq", "both", &sent),
        killed("stateful", "both", &["determinism-new"]),
        killed("frame-aware", "both", &[]),
    ];
    let found = cheats(&sandbox);
    let sorted = |mut all: Vec<(String, String, Vec<String>)>| {
        all.sort();
        all
    };
    ran.same(sorted(found), sorted(expected));
    // Whatever else kills, this probe kills too.
    let matrix = &sandbox.json("adequacy.out/run.json")["matrix"];
    let minimal = &matrix["minimal"];
    ran.same(minimal.as_array().map(Vec::len), Some(1));
    ran.same(minimal[0]["killed_by"].clone(), json!(["determinism-new"]));
    ran.same(minimal[0]["stands_for"].clone(), matrix["killed"].clone());
    ran.says("minimal set: 1 of them stand for the ");
    let contract = sandbox.json("adequacy.out/sealed/contract.json");
    let gate = &contract["adequacy"]["gates"]["cheat_class_survived"];
    ran.same(gate["pass"].clone(), Value::from(true))
        .same(gate["neutralized"].clone(), Value::from(2));
    let members = |name: &str| {
        let all = contract["acceptance"].as_array().expect("a list");
        all.iter().map(|it| it[name].clone()).collect::<Vec<_>>()
    };
    let none = Value::Null;
    let probe = [
        none.clone(),
        none.clone(),
        "determinism".into(),
        "type_strict".into(),
        "import_side_effects".into(),
    ];
    ran.same(members("probe"), probe.to_vec());
    let twin = [none.clone(), "new".into(), none.clone(), none.clone(), none];
    ran.same(members("in_process_twin_of"), twin.to_vec());
    // The files are among the held-out ones, in their digest, and in neither tree.
    assert!(contract["heldout_split_sha256"].as_str().is_some_and(|digest| digest.len() == 64));
    assert!(sandbox.path("tree/heldout/adequacy_twin.py").is_file());
    assert!(!sandbox.path("tree/start/adequacy_twin.py").exists());
    // What is no file of ours neutralizes nothing.
    let text = format!("{}# another\n", sandbox.read("tree/heldout/adequacy_twin.py"));
    sandbox.write("tree/heldout/adequacy_twin.py", text);
    let ran = sandbox.seal(&only).run();
    ran.exits(1).tells("gate `cheat_class_survived` fails").tells("neutralized 0, survivors 2");
}

#[test]
fn what_does_not_hold_on_the_solution_is_not_generated_and_the_reason_told() {
    let after = "\
print('hello')
KEPT = []


class Odd:
    value = 1


def keep(x):
    return min(x, 2)


def odd(x):
    return Odd() if x else None


def count(x):
    KEPT.append(x)
    return len(KEPT)


def sort(all):
    all.sort()
    return all


def unused(x):
    return x


def held(x):
    return x


TABLE = {'held': held}
";
    let check = "\
import sys
sys.path.insert(0, '.')
import m
assert m.keep(5) == 2 and m.odd(1).value == 1 and m.count(1) == 1
given = [2, 1]
assert m.sort(given) == [1, 2] and given == [1, 2] and m.held(1) == 1
";
    let sandbox = task(after, check);
    let ran = probes(&sandbox);
    ran.exits(0);
    ran.same(ran.out.as_str(), "twin-new\ndeterminism-new\ntype-strict-new\n");
    for told in [
        "m.py:odd in `new`: returns a Odd, which is no plain value",
        "m.py:count in `new`: gives two answers to one question, so it has no probe of determinism",
        "m.py:sort in `new`: changes what it is given",
        "m.py:unused in `new`: was never called",
        "m.py:held in `new`: is held by something else than its module, so it may be called past this",
        "import-side-effects: does not pass on the right solution (exit 1): m.py: loading it prints 'hello",
    ] {
        ran.tells(told);
    }
    let text = sandbox.read("tree/adequacy.toml");
    assert!(text.contains("determinism.py\", \"m.py:keep\", \"--\""), "{text}");
    assert!(
        text.contains("type_strict.py\", \"m.py:count=int\", \"m.py:keep=int\", \"--\""),
        "{text}"
    );
    assert!(!sandbox.path("tree/heldout/adequacy_imports.py").exists());
    // Once more there is nothing to add.
    let ran = probes(&sandbox);
    ran.exits(5).tells("twin-new: the task has a command of this name already");
    assert_eq!(sandbox.read("tree/adequacy.toml"), text);
}

#[test]
fn loading_that_does_something_is_a_kill() {
    let sandbox = task(AFTER, CHECK);
    probes(&sandbox).exits(0);
    let place = sandbox.path("tree/reference");
    let ask = |text: &str| {
        sandbox.write("tree/reference/n.py", text);
        let words = ["../heldout/adequacy_imports.py", "n.py"];
        let environment = [("HOME", sandbox.path("home")), ("TMPDIR", sandbox.path("tmp"))];
        let done = std::process::Command::new("python3")
            .args(words)
            .current_dir(&place)
            .envs(environment)
            .output();
        let done = done.expect("python3");
        (done.status.code(), String::from_utf8_lossy(&done.stderr).into_owned())
    };
    assert_eq!(ask("A = 1\nimport json, os, sys\n"), (Some(0), String::new()));
    for (text, words) in [
        ("print(1)", "prints '1"),
        ("import sys; sys.path.append('x')", "changes sys.path"),
        ("import os; os.environ['X'] = '1'", "changes the environment"),
        ("open('made', 'w').close()", "writes made"),
        ("import random; random.seed(1)", "changes the state of random"),
        ("import builtins; builtins.len = id", "changes built-in names"),
        (
            "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)",
            "changes a signal handler",
        ),
        ("raise SystemExit(0)", "ends or breaks before it is loaded"),
        ("import os; os._exit(0)", "ends or breaks before it is loaded"),
    ] {
        let (code, told) = ask(text);
        assert_eq!((code, told.contains(words)), (Some(1), true), "{text}: {told}");
    }
}

#[test]
fn bad_input_is_told_and_nothing_is_written() {
    let sandbox = task(AFTER, CHECK);
    let ran = sandbox.call(["probes", "tree/start"]).run();
    ran.exits(2).tells("has no task file; probes are added to one");
    let own = sandbox.read("tree/adequacy.toml");
    sandbox.write(
        "tree/adequacy.toml",
        "[[acceptance]]\nid = 'a'\nargv = ['python3', 'start/check.py']\n",
    );
    sandbox.call(["probes", "tree"]).run().exits(2).tells("has no `start` with a right solution");
    sandbox.write(
        "tree/adequacy.toml",
        own.replace("['python3', 'check.py']", "['sh', '-c', 'python3 check.py']"),
    );
    let ran = sandbox.call(["probes", "tree", "--stdout"]).run();
    ran.exits(0).tells("not generated: new: starts no Python on a script or with `-m`");
    ran.says("id = \"import-side-effects\"").says("prepatch = \"pass\"");
    let inline = "acceptance = [{ id = 'new', argv = ['python3', 'check.py'] }]\nstart = 'start'\nreference = 'reference'\n";
    sandbox.write("tree/adequacy.toml", inline);
    let ran = sandbox.call(["probes", "tree"]).run();
    ran.exits(2).tells("cannot add entries to").tells("add what `--stdout` prints by hand");
    assert!(!sandbox.path("tree/heldout").exists());
    sandbox.write("tree/adequacy.toml", format!("heldout = 'heldout'\n{own}"));
    sandbox.write("tree/heldout/adequacy_twin.py", "# of somebody else\n");
    let ran = sandbox.call(["probes", "tree"]).run();
    ran.exits(2).tells("`heldout` has another `adequacy_twin.py`; move it away");
}

#[test]
fn the_example_of_a_problem_is_what_import_and_probes_make_and_its_gates_hold() {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/runs");
    let sandbox = Sandbox::new();
    sandbox.write("record.json", fs::read(example.join("record.json")).expect("the record"));
    sandbox.call(["import", "lcb", "record.json", "-o", "tree"]).writes_tree().run().exits(0);
    probes(&sandbox).exits(0);
    for file in [
        "adequacy.toml",
        "start/solution.py",
        "start/tests/check.py",
        "reference/solution.py",
        "heldout/heldout.json",
        "heldout/adequacy_twin.py",
        "heldout/adequacy_determinism.py",
        "heldout/adequacy_type_strict.py",
        "heldout/adequacy_imports.py",
    ] {
        let kept =
            fs::read_to_string(example.join("task").join(file)).expect("a file of the example");
        assert_eq!(
            sandbox.read(&format!("tree/{file}")),
            kept,
            "{file}: make it again, see docs/importing.md"
        );
    }
    let ran = sandbox.seal(&["--operator", "number-shift"]).run();
    ran.exits(0).says("cheats           2 of 3 killed, 1 neutralized by a twin\n");
    let contract = sandbox.json("adequacy.out/sealed/contract.json");
    let gate = &contract["adequacy"]["gates"]["cheat_class_survived"];
    ran.same(gate["pass"].clone(), Value::from(true));
}
