//! Tasks with a start tree: what is planned, run, gated and sealed of a change.

use std::collections::BTreeMap;
use std::fs;
use std::thread::sleep;
use std::time::Duration;

use adequacy::base::Sha256;
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::harness::{Sandbox, executable};

const BEFORE: &str = "def keep(x):\n    return x\n\n\ndef far(x):\n    return x * 3\n";
const AFTER: &str = "\
def keep(x):
    if x > 2:
        return 2
    return x


def next_of(x):
    return keep(x) + 1


def far(x):
    return x * 3
";
const CHECK: &str = "\
import sys
sys.path.insert(0, '.')
import m
assert [m.keep(n) for n in (1, 2, 3)] == [1, 2, 2]
assert m.next_of(1) == 2 and m.next_of(5) == 3 and not m.next_of(1) != 2
assert type(m.keep(1)) is int and type(m.next_of(1)) is int
";
const TASK: &str = "\
contract_id = 'contract-m'
start = 'start'
reference = 'reference'
heldout = 'held'
[[acceptance]]
id = 'new'
argv = ['python3', 'check.py']
[[acceptance]]
id = 'held'
argv = ['python3', '../heldout/more.py']
role = 'heldout'
prepatch = 'pass'
";

/// The task, with this in place of its reference's check and this beside the usual in its file.
fn task(check: &str, more: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    for (tree, text) in [("start", BEFORE), ("reference", AFTER)] {
        sandbox.write(format!("tree/{tree}/m.py"), text);
        sandbox.write(format!("tree/{tree}/check.py"), check);
        sandbox.write(format!("tree/{tree}/setup.cfg"), "[tool]\n");
    }
    let held = "import sys\nsys.path.insert(0, '.')\nimport m\nassert m.keep(1) == 1\n";
    sandbox.write("tree/held/more.py", held);
    sandbox.write("tree/adequacy.toml", format!("{TASK}{more}"));
    sandbox
}

/// Mutants of a run that count, by class: all, and killed.
fn by_class(sandbox: &Sandbox) -> BTreeMap<String, (u64, u64)> {
    let run = sandbox.json("adequacy.out/run.json");
    let classes = run["totals"]["by_class"].as_object().expect("classes").clone();
    let count = |value: &Value, name: &str| value[name].as_u64().expect("a count");
    let both = |value: &Value| (count(value, "mutants"), count(value, "killed"));
    classes.iter().map(|(class, value)| (class.clone(), both(value))).collect()
}

#[test]
fn a_change_is_measured_by_sets_and_sealed_with_its_gates() {
    let sandbox = task(CHECK, "");
    let ran = sandbox.seal(&[]).run();
    ran.exits(0).says("null patch       killed").says("start tree       refused by `new`");
    ran.says("gate not judged").says("patch region");
    let classes = by_class(&sandbox);
    for (class, expected) in [
        ("null_patch", (1, 1)),
        ("hunk_revert", (2, 2)),
        // Two functions, three cheats each.
        ("cheat", (6, 4)),
        ("stub_patch", (2, 2)),
        ("rest", (3, 0)),
    ] {
        ran.same((class, classes.get(class)), (class, Some(&expected)));
    }
    // What stays of a touched function.
    ran.same(classes.get("function"), Some(&(1, 1)));
    let contract = sandbox.json("adequacy.out/sealed/contract.json");
    let sealed = &contract["adequacy"];
    assert_eq!(sealed["by_class"]["cheat"], json!({"mutants": 6, "killed": 4}));
    assert_eq!(contract["strength"], "gated");
    assert_eq!(contract["module_under_test"], json!(["m.py"]));
    assert_eq!(sealed["gates"]["measurement"]["profile"], "done/1");
    let gates = sealed["gates"].as_object().expect("gates").keys().cloned().collect::<Vec<_>>();
    let expected = [
        "change_floor_unmet",
        "hunk_revert_survived",
        "measurement",
        "null_patch_survived",
        "timeout_share",
        "undecided",
    ];
    assert_eq!(gates, expected);
    let not_judged = &sandbox.json("adequacy.out/run.json")["not_judged"];
    ran.same(not_judged.clone(), json!(["cheat_class_survived"]));
    // What the commands look at is protected, the changed module is not.
    let protected = contract["protected_paths"].as_array().expect("a list");
    let paths = protected.iter().map(|entry| entry["path"].clone()).collect::<Vec<_>>();
    assert_eq!(paths, ["check.py", "setup.cfg"]);
    // One plain file: the digest of its one line.
    assert!(contract["heldout_split_sha256"].as_str().is_some_and(|digest| digest.len() == 64));
    let sealed = "adequacy.out/sealed";
    let files = ["contract.statement.json", "contract.json"].map(|it| format!("{sealed}/{it}"));
    sandbox.call(["verify", &files[0], &files[1]]).run().exits(0).says("valid");
    // Whoever shows the total shows before it what it is made of.
    for format in ["markdown", "github"] {
        let ran = sandbox.call(["report", "adequacy.out", "--format", format]).run();
        ran.exits(0);
        let first = ran.out.find("null patch       killed");
        ran.same(first.is_some() && first < ran.out.find(" killed ("), true);
    }
}

/// What makes the reference of the start.
const PATCH: &str = "\
--- a/m.py
+++ b/m.py
@@ -1,5 +1,11 @@
 def keep(x):
+    if x > 2:
+        return 2
     return x
 
 
+def next_of(x):
+    return keep(x) + 1
+
+
 def far(x):
";

/// The task with a patch in place of its reference.
fn patched() -> Sandbox {
    let patched = task(CHECK, "");
    patched.write("tree/fix.diff", PATCH);
    let text =
        patched.read("tree/adequacy.toml").replace("reference = 'reference'", "patch = 'fix.diff'");
    patched.write("tree/adequacy.toml", text);
    patched
}

#[test]
fn a_patch_makes_the_same_contract_as_the_tree_it_makes() {
    let only = ["--operator", "number-shift", "--blind"];
    let trees = task(CHECK, "");
    trees.seal(&only).run().exits(0);
    let patched = patched();
    patched.seal(&only).run().exits(0);
    let contract = "adequacy.out/sealed/contract.json";
    assert_eq!(patched.read(contract), trees.read(contract));
    assert!(!patched.read(contract).contains("module_under_test"));
    let wrong = PATCH.replace(" def far(x):", " def near(x):");
    patched.write("tree/fix.diff", wrong);
    let ran = patched.measure(&[]).run();
    ran.exits(2).tells("fix.diff").tells("m.py");
}

#[test]
fn commands_that_accept_doing_nothing_are_told_and_refused_by_the_gate() {
    let sandbox =
        task("import sys\nsys.path.insert(0, '.')\nimport m\nassert m.keep(1) == 1\n", "");
    let only = ["--operator", "number-shift"];
    let ran = sandbox.seal(&only).run();
    ran.exits(1)
        .tells("every command passes on the start tree")
        .tells("gate `null_patch_survived`");
    ran.says("accepted by every command: doing nothing is done").tells("not sealed");
    assert!(!sandbox.path("adequacy.out/sealed").exists());
    let run = sandbox.json("adequacy.out/run.json");
    assert_eq!(run["gates"]["null_patch_survived"], false);
    assert_eq!(run["start"]["commands"][0]["passes"], true);
    let mut words = only.to_vec();
    for gate in ["null_patch_survived", "change_floor_unmet", "hunk_revert_survived", "prepatch"] {
        words.extend(["--allow", gate]);
    }
    sandbox.seal(&words).run().exits(0);
    let contract = sandbox.json("adequacy.out/sealed/contract.json");
    assert_eq!(contract["adequacy"]["gates"]["null_patch_survived"]["pass"], false);
}

#[test]
fn names_alone_do_not_make_a_test() {
    // The null patch lacks the name, the stub has it.
    let check = "import sys\nsys.path.insert(0, '.')\nimport m\nassert callable(m.next_of)\n";
    let sandbox = task(check, "");
    let ran = sandbox.measure(&["--operator", "number-shift"]).run();
    ran.exits(1).says("stubs            0 of 2 killed: the commands test that names exist");
    ran.says("null patch       killed");
}

#[test]
fn other_solutions_are_asked_too() {
    let sandbox = task(CHECK, "");
    let extra = "must_pass = ['other']\nknown_wrong = ['wrong.diff', 'almost']\n";
    let text = format!("{extra}{}", sandbox.read("tree/adequacy.toml"));
    sandbox.write("tree/adequacy.toml", text);
    let other =
        AFTER.replace("    if x > 2:\n        return 2\n    return x\n", "    return min(x, 2)\n");
    sandbox.write("tree/other/m.py", other).write("tree/other/check.py", CHECK);
    // Another text that does the same: no command can refuse it.
    sandbox.write("tree/almost/m.py", format!("{AFTER}# the same\n"));
    sandbox.write("tree/almost/check.py", CHECK);
    let wrong =
        "--- m.py\n+++ m.py\n@@ -1,3 +1,3 @@\n def keep(x):\n-    return x\n+    return 2\n \n";
    sandbox.write("tree/wrong.diff", wrong);
    let ran = sandbox.measure(&["--operator", "number-shift"]).run();
    ran.says("right solutions  1 of 1 accepted").says("wrong solutions  1 of 2 refused");
    ran.tells("`almost` is known to be wrong, and every command accepts it");
    let variants = &sandbox.json("adequacy.out/run.json")["variants"];
    assert_eq!(variants[0]["accepted"], true);
    assert_eq!(variants[1]["refused_by"], json!(["new", "held"]));
    assert_eq!(variants[2]["refused_by"], json!([]));
}

#[test]
fn without_a_right_solution_functions_do_nothing() {
    let sandbox = Sandbox::new();
    sandbox.write("tree/start/m.py", "def f(x):\n    return x\n\n\ndef unused():\n    return 1\n");
    let check = "import sys\nsys.path.insert(0, '.')\nimport m\nassert m.f(1) == 1\n";
    sandbox.write("tree/start/check.py", check);
    let text = "contract_id = 'c'\nstart = 'start'\n[[acceptance]]\nid = 'a'\nargv = ['python3', 'check.py']\n";
    sandbox.write("tree/adequacy.toml", text);
    let ran = sandbox.seal(&[]).run();
    ran.exits(0);
    ran.totals(
        "4 mutants: 2 killed (0 by time-out), 2 survived, 0 undecided; 0 unviable, 0 not built",
    );
    let contract = sandbox.json("adequacy.out/sealed/contract.json");
    assert_eq!(contract["strength"], "reference_free");
    let members = contract["adequacy"].as_object().expect("an object").keys().cloned();
    assert_eq!(members.collect::<Vec<_>>(), ["killed", "mutants"]);
}

#[test]
fn an_empty_change_and_bad_trees_are_refused() {
    let sandbox = task(CHECK, "");
    sandbox.write("tree/start/m.py", AFTER);
    sandbox.measure(&[]).run().exits(5).tells("are the same: there is no change to test");
    // A change of nothing that can be mutated.
    sandbox.write("tree/start/notes.txt", "old");
    sandbox.measure(&[]).run().exits(5).tells("no mutant");
    let sandbox = task(CHECK, "");
    sandbox.write("tree/reference/m.py", AFTER.replace("x > 2", "x > 9"));
    sandbox.measure(&[]).run().exits(3).tells("`new` must pass");
    let sandbox = task(CHECK, "");
    sandbox
        .write("tree/held/more.py", "import time\nraise SystemExit(time.time_ns() // 1000 % 2)\n");
    let text = sandbox.read("tree/adequacy.toml").replace("heldout = 'held'", "heldout = 'start'");
    sandbox.write("tree/adequacy.toml", text);
    sandbox.measure(&[]).run().exits(2).tells("adequacy.toml:4: heldout: must be outside");
}

#[test]
fn a_file_that_the_change_took_away_comes_back() {
    let sandbox = task(CHECK, "");
    sandbox.write("tree/start/old/gone.py", "def gone():\n    return 1\n");
    let check = format!("{CHECK}import os\nassert not os.path.exists('old/gone.py')\n");
    for tree in ["start", "reference"] {
        sandbox.write(format!("tree/{tree}/check.py"), &check);
    }
    let ran = sandbox.measure(&["--operator", "number-shift"]).run();
    let classes = by_class(&sandbox);
    // Undoing the other file alone is undoing its one hunk.
    ran.same(classes.get("file_revert"), Some(&(1, 1)));
    ran.same(classes.get("null_patch"), Some(&(1, 1)));
    let plan = sandbox.lines("adequacy.out/mutants.jsonl");
    assert_eq!(plan[0]["operator"], "null-patch");
    assert_eq!(plan[0]["more"][0]["path"], "old/gone.py");
    let ran = sandbox.call(["list", "tree", "--diff"]).run();
    ran.exits(0).says("--- /dev/null\n+++ b/old/gone.py\n");
}

#[test]
fn a_solution_in_the_history_of_the_start_tree_is_told() {
    let sandbox = task(CHECK, "");
    sandbox.write("tree/start/.git/HEAD", "ref: refs/heads/main\n");
    // No store of git: it cannot be searched, and that is said.
    let ran = sandbox.measure(&["--operator", "number-shift"]).run();
    ran.exits(0).tells("could not be searched for the solution");
}

/// Paths that the sealed contract protects.
fn protected(sandbox: &Sandbox) -> Vec<String> {
    let contract = sandbox.json("adequacy.out/sealed/contract.json");
    let entries = contract["protected_paths"].as_array().expect("a list").clone();
    entries.iter().map(|entry| entry["path"].as_str().expect("a path").to_owned()).collect()
}

#[test]
fn a_start_tree_that_is_accepted_fails_the_gate_whatever_the_null_patch_does() {
    // The solution brings its own tests, which the null patch does not take back.
    let sandbox = task(CHECK, "");
    sandbox.write("tree/start/check.py", "import m\n");
    let ran = sandbox.seal(&["--operator", "number-shift"]).run();
    ran.exits(1).tells("gate `null_patch_survived` fails").tells("start_accepted 1");
    ran.says("null patch       killed").tells("not sealed");
}

#[test]
fn what_commands_name_in_any_way_is_protected() {
    for (argv, expected) in [
        ("['python3', '-m', 'unittest', 'tests.test_m']", vec!["tests/test_m.py"]),
        ("['python3', '-m', 'unittest', 'tests.test_m.M.test_m']", vec!["tests/test_m.py"]),
        ("['sh', '-c', 'exec python3 ./tests/test_m.py']", vec!["tests/test_m.py"]),
        (
            "['python3', '-m', 'unittest']",
            vec!["tests/__init__.py", "tests/test_m.py", "tests/test_other.py"],
        ),
        (
            "['python3', '-m', 'unittest', 'discover', 'tests']",
            vec!["tests/__init__.py", "tests/test_m.py", "tests/test_other.py"],
        ),
    ] {
        let sandbox = Sandbox::new();
        let test = "import sys, unittest\nsys.path.insert(0, '.')\nimport m\n\n\nclass M(unittest.TestCase):\n    \
                    def test_m(self):\n        self.assertEqual(m.keep(3), 2)\n\n\nif __name__ == '__main__':\n    unittest.main()\n";
        for (tree, text) in [("start", BEFORE), ("reference", AFTER)] {
            sandbox.write(format!("tree/{tree}/m.py"), text);
            sandbox.write(format!("tree/{tree}/tests/__init__.py"), "");
            sandbox.write(format!("tree/{tree}/tests/test_m.py"), test);
            sandbox.write(format!("tree/{tree}/tests/test_other.py"), "");
        }
        let text = format!(
            "start = 'start'\nreference = 'reference'\n[[acceptance]]\nid = 'a'\nargv = {argv}\n"
        );
        sandbox.write("tree/adequacy.toml", text);
        let allow = ["--allow", "change_floor_unmet", "--allow", "hunk_revert_survived"];
        let ran = sandbox.seal(&[&["--operator", "number-shift"][..], &allow].concat()[..]).run();
        ran.exits(0).same(protected(&sandbox), expected.into_iter().map(String::from).collect());
    }
}

#[test]
fn links_directories_and_mere_deletions_do_not_end_a_run() {
    let sandbox = task(CHECK, "");
    // A name of a command's program, and of a file that tampering would write, as directories.
    for tree in ["start", "reference"] {
        sandbox
            .write(format!("tree/{tree}/python3/x"), "")
            .write(format!("tree/{tree}/conftest.py/x"), "");
    }
    // A file that becomes a link.
    sandbox.write("tree/start/alias.py", "A = 1\n");
    std::os::unix::fs::symlink("m.py", sandbox.path("tree/reference/alias.py")).expect("a link");
    let ran = sandbox.measure(&["--operator", "number-shift"]).run();
    ran.exits(0).tells("`alias.py` (a link in the start tree or in the solution)");
    let run = sandbox.json("adequacy.out/run.json");
    let tampered = run["start"]["tampered"].as_array().expect("a list");
    let names = tampered.iter().map(|it| it["name"].clone()).collect::<Vec<_>>();
    ran.same(names, ["sitecustomize", "entry-point", "exit-status"].map(Value::from).to_vec());
    // A change that takes away a module and nothing else.
    let sandbox = Sandbox::new();
    let check = "import os\nassert not os.path.exists('old.py')\n";
    sandbox.write("tree/start/old.py", "A = 1\n");
    for tree in ["start", "reference"] {
        sandbox.write(format!("tree/{tree}/check.py"), check);
    }
    let text = "start = 'start'\nreference = 'reference'\n[[acceptance]]\nid = 'a'\nargv = ['python3', 'check.py']\n";
    sandbox.write("tree/adequacy.toml", text);
    let ran = sandbox.measure(&[]).run();
    ran.exits(0).says("null patch       killed");
    ran.totals(
        "1 mutants: 1 killed (0 by time-out), 0 survived, 0 undecided; 0 unviable, 0 not built",
    );
}

#[test]
fn a_solution_that_is_the_start_or_a_wrong_one_that_is_the_solution_is_refused() {
    for (key, tree, text, words) in [
        ("must_pass", "twin", BEFORE, "is the start tree, which is no right solution"),
        ("known_wrong", "twin", AFTER, "is the right solution itself, which is not wrong"),
    ] {
        let sandbox = task(CHECK, "");
        for (file, text) in [("m.py", text), ("check.py", CHECK), ("setup.cfg", "[tool]\n")] {
            sandbox.write(format!("tree/{tree}/{file}"), text);
        }
        let text = format!("{key} = ['{tree}']\n{}", sandbox.read("tree/adequacy.toml"));
        sandbox.write("tree/adequacy.toml", text);
        sandbox.measure(&["--operator", "number-shift"]).run().exits(2).tells(words);
    }
}

#[test]
fn a_patch_with_held_out_files_is_gone_on_with_to_the_same_bytes() {
    let only = ["--operator", "number-shift"];
    let files = ["adequacy.out/sealed/contract.json", "adequacy.out/mutants.jsonl"];
    let whole = patched();
    whole.seal(&only).run().exits(0);
    let sandbox = patched();
    let mut started = sandbox.seal(&only).start();
    let decided =
        || fs::read_to_string(sandbox.path("adequacy.out/outcomes.jsonl")).unwrap_or_default();
    started.until("survivor", || decided().lines().count() > 1);
    started.signal(Signal::KILL);
    started.wait().dies_of(9);
    while !sandbox.processes().is_empty() {
        sleep(Duration::from_millis(10));
    }
    let ran = sandbox.seal(&[&only[..], &["--resume"]].concat()).run();
    ran.exits(0).tells("verdicts are taken over");
    for file in files {
        ran.same(sandbox.read(file), whole.read(file));
    }
    // The sealed digest is that of the files that stand at `../heldout`.
    let contract = sandbox.json(files[0]);
    let line = format!("{}  more.py\n", Sha256::of(&sandbox.bytes("tree/held/more.py")));
    let digest = Value::from(Sha256::of(line.as_bytes()).to_string());
    ran.same(contract["heldout_split_sha256"].clone(), digest);
}

#[test]
fn a_command_that_does_otherwise_on_the_start_tree_than_the_task_says_is_not_sealed() {
    let only = ["--operator", "number-shift"];
    for (before, after, told) in [
        (
            "prepatch = 'pass'\n",
            "",
            "`held` passes on the start tree, so it does not test the change",
        ),
        ("'check.py']\n", "'check.py']\nprepatch = 'pass'\n", "`new` is to pass on the start tree"),
    ] {
        let sandbox = task(CHECK, "");
        let text = sandbox.read("tree/adequacy.toml");
        sandbox.write("tree/adequacy.toml", text.replacen(before, after, 1));
        let ran = sandbox.seal(&only).run();
        ran.exits(1).tells(told).tells("gate `prepatch` fails").tells("(value 1, threshold 0)");
        ran.tells("not sealed");
        assert!(!sandbox.path("adequacy.out/sealed").exists());
        sandbox.seal(&[&only[..], &["--allow", "prepatch"]].concat()).run().exits(0);
        let contract = sandbox.json("adequacy.out/sealed/contract.json");
        ran.same(contract["adequacy"]["gates"]["prepatch"]["pass"].clone(), Value::from(false));
    }
    // A runner that cannot run its tests has refused nothing.
    let sandbox = task(CHECK, "");
    let runner = "#!/bin/sh\nif grep -q next_of m.py; then echo '1 passed in 0.1s'; exec python3 check.py; fi\nexit 4\n";
    for tree in ["start", "reference"] {
        sandbox.write(format!("tree/{tree}/pytest"), runner);
        executable(&sandbox.path(&format!("tree/{tree}/pytest")));
    }
    let text = sandbox.read("tree/adequacy.toml");
    sandbox
        .write("tree/adequacy.toml", text.replacen("['python3', 'check.py']", "['./pytest']", 1));
    let ran = sandbox.seal(&only).run();
    ran.exits(1).tells("`new` fails on the start tree because it cannot run its tests there");
    ran.tells("gate `prepatch` fails");
}

/// The task, its change being to `n.py` too, which no command loads.
fn with_a_file_that_does_not_parse(more: &str) -> Sandbox {
    let sandbox = task(CHECK, more);
    sandbox.write("tree/start/n.py", "X = 1\n").write("tree/reference/n.py", "X = (1,\nY = 2\n");
    sandbox
}

#[test]
fn a_changed_file_that_does_not_parse_fails_a_gate_by_name() {
    let only = ["--operator", "number-shift"];
    let sandbox = with_a_file_that_does_not_parse("");
    let ran = sandbox.seal(&only).run();
    ran.exits(1)
        .tells("`n.py` does not compile")
        .tells("gate `unparsed` fails")
        .tells("not sealed");
    ran.tells("the change to `n.py` is not measured whole");
    ran.says("killed; 1 changed file could not be read whole");
    assert!(!sandbox.path("adequacy.out/sealed").exists());
    sandbox.seal(&[&only[..], &["--allow", "unparsed"]].concat()).run().exits(0);
    let gates = &sandbox.json("adequacy.out/sealed/contract.json")["adequacy"]["gates"];
    ran.same(gates["unparsed"]["pass"].clone(), Value::from(false));
    ran.same(gates["unparsed"]["value"].clone(), Value::from(1));
    let unparsed = sandbox.json("adequacy.out/run.json")["unparsed"].clone();
    let named = unparsed.as_object().expect("an object").keys().cloned().collect::<Vec<_>>();
    assert_eq!(named, ["n.py"]);
    // Who says that it is no part of the product is believed.
    let sandbox = with_a_file_that_does_not_parse("[mutate]\nexclude = ['n.py']\n");
    sandbox.seal(&only).run().exits(0).says("patch region");
    let gates = &sandbox.json("adequacy.out/sealed/contract.json")["adequacy"]["gates"];
    assert_eq!(gates.get("unparsed"), None);
}

#[test]
fn what_counts_for_one_interpreter_of_two_is_not_unparsed() {
    let sandbox = task(CHECK, "");
    // The other one reads no file as the usual one does.
    let judge = "import sys\nopen(__file__ + '.asked', 'w')\nif '-c' in sys.argv:\n    code = sys.argv[sys.argv.index('-c') + 1]\n    \
                 code = code.replace('def judge(path, source, mutants):', \
                 'def judge(path, source, mutants):\\n    return \"SyntaxError: other\"\\n')\n    \
                 sys.argv = ['-c']\n    exec(code)\n";
    let other = "#!/bin/sh\nif [ \"$1\" = -I ]; then exec python3 -I \"$(dirname \"$0\")/judge.py\" \"$@\"; fi\nexec python3 \"$@\"\n";
    sandbox.write("bin/judge.py", judge).write("bin/python3.99", other);
    executable(&sandbox.path("bin/python3.99"));
    let python = sandbox.path("bin/python3.99").display().to_string();
    let text = sandbox.read("tree/adequacy.toml");
    let text = text.replacen("['python3', '../heldout", &format!("['{python}', '../heldout"), 1);
    sandbox.write("tree/adequacy.toml", text);
    let ran = sandbox.measure(&["--operator", "number-shift"]).run();
    ran.exits(0);
    assert!(sandbox.path("bin/judge.py.asked").exists(), "the other interpreter was not asked");
    assert!(!ran.err.contains("does not compile"), "{}", ran.err);
    let run = sandbox.json("adequacy.out/run.json");
    ran.same((run["unparsed"].clone(), run["totals"]["unviable"].as_u64()), (json!({}), Some(0)));
}

#[test]
fn a_start_tree_that_does_not_parse_is_told_and_its_stubs_do_parse() {
    let sandbox = task(CHECK, "");
    sandbox.write("tree/start/m.py", BEFORE.replacen("keep(x):", "keep(x)", 1));
    let text = sandbox.read("tree/adequacy.toml").replacen("prepatch = 'pass'\n", "", 1);
    sandbox.write("tree/adequacy.toml", text);
    let ran = sandbox.seal(&["--operator", "number-shift"]).run();
    ran.exits(0).tells("`m.py` does not parse in the start tree");
    ran.says("null patch       killed; 1 changed file does not parse as it was");
    let run = sandbox.json("adequacy.out/run.json");
    ran.same(run["unparsed_before"].as_object().map(serde_json::Map::len), Some(1));
    // Loading says nothing of them: each is asked what it does.
    ran.same(by_class(&sandbox).get("stub_patch"), Some(&(2, 2)));
    let stubs = sandbox.lines("adequacy.out/mutants.jsonl");
    let stubs = stubs.iter().filter(|row| row["class"] == "stub_patch");
    assert!(stubs.clone().count() > 0);
    assert!(stubs.clone().all(|row| !row["after"].to_string().contains("def keep(x)\\n")));
}

/// Says that `test_b` fails every second time.
const PYTEST: &str = "\
#!/usr/bin/env python3
import os, shlex, sys
with open(os.path.join(os.environ['STATE'], 'runs'), 'a') as file:
    file.write('.')
    bad = file.tell() % 2 == 0
for word in shlex.split(os.environ.get('PYTEST_ADDOPTS', '')):
    if word.startswith('--junitxml='):
        with open(word[len('--junitxml='):], 'w') as report:
            fault = '<failure/>' if bad else ''
            report.write('<testsuites><testsuite tests=\"2\" skipped=\"0\"><testcase classname=\"t\" name=\"test_a\"/>'
                         '<testcase classname=\"t\" name=\"test_b\">' + fault + '</testcase></testsuite></testsuites>')
print('1 failed, 1 passed in 0.1s' if bad else '2 passed in 0.1s')
sys.exit(bad)
";

#[test]
fn a_flaky_command_of_named_tests_says_which_of_them_are() {
    let sandbox = Sandbox::new();
    sandbox.write("tree/m.py", "A = True\n").write("tree/pytest", PYTEST).write("state/x", "");
    executable(&sandbox.path("tree/pytest"));
    let text = "[[acceptance]]\nid = 'check'\nargv = ['python3', '-c', 'import m; assert m.A']\n\
                [[acceptance]]\nid = 'ids'\nargv = ['./pytest']\nids = ['t.py::test_a', 't.py::test_b']\n";
    sandbox.write("tree/adequacy.toml", text);
    let words = [
        "measure",
        "tree",
        "--baselines",
        "2",
        "-j",
        "1",
        "--env",
        "STATE",
        "--allow-write",
        "state",
    ];
    let measure = |more: &[&str]| {
        sandbox.call(words.iter().chain(more)).env("STATE", sandbox.path("state")).run()
    };
    let told = "`ids`: these tests gave two answers in 5 further runs: `t.py::test_b`";
    measure(&[]).exits(3).tells(told);
    let ran = measure(&["--allow", "flaky"]);
    ran.exits(0);
    ran.tells(told);
    let run = sandbox.json("adequacy.out/run.json");
    ran.same(run["flaky_ids"].clone(), json!({"ids": ["t.py::test_b"]}));
}
