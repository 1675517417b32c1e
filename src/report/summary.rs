//! What a person wants to know of a run, in a terminal. What comes from a tree is escaped.

use std::fmt::Write as _;

use super::Style;
use super::count::share;
use super::entry::Entry;
use super::group::{self, Group};
use super::log::RunLog;
use super::terminal::escaped;
use super::text::short;
use crate::adequacy::Interval;
use crate::measure::{ClassTotals, Conduct, Confirm, Confirmed, Parallel, RunFile, Sentinels};
use crate::outcome::Outcome;

/// Survivors that a summary lists.
const LISTED: usize = 40;

/// Functions and files of which a table has a line.
const ROWS: usize = 30;

/// The summary of a run, without the line of totals.
#[must_use]
pub fn summary(log: &RunLog, style: Style) -> String {
    let mut text = String::new();
    for note in log.notes() {
        let _ = writeln!(text, "{}", style.red(style.fold(&escaped(&note))));
    }
    if !text.is_empty() {
        text.push('\n');
    }
    let totals = log.count.totals();
    let is_part = log.run.conduct.shard.is_some();
    if totals.mutants == 0 && !is_part {
        let _ = writeln!(text, "{}\n", style.red("No mutant counts: nothing was measured."));
        return text;
    }
    text.push_str(&super::headline(&log.run, style));
    survivors(&mut text, log, style);
    undecided(&mut text, log, style);
    tables(&mut text, log, style);
    let mut prose = String::new();
    trust(&mut prose, log);
    text.push_str(&style.fold(&prose));
    if totals.killed == 0 && !is_part {
        let words =
            "The commands killed nothing: they cannot tell a right solution from a wrong one.";
        let _ = writeln!(text, "{}\n", style.red(words));
    }
    text
}

fn survivors(text: &mut String, log: &RunLog, style: Style) {
    let groups = group::survivors(log);
    if groups.is_empty() {
        return;
    }
    let _ = writeln!(text, "{}", style.bold("Survivors: the commands accept these"));
    let all = log.count.totals().survived;
    let mut left = LISTED;
    for group in &groups {
        if left == 0 {
            break;
        }
        heading(text, group, style);
        for entry in group.survivors.iter().take(left) {
            survivor(text, log, entry, style);
        }
        left -= left.min(group.survivors.len());
    }
    let listed = LISTED as u64;
    if all > listed {
        let _ = writeln!(
            text,
            "  ... and {} more: `adequacy report --format html -o report.html` shows all",
            all - listed
        );
    }
    text.push('\n');
}

fn heading(text: &mut String, group: &Group<'_>, style: Style) {
    let Group { path, function, tally, .. } = group;
    let label = if group.not_reached { "  (no command loads this file)" } else { "" };
    let name = format!("{} {}", escaped(path), escaped(function));
    let _ = writeln!(
        text,
        "  {}{}{label}",
        style.bold(name),
        style.faint(format_args!("  {} of {} killed", tally.killed, tally.mutants)),
    );
}

fn survivor(text: &mut String, log: &RunLog, entry: &Entry, style: Style) {
    let row = &entry.row;
    let id = style.faint(&row.id);
    let judged = log.judgement(entry).map(|it| format!("  ({})", it.classification.word()));
    let judged = judged.unwrap_or_default();
    let _ = writeln!(text, "    {id} line {}: {}{judged}", row.line, escaped(&row.operator));
    // Beside the indentation, the sign, and the dots of what is cut.
    let room = style.room(11);
    let _ = match row.in_words() {
        Some(words) => writeln!(text, "      {}", escaped(&words)),
        None => {
            let (before, after) = row.lines(log.source(entry));
            writeln!(
                text,
                "      {} {}\n      {} {}",
                style.red("-"),
                style.red(short(&before, room)),
                style.green("+"),
                style.green(short(&after, room)),
            )
        }
    };
}

/// A mutant as a summary lists it: where it is and what it changes.
#[must_use]
pub fn brief(log: &RunLog, entry: &Entry, style: Style) -> String {
    let row = &entry.row;
    let mut text = format!("  {} {}\n", escaped(&row.path), escaped(row.place_name()));
    survivor(&mut text, log, entry, style);
    text
}

fn undecided(text: &mut String, log: &RunLog, style: Style) {
    let mut headed = false;
    for entry in &log.entries {
        let Some(Outcome::Undecided { why, command }) = &entry.outcome else { continue };
        if !headed {
            let _ = writeln!(text, "{}", style.bold("Undecided: never counted as killed"));
            headed = true;
        }
        let id = escaped(&log.run.commands[*command].id);
        let row = &entry.row;
        let head = format!("{} {}:{}", style.faint(&row.id), escaped(&row.path), row.line);
        let operator = style.bold(escaped(&row.operator));
        let (before, after) = row.lines(log.source(entry));
        let room = style.room(10) / 2;
        let what = match row.in_words() {
            Some(words) => escaped(&words),
            None => format!(
                "{} -> {}",
                style.red(short(&before, room)),
                style.green(short(&after, room))
            ),
        };
        let _ = writeln!(text, "  {head} {operator} {what}\n    `{id}`: {}", why.words());
    }
    if headed {
        text.push('\n');
    }
}

fn tables(text: &mut String, log: &RunLog, style: Style) {
    let count = &log.count;
    if count.by_class.len() > 1 {
        let rows = count.by_class.iter().map(|(class, tally)| (class.name().to_owned(), *tally));
        table(text, "Killed, by class", rows.collect(), style);
    }
    let rows = |tallies: &super::count::Tallies| {
        let rows = tallies.iter().map(|(name, tally)| (escaped(name), *tally));
        let mut rows = rows.collect::<Vec<_>>();
        // The weakest first where not all are shown.
        if rows.len() > ROWS {
            rows.sort_by_key(|(_, tally)| tally.killed * 1000 / tally.mutants.max(1));
        }
        rows
    };
    table(text, "Killed, by operator", rows(&count.by_operator), style);
    table(text, "Killed, by file", rows(&count.by_file), style);
    if log.run.commands.len() > 1 {
        commands(text, log, style);
    }
}

fn table(text: &mut String, title: &str, rows: Vec<(String, ClassTotals)>, style: Style) {
    let room = style.room(24);
    let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0).min(room);
    let _ = writeln!(text, "{}", style.bold(title));
    let all = rows.len();
    for (name, tally) in rows.into_iter().take(ROWS) {
        let name = end_of(&name, width);
        let number = format!("{:>5} of {}", tally.killed, tally.mutants);
        let number = if tally.killed == 0 { style.red(number) } else { style.green(number) };
        let _ = writeln!(text, "  {name:<width$} {number}");
    }
    if all > ROWS {
        let _ = writeln!(text, "  ... and {} more, of which more was killed", all - ROWS);
    }
    text.push('\n');
}

/// The last `width` characters of a name: the end of a path tells more than its beginning.
fn end_of(name: &str, width: usize) -> String {
    let length = name.chars().count();
    if length <= width {
        return name.to_owned();
    }
    format!("...{}", name.chars().skip(length + 3 - width.max(4)).collect::<String>())
}

fn commands(text: &mut String, log: &RunLog, style: Style) {
    let _ = writeln!(text, "{}", style.bold("Kills, by command (as far as each was run)"));
    for command in &log.count.commands {
        let _ = writeln!(
            text,
            "  {}: first {}, refused {} of {} it ran on, the only one for {}",
            escaped(&command.id),
            command.first,
            command.refused,
            command.ran,
            command.alone
        );
    }
    if let Some(matrix) = &log.run.matrix {
        let lines = super::matrix::lines(matrix);
        let _ = lines.iter().try_for_each(|line| writeln!(text, "  {}", escaped(line)));
    }
    text.push('\n');
}

/// What the numbers rest on.
fn trust(text: &mut String, log: &RunLog) {
    let (run, totals) = (&log.run, log.count.totals());
    let reasons = totals.killed_by_reason.iter();
    let reasons = reasons.map(|(reason, count)| format!("{count} {reason}")).collect::<Vec<_>>();
    let killers = totals.first_killers.iter();
    let killers = killers.map(|(id, count)| format!("{} {count}", escaped(id))).collect::<Vec<_>>();
    let Sentinels { runs, failures } = run.unmutated();
    let _ = writeln!(
        text,
        "Score: {} killed; {} by an ordinary failing exit alone",
        share(totals.killed, totals.mutants),
        share(log.count.by_exit(), totals.mutants)
    );
    for words in log.triage_words() {
        let _ = writeln!(text, "{}", escaped(&words));
    }
    sampling(text, run);
    let _ = writeln!(text, "Kills by reason: {}", or_none(&reasons));
    let _ = writeln!(text, "First killers: {}", or_none(&killers));
    let _ = writeln!(
        text,
        "Unmutated runs: {runs}, failed: {failures} (95 % bound on the rate of such failures: {})",
        flake_bound(runs, failures)
    );
    for line in super::executors::lines(log) {
        let _ = writeln!(text, "{line}");
    }
    if totals.equivalent + totals.duplicate + totals.not_sampled > 0 {
        let _ = writeln!(
            text,
            "Not counted: {} with the original's code, {} with another mutant's, {} not sampled",
            totals.equivalent, totals.duplicate, totals.not_sampled
        );
    }
    second_answers(text, run);
    let _ = writeln!(text, "Commands were held so: {}", escaped(&run.isolation.words()));
    for before in &run.isolation_before {
        let words = escaped(&before.words());
        let _ = writeln!(text, "  and before the run was resumed: {words}");
    }
    not_reached(text, run);
    text.push('\n');
}

/// What was run once more, and whether it gave the same.
fn second_answers(text: &mut String, run: &RunFile) {
    let Conduct { confirm, confirmed, check_parallel, .. } = &run.conduct;
    let asked = match confirm {
        Confirm::Off => "not asked for".to_owned(),
        Confirm::Auto | Confirm::All => {
            let Confirmed { asked, flips } = confirmed;
            format!("asked of {asked} mutants, flips: {flips}")
        }
    };
    let _ = writeln!(text, "Second answers: {asked}");
    for Parallel { jobs, sampled, differing } in check_parallel {
        let _ = writeln!(
            text,
            "Alone as beside {jobs} workers: {} of {sampled} sampled mutants",
            sampled - differing.len() as u64
        );
    }
}

/// What the mutants that ran stand for.
fn sampling(text: &mut String, run: &RunFile) {
    if let Some((killed, all)) = run.sites {
        let _ = writeln!(text, "Places in the sources with a kill: {killed} of {all}");
    }
    if let Some(words) = of_a_sample(run) {
        let _ = writeln!(text, "{words}");
    }
}

/// What a sample says of all mutants; `None` where none was drawn.
pub(super) fn of_a_sample(run: &RunFile) -> Option<String> {
    run.sample.as_ref().map(|Interval { population, sampled, share, margin }| {
        let (share, margin) = (100.0 * share, 100.0 * margin);
        format!(
            "Sampled: {sampled} of {population} mutants; of all of them {share:.1} % +- {margin:.1} % \
             killed (95 %). That is about the choice of these mutants, not about real faults missed"
        )
    })
}

fn not_reached(text: &mut String, run: &RunFile) {
    if !run.not_reached.is_empty() {
        let files = run.not_reached.iter().map(|file| escaped(file)).collect::<Vec<_>>();
        let _ = writeln!(text, "Not loaded by any command: {}", files.join(", "));
    }
}

fn or_none(parts: &[String]) -> String {
    if parts.is_empty() { "none".to_owned() } else { parts.join(", ") }
}

/// Upper 95 % bound on the rate of failing unmutated runs, in per cent.
#[must_use]
pub(super) fn flake_bound(runs: u64, failures: u64) -> String {
    if runs == 0 {
        return "100 %".to_owned();
    }
    format!("{:.1} %", flake_rate(runs, failures) * 100.0)
}

/// The same, 0 to 1. Without a failure it is exact: `1 - 0.05^(1/n)`; with failures it is Wilson's,
/// one-sided.
#[must_use]
pub(super) fn flake_rate(runs: u64, failures: u64) -> f64 {
    if runs == 0 {
        return 1.0;
    }
    #[expect(clippy::cast_precision_loss, reason = "a count of runs")]
    let (n, k) = (runs as f64, failures as f64);
    if failures == 0 {
        return 1.0 - 0.05_f64.powf(1.0 / n);
    }
    let z = 1.644_854;
    let p = k / n;
    let spread = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
    ((p + z * z / (2.0 * n) + spread) / (1.0 + z * z / n)).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flake_bound_is_the_rule_of_three_and_never_below_the_rate() {
        assert_eq!(flake_bound(59, 0), "5.0 %");
        assert_eq!(flake_bound(3, 0), "63.2 %");
        assert_eq!(flake_bound(0, 0), "100 %");
        assert_eq!(flake_bound(10, 10), "100.0 %");
    }

    #[test]
    fn a_table_fits_a_narrow_terminal() {
        let tally = ClassTotals { mutants: 12, killed: 3, undecided: 0 };
        let rows = vec![("src/a/very/long/path/to/a/module/name.py".to_owned(), tally)];
        let mut text = String::new();
        table(&mut text, "By file", rows, Style::PLAIN.columns(50));
        assert!(text.contains("  ...ath/to/a/module/name.py     3 of 12\n"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 50), "{text}");
    }

    #[test]
    fn a_long_name_keeps_its_end() {
        assert_eq!(end_of("src/a/long/name.py", 10), "...name.py");
        assert_eq!(end_of("name.py", 10), "name.py");
    }
}
