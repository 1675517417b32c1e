//! Habits that hold because this test holds them: how files open, how long they and their functions
//! are, what they never contain, and that every page of the documentation can be reached.

use std::fs;
use std::path::Path;

/// An invented place in the records of the corpus.
const INVENTED: &str = "/work/parcel";

/// Lines of a file and of a function, without tests.
const LONGEST_FILE: usize = 500;
const LONGEST_FUNCTION: usize = 60;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The text files of the repository, by path below its root.
fn files() -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut todo = vec![root().to_owned()];
    while let Some(folder) = todo.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of ours").flatten() {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            let left_out = ["target", ".git", "__pycache__", "corpus", "artifacts"];
            if left_out.contains(&name.as_str()) || name.starts_with("adequacy.out") {
                continue;
            }
            if path.is_dir() {
                todo.push(path);
            } else if let Ok(text) = fs::read_to_string(&path) {
                found.push((below(&path), text));
            }
        }
    }
    found.sort();
    found
}

fn below(path: &std::path::Path) -> String {
    path.strip_prefix(root()).expect("below the root").to_string_lossy().into_owned()
}

fn rust() -> impl Iterator<Item = (String, String)> {
    files().into_iter().filter(|(path, _)| path.ends_with(".rs"))
}

/// Whether a whole file is a test.
fn is_test(path: &str) -> bool {
    path.starts_with("tests/") || path.contains("/tests/") || path.ends_with("/tests.rs")
}

/// The part of a source before its module of tests.
fn product(text: &str) -> &str {
    text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or(text)
}

fn none(faults: &[String]) {
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn every_source_says_what_it_is() {
    let faults = rust().filter(|(_, text)| !text.starts_with("//! ")).map(|(path, _)| path);
    none(&faults.map(|path| format!("{path} does not open with `//!`")).collect::<Vec<_>>());
}

#[test]
fn no_source_is_too_long() {
    let long = rust().filter(|(path, _)| !is_test(path)).filter_map(|(path, text)| {
        let lines = product(&text).lines().count();
        (lines > LONGEST_FILE).then(|| format!("{path} has {lines} lines"))
    });
    none(&long.collect::<Vec<_>>());
}

/// The functions of a formatted source: name, first line, number of lines.
fn functions(text: &str) -> Vec<(String, usize, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let words = line.trim_start();
        let start = words.starts_with("fn ")
            || (words.starts_with("pub") || words.starts_with("const fn"))
                && words.split(['"', '/', '(', ';']).any(|part| part.contains("fn "));
        let Some((_, rest)) = words.split_once("fn ").filter(|_| start) else { continue };
        // A function whose end is on its own line ends at the first brace as far to the left.
        let end = format!("{}}}", &line[..line.len() - words.len()]);
        let body = lines[at..].iter().position(|line| line.ends_with(['{', ';', '}']));
        let body = at + body.unwrap_or(0);
        if !lines[body].ends_with('{') {
            continue;
        }
        let length = lines[body..].iter().position(|line| **line == end).unwrap_or(0);
        let name = rest.split(['(', '<']).next().unwrap_or_default().to_owned();
        found.push((name, at + 1, body - at + length + 1));
    }
    found
}

#[test]
fn no_function_is_too_long() {
    let mut faults = Vec::new();
    for (path, text) in rust().filter(|(path, _)| !is_test(path)) {
        for (name, line, length) in functions(product(&text)) {
            if length > LONGEST_FUNCTION {
                faults.push(format!("{path}:{line}: `{name}` has {length} lines"));
            }
        }
    }
    none(&faults);
}

#[test]
fn functions_are_measured_as_they_are_written() {
    let text = "pub fn short() {}\n\nimpl A {\n    pub(crate) const fn long(\n        a: u8,\n    ) -> u8 {\n        if a > 0 {\n        }\n        a\n    }\n\n    fn declared(&self);\n}\n";
    assert_eq!(functions(text), [("long".to_owned(), 4, 7)]);
}

#[test]
fn lints_are_expected_and_never_allowed() {
    // Not written out, so that this file may pass.
    let allow = ["#[", "allow("].concat();
    let allow_all = ["#![", "allow("].concat();
    let faults = rust().flat_map(|(path, text)| {
        let lines = text.lines().enumerate();
        let hits = lines.filter(|(_, line)| {
            let line = line.trim_start();
            line.starts_with(&allow) || line.starts_with(&allow_all)
        });
        hits.map(|(at, _)| format!("{path}:{}", at + 1)).collect::<Vec<_>>()
    });
    none(&faults.collect::<Vec<_>>());
}

#[test]
fn no_file_names_a_place_of_one_machine() {
    let places = ["root", "home", "work", "Users"].map(|name| format!("/{name}/"));
    let mut faults = Vec::new();
    for (path, text) in files().into_iter().filter(|(path, _)| path != "Cargo.lock") {
        for (at, line) in text.lines().enumerate() {
            let line = line.replace(INVENTED, "");
            // What follows a word is a part of a longer path or of an address.
            let stands = |place: &String| {
                line.match_indices(place.as_str()).any(|(found, _)| {
                    let before = line[..found].chars().next_back();
                    !before.is_some_and(|c| c.is_alphanumeric() || "._-/~})*".contains(c))
                })
            };
            if places.iter().any(stands) {
                faults.push(format!("{path}:{}: {}", at + 1, line.trim()));
            }
        }
    }
    none(&faults);
}

#[test]
fn every_page_can_be_reached() {
    let index = ["README.md", "docs/README.md"];
    let read = |path: &&str| fs::read_to_string(root().join(path)).ok();
    let text = index.iter().filter_map(read).collect::<String>();
    if text.is_empty() {
        return;
    }
    let pages = files().into_iter().map(|(path, _)| path);
    let pages = pages.filter(|path| path.starts_with("docs/") && !index.contains(&path.as_str()));
    let faults = pages.filter(|path| {
        let name = path.strip_prefix("docs/").expect("just seen");
        !text.contains(&format!("](docs/{name}")) && !text.contains(&format!("]({name}"))
    });
    none(&faults.map(|path| format!("{path} is linked from no index")).collect::<Vec<_>>());
}

#[test]
fn what_isolation_stops_is_shown_by_tests_that_are_there() {
    let page = fs::read_to_string(root().join("docs/isolation.md")).expect("the page");
    let begin = "## What each level stops";
    let table = page.split(begin).nth(1).and_then(|rest| rest.split("\n## ").next());
    let rows = table.expect("the table").lines().filter(|line| line.starts_with("| "));
    let named = rows.filter_map(|line| line.split('|').nth(2)?.trim().strip_prefix('`'));
    let named = named.map(|name| format!("fn {}()", name.trim_end_matches('`')));
    let named = named.collect::<Vec<_>>();
    assert!(named.len() > 10, "{named:?}");
    let tests = rust().filter(|(path, _)| path.starts_with("tests/exec/")).map(|(_, text)| text);
    let tests = tests.collect::<String>();
    let faults = named.into_iter().filter(|name| !tests.contains(name.as_str()));
    none(&faults.map(|name| format!("no test is `{name}`")).collect::<Vec<_>>());
}
