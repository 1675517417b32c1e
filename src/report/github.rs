//! Workflow commands that annotate a pull request on GitHub.
//!
//! GitHub shows ten warnings a step: at most one survivor a line, the most telling first, and a
//! notice that says how many there are in all.

use std::collections::HashSet;
use std::fmt::Write as _;

use super::count::share;
use super::escape::{command, property};
use super::log::RunLog;
use super::sarif::message;
use super::{Style, survivors};

/// Warnings that GitHub shows of one step.
const SHOWN: usize = 10;

/// The commands, one a line; paths begin with `prefix`.
pub(super) fn render(log: &RunLog, prefix: &str) -> String {
    let mut text = String::new();
    for note in log.notes() {
        let _ = writeln!(text, "::notice title=adequacy::{}", command(&note));
    }
    let groups = survivors(log);
    let mut lines = HashSet::new();
    let all = groups.iter().flat_map(|group| &group.survivors);
    let first = all.filter(|it| lines.insert((&it.row.path, it.row.shown_line())));
    for entry in first.take(SHOWN) {
        let region = log.region(entry);
        let _ = writeln!(
            text,
            "::warning file={},line={},endLine={},title={}::{}",
            property(&format!("{prefix}{}", entry.row.path)),
            region.start.line,
            region.end.line,
            property(&format!("survivor {}", entry.row.id)),
            command(&message(log, entry)),
        );
    }
    let headline = super::headline(&log.run, Style::PLAIN);
    if !headline.is_empty() {
        let _ = writeln!(text, "::notice title=adequacy::{}", command(headline.trim_end()));
    }
    let totals = log.count.totals();
    let sample = log.run.sample.as_ref();
    let sample = sample.map(|it| format!(", a sample of {}", it.population)).unwrap_or_default();
    let words = format!(
        "{} of {} mutants killed ({}){sample}, {} survived, {} undecided",
        totals.killed,
        totals.mutants,
        share(totals.killed, totals.mutants),
        totals.survived,
        totals.undecided
    );
    let _ = writeln!(text, "::notice title=adequacy::{}", command(&words));
    text
}
