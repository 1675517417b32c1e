//! `adequacy summary`: many runs as one table or card, and what two such tables differ in.

use std::fs;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use rayon::prelude::*;

use super::fault::Fault;
use super::many::{Run, rows_of, runs};
use super::{Exit, Streams};
use crate::base::Sha256;
use crate::bundle::CONTRACT;
use crate::measure::OutputDir;
use crate::report::RunLog;
use crate::report::dataset::{Difference, TaskRow, card, csv, diff, jsonl};
use crate::report::terminal::escaped;

/// Show the runs of many tasks as one table or card, made of their run directories
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    diff: Option<Diff>,
    /// The folder of the tasks, or of their run directories
    #[arg(default_value = ".")]
    path: PathBuf,
    /// What is printed
    #[arg(long, value_enum, default_value = "jsonl")]
    format: Format,
    /// Write summary.jsonl, summary.csv and dataset-card.md into this directory instead
    #[arg(short, long, value_name = "DIR", conflicts_with = "format")]
    output: Option<PathBuf>,
}

#[derive(Debug, clap::Subcommand)]
enum Diff {
    /// What two summaries differ in, a line a task; exit 1 when they do
    #[command(after_help = "Example:\n  adequacy summary diff old/summary.jsonl runs")]
    Diff {
        /// A summary.jsonl, or a folder of runs
        old: PathBuf,
        /// Another
        new: PathBuf,
    },
}

/// A form of a summary.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    /// One JSON object a task
    Jsonl,
    /// One line a task
    Csv,
    /// Markdown: counts of tasks, medians and quantiles of classes
    Card,
}

impl Format {
    const ALL: [(Self, &str); 3] = [
        (Self::Jsonl, "summary.jsonl"),
        (Self::Csv, "summary.csv"),
        (Self::Card, "dataset-card.md"),
    ];

    fn text(self, rows: &[TaskRow]) -> String {
        match self {
            Self::Jsonl => jsonl(rows),
            Self::Csv => csv(rows),
            Self::Card => card(rows),
        }
    }
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> Result<Exit, Fault> {
    if let Some(Diff::Diff { old, new }) = &args.diff {
        return differences(old, new, streams);
    }
    let rows = rows(&args.path)?;
    match &args.output {
        None => streams.out.write_all(args.format.text(&rows).as_bytes())?,
        Some(folder) => {
            let fault = |path: &Path, error: std::io::Error| {
                Fault::new(Exit::Output, format!("cannot write `{}`: {error}", path.display()))
            };
            fs::create_dir_all(folder).map_err(|error| fault(folder, error))?;
            for (format, name) in Format::ALL {
                let path = folder.join(name);
                fs::write(&path, format.text(&rows)).map_err(|error| fault(&path, error))?;
            }
        }
    }
    Ok(Exit::Done)
}

/// The rows of the tasks below a folder, in the order of their names. Runs are read one a worker, and
/// of each only its row is kept.
fn rows(root: &Path) -> Result<Vec<TaskRow>, Fault> {
    let known = rows_of(root)?;
    let found = runs(root)?;
    let mut rows = found.par_iter().map(row).collect::<Vec<_>>();
    for row in &mut rows {
        let Some(known) = known.get(&row.id) else { continue };
        row.exit = known.exit;
        if known.is_done() {
            continue;
        }
        row.message = known.first_line().to_owned();
        // What a run directory holds is of an earlier call where this one did not come to its end.
        if !known.is_measured() {
            row.numbers = None;
        }
    }
    // Of a task that failed before it had a run directory there is its row alone.
    let ids = rows.iter().map(|row| row.id.clone()).collect::<std::collections::HashSet<_>>();
    let mut missing = known.into_values().filter(|known| !ids.contains(&known.task));
    rows.extend(missing.by_ref().map(|known| {
        let exit = known.exit;
        TaskRow { exit, ..TaskRow::without(&known.task, known.first_line().to_owned()) }
    }));
    rows.sort_by(|one, other| one.id.cmp(&other.id));
    Ok(rows)
}

fn row(run: &Run) -> TaskRow {
    let Some(folder) = &run.folder else {
        return TaskRow::without(&run.id, "it was not measured".to_owned());
    };
    let contract = OutputDir::existing(folder).ok().map(|it| it.sealed().join(CONTRACT));
    let contract = contract.and_then(|path| fs::read(path).ok()).map(|bytes| Sha256::of(&bytes));
    match RunLog::read(folder) {
        Ok(log) => TaskRow::of(&run.id, &log, contract),
        Err(error) => TaskRow::without(&run.id, error.to_string()),
    }
}

fn differences(old: &Path, new: &Path, streams: &mut Streams<'_>) -> Result<Exit, Fault> {
    let (old, new) = (summary(old)?, summary(new)?);
    let found = diff(&old, &new);
    let [mut added, mut gone] = [0, 0];
    for difference in &found {
        let line = match difference {
            Difference::Added(id) => {
                added += 1;
                format!("+ {id}")
            }
            Difference::Gone(id) => {
                gone += 1;
                format!("- {id}")
            }
            Difference::Changed(id, words) => format!("~ {id}: {}", words.join("; ")),
        };
        writeln!(streams.out, "{}", escaped(&line))?;
    }
    let changed = found.len() - added - gone;
    let same = old.len() - gone - changed;
    writeln!(streams.out, "{added} added, {gone} gone, {changed} differ, {same} the same")?;
    Ok(if found.is_empty() { Exit::Done } else { Exit::No })
}

/// The rows of a file that `summary` wrote, or of a folder.
fn summary(path: &Path) -> Result<Vec<TaskRow>, Fault> {
    if path.is_dir() {
        return rows(path);
    }
    let shown = path.display();
    let text = fs::read_to_string(path)
        .map_err(|error| Fault::new(Exit::Usage, format!("cannot read `{shown}`: {error}")))?;
    let row = |(number, line): (usize, &str)| {
        serde_json::from_str(line).map_err(|error| {
            let message =
                format!("`{shown}`, line {}: {error}; it is no summary.jsonl", number + 1);
            Fault::new(Exit::Refused, message)
        })
    };
    text.lines().enumerate().map(row).collect()
}
