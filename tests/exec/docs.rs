//! The tables of `docs/isolation.md` name tests that exist, and count what is there.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::attacks::ATTACKS;

fn functions(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            functions(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            let text = fs::read_to_string(&path).expect("a source file");
            let names = text.lines().filter_map(|line| line.trim().strip_prefix("fn "));
            found.extend(names.filter_map(|rest| Some(rest.split_once("()")?.0.to_owned())));
        }
    }
}

#[test]
fn every_test_that_the_document_names_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(root.join("docs/isolation.md")).expect("the document");
    let mut found = BTreeSet::new();
    for folder in ["tests/exec", "tests/cli", "src/run"] {
        functions(&root.join(folder), &mut found);
    }
    // Words of many parts between backticks are names of tests.
    let words = text.split('`').skip(1).step_by(2);
    let named = words.filter(|word| word.matches('_').count() >= 3).collect::<BTreeSet<_>>();
    assert!(named.len() >= 25, "{named:?}");
    let missing = named.iter().filter(|name| !found.contains(**name)).collect::<Vec<_>>();
    assert!(missing.is_empty(), "{missing:?}");
    let asked = include_str!("behaviour.py").split("\nprint('--')").next().expect("its first part");
    let asked = asked.lines().filter(|line| line.starts_with("ask(")).count();
    assert!(text.contains(&format!("{} attacks,", ATTACKS.len())), "{}", ATTACKS.len());
    assert!(text.contains(&format!("{asked} questions")), "{asked}");
}
