//! `import`: the directories it makes, and the records it makes none of.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};

use adequacy::base::{RelPath, Silent};
use adequacy::tree::patch::{Patch, write};
use adequacy::tree::{self, Choice};
use serde_json::{Value, json};

use crate::harness::{Sandbox, executable, names, search_path};

const PATCH: &str = "diff --git a/calc.py b/calc.py\n--- a/calc.py\n+++ b/calc.py\n@@ -1,2 +1,2 @@\n def add(a, b):\n-    return a - b\n+    return a + b\n";
const TEST_PATCH: &str = "diff --git a/tests/test_new.py b/tests/test_new.py\nnew file mode 100644\n--- /dev/null\n+++ b/tests/test_new.py\n@@ -0,0 +1,3 @@\n+import calc\n+def test_add():\n+    assert calc.add(1, 2) == 3\n";
const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

/// A repository beside a record of it.
fn repository() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox
        .write("repo/calc.py", "def add(a, b):\n    return a - b\n")
        .write("repo/tests/test_old.py", "def test_zero():\n    pass\n")
        .write("repo/tool.sh", "#!/bin/sh\n")
        .write("repo/.git/HEAD", format!("{COMMIT}\n"))
        .write("repo/.gitignore", "*.pyc\n");
    executable(&sandbox.path("repo/tool.sh"));
    std::os::unix::fs::symlink("calc.py", sandbox.path("repo/link")).expect("a link");
    sandbox
}

fn swe_record() -> Value {
    json!({
        "repo": "example/calc",
        "instance_id": "example__calc-1",
        "base_commit": COMMIT,
        "problem_statement": "\n  add(\"1\", '2') subtracts \\ é\nMore words.\n",
        "patch": PATCH,
        "test_patch": TEST_PATCH,
        "FAIL_TO_PASS": "[\"tests/test_new.py::test_add\"]",
        "PASS_TO_PASS": ["tests/test_old.py::test_zero", "tests/test_old.py::test_p[a \"b\" 'c' é]"],
    })
}

/// Runs `import swe` on a record.
fn swe<'a>(sandbox: &'a Sandbox, record: &Value, words: &[&str]) -> crate::harness::Ran<'a> {
    sandbox.write("record.json", record.to_string());
    let all = ["import", "swe", "record.json", "--repo", "repo", "-o", "task"];
    sandbox.call(all.iter().chain(words)).run()
}

fn toml(sandbox: &Sandbox) -> Value {
    let table: toml::Table = sandbox.read("task/adequacy.toml").parse().expect("TOML");
    serde_json::to_value(table).expect("no date in it")
}

/// Nothing was made, and nothing is left of the attempt.
fn nothing_made(sandbox: &Sandbox) {
    let left = names(&sandbox.path(""));
    let left = left.iter().filter(|name| *name == "task" || name.starts_with(".adequacy"));
    assert_eq!(left.collect::<Vec<_>>(), Vec::<&String>::new());
}

#[test]
fn a_record_of_a_repository_becomes_a_task() {
    let sandbox = repository();
    let ran = swe(&sandbox, &swe_record(), &[]);
    ran.exits(0)
        .tells("wrote `task`")
        .tells("1 tests that must come to pass, 2 that must keep passing, 2 protected files");
    ran.same(ran.out.as_str(), "").never_says("note: could not tell");
    ran.same(
        names(&sandbox.path("task")),
        ["adequacy.toml", "reference.patch", "start"].map(str::to_owned).to_vec(),
    );
    let python = |ids: &[&'static str]| [&["python3", "-m", "pytest", "-q", "-rA"], ids].concat();
    let old = ["tests/test_old.py::test_zero", "tests/test_old.py::test_p[a \"b\" 'c' é]"];
    let new = ["tests/test_new.py::test_add"];
    ran.same(
        toml(&sandbox),
        json!({
            "contract_id": "contract-example__calc-1",
            "task": "add(\"1\", '2') subtracts \\ é",
            "start": "start",
            "patch": "reference.patch",
            "acceptance": [
                {"id": "fail-to-pass", "argv": python(&new), "ids": new},
                {"id": "pass-to-pass", "prepatch": "pass", "argv": python(&old), "ids": old},
            ],
            "protected": [
                {"path": "tests/test_new.py", "kind": "file"},
                {"path": "tests/test_old.py", "kind": "file"},
            ],
        }),
    );
    let start = sandbox.path("task/start");
    ran.same(
        names(&start),
        [".gitignore", "calc.py", "link", "tests", "tool.sh"].map(str::to_owned).to_vec(),
    );
    ran.same(sandbox.read("task/start/tests/test_new.py").lines().count(), 3);
    let mode = std::fs::metadata(start.join("tool.sh")).expect("it is there").permissions().mode();
    ran.same(
        (mode & 0o100, std::fs::read_link(start.join("link")).ok()),
        (0o100, Some("calc.py".into())),
    );
    ran.same(sandbox.read("task/reference.patch").as_str(), PATCH);
    // The patch makes the right solution of the start tree.
    let snapshot = tree::snapshot(&start, &Choice::default(), &Silent).expect("a tree");
    let patch = Patch::parse(&sandbox.bytes("task/reference.patch")).expect("a patch");
    let changes = patch.apply(&|path: &RelPath| snapshot.state(path)).expect("it applies");
    write(&changes, &start).expect("it can be written");
    ran.same(sandbox.read("task/start/calc.py").as_str(), "def add(a, b):\n    return a + b\n");
}

#[test]
fn a_record_is_chosen_among_many_and_unittest_is_known() {
    let sandbox = repository();
    let mut record = swe_record();
    record["FAIL_TO_PASS"] = json!(["test_add (tests.test_new.T)"]);
    record["PASS_TO_PASS"] = json!("[]");
    record["base_commit"] = Value::Null;
    let mut other = record.clone();
    other["instance_id"] = json!("other");
    sandbox.write("records.jsonl", format!("{other}\n{record}\n"));
    let words = ["import", "swe", "records.jsonl", "--repo", "repo", "-o", "task"];
    let ran = sandbox.call(words).run();
    ran.exits(2).tells("holds 2 records; choose one by its instance_id with --instance");
    let ran = sandbox.call(words.iter().chain(&["--instance", "none"])).run();
    ran.exits(2).tells("no record has the instance_id `none`");
    nothing_made(&sandbox);
    let ran = sandbox.call(words.iter().chain(&["--instance", "example__calc-1"])).run();
    ran.exits(0).tells("note: the record names no commit");
    let task = toml(&sandbox);
    ran.same(
        task["acceptance"].clone(),
        json!([{
            "id": "fail-to-pass",
            "argv": ["python3", "-m", "unittest", "tests.test_new.T.test_add"],
            "ids": ["test_add (tests.test_new.T)"],
        }]),
    );
    ran.same(task["protected"].clone(), json!([{"path": "tests/test_new.py", "kind": "file"}]));
}

#[test]
fn a_runner_of_its_own_gets_the_ids_as_they_are() {
    let sandbox = repository();
    let mut record = swe_record();
    record["FAIL_TO_PASS"] = json!(["test_add", "test_x (elsewhere.T)", "test_add"]);
    let ran = swe(&sandbox, &record, &["--runner", "bin/test  -C"]);
    ran.exits(0).tells("note: 1 ids of FAIL_TO_PASS are repeated");
    ran.tells("1 files that ids name are not in the start tree, `elsewhere/T.py` first");
    let argv = toml(&sandbox)["acceptance"][0]["argv"].clone();
    ran.same(argv, json!(["bin/test", "-C", "test_add", "elsewhere.T.test_x"]));
}

#[test]
fn records_that_are_no_task_are_refused_by_name() {
    let other = PATCH.replace("a - b", "a * b");
    let outside = PATCH.replace("calc.py", "../calc.py");
    let below = TEST_PATCH.replace("tests/test_new.py", "calc.py/x.py");
    for (member, value, words) in [
        ("FAIL_TO_PASS", json!([]), "FAIL_TO_PASS is empty"),
        ("FAIL_TO_PASS", json!("['a']"), "a text is no JSON of a list"),
        (
            "FAIL_TO_PASS",
            json!(["t.py::a[b"]),
            "`t.py::a[b` opens a bracket that it does not close",
        ),
        (
            "FAIL_TO_PASS",
            json!(["t.py::a"]),
            "1 files that ids name are not in the start tree, `t.py` first",
        ),
        (
            "PASS_TO_PASS",
            json!(["some test"]),
            "ids of PASS_TO_PASS that no command can be given: `some test`",
        ),
        ("patch", json!(""), "the record's `patch`: the patch holds no unified diff"),
        (
            "patch",
            json!(other),
            "the record's `patch`: `calc.py`: hunk 1 (`@@ -1,2 +1,2 @@`) does not apply: line 6 of the patch expects `    return a * b` at line 2 of the file, found `    return a - b`",
        ),
        ("patch", Value::Null, "invalid type: null"),
        (
            "test_patch",
            json!(outside),
            "the record's `test_patch`: line 1 of the patch names `../calc.py`",
        ),
        ("test_patch", json!(below), "`calc.py` is a file or a link and no directory"),
        ("base_commit", json!("f".repeat(40)), "the repository is at commit 0123456789abcdef"),
        ("problem_statement", json!(7), "invalid type: integer"),
    ] {
        let sandbox = repository();
        let mut record = swe_record();
        record[member] = value;
        swe(&sandbox, &record, &[]).exits(11).tells(words);
        nothing_made(&sandbox);
    }
    let sandbox = repository();
    sandbox.write("record.json", "{'instance_id': 1}");
    let words = ["import", "swe", "record.json", "--repo", "repo", "-o", "task"];
    sandbox.call(words).run().exits(11).tells("is no JSON");
    let words = ["import", "swe", "gone.json", "--repo", "repo", "-o", "task"];
    sandbox.call(words).run().exits(2).tells("gone.json");
    let words = ["import", "swe", "record.json", "--repo", "repo", "-o", "task", "--runner", "A=b"];
    sandbox.call(words).run().exits(2).tells("--runner");
    nothing_made(&sandbox);
}

#[test]
fn a_directory_with_something_in_it_stays_as_it_is() {
    let sandbox = repository();
    sandbox.write("task/mine", "mine");
    swe(&sandbox, &swe_record(), &[]).exits(8).tells("something in it; name a new or an empty one");
    assert_eq!(names(&sandbox.path("task")), ["mine"]);
    let words = ["import", "swe", "record.json", "--repo", "repo", "-o", "no/task"];
    sandbox.call(words).run().exits(8).tells("a directory that is not there; make that first");
    let words = ["import", "swe", "record.json", "--repo", "repo", "-o", "record.json"];
    sandbox.call(words).run().exits(8).tells("is no directory");
    std::fs::remove_file(sandbox.path("task/mine")).expect("it is there");
    swe(&sandbox, &swe_record(), &[]).exits(0);
    // Inside the repository it is no part of its own start tree.
    let words = ["import", "swe", "record.json", "--repo", "repo", "-o", "repo/task"];
    sandbox.call(words).run().exits(0);
    assert!(!sandbox.path("repo/task/start/task").exists());
    assert_eq!(sandbox.read("repo/task/adequacy.toml"), sandbox.read("task/adequacy.toml"));
}

const SOLUTION: &str = "class Solution:\n    def pairs(self, a: List[int], b: int) -> List[int]:\n        print('seen')\n        return tuple(x + b for x in a), b > 1\n";

const START: &str = "class Solution:\n    def pairs(self, a: List[int], b: int) -> List[int]:\n        raise NotImplementedError\n";

fn lcb_record() -> Value {
    json!({
        "question_id": "12_A",
        "question_title": "Pairs",
        "question_content": "Return them.",
        "starter_code": "class Solution:\n    def pairs(self, a: List[int], b: int) -> List[int]:\n        ",
        "public_test_cases": "[{\"input\": \"[1, 2]\\n1\", \"output\": \"[[2, 3], false]\", \"testtype\": \"functional\"}]",
        "private_test_cases": [{"input": "[]\n2", "output": "[[], true]", "testtype": "functional"}],
        "metadata": "{\"func_name\": \"pairs\"}",
        "code": SOLUTION,
    })
}

fn lcb<'a>(sandbox: &'a Sandbox, record: &Value, words: &[&str]) -> crate::harness::Ran<'a> {
    sandbox.write("record.json", record.to_string());
    let all = ["import", "lcb", "record.json", "-o", "task"];
    sandbox.call(all.iter().chain(words)).run()
}

/// Runs a command of the task on a tree of its own, `../heldout` beside it.
fn accepts(sandbox: &Sandbox, tree: &str, command: &Value) -> Output {
    let argv = command["argv"].as_array().expect("words").iter();
    let argv = argv.map(|word| word.as_str().expect("a word")).collect::<Vec<_>>();
    let mut command = Command::new(argv[0]);
    command.args(&argv[1..]).current_dir(sandbox.path("task").join(Path::new(tree)));
    command.env("PATH", search_path()).output().expect("python3 starts")
}

#[test]
fn a_problem_becomes_a_task_whose_checks_tell_right_from_wrong() {
    let sandbox = Sandbox::new();
    lcb(&sandbox, &lcb_record(), &[]).exits(0).tells("1 visible cases, 1 held-out cases");
    let task = toml(&sandbox);
    assert_eq!(
        task,
        json!({
            "contract_id": "contract-12_A",
            "task": "Pairs",
            "start": "start",
            "reference": "reference",
            "heldout": "heldout",
            "acceptance": [
                {"id": "visible", "argv": ["python3", "tests/check.py", "tests/visible.json"]},
                {"id": "heldout", "role": "heldout", "argv": ["python3", "../heldout/check.py", "../heldout/heldout.json"]},
            ],
            "protected": [{"path": "tests", "kind": "directory"}],
        })
    );
    assert_eq!(sandbox.read("task/start/solution.py"), START);
    let right = "        return tuple(x + b for x in a), b > 1\n";
    for (body, answers) in [
        (right, [true, true]),
        ("        raise NotImplementedError\n", [false, false]),
        ("        return [[2, 3], False]\n", [true, false]),
        ("        return [[x + b for x in a], b - 1]\n", [false, false]),
        ("        import os; os._exit(0)\n", [false, false]),
        ("        sys.exit(0)\n", [false, false]),
        ("        return type('Any', (list,), {'__eq__': lambda *_: True})()\n", [false, false]),
    ] {
        let text = SOLUTION.replace(right, body);
        sandbox.write("task/reference/solution.py", text);
        for (at, expected) in answers.into_iter().enumerate() {
            let output = accepts(&sandbox, "reference", &task["acceptance"][at]);
            let told = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.success(), expected, "{at} {body}: {told}");
        }
    }
    let output = accepts(&sandbox, "start", &task["acceptance"][0]);
    assert_eq!(output.status.code(), Some(1));
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        told.contains("case 1 of 1: no answer") && told.contains("NotImplementedError"),
        "{told}"
    );
}

#[test]
fn a_program_is_judged_by_what_it_prints() {
    let sandbox = Sandbox::new();
    let mut record = lcb_record();
    record["starter_code"] = json!("");
    record["metadata"] = json!({});
    record["code"] = Value::Null;
    record["private_test_cases"] = json!("");
    record["public_test_cases"] = json!([
        {"input": "1 2\n", "output": "3.0\nyes\n", "testtype": "stdin"},
        {"input": "2 2\n", "output": "4\nyes", "testtype": "stdin"},
    ]);
    lcb(&sandbox, &record, &[]).exits(11).tells("give one with --solution FILE");
    nothing_made(&sandbox);
    let right = "a, b = map(int, input().split())\nprint(a + b, '')\nprint('yes')\n";
    sandbox.write("right.py", right);
    lcb(&sandbox, &record, &["--solution", "right.py"]).exits(0);
    assert_eq!(sandbox.read("task/start/solution.py"), "");
    let task = toml(&sandbox);
    assert_eq!((task.get("heldout"), task["acceptance"].as_array().map(Vec::len)), (None, Some(1)));
    for (text, expected) in [
        (right.to_owned(), true),
        (String::new(), false),
        (right.replace("yes", "no"), false),
        (right.replace("a + b", "3"), false),
        (format!("{right}raise SystemExit(1)\n"), false),
        (format!("{right}print('more')\n"), false),
    ] {
        sandbox.write("task/reference/solution.py", &text);
        let output = accepts(&sandbox, "reference", &task["acceptance"][0]);
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.success(), expected, "{text}: {told}");
    }
}

#[test]
fn problems_that_are_no_task_are_refused_by_name() {
    let functional = json!([{"input": "1, 2", "output": "3", "testtype": "functional"}]);
    let of_other_type = json!([{"input": "", "output": "", "testtype": "other"}]);
    for (member, value, words) in [
        ("private_test_cases", json!("eJxrYJmayBgBAAx5Ai0="), "packed as a Python pickle"),
        ("metadata", json!("{}"), "functional cases and no `func_name`"),
        ("metadata", json!({"func_name": "x; y"}), "defines no function `x; y`"),
        ("code", json!("def other():\n    pass\n"), "defines no function `pairs`"),
        ("code", json!(" "), "holds no right solution"),
        ("code", json!(START), "the solution is what the agent starts with"),
        ("public_test_cases", functional, "case 1 of the record's public and private ones"),
        ("public_test_cases", of_other_type, "unknown variant `other`"),
    ] {
        let sandbox = Sandbox::new();
        let mut record = lcb_record();
        record[member] = value;
        lcb(&sandbox, &record, &[]).exits(11).tells(words);
        nothing_made(&sandbox);
    }
    let sandbox = Sandbox::new();
    let mut record = lcb_record();
    record["public_test_cases"] = json!([]);
    record["private_test_cases"] = Value::Null;
    lcb(&sandbox, &record, &[]).exits(11).tells("has no case");
}
