//! The unmutated tree between the mutants, and mutants that need a second run: what a failing run of
//! it, or a build that breaks, does to verdicts and counts.

use rustix::process::Signal;
use serde_json::json;

use crate::harness::{Call, Sandbox};

/// A tree of these sources' sums; `check.sh` counts its runs in `$STATE/runs`, fails where a control
/// makes the sources raise, and goes on with `more`.
fn counted(sums: &[&str], more: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    let source: String = sums.iter().map(|name| format!("{name} = 1 + 1\n")).collect();
    let head = "echo run >> \"$STATE/runs\"\nruns=$(wc -l < \"$STATE/runs\")\n\
                grep -q '^raise' product.py && exit 1\n";
    sandbox.write("tree/product.py", source).write("tree/check.sh", format!("{head}{more}"));
    sandbox.write("state/x", "");
    sandbox
}

/// The commands count their runs outside of their copies.
const COUNTS: [&str; 4] = ["--env", "STATE", "--isolation", "none"];

/// One worker and two baseline runs: the first mutant is the sixth run, after three controls.
fn measure<'a>(sandbox: &'a Sandbox, words: &[&str]) -> Call<'a> {
    let first = ["measure", "tree", "-j", "1", "--baselines", "2", "--operator", "binop-swap"];
    let words = first.iter().chain(&COUNTS).chain(words);
    sandbox.call(words.chain(&["--", "sh", "check.sh"])).env("STATE", sandbox.path("state"))
}

fn runs(sandbox: &Sandbox) -> usize {
    sandbox.read("state/runs").lines().count()
}

fn outcomes(sandbox: &Sandbox) -> Vec<String> {
    let outcome = |line: &String| line.split(": ").nth(1).expect("an outcome").to_owned();
    sandbox.outcomes().iter().map(outcome).collect()
}

#[test]
fn a_mutant_that_was_run_alone_is_run_again_when_the_tree_fails_after_it() {
    // 6 the mutant, 7 passes, 8 the mutant alone, 9 fails; then 10, 11 alone, 12 passes.
    let sandbox =
        counted(&["A"], "grep -q '1 - 1' product.py && exit 124\ntest $runs -ne 9 || exit 1\n");
    let ran = measure(&sandbox, &[]).run();
    ran.exits(0)
        .tells("1 mutants that failed since it last did are run again")
        .same(outcomes(&sandbox), vec!["killed by command (exit)".to_owned()]);
    ran.same(runs(&sandbox), 12);
    let sentinels = &sandbox.json("adequacy.out/run.json")["sentinels"];
    ran.same(sentinels.clone(), json!({"runs": 3, "failures": 1}));
    let line = &sandbox.lines("adequacy.out/outcomes.jsonl")[1];
    let attempts = [0, 1].map(|run| line["runs"][run]["attempt"].clone());
    ran.same(attempts, [json!("first"), json!("alone")]);
}

#[test]
fn a_mutant_that_was_run_alone_is_undecided_when_the_tree_fails_for_good_after_it() {
    let sandbox =
        counted(&["A"], "grep -q '1 - 1' product.py && exit 124\ntest $runs -lt 9 || exit 1\n");
    let ran = measure(&sandbox, &[]).run();
    ran.exits(3)
        .tells("sentinel")
        .same(outcomes(&sandbox), vec!["undecided by command (lost)".to_owned()]);
    // Each failing run counts, also the one that ended it all.
    let sentinels = &sandbox.json("adequacy.out/run.json")["sentinels"];
    ran.same(sentinels.clone(), json!({"runs": 4, "failures": 3}));
}

#[test]
fn a_resumed_run_counts_on_and_says_what_it_took_over() {
    // 6 A, 7 B, 8 fails; 9 A, 10 B, 11 passes; 12 is B alone, which waits and is interrupted.
    let more = "grep -q '^A = 1 - 1' product.py && exit 1\n\
                if grep -q '^B = 1 - 1' product.py; then\n\
                  if test $runs -eq 12; then touch \"$STATE/waits\"; sleep 600; fi\n\
                  exit 124\n\
                fi\n\
                test $runs -ne 8 || exit 1\n";
    let sandbox = counted(&["A", "B"], more);
    let mut started = measure(&sandbox, &[]).start();
    started.until("B alone", || sandbox.path("state/waits").exists());
    started.signal(Signal::INT);
    started.wait().nothing_left().exits(130);
    let part = sandbox.json("adequacy.out/run.json");
    assert_eq!(part["sentinels"], json!({"runs": 2, "failures": 1}));
    assert_eq!((&part["state"], &part["taken_over"]), (&json!("begun"), &json!(0)));
    let ran = measure(&sandbox, &["--resume"]).run();
    ran.exits(0).tells("note: resumed: 1 of 2 verdicts are taken over");
    ran.says("Unmutated runs: 8, failed: 1 (");
    ran.same(outcomes(&sandbox), vec!["killed by command (exit)".to_owned(); 2]);
    let whole = sandbox.json("adequacy.out/run.json");
    ran.same(whole["sentinels"].clone(), json!({"runs": 4, "failures": 1}));
    ran.same([&whole["taken_over"], &whole["earlier_baselines"]], [&json!(1), &json!(2)]);
}

#[test]
fn a_build_that_breaks_before_a_command_is_no_verdict_of_the_command() {
    let sandbox = counted(&["A"], "grep -q '1 + 1' product.py\n");
    // Two builds a trial: one for itself, one before the command. The tenth stands before the command on the
    // mutant, after one baseline and three controls.
    let build = "echo build >> \"$STATE/builds\"\ntest $(wc -l < \"$STATE/builds\") -ne 10\n";
    sandbox.write("tree/build.sh", build).write(
        "tree/adequacy.toml",
        "[[acceptance]]\nid = 'unit'\nargv = ['sh', 'check.sh']\n\
         [build]\nargv = ['sh', 'build.sh']\n",
    );
    let words = ["measure", "tree", "-j", "1", "--baselines", "1", "--operator", "binop-swap"];
    let call = sandbox.call(words.iter().chain(&COUNTS));
    let ran = call.env("STATE", sandbox.path("state")).run();
    ran.exits(0).same(outcomes(&sandbox), vec!["killed by unit (exit)".to_owned()]);
    let lines = sandbox.lines("adequacy.out/outcomes.jsonl");
    let runs = lines[1]["runs"].as_array().expect("runs");
    let seen = runs.iter().map(|run| json!([run["step"], run["attempt"], run["exit"]]));
    let command = json!({"command": 0});
    ran.same(
        seen.collect::<Vec<_>>(),
        vec![
            json!(["build", "first", {"code": 0}]),
            json!([command, "first", {"lost": "the build before it: exit 1"}]),
            json!([command, "alone", {"code": 1}]),
        ],
    );
}
