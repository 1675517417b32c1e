//! `adequacy clean`: what runs left that were killed.

use std::path::PathBuf;

use clap::Args as Arguments;

use super::fault::Fault;
use super::{Exit, Streams};
use crate::report::terminal::escaped;
use crate::run::RunError;
use crate::run::workspace::Scratch;

/// Remove the scratch directories of runs that were killed, and print their paths; never those of a run
/// that lives
#[derive(Debug, Arguments)]
pub(crate) struct Args {
    /// Where the copies were made [default: the system's temporary directory]
    #[arg(long, value_name = "DIR")]
    scratch: Option<PathBuf>,
    /// Print the paths and remove nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> Result<Exit, Fault> {
    let base = args.scratch.clone().unwrap_or_else(std::env::temp_dir);
    let mut exit = Exit::Done;
    for leftover in Scratch::leftovers(&base).map_err(RunError::from)? {
        let shown = escaped(&leftover.path().display().to_string());
        match if args.dry_run { Ok(()) } else { leftover.remove() } {
            Ok(()) => writeln!(streams.out, "{shown}")?,
            Err(error) => {
                let label = streams.err_style.red("error:");
                writeln!(streams.err, "{label} {}", escaped(&error.to_string()))?;
                exit = Exit::Resources;
            }
        }
    }
    Ok(exit)
}
