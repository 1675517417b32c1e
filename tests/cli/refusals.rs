//! What stops a run before a mutant is judged: bad arguments, a baseline that does not hold, commands
//! that cannot start or test nothing, controls. Each with its exit code and words that help.

use crate::harness::{Sandbox, executable};

/// A tree of one source whose command is a shell script.
fn scripted(script: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("tree/product.py", "X = 1 + 1\n").write("tree/check.sh", script);
    sandbox
}

const CHECK: [&str; 3] = ["--", "sh", "check.sh"];

/// A check that sees the load control and the mutant without starting an interpreter.
const SIGHTED: &str = "grep -q '^X = 1 + 1' product.py && ! grep -q '^raise' product.py\n";

#[test]
fn no_command_and_no_tree_are_misuse() {
    let sandbox = Sandbox::with("calc");
    sandbox.measure(&[]).run().exits(2).tells("no acceptance command").tells("adequacy init");
    let words = ["measure", "nowhere", "--", "true"];
    sandbox.call(words).run().exits(2).tells("nowhere").tells("No such file");
    let words = ["measure", "tree/calc.py", "--", "true"];
    sandbox.call(words).run().exits(2).tells("calc.py");
    sandbox.call(["measure", "tree", "-j", "0", "--", "true"]).run().exits(2).tells("--jobs");
    sandbox.call(["measure", "tree", "--nope"]).run().exits(2).tells("--nope");
    sandbox.call(["measure", "tree", "--timeout", "0", "--", "true"]).run().exits(2);
    sandbox.call(["--version"]).run().exits(0).says("adequacy ");
    sandbox.call(["help", "measure"]).run().exits(0).says("adequacy measure . -- python3");
    assert!(!sandbox.path("adequacy.out").exists(), "nothing was begun");
}

#[test]
fn a_task_file_with_a_fault_names_key_and_line() {
    let sandbox = Sandbox::with("calc");
    sandbox.write("tree/adequacy.toml", "task = 'x'\n[mutate]\ninclud = ['calc.py']\n");
    let ran = sandbox.call(["list", "tree"]).run();
    ran.exits(2).tells("line 3").tells("`includ` here; did you mean `include`?");
    // The other keys are not poured out.
    ran.never_says("budget");
    sandbox.write("tree/adequacy.toml", "files = 1\n");
    let ran = sandbox.call(["list", "tree"]).run();
    ran.exits(2).tells("line 1").tells("no key is called `files`").never_says("must_pass");
    sandbox.write("tree/adequacy.toml", "[mutate]\ninclude = ['modules/*/app']\n");
    let ran = sandbox.call(["list", "tree"]).run();
    ran.exits(2).tells("adequacy.toml:2: `modules/*/app` matches no file");
}

#[test]
fn nothing_to_mutate_is_never_a_success() {
    let sandbox = Sandbox::new();
    sandbox.write("tree/README", "no source\n").write("tree/test_a.py", "X = 1 + 1\n");
    let ran = sandbox.measure(&["--", "true"]).run();
    ran.exits(5)
        .tells("no mutants to run")
        .tells("`test_a.py` is a test file")
        .same(ran.out.as_str(), "");
    assert!(!sandbox.path("adequacy.out").exists(), "nothing was begun");
    let empty = Sandbox::new();
    std::fs::create_dir(empty.path("tree")).expect("an empty tree");
    let ran = empty.measure(&["--", "true"]).run();
    ran.exits(5)
        .tells("/tree` holds no file to work on; give the directory that holds your sources");
    empty.write("tree/.git/HEAD", "x");
    let ran = empty.measure(&["--", "true"]).run();
    ran.exits(5).tells("left out: `.git` (version control); `--keep NAME` keeps one");
    empty.write("tree/README", "x");
    for words in [&["measure", "tree", "--", "true"][..], &["list", "tree"]] {
        let ran = empty.call(words).run();
        ran.exits(5)
            .tells("/tree` for sources of a known language (Python: *.py, Rust: *.rs)")
            .tells("it holds 1 other files and leaves out `.git` (version control)")
            .tells("give the directory that holds your sources as the path");
    }
}

#[test]
fn a_task_file_above_a_bare_tree_is_pointed_out() {
    let sandbox = Sandbox::with("calc");
    sandbox.write("tree/sub/product.py", "X = 1 + 1\n").write("tree/adequacy.toml", "");
    let hint = "/tree/adequacy.toml` is not used; for that task, give `";
    sandbox.call(["measure", "tree/sub"]).run().exits(2).tells("no acceptance command").tells(hint);
    let ran = sandbox.call(["list", "tree/sub"]).run();
    ran.exits(0).tells("warning: no task file here").tells(hint);
    sandbox.call(["list", "tree"]).run().exits(0).never_says("is not used");
}

#[test]
fn a_protected_path_that_is_not_there_is_refused_by_every_command() {
    let sandbox = Sandbox::with("calc");
    let task = "[[acceptance]]\nid = 'unit'\nargv = ['python3', 'check.py']\n\
                [[protected]]\npath = 'test'\nkind = 'directory'\n";
    sandbox.write("tree/adequacy.toml", task);
    for command in ["list", "measure", "seal", "estimate"] {
        let ran = sandbox.call([command, "tree"]).run();
        ran.exits(2).tells("adequacy.toml:5: protected.path: `test` is not in the tree");
        ran.same(ran.out.as_str(), "");
    }
    assert!(!sandbox.path("adequacy.out").exists(), "nothing was begun");
}

#[test]
fn a_command_line_in_one_word_is_told_how_to_be_written() {
    let sandbox = Sandbox::with("calc");
    let ran = sandbox.measure(&["--include", "calc.py", "--", "python3 check.py"]).run();
    ran.exits(4)
        .tells("command `command` cannot start: `python3 check.py`: no program of this name")
        .tells("hint: the whole command was given as one word")
        .tells("`-- python3 check.py`")
        .tells("`-- sh -c 'python3 check.py'`");
}

#[test]
fn a_red_baseline_shows_command_output_and_exit() {
    let sandbox = scripted("echo what the test says; echo and complains >&2; exit 3\n");
    sandbox.write("tree/.git/HEAD", "x");
    let ran = sandbox.measure(&CHECK).run();
    ran.exits(3)
        .tells("`command` must pass, but exit 3 on the unmutated tree")
        .tells("command: sh check.sh")
        .tells("what the test says")
        .tells("and complains");
    ran.same(ran.out.as_str(), "");
    let hints = ran.err.lines().filter_map(|line| line.strip_prefix("hint: ")).collect::<Vec<_>>();
    let root = sandbox.path("tree").display().to_string();
    ran.same(
        hints,
        vec![
            &format!("does it pass when you run it in your own tree? `cd {root} && sh check.sh`"),
            "if so, what differs in the copy: it is without `.git` (version control); `--keep NAME` keeps one",
            "commands see a private HOME and an allow-list of variables; `--env NAME` passes one of yours",
        ],
    );
}

#[test]
fn a_package_in_src_that_is_not_found_has_a_hint_of_its_own() {
    let sandbox = Sandbox::new();
    sandbox
        .write("tree/src/parcel/__init__.py", "")
        .write("tree/src/parcel/size.py", "X = 1 + 1\n");
    sandbox.write("tree/tests/check.py", "import parcel.size\nassert parcel.size.X == 2\n");
    let hint = "hint: `parcel` lies in `src/`, where it is not looked for";
    let words = ["--operator", "binop-swap", "--", "python3", "tests/check.py"];
    let ran = sandbox.measure(&words).run();
    ran.exits(3).tells("No module named 'parcel'").tells(hint).tells("-o pythonpath=src");
    // What it says to do helps.
    let task = "[[acceptance]]\nid = 'unit'\nargv = ['python3', 'tests/check.py']\n\
                [env]\nset = { PYTHONPATH = \"src\" }\n";
    sandbox.write("tree/adequacy.toml", task);
    sandbox.measure(&words[..2]).run().exits(0).says("1 mutants: 1 killed");
    // Another module that is missing is another matter.
    sandbox.write("tree/tests/check.py", "import no_such_module\n");
    let ran = sandbox.measure(&words[..2]).run();
    ran.exits(3)
        .never_says("lies in `src/`")
        .tells("&& env PYTHONPATH=src python3 tests/check.py`");
}

#[test]
fn a_red_baseline_by_signal_or_time_is_shown_as_such() {
    let sandbox = scripted("kill -SEGV $$\n");
    sandbox.measure(&CHECK).run().exits(3).tells("ended by signal 11");
    let sandbox = scripted("sleep 600\n");
    let ran = sandbox.measure(&["--timeout", "1", "--", "sh", "check.sh"]).run();
    ran.exits(3).tells("still running at the time limit");
}

#[test]
fn a_flaky_baseline_names_the_command() {
    let sandbox = scripted("");
    sandbox.write(
        "tree/adequacy.toml",
        "[[acceptance]]\nid = 'steady'\nargv = ['true']\n\
         [[acceptance]]\nid = 'flaky'\nargv = ['sh', 'check.sh']\n",
    );
    // Passes the first and the second time and then no more.
    let script =
        "echo run >> \"$COUNTER\"; echo the third time; test $(wc -l < \"$COUNTER\") -lt 3\n";
    sandbox.write("tree/check.sh", script);
    let words = ["measure", "tree", "-j", "1", "--baselines", "3", "--env", "COUNTER"];
    let words = [&words[..], &["--allow-write", "home"]].concat();
    let ran = sandbox.call(words).env("COUNTER", sandbox.path("home/counter")).run();
    ran.exits(3)
        .tells("`flaky` passed before and now exit 1 on the unmutated tree (baseline-3)")
        .tells("the third time")
        .tells("verdicts cannot be trusted");
}

#[test]
fn a_command_that_cannot_start_is_no_failure_of_the_tree() {
    let sandbox = scripted("exit 0\n");
    let ran = sandbox.measure(&["--", "no-such-program"]).run();
    ran.exits(4).tells("command `command` cannot start").tells("no-such-program");
    // There, but not executable; and a script whose interpreter is not there.
    sandbox.measure(&["--", "./check.sh"]).run().exits(4).tells("check.sh");
    sandbox.write("tree/strange", "#!/no/such/interpreter\n");
    executable(&sandbox.path("tree/strange"));
    sandbox.measure(&["--", "./strange"]).run().exits(4).tells("strange");
    // Relative to the tree, not to the caller: the caller's own file is not meant.
    sandbox.write("only-here.sh", "#!/bin/sh\n");
    executable(&sandbox.path("only-here.sh"));
    sandbox.measure(&["--", "./only-here.sh"]).run().exits(4).tells("only-here.sh");
}

#[test]
fn a_runner_that_runs_no_test_accepts_everything() {
    let sandbox = Sandbox::with("unittest");
    let ran = sandbox
        .measure(&["--", "python3", "-m", "unittest", "discover", "-s", "tests", "-p", "no*"]);
    let ran = ran.run();
    // Exit 5 of newer versions makes the baseline red; older ones exit 0, and it is refused.
    ran.exits(3).tells("command: python3 -m unittest discover");
    sandbox.write(
        "tree/tests/test_prices.py",
        "import unittest\n\nclass T(unittest.TestCase):\n    @unittest.skip('x')\n    def test(self):\n        pass\n",
    );
    let ran = sandbox.measure(&["--", "python3", "-m", "unittest"]).run();
    ran.exits(3).tells("ran no test");
}

#[test]
fn a_command_that_tests_another_copy_is_not_under_test() {
    let sandbox = Sandbox::with("calc");
    let original = sandbox.path("tree").display().to_string();
    // What an editable install does: the original comes first on the path.
    sandbox.write("tree/tests/check.py", "import calc\nassert calc.add(2, 3) == 5\n");
    sandbox.write(
        "tree/adequacy.toml",
        format!(
            "[[acceptance]]\nid = 'unit'\nargv = ['python3', 'tests/check.py']\n\
             [mutate]\ninclude = ['calc.py']\n[env]\nset = {{ PYTHONPATH = '{original}' }}\n"
        ),
    );
    let ran = sandbox.measure(&["--operator", "binop-swap"]).run();
    ran.exits(7).tells("not_under_test").tells("another copy");
    ran.same(ran.out.as_str(), "");
    // And a command that loads nothing at all.
    sandbox.measure(&["--include", "calc.py", "--", "true"]).run().exits(7).tells("not_under_test");
}

#[test]
fn a_command_that_reads_the_text_of_the_sources_is_refused_by_name() {
    let sandbox = scripted("test \"$(cksum < product.py)\" = \"$(cat sum)\"\n");
    sandbox.write("tree/make-sum.sh", "cksum < product.py > sum\n");
    let made = std::process::Command::new("sh")
        .args(["make-sum.sh"])
        .current_dir(sandbox.path("tree"))
        .status();
    assert!(made.is_ok_and(|status| status.success()));
    let ran = sandbox.measure(&CHECK).run();
    ran.exits(7).tells("text_sensitive: `command`").tells("control-trailing-comment.0.command.log");
}

#[test]
fn a_command_that_counts_lines_is_reported_and_measured() {
    let sandbox = scripted(&format!("test \"$(sed -n 1p product.py)\" = 'X = 1 + 1' && {SIGHTED}"));
    let ran = sandbox.measure(&["--operator", "binop-swap", "--", "sh", "check.sh"]).run();
    ran.exits(0).tells("line_sensitive: `command`").totals(
        "1 mutants: 1 killed (0 by time-out), 0 survived, 0 undecided; 0 unviable, 0 not built",
    );
    let controls = &sandbox.json("adequacy.out/run.json")["controls"];
    ran.same(controls["line_sensitive"].clone(), serde_json::json!(["command"]));
}
