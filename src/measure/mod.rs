//! Conductor of `measure`: takes a task through the stages up to its numbers, and keeps what a
//! resumed or a curious reader needs in the run directory.

mod controls;
mod ledger;
mod links;
mod output;
mod run_file;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use adequacy_mutators::Language;

pub use controls::{Controls, Refusal};
pub use ledger::{Ledger, LedgerError, Line};
pub use output::{OutputDir, OutputError};
pub use run_file::{FORMAT, Interpreted, RunFile, State, Totals};

use crate::adequacy::{Adequacy, Gate, Thresholds};
use crate::base::{Event, RelPath, Sink};
use crate::outcome::{self, Outcome};
use crate::plan::compile::{self, CompileError, Judge};
use crate::plan::interpreter::{self, Found, Interpreter};
use crate::plan::{Plan, PlanError};
use crate::run::{Lab, Run, RunError, Runner, Sentinels, Settings, Spawner};
use crate::task::{Task, TaskError};
use crate::tree::{self, Choice, Snapshot, TreeError};

/// How a task is measured.
#[derive(Debug, Clone)]
pub struct Options {
    /// Workers.
    pub jobs: usize,
    /// Runs of the unmutated tree before the mutants.
    pub baselines: u32,
    /// This program, started as the helper of each command.
    pub helper: PathBuf,
    /// Where the scratch directory is made.
    pub scratch: PathBuf,
    /// The run directory.
    pub output: PathBuf,
    /// Go on in the run directory.
    pub resume: bool,
    /// What is left out of the copies, and what is kept.
    pub choice: Choice,
    /// Bytes of output at which a command is stopped.
    pub output_limit: u64,
    /// Run every command on every mutant.
    pub full_matrix: bool,
    /// Most undecided mutants, where a flag says so.
    pub max_undecided: Option<u64>,
    /// Known defects that a person lets through, by name.
    pub allow: BTreeSet<String>,
}

/// Why there is no measurement.
#[derive(Debug, thiserror::Error)]
pub enum MeasureError {
    /// The tree cannot be listed or read.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// The mutants cannot be planned.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The mutants cannot be judged.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// No interpreter is there to judge them.
    #[error("no python3 on the search path to judge which mutants compile")]
    NoInterpreter,
    /// The commands cannot be run, or the unmutated tree does not pass.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The run directory cannot be used.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The ledger cannot be used.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// A control shows that the kills would mean nothing.
    #[error(transparent)]
    Control(#[from] Refusal),
    /// There is nothing to mutate.
    #[error("{0}")]
    NoMutants(String),
    /// Nothing says what to run.
    #[error(transparent)]
    Task(#[from] TaskError),
    /// The tree is not what it was when the run began.
    #[error("the tree changed during the run: {0}; nothing of this run can be trusted")]
    TreeChanged(String),
    /// A path that is to be kept or left out is not there.
    #[error("`{0}`, named by `--keep` or `--leave-out`, is not in the tree")]
    Unmatched(RelPath),
    /// Processes of the run live on.
    #[error("processes of the run are still alive: {0:?}")]
    Survivors(Vec<i32>),
}

/// A measured task.
#[derive(Debug)]
pub struct Measured {
    /// What the tree held.
    pub snapshot: Snapshot,
    /// Its mutants.
    pub plan: Plan,
    /// What each counted mutant's runs mean, by its place in the plan.
    pub outcomes: BTreeMap<usize, Outcome>,
    /// The numbers.
    pub adequacy: Adequacy,
    /// How they compare with the thresholds.
    pub gates: Vec<Gate>,
    /// What was written to `run.json`.
    pub run: RunFile,
    /// The run directory.
    pub output: OutputDir,
}

/// What is known before a command runs.
pub struct Prepared {
    /// What the tree holds.
    pub snapshot: Snapshot,
    /// Its mutants, judged and sampled.
    pub plan: Plan,
    /// The interpreter and what it says of itself.
    pub interpreter: Option<(Interpreter, Judge)>,
}

impl Prepared {
    fn links(&self, task: &Task) -> Vec<(RelPath, PathBuf)> {
        links::needed(task, &self.snapshot, self.interpreter.as_ref().map(|(found, _)| found))
    }
}

impl Options {
    fn settings(&self, logs: PathBuf, links: Vec<(RelPath, PathBuf)>) -> Settings {
        Settings {
            jobs: self.jobs,
            baselines: self.baselines,
            scratch: self.scratch.clone(),
            logs,
            output_limit: self.output_limit,
            full_matrix: self.full_matrix,
            links,
        }
    }
}

/// Lists the tree and plans, judges and samples its mutants; runs none of the task's commands.
///
/// # Errors
/// [`MeasureError`] when the tree cannot be read, a pattern fits nothing, or no mutant is left.
pub fn prepare(task: &Task, choice: &Choice, sink: &dyn Sink) -> Result<Prepared, MeasureError> {
    sink.tell(Event::Step { name: "list", total: None });
    let snapshot = listing(task, choice, sink)?;
    let mut plan = crate::plan::plan(task, &snapshot)?;
    tell(task, &plan, sink);
    sink.tell(Event::Step { name: "judge", total: None });
    let interpreter = judge(task, &mut plan, &snapshot)?;
    if let Some((found, judge)) = &interpreter
        && found.found == Found::Assumed
    {
        sink.tell(Event::Warning(format!(
            "nothing in the command names its Python; `{}` (Python {}) judges which mutants compile",
            found.program.display(),
            judge.version.split(' ').next().unwrap_or_default()
        )));
    }
    for (file, words) in plan.files.iter().filter_map(|file| Some((file, file.refused.as_ref()?))) {
        let message =
            format!("`{}` does not compile, so none of its mutants counts: {words}", file.name);
        sink.tell(Event::Warning(message));
    }
    if let Some(limit) = task.mutate.limit {
        plan.sample(limit as usize, task.mutate.seed);
    }
    if plan.counted().next().is_none() {
        return Err(MeasureError::NoMutants(nothing_to_do(&plan)));
    }
    Ok(Prepared { snapshot, plan, interpreter })
}

/// The listing of the task's tree without its task file, with every item of `choice` met.
///
/// # Errors
/// [`MeasureError`] when the tree cannot be read, or an item of `choice` is not there.
pub fn listing(task: &Task, choice: &Choice, sink: &dyn Sink) -> Result<Snapshot, MeasureError> {
    let task_file = task.file.as_ref().and_then(|file| file.strip_prefix(&task.tree).ok());
    let task_file = task_file.and_then(|file| RelPath::new(file.as_os_str().as_bytes()).ok());
    let choice = Choice { task_file, ..choice.clone() };
    let snapshot = tree::snapshot(&task.tree, &choice, sink)?;
    match snapshot.unmatched().first() {
        Some(path) => Err(MeasureError::Unmatched(path.clone())),
        None => Ok(snapshot),
    }
}

/// Says what was chosen and what was not, so that nobody has to guess.
fn tell(task: &Task, plan: &Plan, sink: &dyn Sink) {
    let note = |text: String| sink.tell(Event::Note(text));
    note(match &task.file {
        Some(file) => format!("task file `{}`", file.display()),
        None => format!("no task file: bare tree `{}`", task.tree.display()),
    });
    let files = plan.files.iter().filter(|file| !file.mutants.is_empty());
    let files = files.map(|file| format!("`{}` ({})", file.path, file.mutants.len()));
    note(format!("mutants: {}", few(files)));
    let ignored = plan.ignored.iter().map(|file| format!("`{}` ({})", file.path, file.why));
    if !plan.ignored.is_empty() {
        note(format!("not mutated: {}", few(ignored)));
    }
    for file in &plan.files {
        if let Some((count, line)) = file.unreadable {
            let path = &file.path;
            sink.tell(Event::Warning(format!(
                "`{path}`, line {line}: the grammar cannot read this; {count} mutants there are refused"
            )));
        }
    }
}

/// The first few of a list, and how many more there are.
fn few(all: impl Iterator<Item = String>) -> String {
    const SHOWN: usize = 8;
    let all = all.collect::<Vec<_>>();
    let more = all.len().saturating_sub(SHOWN);
    let shown = all[..all.len() - more].join(", ");
    if more > 0 { format!("{shown} and {more} more (run.json names them all)") } else { shown }
}

fn judge(
    task: &Task,
    plan: &mut Plan,
    snapshot: &Snapshot,
) -> Result<Option<(Interpreter, Judge)>, MeasureError> {
    let python = |file: &crate::plan::PlanFile| {
        file.language == Language::Python && !file.mutants.is_empty()
    };
    if !plan.files.iter().any(python) {
        return Ok(None);
    }
    let path = std::env::var_os("PATH").unwrap_or_else(|| OsString::from("/usr/bin:/bin"));
    let argv = &task.commands.first().ok_or(TaskError::NoCommand)?.argv;
    let interpreter = interpreter::python(argv, &task.tree, &path);
    let interpreter = interpreter.ok_or(MeasureError::NoInterpreter)?;
    let judge = compile::judge(plan, snapshot, &interpreter)?;
    Ok(Some((interpreter, judge)))
}

fn nothing_to_do(plan: &Plan) -> String {
    let reason = if plan.files.is_empty() && plan.ignored.is_empty() {
        "the tree holds no source file of a known language (Python: *.py)".to_owned()
    } else if plan.files.is_empty() {
        let named = plan.ignored.iter().take(5);
        let named = named.map(|file| format!("`{}` is {}", file.path, file.why));
        format!("no source file is left: {}", named.collect::<Vec<_>>().join(", "))
    } else {
        format!("none of the {} source files offers one that compiles", plan.files.len())
    };
    format!("no mutants to run: {reason}; see `adequacy list`, `--include` and `--exclude`")
}

/// Measures a task.
///
/// # Errors
/// [`MeasureError`]; its run directory stays, and `--resume` goes on in it where that makes sense.
pub fn measure(
    task: &Task,
    options: &Options,
    spawner: &Spawner,
    sink: &dyn Sink,
) -> Result<Measured, MeasureError> {
    if task.commands.is_empty() {
        return Err(TaskError::NoCommand.into());
    }
    OutputDir::clear(&options.output)?;
    let mut prepared = prepare(task, &options.choice, sink)?;
    let links = prepared.links(task);
    let watched = links::fingerprint(&links)?;
    let output = OutputDir::open(&options.output, options.resume)?;
    let mut run = RunFile::begin(task, options, &prepared, &links);
    let settings = options.settings(output.logs(), links.clone());
    let earlier = options.resume.then(|| output.read_run()).transpose()?;
    output.begin(&run, earlier.as_ref())?;
    let lab = Lab::open(task, &prepared.snapshot, &settings, spawner, sink)?;
    let baseline = lab.baseline()?;
    run.baseline(&baseline, &lab);
    if let Some(budget) = task.mutate.budget {
        let limit = earlier.as_ref().and_then(|run| Some(run.sampler.as_ref()?.limit));
        let limit = limit.unwrap_or_else(|| affordable(budget, baseline.cpu()));
        prepared.plan.sample(limit, task.mutate.seed);
        run.sampled(limit, &prepared.plan, task);
    }
    let rows = output::rows(&prepared.plan, &prepared.snapshot)?;
    output.write_plan(&mut run, &rows, earlier.as_ref())?;
    let found = prepared.interpreter.as_ref().map(|(found, _)| found);
    let (plan, snapshot) = (&prepared.plan, &prepared.snapshot);
    run.controls = Some(controls::before(&lab, task, plan, snapshot, found, sink)?);
    let (outcomes, sentinels) = decide(&lab, task, &output, &run, plan)?;
    let not_reached = controls::after(&lab, plan, snapshot, &runners(task), &outcomes, sink)?;
    drop(lab);
    nothing_left(spawner)?;
    unchanged(task, options, snapshot, &links, &watched)?;
    let adequacy = Adequacy::of(plan, |place| outcomes.get(&place).copied())
        .expect("the pool hands over every mutant or fails");
    let gates = Thresholds::of(&task.gates, options.max_undecided).gates(&adequacy);
    run.finish(&adequacy, &gates, sentinels, not_reached);
    output.write_sources(plan, snapshot, &outcomes)?;
    output.write_run(&run)?;
    let Prepared { snapshot, plan, .. } = prepared;
    Ok(Measured { snapshot, plan, outcomes, adequacy, gates, run, output })
}

/// How many mutants a CPU time pays for, if each takes as long as the unmutated tree; at least one.
fn affordable(budget: Duration, each: Duration) -> usize {
    let times = budget.as_secs_f64() / each.as_secs_f64().max(1e-3);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
    let times = times as usize;
    times.max(1)
}

/// Runs the mutants that the ledger does not hold yet, and adds each to it.
fn decide(
    lab: &Lab<'_>,
    task: &Task,
    output: &OutputDir,
    run: &RunFile,
    plan: &Plan,
) -> Result<(BTreeMap<usize, Outcome>, Sentinels), MeasureError> {
    let (ledger, known) = Ledger::open(output, &run.key(), plan)?;
    let todo = plan.counted().filter(|place| !known.contains_key(place)).collect::<Vec<_>>();
    let runners = runners(task);
    let outcomes = Mutex::new(known);
    let sentinels = lab.mutants(plan, &todo, &|place, runs| {
        let outcome = outcome::judge(runs, &runners);
        ledger.append(&plan.mutants[place], &outcome, runs).map_err(|error| RunError::Log {
            path: error.path().to_owned(),
            error: error.into_io(),
        })?;
        outcomes.lock().expect("no worker panics with it").insert(place, outcome);
        Ok(())
    })?;
    Ok((outcomes.into_inner().expect("the workers are done"), sentinels))
}

fn nothing_left(spawner: &Spawner) -> Result<(), MeasureError> {
    let survivors = spawner.survivors();
    if survivors.is_empty() { Ok(()) } else { Err(MeasureError::Survivors(survivors)) }
}

/// The runners of a task's commands, in sealed order.
#[must_use]
pub fn runners(task: &Task) -> Vec<Option<Runner>> {
    task.commands.iter().map(|command| Runner::of(command.argv.words())).collect()
}

/// The tree and what was linked from it are as they were before the first command.
fn unchanged(
    task: &Task,
    options: &Options,
    before: &Snapshot,
    links: &[(RelPath, PathBuf)],
    watched: &links::Fingerprint,
) -> Result<(), MeasureError> {
    let after = listing(task, &options.choice, &crate::base::Silent)?;
    if let Some(path) = before.first_difference(&after) {
        return Err(MeasureError::TreeChanged(format!("`{path}`")));
    }
    if let Some(path) = watched.first_difference(&links::fingerprint(links)?) {
        return Err(MeasureError::TreeChanged(format!("`{path}`, which the copies link to")));
    }
    Ok(())
}

/// What a full run would cost, from one baseline.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    /// Counted mutants.
    pub mutants: usize,
    /// CPU time, if every mutant took as long as the unmutated tree.
    pub cpu: Duration,
    /// Wall time at this many workers.
    pub wall: Duration,
    /// Workers.
    pub jobs: usize,
    /// Bytes of scratch space: one copy for the engine and one for each worker.
    pub disk: u64,
    /// One run of the unmutated tree: wall and CPU time.
    pub baseline: (Duration, Duration),
}

/// Runs the unmutated tree once and says what all mutants would cost.
///
/// # Errors
/// [`MeasureError`] as [`measure`].
pub fn estimate(
    task: &Task,
    options: &Options,
    spawner: &Spawner,
    sink: &dyn Sink,
) -> Result<Estimate, MeasureError> {
    if task.commands.is_empty() {
        return Err(TaskError::NoCommand.into());
    }
    let prepared = prepare(task, &options.choice, sink)?;
    let links = prepared.links(task);
    let logs = tempfile::tempdir_in(&options.scratch)
        .map_err(|error| RunError::Log { path: options.scratch.clone(), error })?;
    let one = Options { jobs: 1, baselines: 1, ..options.clone() };
    let settings = one.settings(logs.path().to_owned(), links);
    let lab = Lab::open(task, &prepared.snapshot, &settings, spawner, sink)?;
    let baseline = lab.baseline()?;
    let mutants = prepared.plan.counted().count();
    let times = u32::try_from(mutants).unwrap_or(u32::MAX);
    let jobs = options.jobs;
    let estimate = Estimate {
        mutants,
        cpu: baseline.cpu() * times,
        wall: baseline.wall() * times / u32::try_from(jobs).unwrap_or(u32::MAX),
        jobs,
        disk: prepared.snapshot.bytes() * (jobs as u64 + 1),
        baseline: (baseline.wall(), baseline.cpu()),
    };
    Ok(estimate)
}

/// Runs the mutant at `place` of a plan again, every command on it, with outputs in `logs`.
///
/// # Errors
/// [`MeasureError`] as [`measure`].
pub fn replay(
    task: &Task,
    options: &Options,
    prepared: &Prepared,
    place: usize,
    logs: &Path,
    spawner: &Spawner,
    sink: &dyn Sink,
) -> Result<Vec<Run>, MeasureError> {
    let settings = options.settings(logs.to_owned(), prepared.links(task));
    let lab = Lab::open(task, &prepared.snapshot, &settings, spawner, sink)?;
    lab.baseline()?;
    let made = Mutex::new(Vec::new());
    lab.mutants(&prepared.plan, &[place], &|_, runs| {
        made.lock().expect("no worker panics with it").extend_from_slice(runs);
        Ok(())
    })?;
    Ok(made.into_inner().expect("the workers are done"))
}
