//! A job summary in Markdown. What comes from a tree is escaped or stands in a fence.

use std::fmt::Write as _;

use super::count::share;
use super::escape::{fenced, markdown as plain};
use super::log::RunLog;
use super::summary::of_a_sample;
use super::text;
use super::{Group, Style, survivors};

/// Survivors that a job summary lists; hosts cut long ones.
const LISTED: usize = 50;

/// The document.
pub(super) fn render(log: &RunLog) -> String {
    let totals = log.count.totals();
    let mut text = String::from("## Mutants and the acceptance commands\n\n");
    for note in log.notes() {
        let _ = writeln!(text, "> **{}**\n", plain(&note));
    }
    if log.reveals_solution() {
        text.push_str("> **This report shows the right solution of the task.**\n\n");
    }
    let headline = super::headline(&log.run, Style::PLAIN);
    if !headline.is_empty() {
        let _ = writeln!(text, "{}", fenced("text", &headline));
    }
    let _ = writeln!(
        text,
        "**{} killed**, {} by an ordinary failing exit alone\n\n{}\n",
        share(totals.killed, totals.mutants),
        share(log.count.by_exit(), totals.mutants),
        text::totals(&totals)
    );
    for line in of_a_sample(&log.run).into_iter().chain(super::executors::lines(log)) {
        let _ = writeln!(text, "{}\n", plain(&line));
    }
    let triaged = log.triage_words();
    for words in &triaged {
        let _ = writeln!(text, "- {}", plain(words));
    }
    if !triaged.is_empty() {
        text.push('\n');
    }
    let classes = log.count.by_class.iter().map(|(class, it)| (class.name().to_owned(), it));
    table(&mut text, "class", classes);
    let files = log.count.by_file.iter().map(|(name, it)| (plain(name), it));
    table(&mut text, "file", files);
    gates(&mut text, log);
    let groups = survivors(log);
    if !groups.is_empty() {
        text.push_str("### Survivors: the commands accept these\n\n");
        listed(&mut text, log, &groups);
    }
    undecided(&mut text, log);
    text
}

fn table<'a>(
    text: &mut String,
    title: &str,
    rows: impl Iterator<Item = (String, &'a crate::measure::ClassTotals)>,
) {
    let _ = writeln!(text, "| {title} | mutants | killed | undecided |\n|---|---:|---:|---:|");
    for (name, tally) in rows {
        let _ = writeln!(
            text,
            "| {name} | {} | {} | {} |",
            tally.mutants, tally.killed, tally.undecided
        );
    }
    text.push('\n');
}

fn gates(text: &mut String, log: &RunLog) {
    if log.run.gates.is_empty() {
        return;
    }
    text.push_str("| gate | |\n|---|---|\n");
    for (name, pass) in &log.run.gates {
        let _ =
            writeln!(text, "| {} | {} |", plain(name), if *pass { "holds" } else { "**fails**" });
    }
    text.push('\n');
}

fn listed(text: &mut String, log: &RunLog, groups: &[Group<'_>]) {
    let mut left = LISTED;
    for group in groups {
        if left == 0 {
            break;
        }
        let label = if group.not_reached { " (no command loads this file)" } else { "" };
        let (path, function) = (plain(group.path), plain(group.function));
        let _ = writeln!(text, "#### {path} {function}{label}\n");
        for entry in group.survivors.iter().take(left) {
            let row = &entry.row;
            let judged = log.judgement(entry).map(|it| format!(" ({})", it.classification.word()));
            let judged = judged.unwrap_or_default();
            let (id, operator) = (plain(&row.id), plain(&row.operator));
            let _ = writeln!(text, "{id} line {}: {operator}{judged}\n", row.line);
            let shown = match row.in_words() {
                Some(words) => format!("{}\n", plain(&words)),
                None => {
                    let (before, after) = row.lines(log.source(entry));
                    fenced("diff", &format!("{}{}", marked('-', &before), marked('+', &after)))
                }
            };
            let _ = writeln!(text, "{shown}");
        }
        left -= left.min(group.survivors.len());
    }
    let all = log.count.totals().survived;
    if all > LISTED as u64 {
        let _ = writeln!(text, "... and {} more", all - LISTED as u64);
    }
}

fn undecided(text: &mut String, log: &RunLog) {
    let all = log.count.totals().undecided;
    if all == 0 {
        return;
    }
    text.push_str("### Undecided: never counted as killed\n\n");
    for entry in log.undecided().take(LISTED) {
        let row = &entry.row;
        let (id, path, operator) = (plain(&row.id), plain(&row.path), plain(&row.operator));
        let why = plain(&entry.standing().why(&log.run));
        let _ = writeln!(text, "- {id} {path} line {}: {operator}: {why}", row.line);
    }
    if all > LISTED as u64 {
        let _ = writeln!(text, "- ... and {} more", all - LISTED as u64);
    }
}

/// Every line with a mark before it.
pub(super) fn marked(mark: char, text: &str) -> String {
    text.lines().map(|line| format!("{mark} {line}\n")).collect()
}
