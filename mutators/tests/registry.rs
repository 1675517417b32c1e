//! What holds for every operator: names, examples, order, and the rules for all mutations.

use std::collections::BTreeSet;
use std::path::Path;

use adequacy_mutators::{Family, Language, Operator, splice};

fn mutated(language: Language, operator: &Operator, source: &str) -> Vec<String> {
    let found = language.mutations(source.as_bytes(), &|known| known.name == operator.name);
    let sources = found
        .mutations
        .iter()
        .map(|mutation| splice(source.as_bytes(), [(&mutation.span, &mutation.replacement[..])]));
    sources.map(|text| String::from_utf8(text).expect("text stays text")).collect()
}

#[test]
fn every_example_is_true() {
    let all = |language: &'static Language| language.operators().iter().map(|it| (*language, it));
    for (language, operator) in Language::ALL.iter().flat_map(all) {
        assert!(!operator.examples.is_empty(), "{} has no example", operator.name);
        for (before, after) in operator.examples {
            let made = mutated(language, operator, before);
            assert!(
                made.iter().any(|made| made == after),
                "{}: {before:?} should become {after:?}, but becomes {made:?}",
                operator.name
            );
        }
    }
}

#[test]
fn names_are_distinct_and_are_those_of_the_files() {
    for language in Language::ALL {
        let names: Vec<&str> = language.operators().iter().map(|operator| operator.name).collect();
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(language.name());
        for operator in language.operators() {
            let file = folder.join(format!("{}.rs", operator.name.replace('-', "_")));
            assert!(file.is_file(), "{} is not in {}", operator.name, file.display());
        }
        let files = folder.read_dir().unwrap().filter(|entry| {
            let path = entry.as_ref().unwrap().path();
            let is_shared =
                ["mod", "control"].iter().any(|stem| path.file_stem().unwrap() == *stem);
            path.extension().is_some_and(|end| end == "rs") && !is_shared
        });
        assert_eq!(files.count(), names.len(), "each file in {} is an operator", folder.display());
    }
}

#[test]
fn the_thirteen_of_section_11_come_first_and_in_its_order() {
    let done: Vec<_> = Language::Python
        .operators()
        .iter()
        .take_while(|operator| operator.family == Family::Done1)
        .map(|operator| (operator.name, operator.statement))
        .collect();
    assert_eq!(
        done,
        [
            ("compare-swap", false),
            ("binop-swap", false),
            ("boolop-swap", false),
            ("negate-condition", false),
            ("number-shift", false),
            ("return-none", false),
            ("string-mutate", false),
            ("call-none", false),
            ("stmt-delete", true),
            ("if-unwrap-body", true),
            ("if-unwrap-else", true),
            ("try-unwrap", true),
            ("handler-delete", true),
        ]
    );
    let extras = &Language::Python.operators()[done.len()..];
    assert!(extras.iter().all(|operator| operator.family == Family::Extra && !operator.statement));
}

#[test]
fn sentences_are_sentences_without_a_full_stop() {
    for operator in Language::ALL.iter().flat_map(|language| language.operators()) {
        for sentence in [operator.summary, operator.shows] {
            assert!(!sentence.ends_with('.') && sentence.len() > 20, "{sentence}");
        }
    }
}
