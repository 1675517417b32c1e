//! The tests of a JUnit report by name, and the names that pytest gives them there.

use std::collections::BTreeMap;

use roxmltree::{Document, Node, ParsingOptions};

use super::Tests;

/// A test as a report names it: class, name.
pub type TestName = (String, String);

/// The tests of a report, and whether each passed; a skipped one did not.
///
/// # Errors
/// In words, when the report cannot be read.
pub fn tests(report: &[u8]) -> Result<BTreeMap<TestName, bool>, String> {
    let document = read(report)?;
    let mut found = BTreeMap::new();
    for case in cases(&document) {
        let attribute = |name: &str| case.attribute(name).unwrap_or_default().to_owned();
        let bad = |node: Node<'_, '_>| {
            ["failure", "error", "skipped"].iter().any(|tag| node.has_tag_name(*tag))
        };
        let passed = !case.children().any(bad);
        // One name twice, as of a test and its teardown: both must pass.
        *found.entry((attribute("classname"), attribute("name"))).or_insert(true) &= passed;
    }
    Ok(found)
}

fn read(report: &[u8]) -> Result<Document<'_>, String> {
    let text = std::str::from_utf8(report).map_err(|_| "the report is not UTF-8".to_owned())?;
    let options = ParsingOptions { allow_dtd: false, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options);
    document.map_err(|error| format!("the report is no XML: {error}"))
}

fn cases<'d>(document: &'d Document<'_>) -> impl Iterator<Item = Node<'d, 'd>> {
    document.descendants().filter(|node| node.has_tag_name("testcase"))
}

/// How many tests a report names, and how they ended; `None` when it cannot be read.
pub(super) fn count(report: &[u8]) -> Option<Tests> {
    let document = read(report).ok()?;
    let mut count = Tests { tests: 0, passed: 0, failed: 0, pending: 0 };
    for case in cases(&document) {
        let has =
            |tags: &[&str]| case.children().any(|it| tags.iter().any(|tag| it.has_tag_name(*tag)));
        count.tests += 1;
        match (has(&["failure", "error"]), has(&["skipped"])) {
            (true, _) => count.failed += 1,
            (false, true) => count.pending += 1,
            (false, false) => count.passed += 1,
        }
    }
    Some(count)
}

/// The name that pytest gives to a node id in its report: what stands before a parameter is split at
/// `::`, the file becomes a module.
#[must_use]
pub fn name_of(id: &str) -> TestName {
    let (address, parameter) = id.split_at(id.find('[').unwrap_or(id.len()));
    let mut names = address.split("::").map(str::to_owned).collect::<Vec<_>>();
    let module = names[0].replace('/', ".");
    names[0] = module.strip_suffix(".py").unwrap_or(&module).to_owned();
    let last = names.pop().expect("a split gives one part at least");
    (names.join("."), format!("{last}{parameter}"))
}
