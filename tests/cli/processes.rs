//! What a mutant may do to its workspace, its processes and its machine, and that the verdicts after
//! it are still right.

use serde_json::Value;

use crate::harness::Sandbox;

/// A source of flags, and a command that acts on the one that is set; every line a mutant.
fn flags(names: &[&str], check: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    let lines: String = names.iter().map(|name| format!("{name} = False\n")).collect();
    sandbox.write("tree/product.py", lines);
    let head = "import os, shutil, signal, subprocess, sys, time\nimport product\n\
                flags = [name for name, value in vars(product).items() if value is True]\n";
    sandbox.write("tree/check.py", format!("{head}{check}"));
    sandbox
}

const FLIP: [&str; 7] =
    ["--include", "product.py", "--operator", "boolean-flip", "--", "python3", "check.py"];

/// `measure` of such a tree with one worker, so that each mutant follows the one before it.
fn one_after_another(sandbox: &Sandbox, words: &[&str]) -> Vec<String> {
    let first = ["measure", "tree", "-j", "1", "--baselines", "1"];
    let ran =
        sandbox.call(first.iter().chain(words).chain(&FLIP)).env("STATE", sandbox.path("home"));
    let ran = ran.run();
    ran.exits(0);
    sandbox
        .outcomes()
        .iter()
        .map(|line| line.split(": ").nth(1).expect("an outcome").to_owned())
        .collect()
}

#[test]
fn what_a_mutant_does_to_its_workspace_is_undone() {
    let sandbox = flags(
        &[
            "WRITES_FIXTURE",
            "A",
            "DELETES_ALL",
            "B",
            "BREAKS_SOURCE",
            "C",
            "MAKES_FILES",
            "D",
            "LOCKS",
            "E",
        ],
        "import calc\n\
         here = os.getcwd()\n\
         assert open('tests/fixtures/data').read() == 'right'\n\
         assert os.access('tests/fixtures/data', os.R_OK) and calc.add(1, 2) == 3\n\
         assert sorted(os.listdir('.')) == ['calc.py', 'check.py', 'product.py', 'tests']\n\
         if 'WRITES_FIXTURE' in flags: open('tests/fixtures/data', 'w').write('wrong')\n\
         if 'DELETES_ALL' in flags: shutil.rmtree(here)\n\
         if 'BREAKS_SOURCE' in flags:\n\
         \x20   old = os.stat('calc.py')\n\
         \x20   open('calc.py', 'w').write('def add(a, b): return a * b\\n')\n\
         \x20   os.utime('calc.py', ns=(old.st_atime_ns, old.st_mtime_ns))\n\
         if 'MAKES_FILES' in flags:\n\
         \x20   os.makedirs('new/dir'); open('new/dir/file', 'w'); open('sitecustomize.py', 'w')\n\
         if 'LOCKS' in flags: os.chmod('tests', 0)\n",
    );
    sandbox.write("tree/calc.py", "def add(a, b): return a + b\n");
    sandbox.write("tree/tests/fixtures/data", "right");
    // Each of these passes itself; if one leaked, the flag after it would be killed.
    assert_eq!(one_after_another(&sandbox, &[]), ["survived"; 10]);
}

#[test]
fn no_process_outlives_its_command_or_changes_a_later_verdict() {
    // The daemon leaves its session and would break every later workspace it can reach.
    let spoil = "while :; do echo spoiled > \\\"$1/product.py\\\"; sleep 0.01; done";
    let sandbox = flags(
        &["DAEMON", "A", "B", "IGNORES_TERM", "C", "STOPPED", "D"],
        &format!(
            "spoil = \"{spoil}\"\n\
             if 'DAEMON' in flags:\n\
             \x20   subprocess.Popen(['sh', '-c', spoil, 'sh', os.getcwd()], start_new_session=True)\n\
             if 'IGNORES_TERM' in flags:\n\
             \x20   signal.signal(signal.SIGTERM, signal.SIG_IGN)\n\
             \x20   subprocess.Popen(['sh', '-c', \"trap '' TERM; while :; do sleep 1; done\"])\n\
             \x20   time.sleep(600)\n\
             if 'STOPPED' in flags:\n\
             \x20   child = subprocess.Popen(['sleep', '600'])\n\
             \x20   os.kill(child.pid, signal.SIGSTOP)\n"
        ),
    );
    let found = one_after_another(&sandbox, &["--timeout", "8", "--allow", "timeout_share"]);
    let time_out = "killed by command (time-out)";
    assert_eq!(
        found,
        ["survived", "survived", "survived", time_out, "survived", "survived", "survived"]
    );
}

#[test]
fn stale_bytecode_never_decides() {
    // All four are written with one size and, as far as bytecode can tell, at one time.
    let sandbox = Sandbox::new();
    sandbox.write("tree/product.py", "def f(): return 1 + 1\n\n\ndef g(): return 1 < 2\n");
    sandbox.write("tree/check.py", "import product\nassert product.f() == 2 and product.g()\n");
    sandbox.write("tree/__pycache__/stale.pyc", "none of the copies needs this");
    let words =
        ["--operator", "binop-swap", "--operator", "compare-swap", "--include", "product.py"];
    let words = [&words[..], &["--", "python3", "check.py"]].concat();
    // A shared cache, as a caller may have it, is not used.
    let ran = sandbox.measure(&words).env("PYTHONPYCACHEPREFIX", sandbox.path("home/cache")).run();
    ran.exits(0).tells("`__pycache__` (cache)");
    ran.totals(
        "2 mutants: 2 killed (0 by time-out), 0 survived, 0 undecided; 0 unviable, 0 not built",
    );
    assert!(!sandbox.path("home/cache").exists(), "the caller's cache was written");
}

#[test]
fn a_command_sees_a_private_place_and_nothing_of_the_caller() {
    let sandbox = Sandbox::new();
    sandbox.write("tree/product.py", "NAME = 1 + 1\n");
    sandbox.write(
        "tree/check.py",
        "import os, product\n\
         home = os.environ['HOME']\n\
         assert not [name for name in os.listdir(home) if not name.startswith('.')], 'HOME is empty'\n\
         open(os.path.join(home, 'left'), 'w').close()\n\
         open(os.path.join(os.environ['TMPDIR'], 'left'), 'w').close()\n\
         assert os.environ['XDG_CONFIG_HOME'].startswith(home)\n\
         assert not os.path.exists('.git') and not os.path.exists('adequacy.toml')\n\
         for name in os.environ:\n\
         \x20   assert not name.startswith(('GIT_', 'PYTEST_', 'CARGO_ENC')), name\n\
         assert 'PYTHONPATH' not in os.environ and 'SECRET' not in os.environ\n\
         assert os.environ['TZ'] == 'UTC' and os.environ['PYTHONHASHSEED'] == '0'\n\
         assert os.environ['PASSED'] == 'by name' and os.environ['MODE'] == 'set'\n\
         assert os.environ['ADEQUACY_WORKER'] in '01'\n\
         assert len(os.listdir('/proc/self/fd')) <= 4, 'nothing is inherited'\n\
         assert product.NAME == 2\n",
    );
    sandbox.write(
        "tree/adequacy.toml",
        "[[acceptance]]\nid = 'unit'\nargv = ['python3', 'check.py']\n\
         [env]\nset = { MODE = 'set' }\n[mutate]\ninclude = ['product.py']\n",
    );
    let mut call = sandbox.measure(&["--operator", "binop-swap", "--env", "PASSED"]);
    for (name, value) in [
        ("PASSED", "by name"),
        ("SECRET", "x"),
        ("GIT_DIR", "/nowhere"),
        ("PYTHONPATH", "/nowhere"),
        ("PYTEST_ADDOPTS", "-x"),
        ("TZ", "Asia/Tokyo"),
        ("MODE", "the caller's"),
    ] {
        call = call.env(name, value);
    }
    call.run().exits(0).totals(
        "1 mutants: 1 killed (0 by time-out), 0 survived, 0 undecided; 0 unviable, 0 not built",
    );
    let run = sandbox.json("adequacy.out/run.json");
    let names: Vec<&str> =
        run["environment"].as_array().expect("names").iter().filter_map(Value::as_str).collect();
    assert!(names.contains(&"PASSED") && names.contains(&"ADEQUACY_RUN"), "{names:?}");
    assert!(!run.to_string().contains("by name"), "values are not kept");
}

#[test]
fn kills_beside_a_failing_unmutated_tree_are_not_counted() {
    // Fails for good from the seventh run on: two baselines, three controls, then the mutants.
    let sandbox = Sandbox::new();
    sandbox.write("tree/product.py", "A = 1 + 1\nB = 1 + 1\nC = 1 + 1\n");
    sandbox.write(
        "tree/check.sh",
        "echo run >> \"$COUNTER\"\ngrep -q '^raise' product.py && exit 1\ntest $(wc -l < \"$COUNTER\") -lt 7\n",
    );
    let words = ["measure", "tree", "-j", "1", "--baselines", "2", "--operator", "binop-swap"];
    // Without overlays, for which the unmutated tree is run once more.
    let words = words.iter().chain(&["--workspace", "reset", "--env", "COUNTER"]);
    let words = words.chain(&["--allow-write", "home", "--", "sh", "check.sh"]);
    let ran = sandbox.call(words).env("COUNTER", sandbox.path("home/counter")).run();
    ran.exits(3).tells("passed before and now exit 1").tells("sentinel").same(ran.out.as_str(), "");
    // The first mutant passed; the other two failed beside a failing tree, twice.
    let lost = "undecided by command (lost)";
    let outcomes = sandbox.outcomes();
    let found: Vec<_> = outcomes.iter().filter_map(|line| line.split(": ").nth(1)).collect();
    ran.same(found, vec!["survived", lost, lost]);
}

#[test]
fn kills_that_a_second_run_does_not_repeat_are_not_counted() {
    // Fails from the seventh to the ninth run: two mutants and the sentinel. Then all is well again.
    let sandbox = Sandbox::new();
    sandbox.write("tree/product.py", "A = 1 + 1\nB = 1 + 1\nC = 1 + 1\n");
    sandbox.write(
        "tree/check.sh",
        "echo run >> \"$COUNTER\"\ngrep -q '^raise' product.py && exit 1\n\
         runs=$(wc -l < \"$COUNTER\")\ntest $runs -lt 7 || test $runs -gt 9\n",
    );
    let words = ["measure", "tree", "-j", "1", "--baselines", "2", "--operator", "binop-swap"];
    // Without overlays, for which the unmutated tree is run once more.
    let words = words.iter().chain(&["--workspace", "reset", "--env", "COUNTER"]);
    let words = words.chain(&["--allow-write", "home", "--", "sh", "check.sh"]);
    let ran = sandbox.call(words).env("COUNTER", sandbox.path("home/counter")).run();
    ran.exits(0)
        .tells("2 mutants that failed since it last did are run again")
        .says("killed nothing")
        .totals(
            "3 mutants: 0 killed (0 by time-out), 3 survived, 0 undecided; 0 unviable, 0 not built",
        );
    let sentinels = &sandbox.json("adequacy.out/run.json")["sentinels"];
    ran.same(sentinels.clone(), serde_json::json!({"runs": 2, "failures": 1}));
}

#[test]
fn two_workers_and_one_give_the_same_outcomes() {
    let sandbox = flags(
        &["A", "B", "C", "D"],
        "open(os.path.join(os.environ['TMPDIR'], 'fixed-name'), 'x').close()\n\
         if flags and flags[0] in 'AC': sys.exit(1)\n",
    );
    sandbox.measure(&FLIP).run().exits(0);
    let two = sandbox.outcomes();
    one_after_another(&sandbox, &[]);
    assert_eq!(two, sandbox.outcomes());
    let killed = |line: &&String| line.contains("killed by command (exit)");
    assert_eq!(two.iter().filter(killed).count(), 2, "{two:?}");
}

#[test]
fn every_command_answers_for_itself_under_full_matrix() {
    let sandbox = Sandbox::with("two-commands");
    let words =
        ["--operator", "boolean-flip", "--include", "product.py", "--max-output", "1000000"];
    let ran = sandbox.measure(&[&words[..], &["--full-matrix"]].concat()).run();
    ran.exits(6).says("First killers: first 2, second 3");
    ran.totals(
        "8 mutants: 5 killed (0 by time-out), 1 survived, 2 undecided; 0 unviable, 0 not built",
    );
    for line in sandbox.lines("adequacy.out/outcomes.jsonl").iter().skip(1) {
        let runs = line["runs"].as_array().expect("runs");
        for place in 0..2 {
            let step = serde_json::json!({"command": place});
            assert!(runs.iter().any(|run| run["step"] == step), "command {place} of {line}");
        }
    }
}

#[test]
fn an_ordinary_kill_stops_there_and_its_runs_are_kept() {
    let sandbox = Sandbox::with("two-commands");
    sandbox.write("tree/product.py", "FIRST_FAILS_SECOND_FAILS = False\n");
    let ran = sandbox.measure(&["--operator", "boolean-flip", "--include", "product.py"]).run();
    ran.exits(0);
    let lines = sandbox.lines("adequacy.out/outcomes.jsonl");
    let line = &lines[1];
    assert_eq!(line["runs"].as_array().map(Vec::len), Some(1), "{line}");
    let run = &line["runs"][0];
    assert_eq!(run["exit"], serde_json::json!({"code": 1}));
    let log = sandbox.bytes(&format!("adequacy.out/logs/{}", run["log"].as_str().expect("a log")));
    assert_eq!(run["log_sha256"], adequacy::base::Sha256::of(&log).to_string());
    assert_eq!(line["executor"], "exact");
    assert_eq!(line["basis"], "ran");
}
