//! JUnit XML: a suite a file, a test case a mutant. A survivor is a failure, an undecided mutant an
//! error, what is not counted or not run yet is skipped.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use super::entry::{Entry, Standing};
use super::escape::markup;
use super::log::RunLog;
use super::sarif::message;
use crate::outcome::Outcome;

#[derive(Default)]
struct Suite<'a> {
    entries: Vec<&'a Entry>,
    failures: usize,
    errors: usize,
    skipped: usize,
    wall: Duration,
}

/// The XML document.
pub(super) fn render(log: &RunLog) -> String {
    let mut suites = BTreeMap::<&str, Suite<'_>>::new();
    for entry in &log.entries {
        let suite = suites.entry(&entry.row.path).or_default();
        suite.entries.push(entry);
        suite.wall += entry.wall;
        match entry.standing() {
            Standing::Decided(Outcome::Killed { .. }) => {}
            Standing::Decided(Outcome::Survived) => suite.failures += 1,
            Standing::Decided(Outcome::Undecided { .. }) => suite.errors += 1,
            Standing::Decided(Outcome::Unviable | Outcome::NotBuilt)
            | Standing::Unviable(_)
            | Standing::Left(_)
            | Standing::Pending => suite.skipped += 1,
        }
    }
    let sum = |count: fn(&Suite<'_>) -> usize| suites.values().map(count).sum::<usize>();
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(
        text,
        "<testsuites name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">",
        markup(&log.run.tool),
        log.entries.len(),
        sum(|suite| suite.failures),
        sum(|suite| suite.errors),
        sum(|suite| suite.skipped),
    );
    for (path, suite) in &suites {
        let _ = writeln!(
            text,
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3}\">",
            attribute(path),
            suite.entries.len(),
            suite.failures,
            suite.errors,
            suite.skipped,
            suite.wall.as_secs_f64(),
        );
        for entry in &suite.entries {
            case(&mut text, log, entry);
        }
        text.push_str("  </testsuite>\n");
    }
    text.push_str("</testsuites>\n");
    text
}

fn case(text: &mut String, log: &RunLog, entry: &Entry) {
    let row = &entry.row;
    let standing = entry.standing();
    let _ = write!(
        text,
        "    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3}\"",
        attribute(&format!("{}:{}", row.path, row.place_name())),
        attribute(&format!("{} {} line {}", row.id, row.operator, row.line)),
        entry.wall.as_secs_f64(),
    );
    let (element, said) = match standing {
        Standing::Decided(Outcome::Killed { .. }) => {
            text.push_str("/>\n");
            return;
        }
        Standing::Decided(Outcome::Survived) => ("failure", message(log, entry)),
        Standing::Decided(Outcome::Undecided { .. }) => ("error", standing.why(&log.run)),
        Standing::Decided(Outcome::Unviable | Outcome::NotBuilt)
        | Standing::Unviable(_)
        | Standing::Left(_)
        | Standing::Pending => ("skipped", standing.why(&log.run)),
    };
    let _ =
        writeln!(text, ">\n      <{element} message=\"{}\"/>\n    </testcase>", attribute(&said));
}

/// As [`markup`], on one line: XML would make a space of a line's end.
fn attribute(text: &str) -> String {
    markup(text).replace('\n', "&#10;").replace('\t', "&#9;")
}
