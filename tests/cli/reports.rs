//! What a run tells: streams, JSON, `replay`, `estimate`, `init`.

use serde_json::Value;

use crate::harness::Sandbox;

const TWO: [&str; 6] =
    ["--include", "calc.py", "--operator", "binop-swap", "--operator", "compare-boundary"];
const TOTALS: &str =
    "2 mutants: 1 killed (0 by time-out), 1 survived, 0 undecided; 0 unviable, 0 not built";
const CHECK: [&str; 3] = ["--", "python3", "check.py"];

#[test]
fn json_alone_stands_on_stdout_and_the_totals_on_stderr() {
    let sandbox = Sandbox::with("calc");
    let ran = sandbox.measure(&[&TWO[..], &["--json"], &CHECK].concat()).run();
    ran.exits(0).same(ran.err.lines().last(), Some(TOTALS));
    let told: Value = serde_json::from_str(&ran.out).expect("one JSON value");
    ran.same(told.clone(), sandbox.json("adequacy.out/run.json"));
    assert_eq!(told["state"], "finished");
    for (name, count) in [("mutants", 2), ("killed", 1), ("survived", 1), ("undecided", 0)] {
        assert_eq!(told["totals"][name], count, "{name}");
    }
    // Every number elsewhere is this one.
    let decided = sandbox.lines("adequacy.out/outcomes.jsonl");
    let killed = decided.iter().filter(|line| line["outcome"] == "killed").count();
    assert_eq!((decided.len() - 1, killed), (2, 1));
    assert_eq!(decided[0]["format"], "adequacy-outcomes/2");
}

#[test]
fn quiet_says_the_totals_alone_and_no_stream_holds_a_carriage_return() {
    let sandbox = Sandbox::with("calc");
    let ran = sandbox.measure(&[&TWO[..], &["-q"], &CHECK].concat()).run();
    ran.exits(0).same(ran.out.as_str(), &format!("{TOTALS}\n")).same(ran.err.as_str(), "");
    let ran = sandbox.measure(&[&TWO[..], &CHECK].concat()).run();
    ran.exits(0).totals(TOTALS).never_says("\r").never_says("\u{1b}");
    ran.tells("command `command`: python3 check.py").says("Survivors").says("calc.py bigger");
    ran.says("Unmutated runs: ").says("First killers: command 1");
}

#[test]
fn no_report_passes_a_sample_off_as_the_whole() {
    let sandbox = Sandbox::with("calc");
    sandbox.measure(&[&TWO[..], &["--limit", "1"], &CHECK].concat()).run().exits(0);
    for format in ["text", "markdown", "html"] {
        let ran = sandbox.call(["report", "--format", format]).run();
        ran.exits(0).says("Sampled").says("1 of 2 mutants");
    }
    sandbox.call(["report", "--format", "github"]).run().exits(0).says("a sample of 2");
}

#[test]
fn a_hostile_tree_reaches_no_terminal() {
    let sandbox = Sandbox::new();
    sandbox.write("tree/product.py", "X = '\u{1b}[2J\u{202e}' + 'b'\n");
    sandbox.write("tree/check.sh", "printf '\\033[31mred\\r\\n'; ! grep -q ^raise product.py\n");
    let words = ["--operator", "string-empty", "--", "sh", "check.sh"];
    let ran = sandbox.measure(&words).run();
    ran.exits(0).never_says("\u{1b}").never_says("\u{202e}").never_says("\r");
    let lines = sandbox.lines("adequacy.out/mutants.jsonl");
    let id = lines[0]["id"].as_str().expect("an id");
    let ran = sandbox.call(["replay", id]).run();
    ran.exits(0).never_says("\u{1b}").never_says("\u{202e}").never_says("\r").says("survived");
}

#[test]
fn replay_runs_one_mutant_again_with_its_diff_and_output() {
    let sandbox = Sandbox::with("calc");
    sandbox.measure(&[&TWO[..], &CHECK].concat()).run().exits(0);
    let rows = sandbox.lines("adequacy.out/mutants.jsonl");
    let id = |place: usize| rows[place]["id"].as_str().expect("an id").to_owned();
    let ran = sandbox.call(["replay", &id(0)]).run();
    ran.exits(0)
        .says("-    return a + b\n+    return a - b\n")
        .says("command: python3 check.py")
        .says("AssertionError")
        .says("exit 1 after")
        .says("killed by `command` (exit)");
    // The first digits are enough; the run itself is left as it was.
    let before = sandbox.read("adequacy.out/outcomes.jsonl");
    let ran = sandbox.call(["replay", &id(1)[..8]]).run();
    ran.exits(0).says("+    return a >= b").says("survived");
    ran.same(before, sandbox.read("adequacy.out/outcomes.jsonl"));
    sandbox.call(["replay", "zzzz"]).run().exits(2).tells("`zzzz`");
    sandbox.call(["replay", &id(0), "-o", "nowhere"]).run().exits(8).tells("nowhere");
    // A tree that has changed is said.
    sandbox.write("tree/data.txt", "new");
    sandbox.call(["replay", &id(0)]).run().exits(0).tells("the tree has changed");
}

#[test]
fn an_estimate_runs_no_mutant() {
    let sandbox = Sandbox::with("calc");
    let count = "echo run >> \"$COUNTER\"; exec python3 check.py";
    let words = ["estimate", "tree", "-j", "2", "--json", "--env", "COUNTER"];
    let words = [&words[..], &["--allow-write", "home"]].concat();
    let words = [&words[..], &TWO, &["--", "sh", "-c", count]].concat();
    let ran = sandbox.call(words).env("COUNTER", sandbox.path("home/counter")).run();
    let told: Value = serde_json::from_str(&ran.exits(0).out).expect("one JSON value");
    ran.same(sandbox.read("home/counter").lines().count(), 1);
    assert_eq!(told["mutants"], 2);
    assert_eq!(told["by_class"]["full"], 2);
    assert_eq!(told["jobs"], 2);
    let size: usize = ["calc.py", "check.py"]
        .map(|name| sandbox.bytes(&format!("tree/{name}")).len())
        .iter()
        .sum();
    assert_eq!(told["disk_bytes"], size * 3, "the stored copy and two workers'");
    assert!(!sandbox.path("adequacy.out").exists());
    let words = ["estimate", "tree"].iter().chain(&TWO).chain(&CHECK);
    sandbox.call(words).run().exits(0).says("mutants: 2 (full 2)");
    let words = ["estimate", "tree"].iter().chain(&TWO).chain(&["--", "false"]);
    sandbox.call(words).run().exits(3);
}

#[test]
fn an_estimate_is_of_what_the_budget_pays_for() {
    let sandbox = Sandbox::with("calc");
    // So little that it pays for one mutant, which is the least.
    let task = "[[acceptance]]\nid = 'unit'\nargv = ['python3', 'check.py']\n\
                [mutate]\nbudget = '0.0001cpu-s'\n";
    sandbox.write("tree/adequacy.toml", task);
    let ran = sandbox.call(["estimate", "tree", "--json"].iter().chain(&TWO)).run();
    let told: Value = serde_json::from_str(&ran.exits(0).out).expect("one JSON value");
    ran.same([&told["mutants"], &told["population"]], [&Value::from(1), &Value::from(2)]);
    ran.same(&told["cpu_s"], &told["baseline_cpu_s"]);
    let ran = sandbox.call(["estimate", "tree"].iter().chain(&TWO)).run();
    ran.exits(0).says("mutants: 1 (full 1), a sample of 2 by the task's limit or budget\n");
    sandbox.measure(&TWO).run().exits(0).says("1 not sampled");
}

#[test]
fn init_says_when_the_interpreter_has_no_pytest() {
    let sandbox = Sandbox::with("calc");
    let made = std::process::Command::new("python3")
        .args(["-m", "venv", "--without-pip", "--symlinks"])
        .arg(sandbox.path("tree/.venv"))
        .status();
    assert!(made.is_ok_and(|status| status.success()), "python3 -m venv");
    sandbox.write("tree/tests/test_calc.py", "import pytest\n");
    let words =
        "`.venv/bin/python` cannot import pytest: install it there, or name another interpreter";
    let ran = sandbox.call(["init", "tree", "--stdout"]).run();
    ran.exits(0).tells(&format!("note: {words}\n"));
    ran.says(&format!(
        "argv = [\".venv/bin/python\", \"-m\", \"pytest\", \"-q\"] # the tests are written for pytest\n# {words}\n"
    ));
    let site = crate::harness::names(&sandbox.path("tree/.venv/lib"));
    sandbox.write(format!("tree/.venv/lib/{}/site-packages/pytest.py", site[0]), "");
    sandbox.call(["init", "tree", "--stdout"]).run().exits(0).never_says("cannot import pytest");
}

#[test]
fn init_writes_a_file_that_loads_and_measures() {
    let sandbox = Sandbox::with("unittest");
    let ran = sandbox.call(["init"]).inside("tree").writes_tree().run();
    ran.exits(0).tells("adequacy.toml");
    let text = sandbox.read("tree/adequacy.toml");
    assert!(text.contains("unittest") && text.starts_with('#'), "{text}");
    let words = ["--operator", "return-none", "-q"];
    sandbox.seal(&words).run().exits(0);
    let contract = sandbox.json("adequacy.out/sealed/contract.json");
    assert_eq!(contract["protected_paths"][0]["path"], "tests");
    // It is not written over.
    let ran = sandbox.call(["init", "tree"]).run();
    ran.exits(8).tells("is there already");
    ran.same(text.clone(), sandbox.read("tree/adequacy.toml"));
    let ran = sandbox.call(["init", "tree", "--stdout"]).run();
    ran.exits(0).same(ran.out.clone(), text);
}
