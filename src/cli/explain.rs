//! `adequacy explain`: a contract in plain sentences.

use std::path::PathBuf;

use clap::Args as Arguments;

use super::fault::Fault;
use super::{Exit, Streams, sealed};
use crate::report;

/// Say in plain sentences what a contract protects, runs, measured, and does not establish
#[derive(Debug, Arguments)]
pub(crate) struct Args {
    /// The contract record, as it was sealed
    contract: PathBuf,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> Result<Exit, Fault> {
    let found = sealed::read(&args.contract)?;
    let text = report::explain(&found.record, &found.origin, streams.out_style);
    streams.out.write_all(text.trim_end().as_bytes())?;
    writeln!(streams.out)?;
    Ok(Exit::Done)
}
