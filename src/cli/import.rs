//! `adequacy import`: a task directory of what a benchmark publishes.

use std::path::PathBuf;

use super::fault::Fault;
use super::progress::Progress;
use super::{Exit, Streams};
use crate::import::{ImportError, Imported, Lcb, Swe, lcb, swe};
use crate::report::terminal::escaped;

/// Make a task directory of a record that a benchmark publishes; runs nothing
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    kind: Kind,
}

#[derive(Debug, clap::Subcommand)]
enum Kind {
    /// A repository, a patch that is right, a patch with tests, and tests by id, as SWE-bench has them
    #[command(after_help = "Example:\n  adequacy import swe record.json --repo checkout -o task")]
    Swe {
        #[command(flatten)]
        common: Common,
        /// The repository, checked out at the record's base commit
        #[arg(long, value_name = "PATH")]
        repo: PathBuf,
        /// The program that is given the ids, its words parted by spaces [default: by the form of the ids
        /// `python3 -m pytest -q -rA` or `python3 -m unittest`]
        #[arg(long, value_name = "WORDS", value_parser = words)]
        runner: Option<Words>,
    },
    /// A problem with visible and private cases, as LiveCodeBench has them
    #[command(
        after_help = "Example:\n  adequacy import lcb record.json --solution right.py -o task"
    )]
    Lcb {
        #[command(flatten)]
        common: Common,
        /// A right solution [default: the record's `reference_solution` or `code`]
        #[arg(long, value_name = "FILE")]
        solution: Option<PathBuf>,
    },
}

#[derive(Debug, clap::Args)]
struct Common {
    /// A file with the record: a JSON object, a list of them, or one a line
    record: PathBuf,
    /// Where the task is made: a directory that is new or empty
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// The id of the record, where the file holds several
    #[arg(long, value_name = "ID")]
    instance: Option<String>,
}

/// The words of a program.
#[derive(Debug, Clone)]
struct Words(Vec<String>);

fn words(text: &str) -> Result<Words, String> {
    let words = text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let argv = crate::base::Argv::new(words).map_err(|error| error.to_string())?;
    Ok(Words(argv.into()))
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> Result<Exit, Fault> {
    let (output, imported) = match &args.kind {
        Kind::Swe { common, repo, runner } => {
            let Common { record, output, instance } = common;
            let runner = runner.as_ref().map(|words| words.0.as_slice());
            let instance = instance.as_deref();
            let source = Swe { record, instance, repository: repo, runner };
            let progress = Progress::new(false);
            let imported = swe(&source, output, &progress);
            progress.finish();
            (output, imported?)
        }
        Kind::Lcb { common, solution } => {
            let Common { record, output, instance } = common;
            let source =
                Lcb { record, instance: instance.as_deref(), solution: solution.as_deref() };
            (output, lcb(&source, output)?)
        }
    };
    let Imported { made, notes } = imported;
    writeln!(streams.err, "wrote `{}`", escaped(&output.display().to_string()))?;
    for line in made {
        writeln!(streams.err, "  {}", escaped(&line))?;
    }
    for note in notes {
        writeln!(streams.err, "note: {}", escaped(&note))?;
    }
    Ok(Exit::Done)
}

impl From<ImportError> for Fault {
    fn from(error: ImportError) -> Self {
        let exit = match error {
            ImportError::Tree(error) => return error.into(),
            ImportError::Read { .. } | ImportError::Choice { .. } => Exit::Usage,
            ImportError::Record { .. } | ImportError::Patch { .. } | ImportError::Refused(_) => {
                Exit::Refused
            }
            ImportError::Output { .. } => Exit::Output,
        };
        Self::new(exit, error.to_string())
    }
}
