//! `triage`, `show`, `explain` and `gate` on judged survivors: what people write stays as they wrote it,
//! and no word of theirs changes a number.

use serde_json::Value;

use crate::harness::Sandbox;

const M: &str = "def one(n):\n    return n + 1\n\n\ndef two(n):\n    return n + 1\n\n\ndef three(n):\n    return n + 0\n";
const TOTALS: &str =
    "3 mutants: 1 killed (0 by time-out), 2 survived, 0 undecided; 0 unviable, 0 not built";

/// A tree of which one mutant is killed and two survive.
fn measured() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("tree/m.py", M);
    sandbox.write("tree/check.py", "import m\nassert m.one(1) == 2\n");
    measure(&sandbox);
    sandbox
}

fn measure(sandbox: &Sandbox) {
    let words =
        ["--operator", "binop-swap", "--include", "m.py", "-q", "--", "python3", "check.py"];
    sandbox.measure(&words).run().exits(0);
}

/// The mutant in this function.
fn id(sandbox: &Sandbox, function: &str) -> String {
    let rows = sandbox.lines("adequacy.out/mutants.jsonl");
    let row = rows.iter().find(|row| row["function"] == function).expect("it is mutated");
    row["id"].as_str().expect("text").to_owned()
}

/// Judges the survivor in `function` with these lines.
fn judge(sandbox: &Sandbox, function: &str, lines: &str) {
    let text = sandbox.read("survivors.toml");
    let (head, rest) = text.split_once(&format!("function = \"{function}\"")).expect("an entry");
    let rest = rest.replacen("classification = \"\"\nreason = \"\"\n", lines, 1);
    sandbox.write("survivors.toml", format!("{head}function = \"{function}\"{rest}"));
}

#[test]
fn what_people_write_stays_and_changes_no_number() {
    let sandbox = measured();
    let triage = |words: &[&str]| sandbox.call(["triage"].iter().chain(words)).run();
    let gate = || sandbox.call(["gate", "--require-triaged"]).run();
    gate().exits(2).tells("`adequacy triage` writes it");
    triage(&[]).exits(0).says("2 added to `survivors.toml`, 0 taken out\n").says("2 not judged");
    gate().exits(1).says("fails require-triaged survivors.toml: 2 survivors are not judged");
    let two = "# ours\nclassification = 'missing-test' # soon\n";
    judge(&sandbox, "two", two);
    judge(
        &sandbox,
        "three",
        "classification = 'equivalent'\nreason = 'adds nothing'\nby = 'N. N.'\n",
    );
    gate().exits(1).says("1 survivors are not judged; `").says("needs a `date` such as 2026-01-31");
    let text = sandbox
        .read("survivors.toml")
        .replace("by = 'N. N.'\n", "by = 'N. N.'\ndate = 2026-01-31\n");
    sandbox.write("survivors.toml", &text);
    gate().exits(0).says("holds require-triaged survivors.toml: 0 survivors are not judged\n");
    let ran = triage(&[]);
    ran.exits(0).says("0 added").says("1 equivalent, 1 missing-test, 0 accepted, 0 not judged\n");
    ran.same(sandbox.read("survivors.toml"), text.clone());

    let adjusted = "50.0 % killed (1 of 2), without the 1 that people call equivalent; beside the score of all, 33.3 %";
    let ran = sandbox.call(["report"]).run();
    ran.exits(0).totals(TOTALS).says("Score: 33.3 % killed").says(adjusted).says("(missing-test)");
    for format in ["html", "markdown"] {
        let ran = sandbox.call(["report", "--format", format]).run();
        ran.exits(0).says("50.0").says("33.3").says("never sealed");
    }
    let ran = sandbox.call(["report", "--format", "full-json"]).run();
    let told: Value = serde_json::from_str(&ran.exits(0).out).expect("JSON");
    ran.same((&told["totals"]["mutants"], &told["totals"]["survived"]), (&3.into(), &2.into()));
    ran.same(&told["triage"]["mutants_without_equivalents"], &2.into());
    sandbox.call(["gate", "--max-survivors", "1"]).run().exits(1);

    let ran = triage(&["--audit", "10", "--seed", "7"]);
    ran.exits(0)
        .says("equivalent: adds nothing (N. N., 2026-01-31)")
        .says("missing-test:  (nobody by name)");
    ran.says("2 of 2 judgements, drawn by the seed 7\n").same(sandbox.read("survivors.toml"), text);
    let one = triage(&["--audit", "1", "--seed", "7"]);
    one.exits(0).same(triage(&["--audit", "1", "--seed", "7"]).out.clone(), one.out.clone());
}

#[test]
fn judgements_follow_their_mutants_and_the_stale_are_named() {
    let sandbox = measured();
    let triage = |words: &[&str]| sandbox.call(["triage"].iter().chain(words)).run();
    triage(&[]).exits(0);
    judge(&sandbox, "two", "classification = 'accepted'\nreason = 'x' # kept\n");
    // Two moves, four is new.
    let four = "\n\ndef four(n):\n    return n + 1\n";
    sandbox.write("tree/m.py", format!("import sys\n\n\n{M}{four}"));
    measure(&sandbox);
    let ran = triage(&[]);
    ran.exits(0)
        .says("1 added to `survivors.toml`, 0 taken out\n")
        .says("1 accepted")
        .never_says("Stale");
    let text = sandbox.read("survivors.toml");
    assert!(text.contains("reason = 'x' # kept\n"), "{text}");
    let (_, two) = text.split_once("function = \"two\"\n").expect("an entry");
    assert!(two.starts_with("line = 9\n"), "{two}");
    // Two is killed now, three and four are gone.
    sandbox
        .write("tree/m.py", "def one(n):\n    return n + 1\n\n\ndef two(n):\n    return n + 1\n");
    sandbox.write("tree/check.py", "import m\nassert m.one(1) == 2\nassert m.two(1) == 2\n");
    measure(&sandbox);
    let ran = triage(&[]);
    ran.exits(0).says(" m.py:6 binop-swap: killed by `command` (exit)\n").tells("--prune");
    ran.says(" m.py:17 binop-swap: there is no such mutant any more\n")
        .same(ran.out.matches("Stale in survivors.toml: ").count(), 3);
    triage(&["--prune"])
        .exits(0)
        .says("0 added to `survivors.toml`, 3 taken out\n")
        .never_says("Stale");
    let text = sandbox.read("survivors.toml");
    assert!(!text.contains("[[") && text.contains("for people to judge"), "{text}");
}

#[test]
fn a_file_that_is_no_triage_is_refused() {
    let sandbox = measured();
    let triage = || sandbox.call(["triage"]).run();
    triage().exits(0);
    let text = sandbox.read("survivors.toml");
    let first = text.replacen("classification = \"\"", "classification = \"equivalant\"", 1);
    sandbox.write("survivors.toml", first);
    triage().exits(2).tells("equivalant");
    sandbox.write("survivors.toml", text.replacen("\nreason", "\nraeson", 1));
    triage().exits(2).tells("raeson");
    let (head, entry) = text.split_once("[[survivor]]").expect("an entry");
    let (entry, _) = entry.split_once("[[survivor]]").expect("two");
    sandbox.write("survivors.toml", format!("{head}[[survivor]]{entry}[[survivor]]{entry}"));
    triage().exits(2).tells("stands there twice");
    sandbox.write("survivors.toml", "survivor = []\n");
    triage().exits(2).tells("write it as such");
    sandbox.call(["triage", "nowhere"]).run().exits(8);
}

#[test]
fn a_mutant_is_shown_with_its_evidence() {
    let sandbox = measured();
    let show = |words: &[&str]| sandbox.call(["show"].iter().chain(words)).run();
    let (one, two) = (id(&sandbox, "one"), id(&sandbox, "two"));
    let ran = show(&[&one]);
    ran.exits(0).says("--- a/m.py\n+++ b/m.py\n").says("-    return n + 1\n+    return n - 1\n");
    ran.says("class     full: one small fault in one of the mutated files\n");
    ran.says("verdict   killed, killed by `command` (exit)\n")
        .says("  exit 1 after ")
        .says("  | AssertionError\n");
    ran.says(&format!("Run it again: adequacy replay {one}\n"));
    show(&[&two[..9]])
        .exits(0)
        .says("verdict   survived, every command accepts it\n")
        .says("exit 0");
    show(&[""]).exits(2).tells("several mutants begin with");
    show(&["zz"]).exits(2).tells("no mutant of this run is named `zz`");
    // A log of another's making leads nowhere.
    let outcomes = sandbox.read("adequacy.out/outcomes.jsonl");
    let line = outcomes.lines().find(|line| line.contains(&one)).expect("it is decided");
    let log: Value = serde_json::from_str(line).expect("JSON");
    let log = log["runs"][0]["log"].as_str().expect("a name").to_owned();
    sandbox.write("secret", "a secret");
    sandbox.write("adequacy.out/outcomes.jsonl", outcomes.replace(&log, "../../secret"));
    show(&[&one]).exits(0).never_says("a secret").says("its output is not there any more");
}

#[test]
fn a_contract_is_explained_and_gated_alone() {
    let sandbox = Sandbox::with("price-task");
    let seal = sandbox.call(["seal", "tree", "--baselines", "1", "-j", "2", "-q"]).run();
    seal.exits(0);
    let contract = "adequacy.out/sealed/contract.json";
    let sealed = sandbox.json(contract);
    let ran = sandbox.call(["explain", contract]).run();
    ran.exits(0).says("Its Statement holds for this record").says("What may not change\n");
    ran.says("- null_patch (the whole change undone, as if nothing had been done): 1 of 1 killed (100.0 %)\n");
    let (killed, mutants) = (&sealed["adequacy"]["killed"], &sealed["adequacy"]["mutants"]);
    ran.says(&format!("  All together {killed} of {mutants} killed ("))
        .says("- `null_patch_survived` holds: ");
    ran.says("A right solution was at hand").says("`adequacy audit` makes the mutants again");
    let gate = |words: &[&str]| sandbox.call(["gate", contract].iter().chain(words)).run();
    gate(&[])
        .exits(0)
        .says("holds sealed null_patch_survived: ")
        .says("holds sealed measurement: ");
    gate(&["--min-ratio", "1"])
        .exits(1)
        .says(&format!("fails min-ratio 1: {killed} of {mutants} killed"));
    gate(&["--min-class", "null_patch=1", "--max-undecided", "0", "--no-zero-kill"]).exits(0);
    gate(&["--min-file", "0.5"]).exits(2).tells("`--min-file`").tells("give the run directory");
    // A number that was changed after sealing is no contract any more.
    let text = sandbox.read(contract).replacen(
        &format!("\"killed\":{killed},\"mutants\":{mutants}}},\"gates\""),
        "",
        1,
    );
    sandbox.write(
        "other/contract.json",
        text.replacen("\"contract_id\":\"", "\"contract_id\":\"x", 1),
    );
    sandbox.write(
        "other/contract.statement.json",
        sandbox.read("adequacy.out/sealed/contract.statement.json"),
    );
    let ran = sandbox.call(["explain", "other/contract.json"]).run();
    ran.exits(1).tells("the Statement beside").tells("statement_subject_unbound");
    sandbox.write("broken.json", "{}");
    sandbox.call(["gate", "broken.json"]).run().exits(1).tells("contract_fields");
    sandbox.call(["explain", "nowhere.json"]).run().exits(11).tells("does not exist");
}

#[test]
fn shells_and_manuals_are_served() {
    let sandbox = Sandbox::new();
    for (shell, words) in
        [("bash", "_adequacy()"), ("zsh", "#compdef adequacy"), ("fish", "complete -c adequacy")]
    {
        sandbox.call(["completions", shell]).run().exits(0).says(words).says("survivors");
    }
    let ran = sandbox.call(["man"]).run();
    ran.exits(0)
        .says(".TH adequacy 1")
        .says(".SH \"EXIT STATUS\"")
        .says("undecided mutants are left");
    sandbox.call(["man", "import", "swe"]).run().exits(0).says("\\-\\-repo");
    sandbox.call(["man", "nothing"]).run().exits(2).tells("there is no command `nothing`");
}
