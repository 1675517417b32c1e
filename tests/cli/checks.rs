//! `check`: final trees against a bundle and against a contract alone, each with its word and reason.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::bundles::{bundled, unpack};
use crate::harness::{Sandbox, append, copy, trees};

/// A sandbox with the bundle, and `final` a copy of this tree of the task.
pub(crate) fn finished(tree: &str) -> Sandbox {
    let sandbox = bundled();
    copy(&trees().join("price-task").join(tree), &sandbox.path("final"));
    sandbox
}

/// What `check` says of `final` as JSON, after it ended with this exit.
fn answer(sandbox: &Sandbox, subject: &str, exit: i32) -> Value {
    let ran = sandbox.call(["check", subject, "final", "--json"]).run();
    serde_json::from_str(&ran.exits(exit).out).expect("JSON")
}

/// The verdict of each command.
fn verdicts(answer: &Value) -> Vec<(&str, &str)> {
    let commands = answer["commands"].as_array().expect("a list").iter();
    commands
        .map(|it| (it["id"].as_str().expect("an id"), it["verdict"].as_str().expect("a verdict")))
        .collect()
}

const BUNDLE: &str = "price.tar.zst";

#[test]
fn the_right_solution_is_supported() {
    let sandbox = finished("reference");
    let ran = sandbox.call(["check", BUNDLE, "final"]).run();
    ran.exits(0).says("PASS    visible: exit 0").says("PASS    held: exit 0");
    ran.says("protected  unchanged: 2 entries").says("not shown  who sealed the contract");
    ran.same(ran.out.lines().last(), Some("supported"));
}

#[test]
fn the_untouched_start_is_contradicted_by_its_commands() {
    let sandbox = finished("start");
    let answer = answer(&sandbox, BUNDLE, 1);
    assert_eq!(answer["word"], "contradicted");
    assert_eq!(verdicts(&answer), [("visible", "FAIL"), ("held", "FAIL")]);
    assert_eq!(answer["why"], json!(["`visible` fails: exit 1", "`held` fails: exit 1"]));
    assert_eq!(answer["protected"]["changes"], json!([]));
    assert_eq!(answer["commands"][0]["output"], "AssertionError ");
}

#[test]
fn a_partial_fix_is_contradicted_by_the_command_it_does_not_pass() {
    let sandbox = finished("start");
    let text = sandbox.read("final/price.py");
    // Right for what costs something, wrong for nothing at all.
    let text = text.replace("return sum(prices)", "return sum(prices) - discount or 1");
    sandbox.write("final/price.py", text);
    let answer = answer(&sandbox, BUNDLE, 1);
    assert_eq!(verdicts(&answer), [("visible", "PASS"), ("held", "FAIL")]);
    assert_eq!(answer["why"], json!(["`held` fails: exit 1"]));
}

#[test]
fn an_edited_protected_test_is_named_and_does_not_run() {
    let sandbox = finished("start");
    sandbox.write("final/tests/prices.py", "import price\n");
    let answer = answer(&sandbox, BUNDLE, 1);
    assert_eq!(answer["word"], "contradicted");
    let changes = json!([{"path": "tests/prices.py", "what": "changed"}]);
    assert_eq!(answer["protected"]["changes"], changes);
    assert_eq!(answer["why"][0], "protected: `tests/prices.py` changed");
    // The sealed test ran, not the edited one, which would pass.
    assert_eq!(verdicts(&answer)[0], ("visible", "FAIL"));
}

#[test]
fn an_edited_protected_test_contradicts_a_right_solution_too() {
    let sandbox = finished("reference");
    append(&sandbox.path("final/tests/prices.py"), "# no more\n");
    let answer = answer(&sandbox, BUNDLE, 1);
    assert_eq!(verdicts(&answer), [("visible", "PASS"), ("held", "PASS")]);
    assert_eq!(answer["why"], json!(["protected: `tests/prices.py` changed"]));
}

#[test]
fn special_cases_of_the_visible_tests_are_contradicted_by_the_held_out_ones() {
    let sandbox = finished("start");
    let text = "def total(prices, discount=0):\n    return {(1, 2): 3, (5, 5): 8}[tuple(prices)]\n";
    sandbox.write("final/price.py", text);
    let answer = answer(&sandbox, BUNDLE, 1);
    assert_eq!(verdicts(&answer), [("visible", "PASS"), ("held", "FAIL")]);
    assert_eq!(answer["commands"][1]["output"], "KeyError ()");
}

#[test]
fn a_conftest_that_forces_success_establishes_nothing() {
    let sandbox = finished("start");
    sandbox.write("final/conftest.py", "def finish(status):\n    return 0\n");
    let answer = answer(&sandbox, BUNDLE, 10);
    assert_eq!(answer["word"], "not established");
    assert_eq!(verdicts(&answer), [("visible", "PASS"), ("held", "PASS")]);
    let changes = json!([{"path": "conftest.py", "what": "appeared"}]);
    assert_eq!(answer["collection"], json!({"compared": true, "changes": changes}));
}

#[test]
fn an_unprotected_script_that_a_command_names_must_be_the_known_one() {
    let sandbox = Sandbox::with("calc");
    sandbox.seal(&["--", "python3", "check.py"]).run().exits(0);
    sandbox.call(["bundle", "tree", "-o", "b"]).run().exits(0);
    copy(&sandbox.path("tree"), &sandbox.path("final"));
    sandbox.write("final/test_more.py", "");
    assert_eq!(answer(&sandbox, "b", 0)["word"], "supported");
    sandbox.write("final/check.py", "");
    let answer = answer(&sandbox, "b", 10);
    let changes = json!([{"path": "check.py", "what": "changed"}]);
    assert_eq!(answer["collection"]["changes"], changes);
}

/// `final`, and the contract without its bundle in `alone`.
fn alone(tree: &str) -> Sandbox {
    let sandbox = finished(tree);
    sandbox.call(["bundle", "verify", BUNDLE]).run().exits(0);
    unpack(&sandbox);
    for name in ["contract.json", "contract.statement.json"] {
        sandbox.write(format!("alone/{name}"), sandbox.bytes(&format!("b/{name}")));
    }
    sandbox
}

#[test]
fn a_contract_alone_leaves_held_out_commands_unknown() {
    let sandbox = alone("reference");
    for subject in ["alone", "alone/contract.json"] {
        let answer = answer(&sandbox, subject, 10);
        assert_eq!(verdicts(&answer), [("visible", "PASS"), ("held", "UNKNOWN")]);
        let why = "`held` is unknown: it needs held-out files, and only the bundle has them";
        assert_eq!(answer["why"], json!([why]));
        assert_eq!(
            (&answer["restored"], &answer["contract"]["bundle"]),
            (&json!(false), &json!(false))
        );
    }
    fs::remove_file(sandbox.path("final/tests/prices.py")).expect("it is there");
    let answer = answer(&sandbox, "alone", 1);
    let changes = json!([{"path": "tests/prices.py", "what": "went"}]);
    assert_eq!(answer["protected"]["changes"], changes);
}

#[test]
fn a_broken_contract_is_refused_with_its_code() {
    let sandbox = alone("reference");
    append(&sandbox.path("alone/contract.json"), " ");
    let broken = answer(&sandbox, "alone", 11);
    assert_eq!(
        (&broken["word"], &broken["contract"]["code"]),
        (&json!("refused"), &json!("statement_subject_unbound"))
    );
    fs::remove_file(sandbox.path("b/sealed/heldout/more.py")).expect("it is there");
    let ran = sandbox.call(["check", "b", "final"]).run();
    ran.exits(11).says("contract   refused: bundle_files_differ");
    ran.same(ran.out.lines().last(), Some("refused"));
}

#[test]
fn a_final_tree_full_of_links_pipes_and_odd_names_is_judged() {
    let sandbox = finished("reference");
    let path = |name: &str| sandbox.path("final").join(name);
    symlink("/nowhere", path("dangling")).expect("a link");
    symlink("..", path("up")).expect("a link");
    assert!(
        std::process::Command::new("mkfifo").arg(path("pipe")).status().expect("it runs").success()
    );
    fs::write(path("new\nline"), "x").expect("a file");
    sandbox.call(["check", BUNDLE, "final"]).run().exits(0);
    // The tests behind a link: a change, whatever they are; the sealed ones run all the same.
    fs::rename(path("tests"), path("real")).expect("a free name");
    symlink("real", path("tests")).expect("a link");
    let answer = answer(&sandbox, BUNDLE, 1);
    let changes = json!([{"path": "tests", "what": "is a link"}]);
    assert_eq!(answer["protected"]["changes"], changes);
    assert_eq!(verdicts(&answer), [("visible", "PASS"), ("held", "PASS")]);
}

#[test]
fn what_cannot_be_looked_at_is_an_error_and_no_answer() {
    let sandbox = finished("reference");
    let ran = sandbox.call(["check", BUNDLE, "nowhere"]).run();
    ran.exits(2).tells("the final tree `nowhere` is no directory");
    let ran = sandbox.call(["check", "nothing", "final"]).run();
    ran.exits(2).tells("cannot find `nothing`");
    fs::create_dir(sandbox.path("empty")).expect("a free name");
    let ran = sandbox.call(["check", BUNDLE, "empty"]).run();
    ran.exits(1).says("`tests/run.py` went");
}

#[test]
fn without_commands_the_rest_is_judged_all_the_same() {
    let sandbox = finished("reference");
    let words = ["check", BUNDLE, "final", "--no-commands"];
    let ran = sandbox.call(words).run();
    ran.exits(10).says("UNKNOWN visible: not run: `--no-commands`").says("unchanged: 2 entries");
    append(&sandbox.path("final/tests/prices.py"), "#\n");
    sandbox.call(words).run().exits(1).says("commands   none was run");
}

#[test]
fn a_bundle_file_that_is_a_pipe_or_a_link_is_refused_and_never_waited_for() {
    let sandbox = finished("reference");
    unpack(&sandbox);
    for path in ["b/sealed/compile.json", "b/contract.json"] {
        let (place, away) = (sandbox.path(path), sandbox.path("away"));
        fs::rename(&place, &away).expect("a free name");
        let made = std::process::Command::new("mkfifo").arg(&place).status().expect("it runs");
        assert!(made.success());
        let refused = answer(&sandbox, "b", 11);
        assert_eq!(refused["contract"]["code"], "bundle_unreadable", "{path}");
        fs::remove_file(&place).and_then(|()| symlink(&away, &place)).expect("ours");
        assert_eq!(answer(&sandbox, "b", 11)["contract"]["code"], "bundle_unreadable", "{path}");
        fs::remove_file(&place).and_then(|()| fs::rename(&away, &place)).expect("ours");
    }
    sandbox.write("b/sealed/extra", "x");
    let extra = answer(&sandbox, "b", 11);
    assert_eq!(extra["contract"]["code"], "bundle_files_differ");
}

/// Writes a contract of one's own, and its Statement, into `own`.
fn own(sandbox: &Sandbox, members: &Value) {
    let mut record = json!({
        "schema_version": "probity-done-contract/v1",
        "contract_id": "own",
        "protected_paths": [],
        "acceptance": [{"id": "a", "argv": ["python3", "-c", "pass"]}],
        "adequacy": {"mutants": 2, "killed": 1},
    });
    let all = record.as_object_mut().expect("an object");
    all.extend(members.as_object().expect("an object").clone());
    let contract = serde_json::to_vec(&record).expect("JSON");
    let statement = adequacy::statement::seal(&contract).expect("a good record");
    sandbox.write("own/contract.json", contract).write("own/contract.statement.json", statement);
}

#[test]
fn what_a_contract_cannot_support_is_said() {
    let sandbox = Sandbox::new();
    sandbox.write("final/a.py", "A = 1\n");
    let word = |members: Value, exit: i32| {
        own(&sandbox, &members);
        answer(&sandbox, "own", exit)
    };
    assert_eq!(word(json!({}), 0)["word"], "supported");
    let zero = word(json!({"adequacy": {"mutants": 2, "killed": 0}}), 10);
    assert!(zero["why"][0].as_str().expect("text").starts_with("no mutant was killed"));
    let gates = json!({"adequacy": {"mutants": 2, "killed": 1, "gates": {"g": {"pass": false}}}});
    assert_eq!(word(gates, 10)["why"], json!(["the gate `g` is false"]));
    assert_eq!(word(json!({"strength": "reference_free"}), 10)["word"], "not established");
    let sealed = json!([{"id": "a", "argv": ["true"], "cwd": "/elsewhere", "exe": "/bin/true"}]);
    let sealed = word(json!({"acceptance": sealed}), 10);
    assert_eq!(verdicts(&sealed), [("a", "UNKNOWN")]);
    let gone = word(json!({"acceptance": [{"id": "a", "argv": ["no-such-program"]}]}), 10);
    assert!(
        gone["commands"][0]["evidence"].as_str().expect("text").contains("could not be started")
    );
    let ids = json!([{"id": "a", "argv": ["true"], "ids": ["t"]}]);
    let ids = word(json!({"acceptance": ids}), 10);
    assert!(ids["commands"][0]["evidence"].as_str().expect("text").contains("no report"));
    let none = json!([{"id": "a", "argv": ["python3", "-m", "unittest"]}]);
    assert_ne!(
        word(json!({"acceptance": none}), if fails_without_tests() { 1 } else { 10 })["word"],
        "supported"
    );
    let probe = json!([{"id": "a", "argv": ["false"], "probe": "determinism"}]);
    let probe = word(json!({"acceptance": probe}), 1);
    assert_eq!(probe["commands"][0]["probe"], "determinism");
    // What a runner loads, what a command names, and tests, where nothing says whose they are.
    let script = json!({"acceptance": [{"id": "a", "argv": ["python3", "./check.py"]}]});
    for (path, members) in
        [("conftest.py", json!({})), ("check.py", script), ("test_a.py", json!({}))]
    {
        sandbox.write(format!("final/{path}"), "");
        let beside = word(members, 10);
        assert_eq!(beside["collection"]["compared"], false);
        assert_eq!(beside["collection"]["changes"][0]["path"], path);
        fs::remove_file(sandbox.path("final").join(path)).expect("just written");
    }
}

/// Since Python 3.12 unittest fails when it finds no test.
fn fails_without_tests() -> bool {
    let ask = "import sys; sys.exit(sys.version_info < (3, 12))";
    let mut command = std::process::Command::new("python3");
    let path = crate::harness::search_path();
    command.env("PATH", path).args(["-c", ask]).status().expect("python3").success()
}

#[test]
fn a_file_with_the_same_syntax_tree_is_no_change_where_that_was_sealed() {
    let sandbox = Sandbox::with("price-task");
    let entry = "[[protected]]\npath = \"tests/prices.py\"\nkind = \"file\"\nequivalence = \"python_ast\"\n";
    append(&sandbox.path("tree/adequacy.toml"), &format!("\n{entry}"));
    sandbox.seal(&[]).run().exits(0);
    sandbox.call(["bundle", "tree", "-o", "b"]).run().exits(0);
    copy(&sandbox.path("tree/reference"), &sandbox.path("final"));
    append(&sandbox.path("final/tests/prices.py"), "\n# a comment\n");
    let same = answer(&sandbox, "b", 0);
    assert_eq!(same["protected"]["equivalent"], json!(["tests/prices.py"]));
    // Without the sealed bytes nobody can tell.
    fs::rename(sandbox.path("b/sealed"), sandbox.path("away")).expect("a free name");
    let unjudged = answer(&sandbox, "b", 11);
    assert_eq!(unjudged["word"], "refused");
    assert_eq!(unjudged["protected"]["unjudged"][0]["path"], "tests/prices.py");
    fs::rename(sandbox.path("away"), sandbox.path("b/sealed")).expect("a free name");
    append(&sandbox.path("final/tests/prices.py"), "price = None\n");
    let other = answer(&sandbox, "b", 1);
    assert_eq!(other["protected"]["changes"][0]["what"], "changed");
    append(&sandbox.path("final/tests/prices.py"), "no python\n");
    answer(&sandbox, "b", 1);
}
