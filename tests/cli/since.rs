//! `measure --since`: what changed in a repository is mutated, and what cannot be compared is said.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::harness::Sandbox;

const M: &str = "def one(n):\n    return n + 1\n\n\ndef two(n):\n    return n + 1\n\n\ndef three(n):\n    return n + 1\n";

/// git in this directory, without anybody's configuration.
fn git(folder: &Path, words: &[&str]) {
    let ended = Command::new("git")
        .args(["-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "commit.gpgsign=false"])
        .args(words)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .expect("git");
    assert!(ended.status.success(), "{words:?}: {}", String::from_utf8_lossy(&ended.stderr));
}

/// A repository with the tree in a directory of it; `main` is one commit on, HEAD another.
fn repository() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("tree/pkg/m.py", M);
    sandbox.write("tree/pkg/same.py", "def same(n):\n    return n * 2\n");
    let check = "from pkg import m, same\nassert m.one(1) == 2\nassert same.same(2) == 4\n";
    sandbox.write("tree/check.py", check);
    let root = sandbox.path("");
    sandbox.write(".gitignore", "home\ntmp\n.streams\n*.out\n*.out.old\n");
    git(&root, &["init", "--quiet", "--initial-branch=main", "."]);
    git(&root, &["add", "-A"]);
    git(&root, &["commit", "--quiet", "-m", "first"]);
    git(&root, &["checkout", "--quiet", "-b", "topic"]);
    sandbox
}

fn measure<'a>(sandbox: &'a Sandbox, revision: &str) -> crate::harness::Call<'a> {
    let words = ["--since", revision, "--operator", "binop-swap", "--exclude", "check.py"];
    sandbox.measure(&[&words[..], &["--", "python3", "check.py"]].concat())
}

#[test]
fn only_lines_that_differ_from_the_merge_base_are_mutated() {
    let sandbox = repository();
    let root = sandbox.path("");
    // The base moves on without us: what it changes there is no change of ours.
    git(&root, &["checkout", "--quiet", "main"]);
    sandbox.write("tree/pkg/same.py", "def same(n):\n    return n * 2 + 0\n");
    git(&root, &["commit", "--quiet", "-a", "-m", "theirs"]);
    git(&root, &["checkout", "--quiet", "topic"]);
    // One committed change, one that is not yet, and lines that moved.
    let moved = format!("import sys\n\n\n{M}")
        .replace("def two(n):\n    return n + 1", "def two(n):\n    return n + 2");
    sandbox.write("tree/pkg/m.py", &moved);
    git(&root, &["commit", "--quiet", "-a", "-m", "ours"]);
    sandbox.write("tree/pkg/new.py", "def new(n):\n    return n - 1\n");
    sandbox.write(
        "tree/check.py",
        sandbox.read("tree/check.py") + "from pkg import new\nassert m.two(1) == 3\n",
    );
    let ran = measure(&sandbox, "main").run();
    ran.exits(0).totals(
        "2 mutants: 1 killed (0 by time-out), 1 survived, 0 undecided; 0 unviable, 0 not built",
    );
    ran.says("Only lines that differ from `main` (merge base ");
    let rows = sandbox.lines("adequacy.out/mutants.jsonl");
    let counted = rows.iter().filter(|row| row.get("not_counted").is_none());
    let counted =
        counted.map(|row| (row["function"].as_str(), row["line"].as_u64())).collect::<Vec<_>>();
    assert_eq!(counted, [(Some("two"), Some(9)), (Some("new"), Some(2))]);
    assert!(rows.iter().all(|row| row["path"] != "pkg/same.py"), "{rows:?}");
    let run = sandbox.json("adequacy.out/run.json");
    assert_eq!(run["since"]["revision"], "main");
    assert_eq!(run["since"]["merge_base"].as_str().map(str::len), Some(40));
    // The one at a changed line can be replayed, and triage calls nothing stale that was not asked.
    let id = rows.iter().find(|row| row["function"] == "new").expect("it is there")["id"]
        .as_str()
        .expect("text")
        .to_owned();
    sandbox.call(["replay", &id]).run().exits(0).says("survived");
    sandbox.call(["triage"]).run().exits(0).says("1 added");
    sandbox.call(["gate", "--max-survivors", "0"]).run().exits(1);
}

#[test]
fn nothing_changed_is_nothing_to_do() {
    let sandbox = repository();
    sandbox.write("tree/check.py", sandbox.read("tree/check.py") + "assert m.two(1) == 2\n");
    let ran = measure(&sandbox, "main").run();
    ran.exits(5).tells("no line of a mutated file differs from `main` (merge base ");
    let words = [
        "--since",
        "main",
        "--allow",
        "empty",
        "--exclude",
        "check.py",
        "--",
        "python3",
        "check.py",
    ];
    sandbox.measure(&words).run().exits(0);
}

/// A repository whose command behaves as pytest does.
fn with_pytest() -> Sandbox {
    let sandbox = repository();
    let quirks = "CHECKS = 'test_all'\nOPTIONS = {}\nSERVES = False\n\ndef hooks(name): return []\n\n\
                  def before(stops, plugin): return None\n";
    sandbox.write("tree/quirks.py", quirks);
    sandbox.write("tree/test_all.py", TESTS);
    sandbox.write("tree/pytest", include_str!("fake_pytest.py"));
    let mode = fs::Permissions::from_mode(0o755);
    fs::set_permissions(sandbox.path("tree/pytest"), mode).expect("our file");
    let root = sandbox.path("");
    git(&root, &["add", "-A"]);
    git(&root, &["commit", "--quiet", "-m", "tests"]);
    git(&root, &["branch", "--force", "main"]);
    sandbox
}

const TESTS: &str = "from pkg import m, same\n\ndef test_one():\n    assert m.one(1) == 2\n\ndef test_two():\n    assert m.two(1) == 2\n\ndef test_three():\n    assert same.same(m.three(1)) == 4\n";

fn with_tests<'a>(sandbox: &'a Sandbox, more: &[&str]) -> crate::harness::Call<'a> {
    let words = ["--since", "main", "--operator", "binop-swap", "--include", "pkg/"];
    sandbox.measure(&[&words[..], more, &["--", "./pytest"]].concat())
}

/// The functions whose mutants count.
fn counted(sandbox: &Sandbox) -> Vec<String> {
    let rows = sandbox.lines("adequacy.out/mutants.jsonl").into_iter();
    let counted = rows.filter(|row| row.get("not_counted").is_none());
    counted.map(|row| row["function"].as_str().expect("a name").to_owned()).collect()
}

#[test]
fn what_changed_tests_enter_is_mutated_too() {
    let sandbox = with_pytest();
    let none = with_tests(&sandbox, &[]).run();
    none.exits(5).tells("no changed test is known to run one that can");
    // One test: what it enters, in two files, and nothing of the others.
    sandbox.write(
        "tree/test_all.py",
        TESTS.replace("same(m.three(1)) == 4", "same(m.three(1)) == 4 == 4"),
    );
    let ran = with_tests(&sandbox, &[]).run();
    ran.exits(0).tells("1 test files changed; their 1 changed tests enter 2 functions");
    ran.says("and 2 functions that 1 changed tests enter, were mutated");
    ran.totals(
        "2 mutants: 2 killed (0 by time-out), 0 survived, 0 undecided; 0 unviable, 0 not built",
    );
    ran.same(counted(&sandbox), ["three".to_owned(), "same".to_owned()].to_vec());
    let run = sandbox.json("adequacy.out/run.json");
    ran.same(
        &run["since"]["changed_tests"],
        &json!({
            "files": ["test_all.py"], "tests": 1, "unknown": [],
            "functions": [
                {"path": "pkg/m.py", "first": 9, "last": 10},
                {"path": "pkg/same.py", "first": 1, "last": 2},
            ],
        }),
    );
    let other = with_tests(&sandbox, &["--resume", "-o", "none"]).run();
    other.exits(8).tells("is not a run directory of this program");
    // The earlier part of a run has asked: a resumed one has the same plan.
    with_tests(&sandbox, &["--resume"]).run().exits(0).totals(
        "2 mutants: 2 killed (0 by time-out), 0 survived, 0 undecided; 0 unviable, 0 not built",
    );
    // A change that is in no test is one of them all.
    sandbox.write("tree/test_all.py", format!("import os\n{TESTS}"));
    let ran = with_tests(&sandbox, &[]).run();
    ran.exits(0).tells("their 3 changed tests enter 4 functions");
    ran.same(counted(&sandbox).len(), 4);
}

#[test]
fn where_a_changed_test_is_not_watched_that_is_said() {
    let sandbox = with_pytest();
    sandbox.write("tree/test_all.py", TESTS.replace("m.one(1) == 2", "m.one(1) == 3"));
    let ran = with_tests(&sandbox, &[]).run();
    ran.exits(5).tells("the tests do not pass while it is noted: exit 1");
    // Controllers run their tests elsewhere.
    sandbox.write("tree/test_all.py", TESTS.replace("m.one(1) == 2", "m.one(2) == 3"));
    let quirks = sandbox.read("tree/quirks.py");
    sandbox.write("tree/quirks.py", format!("{quirks}\nELSEWHERE = True\n"));
    let ran = with_tests(&sandbox, &[]).run();
    ran.exits(5).tells("no test was seen where the command runs its tests: exit 0");
    sandbox.write("tree/quirks.py", quirks);
    // git is asked for one name a line: one with a line end in it is not asked for.
    sandbox.write("tree/test_a\nb.py", "X = 1\n");
    let ran = measure(&sandbox, "main").run();
    ran.exits(5).tells("is no command of pytest");
}

#[test]
fn what_cannot_be_compared_is_said() {
    let sandbox = repository();
    let root = sandbox.path("");
    measure(&sandbox, "nowhere").run().exits(2).tells("this repository holds no such revision\n");
    measure(&sandbox, "--output=x").run().exits(2);
    git(&root, &["commit", "--quiet", "--allow-empty", "-m", "second"]);
    git(&root, &["checkout", "--quiet", "--orphan", "alone"]);
    git(&root, &["commit", "--quiet", "-m", "another first"]);
    measure(&sandbox, "main").run().exits(2).tells("it and HEAD have no commit in common\n");
    // A clone of the last commit alone.
    let url = format!("file://{}", root.display());
    let other = Sandbox::new();
    git(&other.path(""), &["clone", "--quiet", "--depth", "1", "--branch", "topic", &url, "repo"]);
    let words = ["measure", "repo/tree", "--since", "main", "--", "python3", "check.py"];
    other.call(words).run().exits(2).tells("this clone is shallow").tells("fetch-depth: 0");
    let none = Sandbox::with("calc");
    let words = ["--since", "main", "--", "python3", "check.py"];
    none.measure(&words).run().exits(2).tells("not a git repository");
    let task = Sandbox::with("price-task");
    task.call(["measure", "tree", "--since", "main"]).run().exits(2).tells("has a start tree");
    task.call(["seal", "tree", "--since", "main"]).run().exits(2).tells("--since");
}
