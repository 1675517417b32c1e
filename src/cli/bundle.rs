//! `adequacy bundle`: a sealed run as one directory or archive, and whether one holds.

use std::path::{Path, PathBuf};

use super::fault::Fault;
use super::progress::Progress;
use super::receipt::{self, NO_RECEIPT};
use super::{Exit, Streams, evidence, setup};
use crate::bundle::{
    self, BundleError, Contents, Licences, ListedPath, Origin, Part, Published, Sealed,
};
use crate::evidence::static_scan::{self, StaticScan};
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
        /// A checkout of the commit that a bundle by reference names: is it that start tree?
        #[arg(long, value_name = "DIR")]
        checkout: Option<PathBuf>,
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
    /// Bundle a run that has no valid receipt, and say so
    #[arg(long, value_name = "DEFECT", value_parser = [NO_RECEIPT])]
    allow: Vec<String>,
    /// What looks like a credential and is none: `[[hit]]` tables by path in the bundle (docs/evidence.md)
    #[arg(long, value_name = "FILE")]
    classified: Option<PathBuf>,
    /// Leave out what only the verifier may see: everything in sealed/
    #[arg(long)]
    agent: bool,
    /// Leave out the start tree too, and say that it is this repository's (with --commit), file by file
    #[arg(long, value_name = "REPOSITORY", value_parser = repository, requires = "commit")]
    by_reference: Option<String>,
    /// The commit that the start tree is, in full
    #[arg(long, value_name = "HASH", value_parser = commit, requires = "by_reference")]
    commit: Option<String>,
    /// Put this UUID into every file that can hold it, for those who clean training data
    #[arg(long, value_name = "UUID", value_parser = uuid)]
    canary: Option<String>,
    /// Where a tree is put that a patch makes [default: the system's temporary directory]
    #[arg(long, value_name = "DIR")]
    scratch: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> Result<Exit, Fault> {
    match &args.verify {
        Some(Verify::Verify { bundle, scratch, checkout }) => {
            verify(bundle, scratch.as_deref(), checkout.as_ref(), streams)
        }
        None => make(&args.make, streams),
    }
}

fn make(args: &Make, streams: &mut Streams<'_>) -> Result<Exit, Fault> {
    if let Some(remark) = receipt::demanded(&args.run, &args.allow)? {
        let label = streams.err_style.red("warning:");
        writeln!(streams.err, "{label} {}", escaped(&remark))?;
    }
    let known = evidence::classifications(args.classified.as_deref())?;
    let task = task::load(&args.path, &Overrides::default())?;
    let place = args.output.as_deref().expect("clap asks for it");
    outside(&task, place)?;
    let scratch = setup::scratch(args.scratch.as_deref(), &task.tree)?;
    let run = std::path::absolute(&args.run).map_err(|error| {
        Fault::new(Exit::Usage, format!("cannot use `{}`: {error}", args.run.display()))
    })?;
    let sealed = Sealed { run: &run, contract: args.sealed.as_deref(), scratch: &scratch };
    let progress = Progress::new(true);
    let origin = args.by_reference.clone().zip(args.commit.clone());
    let published = Published {
        reference: origin.map(|(repository, commit)| Origin { repository, commit }),
        canary: args.canary.clone(),
    };
    let contents = bundle::gather_as(&task, sealed, &published, &progress);
    progress.finish();
    let contents = contents?;
    let (part, what) = match args.agent {
        true => (Part::Agent, "the agent's part of the bundle"),
        false => (Part::Whole, "the bundle"),
    };
    publishable(&contents.scan(part, &known)?, streams)?;
    contents.write(part, place)?;
    tell(&contents, part, streams)?;
    let shown = escaped(&place.display().to_string());
    writeln!(streams.err, "wrote {what} to `{shown}`")?;
    if !args.agent {
        let words = "only its verifier may see `sealed/` of it; `--agent` leaves that out";
        writeln!(streams.err, "note: {words}")?;
    }
    Ok(Exit::Done)
}

/// Refuses what holds a credential, or what only a person can tell from one; prints what is to be classified.
fn publishable(scan: &StaticScan, streams: &mut Streams<'_>) -> Result<(), Fault> {
    let faults = scan.faults();
    let Some(first) = faults.first() else { return Ok(()) };
    if scan.open.is_empty() {
        let message = format!("no bundle: {first}");
        return Err(Fault::new(Exit::Refused, message));
    }
    let open = scan.open.len();
    write!(streams.out, "{}", escaped(&static_scan::to_classify(&scan.open)))?;
    let message = format!(
        "{open} places in the bundle look like credentials and nobody has classified them; complete \
         `classification` of what was printed, and name the file with `--classified`"
    );
    Err(Fault::new(Exit::Refused, message))
}

/// Says which licence files there are, and what does not hold the canary.
fn tell(contents: &Contents, part: Part, streams: &mut Streams<'_>) -> Result<(), Fault> {
    let names = |paths: &Licences| {
        let names = paths.0.iter().map(|ListedPath(path)| format!("`{}`", path.display()));
        escaped(&names.collect::<Vec<_>>().join(", "))
    };
    match contents.licences.0.is_empty() {
        false => writeln!(streams.err, "licence files: {}", names(&contents.licences))?,
        true => writeln!(
            streams.err,
            "warning: no licence file in the tree: whoever gets it cannot know what is allowed"
        )?,
    }
    if !contents.licences_left_out.0.is_empty() {
        let names = names(&contents.licences_left_out);
        writeln!(streams.err, "warning: licence files left out of the tree: {names}")?;
    }
    if let Some(canary) = &contents.canary {
        let sealed = |path: &Path| part == Part::Agent && path.starts_with(bundle::SEALED);
        let carried = canary.carried_by.iter().filter(|ListedPath(path)| !sealed(path)).count();
        // The list of them holds it too, and does not name itself.
        let carried = carried + usize::from(part == Part::Whole);
        let all = contents.files(part);
        let without = all - carried;
        writeln!(
            streams.err,
            "canary: in {carried} of {all} files; {without} cannot take it, their bytes are sealed: what \
             shall hold it there must hold it before `seal`"
        )?;
    }
    Ok(())
}

/// An address without a password in it.
fn repository(text: &str) -> Result<String, String> {
    let secret = text.split_once("://").and_then(|(_, rest)| rest.split('/').next());
    let secret = secret.and_then(|host| host.split_once('@'));
    if secret.is_some_and(|(user, _)| user.contains(':')) {
        return Err("holds a password, which would be published".to_owned());
    }
    if text.is_empty() || text.chars().any(|c| c.is_control() || c.is_whitespace()) {
        return Err("must be the address of a repository".to_owned());
    }
    Ok(text.to_owned())
}

fn commit(text: &str) -> Result<String, String> {
    let hex = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    if hex && matches!(text.len(), 40 | 64) {
        return Ok(text.to_owned());
    }
    Err("must be 40 or 64 lower-case hex digits: a branch or a short name can become another"
        .into())
}

fn uuid(text: &str) -> Result<String, String> {
    let groups = text.split('-').map(str::len).collect::<Vec<_>>();
    let hex = text.chars().all(|c| c == '-' || c.is_ascii_hexdigit());
    if hex && groups == [8, 4, 4, 4, 12] {
        return Ok(text.to_owned());
    }
    Err("must be a UUID such as 123e4567-e89b-12d3-a456-426614174000".to_owned())
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

fn verify(
    path: &Path,
    scratch: Option<&Path>,
    checkout: Option<&PathBuf>,
    streams: &mut Streams<'_>,
) -> Result<Exit, Fault> {
    let scratch = scratch.map_or_else(std::env::temp_dir, Path::to_owned);
    let checkout = checkout.map(setup::directory).transpose()?;
    let opened = bundle::open(path, &scratch).and_then(|mut bundle| {
        checkout.iter().try_for_each(|checkout| bundle.fill(checkout, &scratch))?;
        Ok(bundle)
    });
    let bundle = match opened {
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
            if let Some(record) = bundle.by_reference.as_ref().filter(|_| checkout.is_none()) {
                let (repository, commit) = (&record.origin.repository, &record.origin.commit);
                let from = escaped(&format!("{repository} at {commit}"));
                let words = "was not looked at; `--checkout` takes one";
                writeln!(streams.err, "note: the start tree, {from}, {words}")?;
            }
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
            | BundleError::TooLarge { .. }
            | BundleError::Canary(_)
            | BundleError::Files(_)
            | BundleError::Differs(_) => Exit::Refused,
        };
        Self::new(exit, error.to_string())
    }
}
