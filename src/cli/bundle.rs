//! `adequacy bundle`: a sealed run as one directory or archive, and whether one holds.

use std::path::{Path, PathBuf};

use super::fault::Fault;
use super::progress::Progress;
use super::{Exit, Streams, setup};
use crate::bundle::{self, BundleError, Part, Sealed};
use crate::report::terminal::escaped;
use crate::task::{self, Overrides, Solution, Task};

/// Put a sealed run into one directory or archive: what the agent gets, and what its verifier needs
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    verify: Option<Verify>,
    #[command(flatten)]
    make: Make,
}

#[derive(Debug, clap::Subcommand)]
enum Verify {
    /// Check that a bundle holds what it lists, and that this is what its contract names
    #[command(after_help = "Example:\n  adequacy bundle verify task.bundle")]
    Verify {
        /// The bundle, a directory or an archive
        bundle: PathBuf,
        /// Where an archive is unpacked [default: the system's temporary directory]
        #[arg(long, value_name = "DIR")]
        scratch: Option<PathBuf>,
    },
}

#[derive(Debug, clap::Args)]
struct Make {
    /// The task that was sealed: a task file, a directory that holds one, or a bare tree
    #[arg(default_value = ".")]
    path: PathBuf,
    /// Where the bundle goes: a new directory, or a new file that ends in .tar.zst
    #[arg(short, long, value_name = "BUNDLE", required = true)]
    output: Option<PathBuf>,
    /// The run directory of the sealed run
    #[arg(long, value_name = "DIR", default_value = "adequacy.out")]
    run: PathBuf,
    /// Where `seal --out` put the contract [default: sealed/ in the run directory]
    #[arg(long, value_name = "DIR")]
    sealed: Option<PathBuf>,
    /// Leave out what only the verifier may see: everything in sealed/
    #[arg(long)]
    agent: bool,
    /// Where a tree is put that a patch makes [default: the system's temporary directory]
    #[arg(long, value_name = "DIR")]
    scratch: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> Result<Exit, Fault> {
    match &args.verify {
        Some(Verify::Verify { bundle, scratch }) => verify(bundle, scratch.as_deref(), streams),
        None => make(&args.make, streams),
    }
}

fn make(args: &Make, streams: &mut Streams<'_>) -> Result<Exit, Fault> {
    let task = task::load(&args.path, &Overrides::default())?;
    let place = args.output.as_deref().expect("clap asks for it");
    outside(&task, place)?;
    let scratch = setup::scratch(args.scratch.as_deref(), &task.tree)?;
    let run = std::path::absolute(&args.run).map_err(|error| {
        Fault::new(Exit::Usage, format!("cannot use `{}`: {error}", args.run.display()))
    })?;
    let sealed = Sealed { run: &run, contract: args.sealed.as_deref(), scratch: &scratch };
    let progress = Progress::new(true);
    let contents = bundle::gather(&task, sealed, &progress);
    progress.finish();
    let (part, what) = match args.agent {
        true => (Part::Agent, "the agent's part of the bundle"),
        false => (Part::Whole, "the bundle"),
    };
    contents?.write(part, place)?;
    let shown = escaped(&place.display().to_string());
    writeln!(streams.err, "wrote {what} to `{shown}`")?;
    if !args.agent {
        let words = "only its verifier may see `sealed/` of it; `--agent` leaves that out";
        writeln!(streams.err, "note: {words}")?;
    }
    Ok(Exit::Done)
}

/// A bundle that stands in a tree would be a part of it the next time.
fn outside(task: &Task, place: &Path) -> Result<(), Fault> {
    let above = place.parent().filter(|above| !above.as_os_str().is_empty());
    let above = above.unwrap_or(Path::new(".")).canonicalize().map_err(|error| {
        Fault::new(Exit::Output, format!("cannot write `{}`: {error}", place.display()))
    })?;
    let start = match &task.solution {
        Solution::From(start) => Some(start),
        Solution::Tree | Solution::Patch(_) | Solution::None => None,
    };
    let trees = [Some(&task.tree), start, task.heldout.as_ref()];
    match trees.into_iter().flatten().find(|tree| above.starts_with(tree)) {
        None => Ok(()),
        Some(tree) => {
            let message = format!(
                "`{}` would stand inside `{}`, which it is made of; name a place outside of it",
                place.display(),
                tree.display()
            );
            Err(Fault::new(Exit::Usage, message))
        }
    }
}

fn verify(path: &Path, scratch: Option<&Path>, streams: &mut Streams<'_>) -> Result<Exit, Fault> {
    let scratch = scratch.map_or_else(std::env::temp_dir, Path::to_owned);
    let bundle = match bundle::open(path, &scratch) {
        Ok(bundle) => bundle,
        Err(error) => {
            let Some(code) = error.code() else { return Err(error.into()) };
            writeln!(streams.out, "{code}")?;
            return Err(Fault::new(Exit::No, error.to_string()));
        }
    };
    match &bundle.compile {
        Some(compile) => {
            writeln!(streams.out, "valid")?;
            writeln!(
                streams.err,
                "contract {}: {} files, {} mutants with their outcomes",
                bundle.contract_sha256,
                compile.files.len(),
                compile.mutants.len()
            )?;
            Ok(Exit::Done)
        }
        None => {
            writeln!(streams.out, "not established")?;
            let words = "the contract and its Statement hold, and the verifier's part is not here: \
                         nothing says what else belongs to the bundle";
            writeln!(streams.err, "{words}")?;
            Ok(Exit::NotEstablished)
        }
    }
}

impl From<BundleError> for Fault {
    fn from(error: BundleError) -> Self {
        let exit = match error {
            BundleError::Tree(error) => return error.into(),
            BundleError::Measure(error) => return error.into(),
            BundleError::Output(error) => return error.into(),
            BundleError::Ledger(error) => return error.into(),
            BundleError::Protected(error) => return error.into(),
            BundleError::Io { action: "read" | "find" | "look at", .. } => Exit::Usage,
            BundleError::Io { .. } | BundleError::Place { .. } => Exit::Output,
            BundleError::Run(_)
            | BundleError::Changed(_)
            | BundleError::Contract { .. }
            | BundleError::Unreadable { .. }
            | BundleError::Files(_)
            | BundleError::Differs(_) => Exit::Refused,
        };
        Self::new(exit, error.to_string())
    }
}
