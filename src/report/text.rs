//! Text for a terminal: mutants, survivors, the summary. What comes from a tree is escaped.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use similar::TextDiff;

use super::Style;
use super::terminal::escaped;
use crate::adequacy::Interval;
use crate::measure::{Measured, RunFile, Sentinels, Totals};
use crate::outcome::Outcome;
use crate::plan::{Class, Mutant, Plan, Row, lines, readable};
use crate::tree::{Snapshot, TreeError};

/// Characters of a before or after that fit on a line.
const SHOWN: usize = 70;

/// Survivors that a summary lists.
const LISTED: usize = 40;

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
    let what = match in_words(plan, mutant) {
        Some(words) => words,
        None => {
            let (before, after) =
                if bare { lines(mutant, source) } else { (row.before, row.after) };
            format!("{} -> {}", style.red(short(&before)), style.green(short(&after)))
        }
    };
    format!("{head} {what}{}", why.unwrap_or_default())
}

/// What a mutant does that stands for more than its text shows: a whole change, a whole function.
fn in_words(plan: &Plan, mutant: &Mutant) -> Option<String> {
    use Class::{Cheat, CheatExtra, Degenerate, FileRevert, NullPatch, StubPatch};
    let summary = mutant.operator.summary;
    match mutant.class {
        Cheat | CheatExtra | Degenerate => {
            let file = plan.file(mutant);
            let function = mutant.function.map(|place| escaped(&file.functions[place as usize]));
            Some(format!("{}: {summary}", function.unwrap_or_default()))
        }
        NullPatch | StubPatch | FileRevert => {
            let files = mutant.edits().count();
            Some(format!("({files} {}) {summary}", if files == 1 { "file" } else { "files" }))
        }
        Class::HunkRevert
        | Class::Change
        | Class::Function
        | Class::Rest
        | Class::Extra
        | Class::Full => None,
    }
}

/// The text on one line, cut to what fits, with what a terminal would obey escaped.
fn short(text: &str) -> String {
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let shown = if flat.is_empty() { "(nothing)".to_owned() } else { escaped(&flat) };
    if shown.chars().count() <= SHOWN {
        return shown;
    }
    format!("{}...", shown.chars().take(SHOWN).collect::<String>())
}

/// The mutant as a unified diff that `patch -p1` takes.
///
/// # Errors
/// [`TreeError`] when the source can no longer be read as it was.
pub fn diff(plan: &Plan, mutant: &Mutant, snapshot: &Snapshot) -> Result<Vec<u8>, TreeError> {
    let mut text = Vec::new();
    for edit in mutant.edits() {
        let file = &plan.files[edit.file as usize];
        let source = file.source(snapshot)?;
        let mutated = edit.apply(&source);
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

/// What a person wants to know of a finished run, without the line of totals.
///
/// # Errors
/// [`TreeError`] when a source can no longer be read as it was.
pub fn summary(measured: &Measured, style: Style) -> Result<String, TreeError> {
    let run = &measured.run;
    let mut text = super::headline(run, style);
    survivors(&mut text, measured, style)?;
    undecided(&mut text, measured, style)?;
    by_operator(&mut text, measured, style);
    by_file(&mut text, measured, style);
    trust(&mut text, run);
    let totals = run.totals.as_ref().expect("a finished run has totals");
    if totals.killed == 0 {
        let words =
            "The commands killed nothing: they cannot tell a right solution from a wrong one.";
        let _ = writeln!(text, "{}\n", style.red(words));
    }
    Ok(text)
}

fn survivors(text: &mut String, measured: &Measured, style: Style) -> Result<(), TreeError> {
    let alive = measured.outcomes.iter().filter(|(_, outcome)| **outcome == Outcome::Survived);
    let places = alive.map(|(&place, _)| place).collect::<Vec<_>>();
    if places.is_empty() {
        return Ok(());
    }
    let _ = writeln!(text, "{}", style.bold("Survivors: the commands accept these"));
    let plan = &measured.plan;
    let mut heading = None;
    for &place in places.iter().take(LISTED) {
        let mutant = &plan.mutants[place];
        let source = plan.file(mutant).source(&measured.trees.base)?;
        let row = Row::of(plan, mutant, &source);
        let (before, after) = lines(mutant, &source);
        let function = row.function.unwrap_or("(module)").to_owned();
        if heading.as_ref() != Some(&(mutant.edit.file, function.clone())) {
            let label = if measured.run.not_reached.iter().any(|file| file == row.path) {
                "  (no command loads this file)"
            } else {
                ""
            };
            let _ = writeln!(
                text,
                "  {}{}",
                style.bold(format_args!("{} {}", escaped(row.path), escaped(&function))),
                label
            );
            heading = Some((mutant.edit.file, function));
        }
        let _ = writeln!(text, "    {} line {}: {}", style.faint(row.id), row.line, row.operator);
        let _ = match in_words(plan, mutant) {
            Some(words) => writeln!(text, "      {words}"),
            None => writeln!(
                text,
                "      {} {}\n      {} {}",
                style.red("-"),
                style.red(short(&before)),
                style.green("+"),
                style.green(short(&after)),
            ),
        };
    }
    if places.len() > LISTED {
        let _ = writeln!(text, "  ... and {} more, in outcomes.jsonl", places.len() - LISTED);
    }
    text.push('\n');
    Ok(())
}

fn undecided(text: &mut String, measured: &Measured, style: Style) -> Result<(), TreeError> {
    let mut headed = false;
    for (&place, outcome) in &measured.outcomes {
        let Outcome::Undecided { why, command } = outcome else { continue };
        if !headed {
            let _ = writeln!(text, "{}", style.bold("Undecided: never counted as killed"));
            headed = true;
        }
        let plan = &measured.plan;
        let mutant = &plan.mutants[place];
        let source = plan.file(mutant).source(&measured.trees.base)?;
        let id = escaped(&measured.run.commands[*command].id);
        let shown = line(plan, mutant, &source, style);
        let _ = writeln!(text, "  {shown}\n    `{id}`: {}", why.words());
    }
    if headed {
        text.push('\n');
    }
    Ok(())
}

fn by_operator(text: &mut String, measured: &Measured, style: Style) {
    let name = |mutant: &Mutant| mutant.operator.name.to_owned();
    table(text, "Killed, by operator", &count(measured, name), style);
}

fn by_file(text: &mut String, measured: &Measured, style: Style) {
    let name = |mutant: &Mutant| escaped(&measured.plan.file(mutant).name);
    table(text, "Killed, by file", &count(measured, name), style);
}

/// Killed and counted mutants, by a name of theirs.
fn count(measured: &Measured, name: impl Fn(&Mutant) -> String) -> BTreeMap<String, (u64, u64)> {
    let mut counts = BTreeMap::<String, (u64, u64)>::new();
    let adequacy = &measured.adequacy;
    for (&place, &killed) in adequacy.places.iter().zip(&adequacy.kill_vector) {
        let entry = counts.entry(name(&measured.plan.mutants[place])).or_default();
        entry.0 += u64::from(killed);
        entry.1 += 1;
    }
    counts
}

fn table(text: &mut String, title: &str, counts: &BTreeMap<String, (u64, u64)>, style: Style) {
    let width = counts.keys().map(|name| name.chars().count()).max().unwrap_or(0);
    let _ = writeln!(text, "{}", style.bold(title));
    for (name, (killed, all)) in counts {
        let number = format!("{killed:>5} of {all}");
        let number = if *killed == 0 { style.red(number) } else { style.green(number) };
        let _ = writeln!(text, "  {name:<width$} {number}");
    }
    text.push('\n');
}

/// What the numbers rest on.
fn trust(text: &mut String, run: &RunFile) {
    let totals = run.totals.as_ref().expect("a finished run has totals");
    let reasons = totals.killed_by_reason.iter();
    let reasons = reasons.map(|(reason, count)| format!("{count} {reason}")).collect::<Vec<_>>();
    let killers = totals.first_killers.iter();
    let killers = killers.map(|(id, count)| format!("{} {count}", escaped(id))).collect::<Vec<_>>();
    let Sentinels { runs, failures } = run.unmutated();
    let by_exit = totals.killed_by_reason.get("exit").copied().unwrap_or(0);
    let _ = writeln!(
        text,
        "Score: {} killed; {} by an ordinary failing exit alone",
        share(totals.killed, totals.mutants),
        share(by_exit, totals.mutants)
    );
    if let Some((killed, all)) = run.sites {
        let _ = writeln!(text, "Places in the sources with a kill: {killed} of {all}");
    }
    if let Some(Interval { population, sampled, share, margin }) = run.sample {
        let (share, margin) = (100.0 * share, 100.0 * margin);
        let _ = writeln!(
            text,
            "Sampled: {sampled} of {population} mutants; of all of them {share:.1} % +- {margin:.1} % \
             killed (95 %). That is about the choice of these mutants, not about real faults missed"
        );
    }
    let _ = writeln!(text, "Kills by reason: {}", or_none(&reasons));
    let _ = writeln!(text, "First killers: {}", or_none(&killers));
    let _ = writeln!(
        text,
        "Unmutated runs: {runs}, failed: {failures} (95 % bound on the rate of such failures: {})",
        flake_bound(runs, failures)
    );
    if totals.equivalent + totals.duplicate + totals.not_sampled > 0 {
        let _ = writeln!(
            text,
            "Not counted: {} with the original's code, {} with another mutant's, {} not sampled",
            totals.equivalent, totals.duplicate, totals.not_sampled
        );
    }
    if !run.not_reached.is_empty() {
        let _ = writeln!(
            text,
            "Not loaded by any command: {}",
            run.not_reached.iter().map(|file| escaped(file)).collect::<Vec<_>>().join(", ")
        );
    }
    text.push('\n');
}

fn share(part: u64, all: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "counts far below 2^52")]
    let percent = part as f64 * 100.0 / all.max(1) as f64;
    format!("{percent:.1} %")
}

fn or_none(parts: &[String]) -> String {
    if parts.is_empty() { "none".to_owned() } else { parts.join(", ") }
}

/// Upper 95 % bound on the rate of failing unmutated runs, in per cent. Without a failure it is
/// exact: `1 - 0.05^(1/n)`; with failures it is Wilson's, one-sided.
fn flake_bound(runs: u64, failures: u64) -> String {
    if runs == 0 {
        return "100 %".to_owned();
    }
    #[expect(clippy::cast_precision_loss, reason = "a count of runs")]
    let (n, k) = (runs as f64, failures as f64);
    let bound = if failures == 0 {
        1.0 - 0.05_f64.powf(1.0 / n)
    } else {
        let z = 1.644_854;
        let p = k / n;
        let spread = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
        ((p + z * z / (2.0 * n) + spread) / (1.0 + z * z / n)).min(1.0)
    };
    format!("{:.1} %", bound * 100.0)
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
        assert_eq!(short("a\x1b[2J\u{202e}b\r\n\tc"), "a\\u{1b}[2J\\u{202e}b c");
        assert_eq!(short(&"x".repeat(100)).chars().count(), SHOWN + 3);
        assert_eq!(short(" \n"), "(nothing)");
    }

    #[test]
    fn the_flake_bound_is_the_rule_of_three_and_never_below_the_rate() {
        assert_eq!(flake_bound(59, 0), "5.0 %");
        assert_eq!(flake_bound(3, 0), "63.2 %");
        assert_eq!(flake_bound(0, 0), "100 %");
        assert_eq!(flake_bound(10, 10), "100.0 %");
    }
}
