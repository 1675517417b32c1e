//! `adequacy merge`: shards of a run, or other runs of one task, put together.

use std::path::PathBuf;

use clap::Args as Arguments;

use super::fault::Fault;
use super::{Exit, Streams, measure};
use crate::measure::merge;

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
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> Result<Exit, Fault> {
    let merged = merge(&args.runs, &args.output)?;
    if merged.lost_logs > 0 {
        let words =
            "logs that the runs name are not in their directories, so not in the merged one";
        writeln!(streams.err, "warning: {} {words}", merged.lost_logs)?;
    }
    measure::show_run(&merged.run, &merged.output, (args.quiet, args.json), streams)?;
    Ok(measure::failing_gate(&merged.gates, &merged.run, streams)?.unwrap_or(Exit::Done))
}
