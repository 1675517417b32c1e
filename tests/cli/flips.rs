//! Second answers: of whom they are asked, what two different ones mean, and what a mutant can carry
//! from one to the other.

use serde_json::{Value, json};

use crate::harness::{Call, Sandbox};

/// A source of one flag a line, each a mutant, and a command that goes on with `more`: `met FILE` is
/// whether `FILE` was there before, which then it is.
fn flags(names: &[&str], more: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    let lines: String = names.iter().map(|name| format!("{name} = False\n")).collect();
    let head = "grep -q '^raise' product.py && exit 1\n\
                flag() { grep -q \"^$1 = True\" product.py; }\n\
                met() { echo x >> \"$1\"; test $(wc -l < \"$1\") -gt 1; }\n";
    sandbox.write("tree/product.py", lines).write("state/x", "");
    sandbox.write("tree/check.sh", format!("{head}{more}exit 0\n"));
    sandbox
}

fn measure<'a>(sandbox: &'a Sandbox, words: &[&str]) -> Call<'a> {
    let first = ["measure", "tree", "--baselines", "1", "--operator", "boolean-flip"];
    let open = ["--env", "STATE", "--allow-write", "state"];
    let last = ["--", "sh", "check.sh"];
    let words = first.iter().chain(&open).chain(words).chain(&last);
    sandbox.call(words).env("STATE", sandbox.path("state"))
}

fn outcomes(sandbox: &Sandbox) -> Vec<String> {
    let outcome = |line: &String| line.split(": ").nth(1).expect("an outcome").to_owned();
    sandbox.outcomes().iter().map(outcome).collect()
}

/// The attempts of each mutant's runs, in plan order.
fn attempts(sandbox: &Sandbox) -> Vec<Value> {
    let lines = sandbox.lines("adequacy.out/outcomes.jsonl");
    let of = |row: &Value| {
        let line = lines.iter().find(|line| line["id"] == row["id"]).expect("it was decided");
        let runs = line["runs"].as_array().expect("runs").iter();
        runs.map(|run| run["attempt"].clone()).collect()
    };
    sandbox.lines("adequacy.out/mutants.jsonl").iter().map(of).collect()
}

#[test]
fn two_different_answers_decide_nothing_and_what_a_mutant_keeps_is_gone_before_the_second() {
    let sandbox = flags(
        &["STAYS", "PASSES", "TREE", "HOME_", "TMP", "FLIPS", "TURNS", "CRASHES", "SHELL", "LATE"],
        "flag STAYS && exit 1\n\
         flag TREE && { met left; test $? -ne 0 && exit 1; }\n\
         flag HOME_ && { met \"$HOME/left\"; test $? -ne 0 && exit 1; }\n\
         flag TMP && { met \"$TMPDIR/left\"; test $? -ne 0 && exit 1; }\n\
         flag FLIPS && { met \"$STATE/flips\"; test $? -ne 0 && exit 1; }\n\
         flag TURNS && met \"$STATE/turns\" && exit 1\n\
         flag CRASHES && { met \"$STATE/crashes\"; test $? -ne 0 && exit 1; kill -SEGV $$; }\n\
         flag SHELL && { met \"$STATE/shell\"; test $? -ne 0 && exit 1; exit 124; }\n\
         flag LATE && met \"$STATE/late\" && { met \"$STATE/later\" && exit 0; exit 126; }\n",
    );
    let ran = measure(&sandbox, &["-j", "1", "--confirm", "all"]).run();
    let (killed, flaky) = ("killed by command (exit)", "undecided by command (flaky)");
    ran.exits(6).says("`command`: accepted it once and refused it once");
    ran.says("Second answers: asked of 10 mutants, flips: 2\n");
    let late = "undecided by command (two-answers)";
    let expected = [killed, "survived", killed, killed, killed, flaky, flaky, killed, killed, late];
    ran.same(outcomes(&sandbox), expected.map(str::to_owned).to_vec());
    let twice = json!(["first", "confirm"]);
    let with = |third: &str| json!(["first", "confirm", third]);
    let mut expected = vec![twice; 7];
    // The second answer is made as carefully as the first.
    expected.extend([with("repeat"), with("alone"), with("alone")]);
    ran.same(attempts(&sandbox), expected);
    let run = sandbox.json("adequacy.out/run.json");
    ran.same(run["confirmed"].clone(), json!({"asked": 10, "flips": 2}));
    ran.same(run["confirm"].clone(), json!("all"));
    // Both logs are kept.
    for line in sandbox.lines("adequacy.out/outcomes.jsonl").iter().skip(1) {
        let runs = line["runs"].as_array().expect("runs");
        let logs = runs.iter().map(|run| run["log"].as_str().expect("a log").to_owned());
        let logs = logs.collect::<std::collections::BTreeSet<_>>();
        assert_eq!(logs.len(), runs.len(), "{line}");
        logs.iter().for_each(|log| drop(sandbox.bytes(&format!("adequacy.out/logs/{log}"))));
    }
}

#[test]
fn a_twentieth_is_asked_and_the_same_ones_whoever_runs_them() {
    let names: Vec<String> = (0..45).map(|number| format!("F{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let sandbox = flags(&names, "");
    let asked = |words: &[&str]| {
        measure(&sandbox, words).run().exits(0);
        let asked = attempts(&sandbox).into_iter().enumerate();
        let asked = asked.filter(|(_, attempts)| *attempts == json!(["first", "confirm"]));
        asked.map(|(place, _)| place).collect::<Vec<_>>()
    };
    let one = asked(&["-j", "1"]);
    assert_eq!(one.len(), 2, "{one:?}");
    assert_eq!(asked(&["-j", "2"]), one);
    assert_ne!(asked(&["-j", "2", "--seed", "7"]), one);
    assert_eq!(asked(&["-j", "2", "--confirm", "off"]), [0; 0]);
    let run = sandbox.json("adequacy.out/run.json");
    assert_eq!([&run["confirm"], &run["confirmed"]["asked"]], [&json!("off"), &json!(0)]);
    measure(&sandbox, &["--resume"]).run().exits(8).tells("the task differs");
    measure(&sandbox, &["--confirm", "most"]).run().exits(2).tells("auto, all or off");
}

#[test]
fn a_kill_in_which_no_test_failed_is_asked_again() {
    let sandbox = Sandbox::with("pytest-statuses");
    let words =
        ["--include", "product.py", "--operator", "boolean-flip", "--", "python3", "-m", "pytest"];
    sandbox.measure(&words).run().exits(0);
    let (once, twice) = (json!(["first"]), json!(["first", "confirm"]));
    let harness = [once.clone(), once.clone(), twice.clone(), twice, once];
    assert_eq!(attempts(&sandbox), harness);
}

#[test]
fn a_crash_has_its_second_answer_already() {
    let sandbox =
        flags(&["CRASHES", "SHELL"], "flag CRASHES && kill -SEGV $$\nflag SHELL && exit 126\n");
    measure(&sandbox, &["-j", "1", "--confirm", "all"]).run().exits(0);
    assert_eq!(attempts(&sandbox), [json!(["first", "repeat"]), json!(["first", "alone"])]);
}

#[test]
fn of_the_sets_of_a_change_the_deciding_command_is_asked_twice_and_no_other() {
    let sandbox = Sandbox::with("price-task");
    sandbox.seal(&[]).run().exits(0);
    let lines = sandbox.lines("adequacy.out/outcomes.jsonl");
    let rows = sandbox.lines("adequacy.out/mutants.jsonl");
    let mut seen = 0;
    for row in rows.iter().filter(|row| row.get("not_counted").is_none()) {
        let line = lines.iter().find(|line| line["id"] == row["id"]).expect("it was decided");
        let runs = line["runs"].as_array().expect("runs").iter();
        let runs = runs.map(|run| (run["step"]["command"].clone(), run["attempt"] == "confirm"));
        let (again, first): (Vec<_>, Vec<_>) = runs.partition(|(_, is_again)| *is_again);
        let class = row["class"].as_str().expect("a class");
        if !["null_patch", "hunk_revert", "change", "cheat"].contains(&class) {
            continue;
        }
        seen += 1;
        assert_eq!(first.len(), 2, "each command once: {line}");
        match line["outcome"].as_str() {
            Some("killed") => assert_eq!(again, [(line["command"].clone(), true)], "{line}"),
            _ => assert_eq!(again.len(), 2, "{line}"),
        }
    }
    assert_eq!(seen, 7, "mutants of these sets");
}

/// Two mutants that are killed where they meet, and only there: each worker leaves a sign for the other,
/// which takes it away.
const MEET: &str = "\
if grep -q True product.py; then
  : > \"$STATE/here.$ADEQUACY_WORKER\"
  other=\"$STATE/here.$((1 - ADEQUACY_WORKER))\"
  for _ in $(seq 100); do
    if test -e \"$other\"; then rm \"$other\"; exit 1; fi
    sleep 0.05
  done
fi
";

#[test]
fn answers_that_hang_on_who_runs_beside_are_a_failed_control() {
    let sandbox = flags(&["A", "B"], MEET);
    let ran = measure(&sandbox, &["-j", "2", "--timeout", "60", "--check-parallel"]).run();
    ran.exits(7).tells("2 of 2 mutants were decided otherwise alone").tells("ADEQUACY_WORKER");
    let run = sandbox.json("adequacy.out/run.json");
    let found = &run["check_parallel"][0];
    ran.same([&found["jobs"], &found["sampled"]], [&json!(2), &json!(2)]);
    ran.same(found["differing"][0]["beside_others"]["outcome"].clone(), json!("killed"));
    ran.same(found["differing"][0]["alone"]["outcome"].clone(), json!("survived"));
    ran.same(run["state"].clone(), json!("begun"));
}

#[test]
fn answers_that_are_the_same_alone_are_recorded() {
    let sandbox = flags(&["A", "B", "C"], "flag B && exit 1\n");
    let ran = measure(&sandbox, &["-j", "2", "--check-parallel"]).run();
    ran.exits(0).says("Alone as beside 2 workers: 3 of 3 sampled mutants\n");
    let run = sandbox.json("adequacy.out/run.json");
    ran.same(run["check_parallel"].clone(), json!([{"jobs": 2, "sampled": 3, "differing": []}]));
    let ran = measure(&sandbox, &["-j", "1", "--check-parallel"]).run();
    ran.exits(2).tells("`-j 2`");
}
