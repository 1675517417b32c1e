//! One mutant of a run: what it changes, what was decided, and on what evidence.

use std::fmt::Write as _;
use std::fs;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;

use similar::TextDiff;

use super::Style;
use super::entry::Entry;
use super::log::{ReportError, RunLog};
use super::reached::reached;
use super::terminal::escaped;
use crate::base::RelPath;
use crate::measure::OutputDir;
use crate::plan::{Class, readable};
use crate::run::{Attempt, Run, Step};

/// Lines of an output that are shown, and bytes that are read for them.
const LINES: usize = 20;
const BYTES: u64 = 16 * 1024;

/// Tests that are named.
const TESTS: usize = 5;

/// What a run directory keeps of one mutant's runs.
#[derive(Debug, Default)]
pub struct Evidence {
    /// Each run with the end of its output, where that is still there.
    runs: Vec<(Run, Option<String>)>,
}

impl Evidence {
    /// Reads what the run directory at `path` keeps of `entry`.
    ///
    /// # Errors
    /// [`ReportError`] when its verdicts cannot be read.
    pub fn read(path: &Path, log: &RunLog, entry: &Entry) -> Result<Self, ReportError> {
        let folder = OutputDir::existing(path)?;
        let (lines, _) = folder.read_outcomes(&log.run)?;
        // The later of two stands.
        let line = lines.into_iter().rev().find(|line| *line.id == *entry.row.id);
        let runs = line.map(|line| line.runs).unwrap_or_default().into_iter();
        let logs = folder.logs();
        let with_tail = |run: Run| {
            let output = tail(&logs, &run.log);
            (run, output)
        };
        Ok(Self { runs: runs.map(with_tail).collect() })
    }
}

/// The last lines of a log. A run directory may come from anybody: no name leads out of it.
fn tail(logs: &Path, name: &str) -> Option<String> {
    let path = RelPath::new(name.as_bytes()).ok()?.below(logs);
    // Logs of a merged run are in directories of their own; no link is followed.
    if path.canonicalize().ok()? != logs.canonicalize().ok()?.join(name) || !path.is_file() {
        return None;
    }
    let mut file = fs::File::open(path).ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(BYTES))).ok()?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).ok()?;
    let text = readable(&bytes);
    let lines = text.lines().collect::<Vec<_>>();
    Some(lines[lines.len().saturating_sub(LINES)..].join("\n"))
}

/// The mutant for a person; `replay` is the command that runs it again.
#[must_use]
pub fn show(
    log: &RunLog,
    entry: &Entry,
    evidence: &Evidence,
    replay: &str,
    style: Style,
) -> String {
    let row = &entry.row;
    let mut text = format!(
        "{} {}:{}:{} {}\n",
        style.bold(&row.id),
        escaped(&row.path),
        row.shown_line(),
        row.column + 1,
        escaped(&row.operator),
    );
    let mut line = |name: &str, value: &str| {
        let _ = writeln!(text, "{name:<10}{}", escaped(value));
    };
    line("function", row.place_name());
    line("class", &format!("{}: {}", row.class.name(), meaning(row.class)));
    if let Some(found) = adequacy_mutators::operator(&row.operator) {
        line("operator", found.summary);
        line("shows", found.shows);
    }
    let standing = entry.standing();
    line("verdict", &format!("{}, {}", standing.word().replace('_', " "), standing.why(&log.run)));
    if let (Some(basis), Some(executor)) = (&entry.basis, &entry.executor) {
        line("basis", &format!("{basis}, by the executor {}", executor.word()));
    }
    for (command, test) in &entry.failed {
        line("failed", &format!("{test} of `{}`", log.run.commands[*command].id));
    }
    for reached in reached(log, entry) {
        line("tests", &reached.words(TESTS));
    }
    if let Some(receipt) = entry.reused {
        line(
            "reused",
            &format!("the verdict and runs of an earlier run, with the receipt {receipt}"),
        );
    }
    if let Some(judged) = log.judgement(entry) {
        let date = judged.date.map(|date| format!(", {date}")).unwrap_or_default();
        let word = judged.classification.word();
        line("triaged", &format!("{word}: {} ({}{date})", judged.reason, judged.by));
    }
    let _ = writeln!(text, "\n{}", painted(&diff(log, entry), style));
    for (run, output) in &evidence.runs {
        one(&mut text, log, run, output.as_deref(), style);
    }
    if entry.row.not_counted.is_none() {
        let _ = writeln!(text, "Run it again: {}", escaped(replay));
    }
    text
}

fn one(text: &mut String, log: &RunLog, run: &Run, output: Option<&str>, style: Style) {
    let (id, argv) = match run.step {
        Step::Command(place) => {
            let command = &log.run.commands[place];
            (command.id.as_str(), command.argv.join(" "))
        }
        Step::Tests(place) => {
            let command = &log.run.commands[place];
            (command.id.as_str(), "whether its tests build".to_owned())
        }
        Step::Build => ("build", String::new()),
        Step::Product(_) => ("product", String::new()),
        Step::Setup => ("setup", String::new()),
    };
    let again = if run.attempt == Attempt::First { "" } else { ", run again" };
    let name = escaped(id);
    let _ = writeln!(text, "{} {}", style.bold(format_args!("{name}:")), escaped(&argv));
    let seconds = run.wall.as_secs_f64();
    let _ =
        writeln!(text, "  {} after {seconds:.2} s{again}; logs/{}", run.exit, escaped(&run.log));
    match output {
        Some(output) => {
            for line in output.lines() {
                let _ = writeln!(text, "  | {}", escaped(line));
            }
        }
        None => text.push_str("  its output is not there any more\n"),
    }
    text.push('\n');
}

/// The mutant as a unified diff, of the files that the run directory holds.
fn diff(log: &RunLog, entry: &Entry) -> String {
    let row = &entry.row;
    let own = (&*row.path, row.span, row.after());
    let more = row.more.iter().map(|edit| (edit.path.as_str(), edit.span, edit.after.clone()));
    let mut text = String::new();
    for (path, [start, end], after) in std::iter::once(own).chain(more) {
        let Some(source) = log.sources.get(path) else {
            let _ = writeln!(text, "the run directory does not hold the source of {path}");
            continue;
        };
        let (start, end) = (start as usize, end as usize);
        let (Some(head), Some(tail)) = (source.bytes.get(..start), source.bytes.get(end..)) else {
            let _ = writeln!(text, "the source of {path} is shorter than the plan says");
            continue;
        };
        let (before, head, tail) = (source.text(), readable(head), readable(tail));
        let after = format!("{head}{after}{tail}");
        let diff = TextDiff::from_lines(before.as_str(), after.as_str());
        let mut diff = diff.unified_diff();
        diff.context_radius(3).header(&format!("a/{path}"), &format!("b/{path}"));
        let _ = write!(text, "{diff}");
    }
    text
}

/// A diff as a terminal shows it.
fn painted(diff: &str, style: Style) -> String {
    let mut text = String::new();
    for line in diff.lines() {
        let shown = escaped(line);
        let _ = match line.as_bytes().first() {
            Some(b'+') => writeln!(text, "{}", style.green(shown)),
            Some(b'-') => writeln!(text, "{}", style.red(shown)),
            _ => writeln!(text, "{shown}"),
        };
    }
    text
}

/// What mutants of a class are, for people.
pub(super) const fn meaning(class: Class) -> &'static str {
    match class {
        Class::NullPatch => "the whole change undone, as if nothing had been done",
        Class::HunkRevert => "one hunk of the change undone",
        Class::Change => "one small fault at a line that the change writes",
        Class::Cheat => "a function that the change touches answers without doing its work",
        Class::Function => "one small fault elsewhere in a function that the change touches",
        Class::Rest => "one small fault elsewhere in a file that the change touches",
        Class::StubPatch => "the change undone with its new names left in place",
        Class::FileRevert => "one of several changed files undone",
        Class::CheatExtra => {
            "a function that the change touches gives one value whatever it is asked"
        }
        Class::Extra => "one small fault of a further kind at a changed line",
        Class::Full => "one small fault in one of the mutated files",
        Class::Degenerate => "a function does nothing",
    }
}
