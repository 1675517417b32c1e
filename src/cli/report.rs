//! `adequacy report`: an earlier run, in the format its reader needs.

use std::fs;
use std::path::PathBuf;

use clap::Args as Arguments;

use super::fault::Fault;
use super::receipt::{self, NO_RECEIPT};
use super::{Exit, Streams, triage};
use crate::report::terminal::escaped;
use crate::report::{Format, Request, RunLog, Style, render};

/// Show an earlier run again: as text, a page, or for other programs
#[derive(Debug, Arguments)]
pub(crate) struct Args {
    /// The run directory
    #[arg(default_value = "adequacy.out")]
    run: PathBuf,
    /// The format
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Write to this file instead of stdout
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// What people say of the survivors [default: survivors.toml, where it is there]
    #[arg(long, value_name = "FILE")]
    triage: Option<PathBuf>,
    /// In `prompt`, show the code although it is the solution of a task
    #[arg(long)]
    reveal: bool,
    /// Show a run that has no valid receipt, and say so
    #[arg(long, value_name = "DEFECT", value_parser = [NO_RECEIPT])]
    allow: Vec<String>,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> Result<Exit, Fault> {
    let remark = receipt::demanded(&args.run, &args.allow)?;
    let mut log = RunLog::read(&args.run)?;
    log.remarks.extend(remark);
    triage::judge(&mut log, args.triage.as_deref())?;
    let style = if args.output.is_some() { Style::PLAIN } else { streams.out_style };
    let request = Request { format: args.format, style, reveal: args.reveal, prefix: prefix(&log) };
    let text = render(&log, &request);
    match &args.output {
        None => streams.out.write_all(text.as_bytes())?,
        Some(path) => fs::write(path, text).map_err(|error| {
            Fault::new(Exit::Output, format!("cannot write `{}`: {error}", path.display()))
        })?,
    }
    for note in log.notes() {
        let label = streams.err_style.red("warning:");
        writeln!(streams.err, "{label} {}", escaped(&note))?;
    }
    Ok(if log.is_finished() { Exit::Done } else { Exit::NotEstablished })
}

/// Where the tree is below the current directory, which in CI is the root of the repository.
fn prefix(log: &RunLog) -> String {
    let here = std::env::current_dir().and_then(fs::canonicalize).ok();
    let below = here.as_deref().and_then(|here| log.run.task.tree.strip_prefix(here).ok());
    match below.and_then(|path| path.to_str()) {
        Some(path) if !path.is_empty() => format!("{path}/"),
        _ => String::new(),
    }
}
