//! `adequacy seal`: measure, then the contract and its Statement.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use super::args::SealArgs;
use super::fault::Fault;
use super::{Exit, Streams, measure, setup};
use crate::base::Sha256;
use crate::measure::Measured;
use crate::seal::{self, Measurement, Sealed};
use crate::statement;
use crate::task::Task;
use crate::verify;

pub(crate) fn run(args: &SealArgs, streams: &mut Streams<'_>) -> Result<Exit, Fault> {
    let measure_args = &args.measure;
    let mut overrides =
        setup::overrides(&measure_args.task, Some(&measure_args.run), &measure_args.argv);
    overrides.seal = true;
    overrides.contract_id.clone_from(&args.contract_id);
    let task = setup::task(&measure_args.task, &overrides)?;
    if task.image.as_ref().is_some_and(|image| !image.contains("@sha256:")) {
        let message = "env.image: an image is sealed by digest, as `name@sha256:...`";
        return Err(Fault::new(Exit::Usage, message));
    }
    protected_are_there(&task)?;
    let measured = measure::measured(&task, measure_args, streams)?;
    measure::show(&measured, measure_args, streams)?;
    if let Some(exit) = measure::failing_gate(&measured, streams)? {
        writeln!(
            streams.err,
            "not sealed; `--allow GATE` seals with a gate that fails, and records it"
        )?;
        return Ok(exit);
    }
    let zero = measured.adequacy.killed == 0;
    if zero && !measured.run.allowed.iter().any(|allowed| allowed == "zero-kill") {
        let message = "not sealed: the commands killed nothing, so they cannot support a verdict of \
                       done; `--allow zero-kill` seals it all the same";
        return Err(Fault::new(Exit::No, message));
    }
    let folder = args.out.clone().unwrap_or_else(|| measured.output.sealed());
    let digest = write(&task, &measured, measure_args.run.baselines, &folder)?;
    if task.protected.is_empty() {
        let words = "no path is protected: nothing in this contract keeps the tests as they are";
        writeln!(streams.err, "warning: {words} (see `[[protected]]` in the task file)")?;
    }
    writeln!(
        streams.err,
        "sealed `{}` (sha256 {digest}) and contract.statement.json in `{}`",
        task.contract_id,
        folder.display()
    )?;
    Ok(Exit::Done)
}

/// Finds out before the run what would make it worthless: every protected path can be sealed.
fn protected_are_there(task: &Task) -> Result<(), Fault> {
    seal::protected(task).map(|_| ()).map_err(Fault::from)
}

/// Writes both files, each whole or not at all, after reading both back as a verifier would.
fn write(task: &Task, measured: &Measured, baselines: u32, folder: &Path) -> Result<Sha256, Fault> {
    let run = &measured.run;
    let set = measured.adequacy.mutant_set_sha256(&measured.plan, &measured.snapshot)?;
    let sampler = run.sampler.as_ref();
    let contract = seal::build(&Sealed {
        task,
        adequacy: &measured.adequacy,
        mutant_set_sha256: set,
        gates: &measured.gates,
        measurement: Measurement {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            interpreter: run.interpreter.as_ref().map(|found| found.version.clone()),
            sampler: sampler.map(|used| (used.name.clone(), used.seed, used.population)),
            baselines,
        },
    })?;
    let statement = statement::seal(&contract)?;
    let verified = verify::verify(&statement, &contract).map_err(|code| {
        Fault::new(Exit::Internal, format!("the sealed contract does not verify: {code}"))
    })?;
    let fault = |path: &Path, error: &std::io::Error| {
        Fault::new(Exit::Output, format!("cannot write `{}`: {error}", path.display()))
    };
    fs::create_dir_all(folder).map_err(|error| fault(folder, &error))?;
    for (name, bytes) in [("contract.json", &contract), ("contract.statement.json", &statement)] {
        let path = folder.join(name);
        let mut file =
            tempfile::NamedTempFile::new_in(folder).map_err(|error| fault(folder, &error))?;
        file.write_all(bytes).map_err(|error| fault(&path, &error))?;
        let open = std::os::unix::fs::PermissionsExt::from_mode(0o644);
        file.as_file().set_permissions(open).map_err(|error| fault(&path, &error))?;
        file.persist(&path).map_err(|error| fault(&path, &error.error))?;
    }
    Ok(verified.contract_sha256)
}
