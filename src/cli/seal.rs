//! `adequacy seal`: measure, then the contract and its Statement.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use super::args::SealArgs;
use super::fault::Fault;
use super::progress::Progress;
use super::{Exit, Streams, many, measure, setup};
use crate::base::Sha256;
use crate::envelope::{self, SecretKey};
use crate::measure::receipt::{self, Act};
use crate::measure::{Measured, Reopened, reopen};
use crate::report::terminal::escaped;
use crate::seal::{self, Measurement, Sealed};
use crate::statement;
use crate::task::{Role, Solution, Task};
use crate::tree;
use crate::verify;

pub(crate) fn run(args: &SealArgs, streams: &mut Streams<'_>) -> Result<Exit, Fault> {
    if args.measure.many.all {
        return many::seal(args, streams);
    }
    let measure_args = &args.measure;
    let mut overrides =
        setup::overrides(&measure_args.task, Some(&measure_args.run), &measure_args.argv);
    overrides.seal = true;
    if args.run.is_none() {
        overrides.contract_id.clone_from(&args.contract_id);
    }
    let task = setup::task(&measure_args.task, &overrides)?;
    if task.image.as_ref().is_some_and(|image| !image.contains("@sha256:")) {
        let message = "env.image: an image is sealed by digest, as `name@sha256:...`";
        return Err(Fault::new(Exit::Usage, message));
    }
    let key = args.key.as_deref().map(secret_key).transpose()?;
    if !matches!(task.solution, Solution::Patch(_)) {
        // What cannot be sealed is found before the run, not after it.
        seal::protected(&task.tree, &task.protected)?;
    }
    let measured = match &args.run {
        Some(run) => reopened(&task, run, args)?,
        None => measure::measured(&task, measure_args, "seal", &measure::Part::default(), streams)?,
    };
    measure::show(&measured, &measure_args.keep, streams)?;
    if let Some(exit) = refused(&measured, streams)? {
        return Ok(exit);
    }
    let folder = args.out.clone().unwrap_or_else(|| measured.output.sealed());
    let mut task = measured.run.task.clone();
    if let Some(id) = &args.contract_id {
        task.contract_id.clone_from(id);
    }
    let contract = record(&task, &measured, args)?;
    let digest = write(&contract, key.as_ref(), &folder)?;
    let durable = measure_args.keep.durable.clone();
    let act = Act { command: "seal", contract: Some(digest), durable };
    receipt::finish(&measured.output, &measured.run, &act)?;
    if measured.protected.is_empty() {
        let words = "no path is protected: nothing in this contract keeps the tests as they are";
        writeln!(streams.err, "warning: {words} (see `[[protected]]` in the task file)")?;
    }
    writeln!(
        streams.err,
        "sealed `{}` (sha256 {digest}) and contract.statement.json in `{}`",
        escaped(&task.contract_id),
        folder.display()
    )?;
    Ok(Exit::Done)
}

/// The finished run in this directory, with what the flags let through.
fn reopened(task: &Task, run: &Path, args: &SealArgs) -> Result<Measured, Fault> {
    let keep = &args.measure.keep;
    let output = std::path::absolute(run).map_err(|error| unwritten(run, &error))?;
    let scratch = setup::scratch(args.measure.run.scratch.as_deref(), &task.tree)?;
    let reopened = Reopened {
        task,
        output: &output,
        scratch: &scratch,
        max_undecided: keep.max_undecided,
        allow: &keep.allow.iter().cloned().collect(),
    };
    let progress = Progress::new(true);
    let measured = reopen(&reopened, &progress);
    progress.finish();
    Ok(measured?)
}

/// How the command ends where what was measured must not be sealed.
fn refused(measured: &Measured, streams: &mut Streams<'_>) -> Result<Option<Exit>, Fault> {
    if measured.adequacy.mutants == 0 {
        let message =
            "not sealed: no mutant was run, so the commands showed nothing; that is never sealed";
        return Err(Fault::new(Exit::NothingToDo, message));
    }
    if let Some(exit) = measure::failing_gate(&measured.gates, &measured.run, streams)? {
        writeln!(
            streams.err,
            "not sealed; `--allow GATE` seals with a gate that fails, and records it"
        )?;
        return Ok(Some(exit));
    }
    let zero = measured.adequacy.killed == 0;
    if zero && !measured.run.allowed.iter().any(|allowed| allowed == "zero-kill") {
        let message = "not sealed: the commands killed nothing, so they cannot support a verdict of \
                       done; `--allow zero-kill` seals it all the same";
        return Err(Fault::new(Exit::No, message));
    }
    Ok(None)
}

/// The record's bytes.
fn record(task: &Task, measured: &Measured, args: &SealArgs) -> Result<Vec<u8>, Fault> {
    let run = &measured.run;
    let has_heldout = task.commands.iter().any(|command| command.role == Role::Heldout);
    let heldout = task.heldout.as_deref().filter(|_| has_heldout).map(tree::heldout).transpose()?;
    let sampler = run.sampler.as_ref();
    let adequacy = &measured.adequacy;
    Ok(seal::build(&Sealed {
        task,
        root: measured.trees.base.root(),
        protected: &measured.protected,
        heldout_split_sha256: heldout,
        module_under_test: Some(measured.trees.changed_files())
            .filter(|files| !args.blind && !files.is_empty()),
        adequacy,
        mutant_set_sha256: adequacy.mutant_set_sha256(&measured.plan, &measured.trees.base)?,
        gates: &measured.gates,
        measurement: Measurement {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            interpreter: run.interpreter.as_ref().map(|found| found.version.clone()),
            sampler: sampler.map(|used| (used.name.clone(), used.seed, used.population)),
            baselines: run.conduct.baselines_asked,
        },
    })?)
}

/// Writes the files, each whole or not at all, after reading the record and its Statement back as a
/// verifier would. An envelope of an earlier record does not stay beside this one.
fn write(contract: &[u8], key: Option<&SecretKey>, folder: &Path) -> Result<Sha256, Fault> {
    let statement = statement::seal(contract)?;
    let verified = verify::verify(&statement, contract).map_err(|code| {
        Fault::new(Exit::Internal, format!("the sealed contract does not verify: {code}"))
    })?;
    let envelope = key.map(|key| envelope::seal(contract, key)).transpose()?;
    fs::create_dir_all(folder).map_err(|error| unwritten(folder, &error))?;
    match fs::remove_file(folder.join(ENVELOPE)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(unwritten(&folder.join(ENVELOPE), &error));
        }
        _ => {}
    }
    put(folder, "contract.json", contract)?;
    put(folder, "contract.statement.json", &statement)?;
    if let Some(envelope) = envelope {
        put(folder, ENVELOPE, &envelope)?;
    }
    Ok(verified.contract_sha256)
}

const ENVELOPE: &str = "contract.dsse.json";

fn put(folder: &Path, name: &str, bytes: &[u8]) -> Result<(), Fault> {
    let path = folder.join(name);
    let fault = |error: &io::Error| unwritten(&path, error);
    // As `File::create` would make it; a temporary file is private by default.
    let usual = fs::Permissions::from_mode(0o666);
    let file = tempfile::Builder::new().permissions(usual).tempfile_in(folder);
    let mut file = file.map_err(|error| fault(&error))?;
    file.write_all(bytes).map_err(|error| fault(&error))?;
    file.persist(&path).map_err(|error| fault(&error.error))?;
    Ok(())
}

fn unwritten(path: &Path, error: &io::Error) -> Fault {
    Fault::new(Exit::Output, format!("cannot write `{}`: {error}", path.display()))
}

/// The key of a seed file, read before the run so that a bad one costs nothing.
fn secret_key(path: &Path) -> Result<SecretKey, Fault> {
    let fault = |why: String| {
        Fault::new(Exit::Usage, format!("cannot use the key in `{}`: {why}", path.display()))
    };
    let text = fs::read_to_string(path).map_err(|error| fault(error.to_string()))?;
    SecretKey::from_seed_file(&text).map_err(|error| fault(error.to_string()))
}
