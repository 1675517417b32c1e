//! Text for a terminal: mutants, diffs, totals. What comes from a tree is escaped.

use std::fmt::Write as _;

use similar::TextDiff;

use super::Style;
use super::row::in_words;
use super::terminal::escaped;
use crate::measure::Totals;
use crate::plan::cargo::SETTINGS;
use crate::plan::{Mutant, Plan, Row, lines, readable};
use crate::tree::{Snapshot, TreeError};

/// Characters of a before or after that fit on a line.
const SHOWN: usize = 70;

/// `path:line:col operator before -> after`, as one line; columns from 1, as editors count.
///
/// An insertion or a deletion says nothing without its place: there the lines around it are shown.
#[must_use]
pub fn line(plan: &Plan, mutant: &Mutant, source: &[u8], style: Style) -> String {
    let row = Row::of(plan, mutant, source);
    let bare = row.before.trim().is_empty() || row.after.trim().is_empty();
    let why = row.not_counted.as_ref().map(|why| format!("  ({})", escaped(why)));
    let head = format!(
        "{} {}:{}:{} {}",
        style.faint(row.id),
        escaped(row.path),
        row.line,
        row.column + 1,
        style.bold(row.operator),
    );
    let files = 1 + row.more.len();
    let what = match in_words(row.class, row.operator, row.function, files) {
        Some(words) => escaped(&words),
        None => {
            let (before, after) =
                if bare { lines(plan, mutant, source) } else { (row.before, row.after) };
            format!("{} -> {}", style.red(short(&before, SHOWN)), style.green(short(&after, SHOWN)))
        }
    };
    format!("{head} {what}{}", why.unwrap_or_default())
}

/// The text on one line, cut to what fits, with what a terminal would obey escaped.
pub(super) fn short(text: &str, room: usize) -> String {
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let shown = if flat.is_empty() { "(nothing)".to_owned() } else { escaped(&flat) };
    if shown.chars().count() <= room {
        return shown;
    }
    format!("{}...", shown.chars().take(room).collect::<String>())
}

/// The mutant as a unified diff that `patch -p1` takes.
///
/// # Errors
/// [`TreeError`] when the source can no longer be read as it was.
pub fn diff(plan: &Plan, mutant: &Mutant, snapshot: &Snapshot) -> Result<Vec<u8>, TreeError> {
    let mut text = Vec::new();
    for edit in plan.edits(mutant) {
        let file = &plan.files[edit.file as usize];
        let source = file.source(snapshot)?;
        let mutated = file.with(edit, &source);
        let diff = TextDiff::from_lines(source.as_slice(), mutated.as_slice());
        let before =
            if file.is_absent { "/dev/null".to_owned() } else { format!("a/{}", file.name) };
        diff.unified_diff()
            .context_radius(3)
            .header(&before, &format!("b/{}", file.name))
            .to_writer(&mut text)
            .expect("writing to memory");
    }
    Ok(text)
}

/// The one line with all parts of a run, last on stdout.
#[must_use]
pub fn totals(totals: &Totals) -> String {
    let time_outs = totals.killed_by_reason.get("time-out").copied().unwrap_or(0);
    format!(
        "{} mutants: {} killed ({time_outs} by time-out), {} survived, {} undecided; {} unviable, {} not built",
        totals.mutants,
        totals.killed,
        totals.survived,
        totals.undecided,
        totals.unviable,
        totals.not_built
    )
}

/// The mutants of a plan counted by file, and the sources without any, with the reason.
#[must_use]
pub fn files(plan: &Plan) -> String {
    let mut text = String::new();
    for file in &plan.files {
        let mut notes = Vec::new();
        if file.mutants.is_empty() {
            notes.push("nothing to mutate".to_owned());
        }
        if file.skipped > 0 {
            notes.push(format!("{} sites skipped by a comment", file.skipped));
        }
        if file.left_out > 0 {
            notes.push(format!("{} left out by `{SETTINGS}`", file.left_out));
        }
        if file.too_long > 0 {
            notes.push(format!("{} not made, the source is too long there", file.too_long));
        }
        if let Some((count, line)) = file.unreadable {
            notes.push(format!("{count} refused, the grammar cannot read line {line}"));
        }
        let notes =
            if notes.is_empty() { String::new() } else { format!("  ({})", notes.join("; ")) };
        let _ = writeln!(text, "{:>6} {}{notes}", file.mutants.len(), escaped(&file.name));
    }
    for file in &plan.ignored {
        let _ = writeln!(text, "{:>6} {}  ({})", 0, file.path, file.why);
    }
    text
}

/// A command's output as a person may be shown it.
#[must_use]
pub fn output(bytes: &[u8]) -> String {
    escaped(&readable(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_does_not_reach_the_terminal() {
        assert_eq!(short("a\x1b[2J\u{202e}b\r\n\tc", SHOWN), "a\\u{1b}[2J\\u{202e}b c");
        assert_eq!(short(&"x".repeat(100), SHOWN).chars().count(), SHOWN + 3);
        assert_eq!(short(" \n", SHOWN), "(nothing)");
    }
}
