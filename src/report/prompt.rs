//! What a person or a model needs who writes the missing tests: each survivor, and what it shows.
//!
//! The code of a task's solution stands in it only when that is asked for.

use std::fmt::Write as _;

use super::entry::Entry;
use super::escape::{fenced, markdown as plain};
use super::log::RunLog;
use super::markdown::marked;
use super::reached::reached;
use super::survivors;
use crate::task::Role;

/// Lines of code shown above and below a survivor.
const AROUND: usize = 6;

/// Tests that are named of those that enter its function.
const TESTS: usize = 10;

/// The document; `reveal` shows the code of a solution that somebody else is to find.
pub(super) fn render(log: &RunLog, reveal: bool) -> String {
    let hidden = log.reveals_solution() && !reveal;
    let mut text = String::from("# Tests that are missing\n\n");
    for note in log.notes() {
        let _ = writeln!(text, "{}\n", plain(&note));
    }
    let _ = writeln!(
        text,
        "Each change below makes the code wrong, or may, and every acceptance command still passes. For each, \
         write a test that passes on the code as it is and fails with the change: choose an input for which \
         the two differ, and assert the exact result. Where no input can tell them apart, say so and why; \
         write no test for it. Do not look at the source's text in a test, and change no code but tests.\n"
    );
    text.push_str("Commands:\n\n");
    for command in &log.run.task.commands {
        let is_shown = !hidden || command.role == Role::Visible;
        let words = if is_shown { plain(&command.argv.to_string()) } else { "held out".to_owned() };
        let _ = writeln!(text, "- {}: {words}", plain(&command.id));
    }
    if hidden {
        text.push_str(
            "\nCode and places are left out, since they are the solution of the task; `--reveal` shows them.\n",
        );
    }
    text.push('\n');
    let mut number = 0;
    for (place, group) in survivors(log).into_iter().enumerate() {
        let (path, function) = (plain(group.path), plain(group.function));
        let name =
            if hidden { format!("Place {}", place + 1) } else { format!("{path} {function}") };
        let _ = writeln!(text, "## {name}\n");
        if group.not_reached {
            text.push_str("No command loads this file: begin with a test that does.\n\n");
        }
        for entry in &group.survivors {
            number += 1;
            survivor(&mut text, log, entry, number, hidden);
        }
    }
    if number == 0 {
        text.push_str("None: every mutant that could be decided was killed.\n");
    }
    text
}

fn survivor(text: &mut String, log: &RunLog, entry: &Entry, number: usize, hidden: bool) {
    let row = &entry.row;
    let found = adequacy_mutators::operator(&row.operator);
    let place = if hidden { String::new() } else { format!(", line {}", row.line) };
    let _ = writeln!(text, "### {number}. {} ({}{place})\n", plain(&row.operator), plain(&row.id));
    if let Some(found) = found {
        let (summary, shows) = (found.summary, found.shows);
        let _ = writeln!(text, "Change: {summary}  \nWhat it shows: {shows}\n");
    }
    if hidden {
        return;
    }
    if row.in_words().is_none() {
        let (before, after) = row.lines(log.source(entry));
        let change = format!("{}{}", marked('-', &before), marked('+', &after));
        let _ = writeln!(text, "{}", fenced("diff", &change));
    }
    if let Some(source) = log.source(entry)
        && row.line > 0
    {
        let shown = source.text();
        let first = (row.line as usize).saturating_sub(AROUND + 1);
        let lines = shown.lines().enumerate().skip(first).take(2 * AROUND + 1);
        let lines = lines.map(|(at, line)| format!("{:>4} {line}\n", at + 1)).collect::<String>();
        let _ = writeln!(text, "{}", fenced("", &lines));
    }
    for reached in reached(log, entry) {
        let (id, count, names) = (plain(reached.id), reached.tests.len(), reached.names(TESTS));
        let _ = match names.len() {
            0 => writeln!(text, "No test of {id} enters this function now.\n"),
            shown => writeln!(
                text,
                "Tests of {id} that enter this function now, {shown} of {count}:\n\n{}",
                fenced("", &format!("{}\n", names.join("\n")))
            ),
        };
    }
}
