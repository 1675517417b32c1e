//! Whether exactly these tests were collected and passed, by the runner's own JUnit report.

use std::collections::BTreeMap;

use crate::run::junit::{self, TestName};

/// Compares the tests of a report with `ids`.
///
/// # Errors
/// In words: why nobody can tell (`Err`), or with `Ok(Some)` what differs.
pub(super) fn compare(ids: &[String], report: &[u8]) -> Result<Option<String>, String> {
    let seen = junit::tests(report)?;
    if let Some(odd) = ids.iter().find(|id| id.chars().any(char::is_control)) {
        return Err(format!("a report spells {odd:?} in another way"));
    }
    let mut wanted = BTreeMap::new();
    for id in ids {
        if let Some(other) = wanted.insert(junit::name_of(id), id) {
            return Err(format!("`{other}` and `{id}` have one name in a report"));
        }
    }
    let missing =
        wanted.iter().filter(|(name, _)| !seen.contains_key(*name)).map(|(_, id)| id.as_str());
    let not_passed = wanted
        .iter()
        .filter(|(name, _)| seen.get(*name) == Some(&false))
        .map(|(_, id)| id.as_str());
    let more = seen.keys().filter(|name| !wanted.contains_key(*name)).map(shown);
    let faults = [
        said("not collected", missing.map(str::to_owned)),
        said("not passed", not_passed.map(str::to_owned)),
        said("collected beside them", more),
    ];
    let faults = faults.into_iter().flatten().collect::<Vec<_>>();
    Ok((!faults.is_empty()).then(|| faults.join("; ")))
}

fn shown((class, name): &TestName) -> String {
    format!("{class}.{name}")
}

fn said(what: &str, names: impl Iterator<Item = String>) -> Option<String> {
    let names = names.collect::<Vec<_>>();
    let first = names.first()?;
    let more = names.len() - 1;
    Some(if more > 0 {
        format!("{what}: {first} and {more} more")
    } else {
        format!("{what}: {first}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = r#"<?xml version="1.0" encoding="utf-8"?><testsuites><testsuite name="pytest">
        <testcase classname="tests.test_a.TestX" name="test_y[a::b]" time="0.1"/>
        <testcase classname="tests.test_a" name="test_&lt;z&gt;"><system-out>x</system-out></testcase>
        </testsuite></testsuites>"#;

    fn ids(ids: &[&str]) -> Vec<String> {
        ids.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn exactly_these_must_be_collected_and_pass() {
        let both = ids(&["tests/test_a.py::TestX::test_y[a::b]", "tests/test_a.py::test_<z>"]);
        assert_eq!(compare(&both, REPORT.as_bytes()), Ok(None));
        let found = compare(&both[..1], REPORT.as_bytes()).unwrap();
        assert_eq!(found.as_deref(), Some("collected beside them: tests.test_a.test_<z>"));
        let more = [both.clone(), ids(&["tests/test_b.py::test_c"])].concat();
        let found = compare(&more, REPORT.as_bytes()).unwrap();
        assert_eq!(found.as_deref(), Some("not collected: tests/test_b.py::test_c"));
        let skipped = REPORT.replace("<system-out>x</system-out>", "<skipped/>");
        let found = compare(&both, skipped.as_bytes()).unwrap();
        assert_eq!(found.as_deref(), Some("not passed: tests/test_a.py::test_<z>"));
    }

    #[test]
    fn what_cannot_be_told_apart_is_not_judged() {
        let twins = ids(&["a/b.py::t", "a.b.py::t"]);
        assert!(compare(&twins, REPORT.as_bytes()).unwrap_err().contains("one name"));
        assert!(compare(&ids(&["a.py::t"]), b"<testsuite").unwrap_err().contains("no XML"));
    }
}
