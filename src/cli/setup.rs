//! From arguments to what the stages take.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use super::args::{KeepArgs, RunArgs, TaskArgs};
use super::fault::Fault;
use super::isolation::{self, IsolationArgs, Kept};
use super::many::Beside;
use super::{Exit, Streams, interrupts};
use crate::measure::receipt::Act;
use crate::measure::{Confirm, Options};
use crate::run::Spawner;
use crate::run::sandbox::Limits;
use crate::task::{self, Overrides, Task};
use crate::tree::Choice;

/// What the flags say of the task.
pub(crate) fn overrides(args: &TaskArgs, run: Option<&RunArgs>, argv: &[String]) -> Overrides {
    Overrides {
        argv: argv.to_vec(),
        seal: false,
        include: args.include.clone(),
        exclude: args.exclude.clone(),
        operators: args.operator.clone(),
        limit: args.limit,
        seed: args.seed,
        timeout: run.and_then(|run| run.timeout),
        env: run.map(|run| run.env.clone()).unwrap_or_default(),
        contract_id: None,
    }
}

/// The task that the arguments name.
pub(crate) fn task(args: &TaskArgs, overrides: &Overrides) -> Result<Task, Fault> {
    Ok(task::load(&args.path, overrides)?)
}

/// What is copied, and what is left out.
pub(crate) fn choice(args: &TaskArgs) -> Choice {
    Choice { keep: args.keep.clone(), exclude: args.leave_out.clone(), ..Choice::default() }
}

/// How the task is measured.
pub(crate) fn options(
    task: &Task,
    args: &TaskArgs,
    run: &RunArgs,
    keep: Option<&KeepArgs>,
) -> Result<Options, Fault> {
    let output = keep.map_or_else(|| PathBuf::from("adequacy.out"), |keep| keep.output.clone());
    let output = std::path::absolute(&output).map_err(|error| {
        Fault::new(Exit::Output, format!("cannot use `{}`: {error}", output.display()))
    })?;
    Ok(Options {
        jobs: run.jobs.map_or_else(processors, usize::from),
        baselines: run.baselines,
        helper: helper()?,
        scratch: scratch(run.scratch.as_deref(), &task.tree)?,
        output,
        resume: keep.is_some_and(|keep| keep.resume),
        shard: None,
        confirm: Confirm::default(),
        check_parallel: false,
        choice: choice(args),
        output_limit: run.max_output,
        limits: run.limits.limits(),
        full_matrix: run.full_matrix,
        exact: run.exact,
        max_undecided: keep.and_then(|keep| keep.max_undecided),
        allow: keep.map(|keep| keep.allow.iter().cloned().collect()).unwrap_or_default(),
        since: None,
        reuse: None,
        act: Act {
            command: "measure",
            contract: None,
            durable: keep.and_then(|keep| keep.durable.clone()),
        },
    })
}

/// Where copies of `tree` are made.
pub(crate) fn scratch(named: Option<&Path>, tree: &Path) -> Result<PathBuf, Fault> {
    let scratch = named.map_or_else(std::env::temp_dir, Path::to_owned);
    let scratch = scratch.canonicalize().map_err(|error| {
        Fault::new(Exit::Usage, format!("cannot make copies in `{}`: {error}", scratch.display()))
    })?;
    if scratch.starts_with(tree) {
        let shown = scratch.display();
        let message = format!(
            "the scratch directory `{shown}` is inside the tree; name another with `--scratch`"
        );
        return Err(Fault::new(Exit::Usage, message));
    }
    Ok(scratch)
}

/// Workers where no flag says how many.
pub(crate) fn processors() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// A directory that an argument names.
pub(crate) fn directory(path: impl AsRef<Path>) -> Result<PathBuf, Fault> {
    let path = path.as_ref();
    let found = path.canonicalize().ok().filter(|found| found.is_dir());
    found.ok_or_else(|| Fault::new(Exit::Usage, format!("`{}` is no directory", path.display())))
}

/// This program's own file.
pub(crate) fn helper() -> Result<PathBuf, Fault> {
    std::env::current_exe().map_err(|error| {
        Fault::new(Exit::Internal, format!("cannot find this program's own file: {error}"))
    })
}

/// A spawner that an interrupt of this process ends, with everything it has started. With `tell`
/// it says on stderr what holds the commands.
pub(crate) fn spawner(
    task: &Task,
    options: &Options,
    args: &IsolationArgs,
    tell: bool,
    streams: &mut Streams<'_>,
) -> Result<Arc<Spawner>, Fault> {
    let Options { helper, scratch, output, limits, .. } = options;
    let kept = Kept { tree: &task.tree, scratch, output };
    spawner_for(&kept, *limits, helper, args, tell, streams)
}

/// The same for commands that no task of this run's own names.
pub(crate) fn spawner_for(
    kept: &Kept<'_>,
    limits: Limits,
    helper: &Path,
    args: &IsolationArgs,
    tell: bool,
    streams: &mut Streams<'_>,
) -> Result<Arc<Spawner>, Fault> {
    let fault = |error: &dyn std::fmt::Display| {
        Fault::new(Exit::Resources, format!("cannot prepare to start commands: {error}"))
    };
    let sandbox = isolation::choose(args, limits, kept, helper, tell, streams)?;
    let spawner = Spawner::new(helper, sandbox).map_err(|error| fault(&error))?;
    let spawner = match streams.beside.and_then(Beside::share) {
        Some(share) => spawner.sharing(share),
        None => spawner,
    };
    let spawner = Arc::new(spawner);
    interrupts::end_with(&spawner).map_err(|error| fault(&error))?;
    Ok(spawner)
}
