//! `adequacy show`: one mutant of an earlier run, from its run directory; runs nothing.

use std::path::{Path, PathBuf};

use clap::Args as Arguments;

use super::fault::Fault;
use super::receipt::{self, NO_RECEIPT};
use super::{Exit, Streams, triage};
use crate::base::Argv;
use crate::report::terminal::escaped;
use crate::report::{self, Entry, Evidence, RunLog};

/// Show one mutant of an earlier run: its diff, what was decided, and on what evidence
#[derive(Debug, Arguments)]
pub(crate) struct Args {
    /// The mutant, as reports name it; the first digits are enough where they are unique
    id: String,
    /// The run directory
    #[arg(default_value = "adequacy.out")]
    run: PathBuf,
    /// What people say of the survivors [default: survivors.toml, where it is there]
    #[arg(long, value_name = "FILE")]
    triage: Option<PathBuf>,
    /// Take a run that has no valid receipt, and say so
    #[arg(long, value_name = "DEFECT", value_parser = [NO_RECEIPT])]
    allow: Vec<String>,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> Result<Exit, Fault> {
    if let Some(remark) = receipt::demanded(&args.run, &args.allow)? {
        writeln!(streams.err, "{} {}", streams.err_style.red("warning:"), escaped(&remark))?;
    }
    let mut log = RunLog::read(&args.run)?;
    triage::judge(&mut log, args.triage.as_deref())?;
    let entry = find(&log, &args.id)?;
    let evidence = Evidence::read(&args.run, &log, entry)?;
    let text = report::show(&log, entry, &evidence, &replay(entry, &args.run), streams.out_style);
    streams.out.write_all(text.as_bytes())?;
    Ok(Exit::Done)
}

/// The mutant whose id begins with `id`, if there is one and no other.
fn find<'a>(log: &'a RunLog, id: &str) -> Result<&'a Entry, Fault> {
    let mut found = log.entries.iter().filter(|entry| entry.row.id.starts_with(id));
    match (found.next(), found.next()) {
        (Some(entry), None) => Ok(entry),
        (None, _) => Err(Fault::new(Exit::Usage, format!("no mutant of this run is named `{id}`"))),
        (Some(_), Some(_)) => {
            let message = format!("several mutants begin with `{id}`; give more digits");
            Err(Fault::new(Exit::Usage, message))
        }
    }
}

/// The command that runs it again.
fn replay(entry: &Entry, run: &Path) -> String {
    let mut words = ["adequacy", "replay", &entry.row.id].map(str::to_owned).to_vec();
    if run != Path::new("adequacy.out") {
        words.extend(["-o".to_owned(), run.display().to_string()]);
    }
    Argv::new(words).expect("a path holds no NUL").to_string()
}
