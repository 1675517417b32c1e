//! `adequacy list`: text, JSON, diffs, counts. It runs nothing.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::harness::Sandbox;

/// The members of a line of `mutants.jsonl`, in their order; the last only where it is not counted.
const MEMBERS: [&str; 10] =
    ["id", "class", "operator", "path", "function", "span", "line", "column", "before", "after"];

#[test]
fn text_is_one_line_a_mutant_then_the_files_and_the_total() {
    let sandbox = Sandbox::with("calc");
    let ran = sandbox
        .call(["list", "tree", "--operator", "binop-swap", "--operator", "compare-boundary"])
        .run();
    let expected = "7fb8bd9763ca calc.py:5:12 binop-swap + -> -\n\
                    54e79829146b calc.py:9:12 compare-boundary > -> >=\n\
                    \n\
                    \u{20}    2 calc.py\n\
                    \u{20}    0 check.py  (nothing to mutate)\n\
                    2 mutants in 1 file; those that do not compile, or to the same code, will not count\n";
    ran.exits(0).same(ran.out.as_str(), expected).same(ran.err.as_str(), "");
    assert!(!sandbox.path("adequacy.out").exists(), "it writes nothing");
}

#[test]
fn json_is_what_a_run_writes_to_its_plan() {
    let sandbox = Sandbox::with("calc");
    let words = ["--include", "calc.py", "--operator", "binop-swap", "--operator", "compare-swap"];
    let ran = sandbox.call(["list", "tree", "--json"].iter().chain(&words)).run();
    ran.exits(0).tells("2 mutants in 1 file; those");
    sandbox.measure(&[&words[..], &["-q", "--", "python3", "check.py"]].concat()).run().exits(0);
    ran.same(ran.out.clone(), sandbox.read("adequacy.out/mutants.jsonl"));
    for line in ran.out.lines() {
        let row: Value = serde_json::from_str(line).expect("JSON");
        let names = row.as_object().expect("an object").keys().map(String::as_str);
        ran.same(names.collect::<BTreeSet<_>>(), MEMBERS.into());
        let places = MEMBERS.map(|name| line.find(&format!("\"{name}\":")).expect("a member"));
        assert!(places.is_sorted(), "the members stand in their order: {line}");
        assert_eq!(row["id"].as_str().map(str::len), Some(12));
        assert_eq!(row["class"], "full");
        assert_eq!(row["path"], "calc.py");
    }
    let first: Value = serde_json::from_str(ran.out.lines().next().expect("a line")).expect("JSON");
    assert_eq!(first["function"], "add");
    assert_eq!(first["span"], serde_json::json!([55, 56]));
    assert_eq!([&first["line"], &first["column"]], [5, 11]);
    assert_eq!([&first["before"], &first["after"]], ["+", "-"]);
}

#[test]
fn each_diff_makes_exactly_its_mutant() {
    let sandbox = Sandbox::new();
    let sources = [
        ("windows.py", "def f(a, b):\r\n    return a + b\r\n"),
        ("no_end.py", "import os\n\n\ndef f(a, b):\n    x = a + b\n    return x"),
        ("latin.py", "# caf\u{e9}\nNAME = 'caf\u{e9}'\nGOOD = 1 + 2\n"),
        ("dir with space/m.py", "A = [\n    1 + 2,\n    3,\n]\nB = 4\nC = 5\nD = A + B\n"),
    ];
    for (path, text) in sources {
        sandbox.write(format!("tree/{path}"), text);
    }
    let listed = sandbox.call(["list", "tree", "--json"]).run();
    let rows: Vec<Value> =
        listed.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let diffs = sandbox.call(["list", "tree", "--diff"]).run();
    diffs.exits(0);
    let parts: Vec<String> =
        diffs.out.split("--- a/").skip(1).map(|part| format!("--- a/{part}")).collect();
    let heading = |row: &Value| format!("mutant {} {}\n", text(row, "id"), text(row, "operator"));
    let headings = rows.iter().map(heading).collect::<Vec<_>>();
    let parts: Vec<String> = parts
        .iter()
        .zip(headings[1..].iter().map(String::as_str).chain([""]))
        .map(|(part, next)| part.strip_suffix(next).expect("the next heading").to_owned())
        .collect();
    assert!(diffs.out.starts_with(&headings[0]), "each diff has its heading");
    diffs.same(parts.len(), rows.len());
    assert!(rows.len() > 20, "only {} mutants", rows.len());
    for (row, diff) in rows.iter().zip(&parts) {
        let path = row["path"].as_str().expect("a path");
        let source = sandbox.read(&format!("tree/{path}"));
        let offset = |end: usize| usize::try_from(row["span"][end].as_u64().expect("a byte"));
        let (start, end) = (offset(0).expect("small"), offset(1).expect("small"));
        let after = row["after"].as_str().expect("text");
        let spliced = format!("{}{after}{}", &source[..start], &source[end..]);
        diffs.same(applied(diff, path, &source), spliced);
    }
}

fn text<'r>(row: &'r Value, name: &str) -> &'r str {
    row[name].as_str().expect("text")
}

/// `source` with a unified diff applied, every context and removed line checked.
fn applied(diff: &str, path: &str, source: &str) -> String {
    let mut lines = diff.split_inclusive('\n').peekable();
    assert_eq!(lines.next(), Some(format!("--- a/{path}\n").as_str()));
    assert_eq!(lines.next(), Some(format!("+++ b/{path}\n").as_str()));
    let source: Vec<&str> = source.split_inclusive('\n').collect();
    let (mut at, mut text) = (0, String::new());
    while let Some(line) = lines.next() {
        // A line that has no end of its own says so on the next.
        let whole = lines.peek().is_none_or(|next| !next.starts_with("\\ No newline"));
        let cut = |line: &str| {
            if whole { line.to_owned() } else { line.strip_suffix('\n').unwrap_or(line).to_owned() }
        };
        match line.split_at(1) {
            ("@", rest) => {
                let begin = rest.split(['-', ',', ' ']).nth(2).expect("a first line");
                let begin: usize = begin.parse().expect("a number");
                while at + 1 < begin {
                    text.push_str(source[at]);
                    at += 1;
                }
            }
            (" ", rest) => {
                assert_eq!(source[at], cut(rest), "context of {diff}");
                text.push_str(source[at]);
                at += 1;
            }
            ("-", rest) => {
                assert_eq!(source[at], cut(rest), "removed by {diff}");
                at += 1;
            }
            ("+", rest) => text.push_str(&cut(rest)),
            ("\\", _) => {}
            _ => panic!("no line of a diff: {line:?}"),
        }
    }
    source[at..].iter().for_each(|line| text.push_str(line));
    text
}

#[test]
fn files_without_a_mutant_say_why() {
    let sandbox = Sandbox::new();
    sandbox
        .write("tree/a.py", "X = 1 + 1\n")
        .write("tree/empty.py", "")
        .write("tree/skipped.py", "X = 1 + 1  # adequacy: skip\n")
        .write("tree/torn.py", "def f(:\n    return 1 + 1\n")
        .write("tree/test_a.py", "assert 1 + 1\n")
        .write("tree/tests/helper.py", "X = 1 + 1\n")
        .write("tree/setup.py", "X = 1 + 1\n")
        .write("tree/left.py", "X = 1 + 1\n")
        .write("tree/kept.py", "X = 1 + 1\n")
        .write("tree/verify.py", "X = 1 + 1\n")
        .write(
            "tree/adequacy.toml",
            "[[acceptance]]\nid = 'unit'\nargv = ['python3', './verify.py']\n\
             [[protected]]\npath = 'kept.py'\nkind = 'file'\n[mutate]\nexclude = ['left.py']\n",
        );
    let ran = sandbox.call(["list", "tree", "--files", "--operator", "binop-swap"]).run();
    ran.exits(0);
    for (file, why) in [
        ("a.py", "1 a.py\n"),
        ("empty.py", "0 empty.py  (nothing to mutate)"),
        ("skipped.py", "0 skipped.py  (nothing to mutate; 1 sites skipped by a comment)"),
        ("test_a.py", "0 test_a.py  (a test file)"),
        ("tests/helper.py", "0 tests/helper.py  (a test file)"),
        ("setup.py", "0 setup.py  (a configuration file)"),
        ("left.py", "0 left.py  (excluded)"),
        ("kept.py", "0 kept.py  (a protected path)"),
        (
            "verify.py",
            "0 verify.py  (named by a command, so a test; `--include` mutates it all the same)",
        ),
    ] {
        assert!(sandbox.path("tree").join(file).exists());
        ran.says(why);
    }
    let ran = sandbox.call(["list", "tree", "--include", "verify.py"]).run();
    ran.exits(0).says(" verify.py:1:");
    let ran = sandbox.call(["list", "tree", "--files", "--operator", "binop-swap"]).run();
    let torn = ran.out.lines().find(|line| line.contains(" torn.py"));
    assert!(torn.is_some_and(|line| line.contains("the grammar cannot read line 1")), "{torn:?}");
}

#[test]
fn nothing_to_list_has_its_own_exit() {
    let sandbox = Sandbox::new();
    sandbox.write("tree/README", "no source\n");
    sandbox.call(["list", "tree"]).run().exits(5).says("0 mutants in 0 files; those");
    let ran = sandbox.call(["list", "tree", "--operator", "binop-swop"]).run();
    ran.exits(2).tells("`binop-swop` is no operator; did you mean `binop-swap`?");
    sandbox.call(["list", "tree", "--include", "*.py"]).run().exits(2).tells("--include: `*.py`");
    sandbox.call(["list", "nowhere"]).run().exits(2).tells("nowhere");
}

#[test]
fn a_reader_that_goes_away_is_no_fault() {
    let sandbox = Sandbox::new();
    sandbox.write("tree/many.py", "X = 1 + 1\n".repeat(5000));
    let script = "\"$0\" list tree 2>err | head -n 1; cat err";
    let ran = sandbox.call::<&str>([]).through("sh", &["-c", script]).run();
    ran.exits(0).never_says("panicked").never_says("error");
    assert!(ran.out.contains(" many.py:1:"), "{}", ran.out);
}

#[test]
fn the_same_tree_lists_the_same_bytes_wherever_it_stands() {
    let sandbox = Sandbox::with("calc");
    crate::harness::copy(&sandbox.path("tree"), &sandbox.path("elsewhere"));
    let first = sandbox.call(["list", "tree", "--json"]).run();
    let second = sandbox.call(["list", "--json"]).inside("elsewhere").run();
    first.exits(0).same(first.out.as_str(), second.out.as_str());
}
