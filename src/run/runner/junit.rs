//! The tests of a JUnit report by name, and the names that pytest gives them there.

use std::collections::BTreeMap;

use roxmltree::{Document, Node, ParsingOptions};

/// A test as a report names it: class, name.
pub type TestName = (String, String);

/// The tests of a report, and whether each passed; a skipped one did not.
///
/// # Errors
/// In words, when the report cannot be read.
pub fn tests(report: &[u8]) -> Result<BTreeMap<TestName, bool>, String> {
    let text = std::str::from_utf8(report).map_err(|_| "the report is not UTF-8".to_owned())?;
    let options = ParsingOptions { allow_dtd: false, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options);
    let document = document.map_err(|error| format!("the report is no XML: {error}"))?;
    let mut found = BTreeMap::new();
    for case in document.descendants().filter(|node| node.has_tag_name("testcase")) {
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
