//! `report`: every format tells the same of one run, nothing from a tree gets out of its place, and a
//! run directory that is not whole is named or refused.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::harness::Sandbox;

/// Two files; a line with characters of one and two UTF-16 units, and what other formats would obey.
const PRODUCT: &str = "\
\"\"\"</script><img src=x onerror=alert(1)><!-- & ]]> \"\"\"
NAME = 'é💩' + '</script><img src=x onerror=alert(1)>' + '\u{1b}[2J\u{202e}'


def limit(n):
    if n > 3:
        return '::error::no%0A| `x` |'
    return n


def flood(n):
    return n + 1
";
const OTHER: &str = "def same(n):\n    return n - 0\n\n\ndef twice(n):\n    return n * 2\n";
const CHECK: &str = "\
import product
from pkg import other
assert other.twice(3) == 6
assert product.limit(2) == 2
if product.flood(1) != 2:
    print('x' * 2000000)
";
const TOTALS: &str =
    "14 mutants: 4 killed (0 by time-out), 8 survived, 2 undecided; 0 unviable, 0 not built";

/// A measured tree.
fn measured() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("tree/product.py", PRODUCT);
    sandbox.write("tree/pkg/other.py", OTHER);
    sandbox.write("tree/check.py", CHECK);
    let mut words = vec!["--max-output", "1000000", "--exclude", "check.py"];
    for operator in ["binop-swap", "compare-boundary", "number-down", "string-empty"] {
        words.extend(["--operator", operator]);
    }
    words.extend(["--", "python3", "check.py"]);
    let ran = sandbox.measure(&words).run();
    ran.exits(6).totals(TOTALS);
    sandbox
}

/// The report in this format.
fn report(sandbox: &Sandbox, format: &str) -> String {
    let ran = sandbox.call(["report", "--format", format]).run();
    ran.exits(0).same(ran.err.as_str(), "");
    ran.out.clone()
}

fn json(sandbox: &Sandbox, format: &str) -> Value {
    serde_json::from_str(&report(sandbox, format)).expect("JSON")
}

/// What python3 makes of a text: the lines it prints.
fn python(program: &str, text: &str) -> Vec<String> {
    let mut child = Command::new("python3")
        .args(["-c", program])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("python3");
    child.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("it reads");
    let ended = child.wait_with_output().expect("it ends");
    assert!(ended.status.success(), "python3 refuses:\n{text}");
    String::from_utf8(ended.stdout).expect("text").lines().map(str::to_owned).collect()
}

fn texts<'a>(values: impl IntoIterator<Item = &'a Value>) -> BTreeSet<String> {
    values.into_iter().map(|value| value.as_str().expect("text").to_owned()).collect()
}

/// Ids of the mutants of the run that came to this.
fn decided(sandbox: &Sandbox, outcome: &str) -> BTreeSet<String> {
    let lines = sandbox.lines("adequacy.out/outcomes.jsonl");
    texts(lines.iter().filter(|line| line["outcome"] == outcome).map(|line| &line["id"]))
}

#[test]
fn all_formats_tell_of_the_same_mutants() {
    let sandbox = measured();
    let [survived, killed, undecided] =
        ["survived", "killed", "undecided"].map(|word| decided(&sandbox, word));
    assert_eq!([survived.len(), killed.len(), undecided.len()], [8, 4, 2]);

    let full = json(&sandbox, "full-json");
    let of = |word: &str| {
        let mutants = full["mutants"].as_array().expect("mutants");
        texts(mutants.iter().filter(|it| it["standing"] == word).map(|it| &it["id"]))
    };
    assert_eq!(
        [of("survived"), of("killed"), of("undecided")],
        [survived.clone(), killed.clone(), undecided.clone()]
    );
    assert_eq!(full["totals"], sandbox.json("adequacy.out/run.json")["totals"]);

    let schema = json(&sandbox, "json");
    let with = |status: &str| {
        let files = schema["files"].as_object().expect("files").values();
        let all = files.flat_map(|file| file["mutants"].as_array().expect("mutants"));
        texts(all.filter(|it| it["status"] == status).map(|it| &it["id"]))
    };
    assert_eq!(
        [with("Survived"), with("Killed"), with("RuntimeError")],
        [survived.clone(), killed.clone(), undecided.clone()]
    );

    let sarif = json(&sandbox, "sarif");
    let results = sarif["runs"][0]["results"].as_array().expect("results");
    let ids = results.iter().map(|it| &it["partialFingerprints"]["adequacyMutant/v1"]);
    assert_eq!(texts(ids), survived);

    let page = report(&sandbox, "html");
    let (_, data) = page.split_once("id=\"report\">").expect("the run's data");
    let (data, _) = data.split_once("</script>").expect("its end");
    assert_eq!(serde_json::from_str::<Value>(data).expect("JSON"), schema);
    assert!(page.contains(TOTALS), "the page has the totals");

    let cases = "import sys, xml.etree.ElementTree as e\n\
        for c in e.fromstring(sys.stdin.read()).iter('testcase'):\n    \
        print(c.get('name').split()[0], *[x.tag for x in c])";
    let cases = python(cases, &report(&sandbox, "junit"));
    let cases = |end: &str| {
        let found = cases.iter().filter_map(|line| line.strip_suffix(end));
        found.map(|id| id.trim().to_owned()).filter(|id| !id.contains(' ')).collect::<BTreeSet<_>>()
    };
    assert_eq!([cases("failure"), cases("error")], [survived.clone(), undecided.clone()]);

    let rows =
        "import csv, sys\nfor r in csv.DictReader(sys.stdin):\n    print(r['id'], r['standing'])";
    let rows = python(rows, &report(&sandbox, "csv"));
    let all = full["mutants"].as_array().expect("mutants").iter();
    let all = all.map(|it| format!("{} {}", it["id"], it["standing"]).replace('"', ""));
    assert_eq!(rows, all.collect::<Vec<_>>());

    let issues = json(&sandbox, "gitlab");
    let issues = issues.as_array().expect("a list");
    let prints = texts(issues.iter().map(|issue| &issue["fingerprint"]));
    assert_eq!((issues.len(), prints.len()), (8, 8));
    let first = &issues[0]["location"];
    assert!(first["path"].as_str().is_some_and(|path| path.starts_with("tree/")), "{first}");

    for format in ["text", "markdown", "prompt", "html"] {
        let text = report(&sandbox, format);
        let missing = survived.iter().find(|id| !text.contains(id.as_str()));
        assert_eq!(missing, None, "{format}");
        let killed = killed.iter().find(|id| text.contains(id.as_str()) && format != "html");
        assert_eq!(killed, None, "{format}");
    }
    assert!(report(&sandbox, "text").ends_with(&format!("{TOTALS}\n")));
    assert!(report(&sandbox, "markdown").contains(TOTALS));
    for format in ["text", "markdown"] {
        let text = report(&sandbox, format);
        assert!(undecided.iter().all(|id| text.contains(id.as_str())), "{format}");
    }
    assert!(page.contains("<h2>Undecided: 2</h2>"));
    let commands = report(&sandbox, "github");
    let words = "4 of 14 mutants killed (28.6 %25), 8 survived, 2 undecided";
    assert!(commands.ends_with(&format!("::notice title=adequacy::{words}\n")), "{commands}");
}

#[test]
fn full_json_is_what_its_schema_says() {
    let sandbox = measured();
    let text = include_str!("../../docs/full-report.schema.json");
    let schema: Value = serde_json::from_str(text).expect("JSON");
    let mut faults = Vec::new();
    check(&json(&sandbox, "full-json"), &schema, "report", &schema, &mut faults);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    // And a report that is not so is refused.
    let wrong =
        serde_json::json!({"format": "adequacy-report/0", "mutants": [{"id": 1}], "new": 1});
    check(&wrong, &schema, "report", &schema, &mut faults);
    for words in ["report.format: not", "report: `new`", "report.mutants[0].id: not", "no `totals`"]
    {
        assert!(faults.iter().any(|fault| fault.contains(words)), "{words} in {faults:#?}");
    }
}

/// The part of JSON Schema that the published schema uses.
fn check(value: &Value, schema: &Value, place: &str, root: &Value, faults: &mut Vec<String>) {
    if let Some(name) = schema["$ref"].as_str() {
        let name = name.strip_prefix("#/$defs/").expect("a definition");
        return check(value, &root["$defs"][name], place, root, faults);
    }
    let is = |kind: &str| match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        other => panic!("the check does not know `{other}`"),
    };
    let kinds = match &schema["type"] {
        Value::String(kind) => vec![kind.as_str()],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    if !kinds.is_empty() && !kinds.into_iter().any(is) {
        faults.push(format!("{place}: not {}", schema["type"]));
    }
    if let Some(allowed) = schema["enum"].as_array()
        && !allowed.contains(value)
    {
        faults.push(format!("{place}: not one of {allowed:?}"));
    }
    if schema.get("const").is_some_and(|only| only != value) {
        faults.push(format!("{place}: not {}", schema["const"]));
    }
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if value.is_object() && value.get(name).is_none() {
            faults.push(format!("{place}: no `{name}`"));
        }
    }
    for (name, member) in value.as_object().into_iter().flatten() {
        let place = format!("{place}.{name}");
        match (schema["properties"].get(name), schema.get("additionalProperties")) {
            (Some(known), _) => check(member, known, &place, root, faults),
            (None, Some(Value::Bool(false))) => {
                let place = place.rsplit_once('.').expect("just put together").0;
                faults.push(format!("{place}: `{name}` is not known"));
            }
            (None, Some(any)) => check(member, any, &place, root, faults),
            (None, None) => {}
        }
    }
    for (at, item) in value.as_array().into_iter().flatten().enumerate() {
        if let Some(items) = schema.get("items") {
            check(item, items, &format!("{place}[{at}]"), root, faults);
        }
    }
}

#[test]
fn places_count_utf16_and_point_at_what_is_replaced() {
    let sandbox = measured();
    let schema = json(&sandbox, "json");
    let file = &schema["files"]["product.py"];
    let source = file["source"].as_str().expect("the source");
    let lines = source.split('\n').map(|line| line.encode_utf16().collect::<Vec<_>>());
    let lines = lines.collect::<Vec<_>>();
    let rows = sandbox.lines("adequacy.out/mutants.jsonl");
    let mutants = file["mutants"].as_array().expect("mutants");
    let mut seen = 0;
    for mutant in mutants {
        let at = |end: &str, name: &str| {
            let number = mutant["location"][end][name].as_u64().expect("a number");
            usize::try_from(number).expect("small")
        };
        assert_eq!(at("start", "line"), at("end", "line"), "none spans lines");
        let line = &lines[at("start", "line") - 1];
        let text = &line[at("start", "column") - 1..at("end", "column") - 1];
        let row = rows.iter().find(|row| row["id"] == mutant["id"]).expect("its row");
        assert_eq!(String::from_utf16(text).ok().as_deref(), row["before"].as_str());
        seen += usize::from(at("start", "line") == 2);
    }
    assert_eq!((seen, mutants.len()), (5, 10), "mutants of the line that is not ASCII");
    let second = mutants
        .iter()
        .find(|it| it["location"]["start"]["column"] == 17 && it["location"]["start"]["line"] == 2);
    let second = second.expect("the second string's text begins after `NAME = 'é💩' + '`");
    assert_eq!(second["location"]["end"]["column"], 54);
}

#[test]
fn nothing_from_a_tree_gets_out_of_its_place() {
    let sandbox = measured();
    for format in ["text", "html", "sarif", "junit", "markdown", "github", "csv", "prompt", "json"]
    {
        let text = report(&sandbox, format);
        assert!(!text.contains('\u{1b}') && !text.contains('\r'), "{format}");
        let bare = matches!(format, "text" | "markdown" | "html" | "junit" | "github" | "prompt");
        assert!(!(bare && text.contains('\u{202e}')), "{format}");
    }
    let page = report(&sandbox, "html");
    assert!(!page.contains("<img src=x"), "markup of the tree is text");
    let lines = report(&sandbox, "github");
    for line in lines.lines() {
        assert!(
            line.starts_with("::warning file=tree/") || line.starts_with("::notice "),
            "{line}"
        );
        assert!(!line.contains("no%0A"), "{line}");
    }
    // One survivor a line, and ten at most.
    assert_eq!(lines.lines().filter(|line| line.starts_with("::warning")).count(), 4);
    let text = report(&sandbox, "markdown");
    let outside = text.split("```").step_by(2).collect::<String>();
    assert!(!outside.contains("<img") && !outside.contains("</script"), "{outside}");
}

#[test]
fn a_run_that_is_not_whole_is_named_or_refused() {
    let sandbox = measured();
    let (run, outcomes) =
        (sandbox.read("adequacy.out/run.json"), sandbox.read("adequacy.out/outcomes.jsonl"));
    let call = |format: &str| sandbox.call(["report", "--format", format]).run();

    // Another number in run.json than the verdicts give.
    sandbox.write("adequacy.out/run.json", run.replace("\"killed\": 4", "\"killed\": 5"));
    call("json").exits(8).tells("its totals are not those of the verdicts");

    // Broken off: three verdicts, and half a line.
    let mut told: Value = serde_json::from_str(&run).expect("JSON");
    (told["state"], told["totals"]) = ("begun".into(), Value::Null);
    sandbox.write("adequacy.out/run.json", told.to_string());
    let lines = outcomes.split_inclusive('\n').collect::<Vec<_>>();
    sandbox.write("adequacy.out/outcomes.jsonl", [&lines[..4].concat(), &lines[4][..9]].concat());
    let ran = call("text");
    ran.exits(10).says("This run is not finished: 11 of its mutants are not decided");
    ran.tells("The last line of outcomes.jsonl is torn").says("3 mutants: ");
    let ran = call("json");
    ran.exits(10);
    ran.same(ran.out.matches("\"status\": \"Pending\"").count(), 11);

    // Verdicts of another run, a line in the middle that is none, a mutant that is not planned.
    let other = outcomes.replacen("\"run\":\"", "\"run\":\"0", 1);
    sandbox.write("adequacy.out/outcomes.jsonl", other);
    call("csv").exits(8).tells("belongs to another run");
    sandbox.write("adequacy.out/outcomes.jsonl", [lines[0], "{}\n", lines[1]].concat());
    call("csv").exits(8).tells("outcomes.jsonl` is damaged: line 2");
    let id = lines[1].split('"').nth(3).expect("an id");
    sandbox.write("adequacy.out/outcomes.jsonl", outcomes.replace(id, "feedfeedfeed"));
    call("csv").exits(8).tells("no mutant `feedfeedfeed`");
    sandbox.write("adequacy.out/outcomes.jsonl", &outcomes).write("adequacy.out/run.json", &run);

    // A source that is gone is a named gap; one that is another is refused.
    let digest = sandbox.json("adequacy.out/run.json")["sources"]["pkg/other.py"].clone();
    let source = format!("adequacy.out/sources/{}", digest.as_str().expect("a digest"));
    std::fs::remove_file(sandbox.path(&source)).expect("it was there");
    let ran = call("markdown");
    ran.exits(0).tells("does not hold the source of `pkg/other.py`").says("does not hold");
    ran.says(TOTALS);
    for format in ["text", "json", "full-json", "html", "sarif", "junit", "github", "prompt"] {
        call(format).exits(0).tells("does not hold the source of `pkg/other.py`");
    }
    let told: Value = serde_json::from_str(&call("json").out).expect("JSON");
    assert_eq!(told["files"]["pkg/other.py"]["source"], "\n".repeat(6));
    sandbox.write(&source, "other");
    call("html").exits(8).tells("its bytes are not those of its name");
    sandbox.write(&source, OTHER);

    let plan = sandbox.read("adequacy.out/mutants.jsonl");
    sandbox.write("adequacy.out/mutants.jsonl", plan.replace("\"line\":2", "\"line\":3"));
    call("html").exits(8).tells("it is not the plan that run.json names");
    sandbox.call(["report", "tree"]).run().exits(8).tells("`tree` is not a run directory");
    sandbox.call(["report", "nowhere"]).run().exits(8).tells("`nowhere` is not a run directory");
}

#[test]
fn a_report_goes_to_a_file_and_only_there() {
    let sandbox = measured();
    let ran = sandbox.call(["report", "adequacy.out", "-o", "report.txt"]).run();
    ran.exits(0).same(ran.out.as_str(), "").same(ran.err.as_str(), "");
    ran.same(sandbox.read("report.txt"), report(&sandbox, "text"));
    let ran = sandbox.call(["report", "-o", "no/such/folder"]).run();
    ran.exits(8).tells("cannot write `no/such/folder`");
}

#[test]
fn a_prompt_hides_the_solution_of_a_task_unless_asked() {
    let sandbox = Sandbox::new();
    let secret = "def price(n):\n    return n * 3 + 0 * 41\n";
    sandbox.write("tree/start/m.py", "def price(n):\n    return None\n");
    sandbox.write("tree/reference/m.py", secret);
    for tree in ["start", "reference"] {
        sandbox.write(format!("tree/{tree}/check.py"), "import m\nassert m.price(2) == 6\n");
    }
    sandbox.write(
        "tree/adequacy.toml",
        "contract_id = 'c'\nstart = 'start'\nreference = 'reference'\n[[acceptance]]\nid = 'new'\nargv = ['python3', 'check.py']\n",
    );
    sandbox.measure(&["-q"]).run();
    let ran = sandbox.call(["report", "--format", "prompt"]).run();
    ran.exits(0).says("### 1. ").says("`--reveal` shows them").never_says("n * 3").never_says("41");
    ran.never_says("price").never_says("m.py").says("- new: python3 check.py");
    let ran = sandbox.call(["report", "--format", "prompt", "--reveal"]).run();
    ran.exits(0).says("n * 3 + 0 * 41").says("m.py price");
    let ran = sandbox.call(["report", "--format", "html"]).run();
    ran.exits(0).says("This page shows the right solution of the task");
}

#[test]
fn a_summary_counts_by_class_and_by_command_and_puts_the_most_telling_first() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "tree/m.py",
        "def tested(n):\n    return n + 1\n\n\ndef half(n):\n    return n + 1 - 1\n\n\ndef never(n):\n    return n - 7\n",
    );
    sandbox.write("tree/one.py", "import m\nassert m.tested(1) == 2\n");
    sandbox.write("tree/two.py", "import m\nassert m.tested(1) == 2 and m.half(1) > 0\n");
    sandbox.write(
        "tree/adequacy.toml",
        "contract_id = 'c'\n[mutate]\ninclude = ['m.py']\noperators = ['binop-swap']\n\
         [[acceptance]]\nid = 'one'\nargv = ['python3', 'one.py']\n\
         [[acceptance]]\nid = 'two'\nargv = ['python3', 'two.py']\n",
    );
    let ran = sandbox.measure(&["--full-matrix"]).run();
    ran.exits(0).totals(
        "4 mutants: 2 killed (0 by time-out), 2 survived, 0 undecided; 0 unviable, 0 not built",
    );
    let at = |text: &str| ran.out.find(text).unwrap_or_else(|| ran.fail(text));
    assert!(at("m.py never  0 of 1 killed") < at("m.py half  1 of 2 killed"));
    ran.says("  one: first 1, refused 1 of 4 it ran on, the only one for 0\n");
    ran.says("  two: first 1, refused 2 of 4 it ran on, the only one for 1\n");
    ran.says("Score: 50.0 % killed; 50.0 % by an ordinary failing exit alone\n");
    // The same again, from the directory.
    let again = sandbox.call(["report"]).run();
    again.same(again.out.clone(), ran.out.clone());
}

#[test]
fn gates_hold_or_fail_with_their_own_exit() {
    let sandbox = measured();
    let gate = |words: &[&str]| sandbox.call(["gate"].iter().chain(words)).run();
    gate(&[]).exits(2).tells("no gate is given");
    gate(&["--min-class", "nothing=1"]).exits(2).tells("there is no class `nothing`");
    gate(&["--min-ratio", "1.1"]).exits(2).tells("must be a number from 0 to 1");
    let ran = gate(&["--min-ratio", "0.28", "--max-survivors", "8", "--no-zero-kill"]);
    ran.exits(0).says("holds no-zero-kill: 4 of 14 killed\nholds max-survivors 8: 8 survived\n");
    ran.says("holds min-ratio 0.28: 4 of 14 killed (28.6 %)\n");
    gate(&["--min-ratio", "0.29"]).exits(1).says("fails min-ratio 0.29: ");
    gate(&["--max-undecided", "1"]).exits(6).says("fails max-undecided 1: 2 undecided\n");
    gate(&["--max-undecided", "1", "--max-survivors", "7"]).exits(1);
    let ran = gate(&["--min-file", "0.5"]);
    ran.exits(1)
        .says("holds min-file pkg/other.py: 2 of 4")
        .says("fails min-file product.py: 2 of 10");
    gate(&["--min-class", "full=0.2", "--min-class", "change=0"])
        .exits(1)
        .says("holds min-class full=0.2: 4 of 14 killed")
        .says("fails min-class change=0: 0 of 0 killed");
}

#[test]
fn only_survivors_that_are_new_stand_against_a_run() {
    let sandbox = Sandbox::new();
    let check = "import m\nassert m.one(1) == 2\n";
    sandbox
        .write("tree/m.py", "def one(n):\n    return n + 1\n\n\ndef two(n):\n    return n + 1\n");
    sandbox.write("tree/check.py", check);
    let measure = |out: &str| {
        let words = ["--operator", "binop-swap", "--include", "m.py", "-q", "-o", out, "--"];
        let call = sandbox.measure(&[&words[..], &["python3", "check.py"]].concat());
        call.run().exits(0);
    };
    measure("before.out");
    let against = || sandbox.call(["gate", "now.out", "--against", "before.out"]).run();
    // The same survivor further down, beside one like it that is killed.
    let moved = "import sys\n\n\ndef one(n):\n    return n + 1\n\n\ndef two(n):\n    sys.path\n    return n + 1\n";
    sandbox.write("tree/m.py", moved);
    measure("now.out");
    against().exits(0).says("holds against before.out: 0 new survivors\n");
    // A second one with the same text in the same function.
    let two = "    sys.path\n    if n > 5:\n        return n + 1\n    return n + 1\n";
    let more = moved.replace("    sys.path\n    return n + 1\n", two);
    sandbox.write("tree/m.py", more);
    measure("now.out");
    let ran = against();
    ran.exits(1).says(" m.py:12 binop-swap\n").says("fails against before.out: 1 new survivors\n");
    ran.same(ran.out.lines().count(), 2);
}
