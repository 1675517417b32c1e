//! Every fixture tree against the result written beside it: `NAME.json` says how `NAME` is measured
//! and what must come of it, `says` on stdout and `tells` on stderr.

use std::fs;

use serde_json::Value;

use crate::harness::{Sandbox, names, trees};

/// Measures the tree of this name and compares with its result.
fn check(tree: &str) {
    let text = fs::read_to_string(trees().join(format!("{tree}.json"))).expect("its result");
    let expected: Value = serde_json::from_str(&text).expect("JSON");
    let texts = |name: &str| {
        let list = expected[name].as_array().into_iter().flatten();
        list.map(|text| text.as_str().expect("text").to_owned()).collect::<Vec<_>>()
    };
    let sandbox = Sandbox::with(tree);
    let words = texts("words");
    let words = words.iter().map(String::as_str).collect::<Vec<_>>();
    let ran = sandbox.measure(&words).env("STATE", sandbox.path("home")).run();
    ran.same(sandbox.outcomes(), texts("outcomes"))
        .exits(i32::try_from(expected["exit"].as_i64().expect("a code")).expect("a code"))
        .totals(expected["totals"].as_str().expect("a line"));
    for text in texts("says") {
        ran.says(&text);
    }
    for text in texts("tells") {
        ran.tells(&text);
    }
}

macro_rules! trees {
    ($($test:ident: $tree:literal;)*) => {
        $(#[test] fn $test() { check($tree) })*

        #[test]
        fn every_result_is_compared() {
            let results = names(&trees()).into_iter().filter_map(|name| Some(name.strip_suffix(".json")?.to_owned()));
            assert_eq!(results.collect::<Vec<_>>(), [$($tree),*]);
        }
    };
}

trees! {
    a_broken_source: "broken-source";
    a_weak_command: "calc";
    every_outcome: "every-outcome";
    a_file_that_nothing_loads: "not-reached";
    the_statuses_of_pytest: "pytest-statuses";
    two_commands: "two-commands";
    unittest_and_data_files: "unittest";
}
