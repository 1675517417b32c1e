//! `adequacy merge`: shards of a run, or other runs of one task, put together.

use std::path::PathBuf;

use clap::Args as Arguments;

use super::fault::Fault;
use super::receipt::{self, NO_RECEIPT};
use super::{Exit, Streams, measure};
use crate::measure::merge;
use crate::report::terminal::escaped;

/// Put the shards of a run together; `seal --run` seals what comes of it
#[derive(Debug, Arguments)]
pub(crate) struct Args {
    /// The run directories of the shards, in any order; together they must have decided every mutant
    #[arg(required = true, value_name = "DIR")]
    runs: Vec<PathBuf>,
    /// The run directory that is made of them
    #[arg(short, long, value_name = "DIR", default_value = "adequacy.out")]
    output: PathBuf,
    /// Only the line of totals, and what is wrong
    #[arg(short, long)]
    quiet: bool,
    /// Print run.json on stdout, and the line of totals on stderr
    #[arg(long)]
    json: bool,
    /// Merge runs that have no valid receipt, and say so
    #[arg(long, value_name = "DEFECT", value_parser = [NO_RECEIPT])]
    allow: Vec<String>,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> Result<Exit, Fault> {
    for run in &args.runs {
        if let Some(remark) = receipt::demanded(run, &args.allow)? {
            let label = streams.err_style.red("warning:");
            writeln!(streams.err, "{label} {}", escaped(&remark))?;
        }
    }
    let merged = merge(&args.runs, &args.output)?;
    if merged.lost_logs > 0 {
        let words =
            "logs that the runs name are not in their directories, so not in the merged one";
        writeln!(streams.err, "warning: {} {words}", merged.lost_logs)?;
    }
    measure::show_run(&merged.run, &merged.output, (args.quiet, args.json), streams)?;
    Ok(measure::failing_gate(&merged.gates, &merged.run, streams)?.unwrap_or(Exit::Done))
}
