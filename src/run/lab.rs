//! What a run needs: the scratch directory, one workspace a worker, the spawner.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::Duration;

use rayon::prelude::*;

use super::builds::Builds;
use super::environment::Environment;
use super::executor::Tier;
use super::left::{self, Left};
use super::reach::Reach;
use super::sandbox::Workspaces;
use super::seat::{Seat, Sitting};
use super::spawn::Spawner;
use super::trial::{Again, How, Stop, again};
use super::workspace::{Bytecode, Golden, Scope, Scratch, Soundness, Sources};
use super::{Attempt, Baseline, Certificate, Exit, Run, RunError, Share, Step, baseline};
use crate::base::{Event, RelPath, Sink};
use crate::task::{Solution, Task};
use crate::tree::Snapshot;

/// How a run is made; the same for all its mutants.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Workers; each has its own workspace.
    pub jobs: usize,
    /// Runs of the unmutated tree before the mutants, at least one a worker.
    pub baselines: u32,
    /// Where the scratch directory is made.
    pub scratch: PathBuf,
    /// Where capped outputs go.
    pub logs: PathBuf,
    /// Bytes of output at which a command is stopped.
    pub output_limit: u64,
    /// Run every command on every mutant.
    pub full_matrix: bool,
    /// Let commands through that give two answers on the unmutated tree, such as those at these
    /// places, which are known to: their failures show nothing. `None` refuses them.
    pub flaky: Option<BTreeSet<usize>>,
}

impl Settings {
    /// Takes no more workers than fit this many mutants, where runs share the workers.
    pub fn share(&mut self, spawner: &Spawner, mutants: usize) {
        if let Some(share) = spawner.share() {
            self.jobs = share.workers(self.jobs, mutants);
        }
    }
}

/// What a run needs; dropping it removes the scratch directory.
pub struct Lab<'a> {
    pub(super) task: &'a Task,
    pub(super) snapshot: &'a Snapshot,
    pub(super) settings: &'a Settings,
    pub(super) sink: &'a dyn Sink,
    pub(super) spawner: &'a Spawner,
    pub(super) pool: rayon::ThreadPool,
    pub(super) seats: Vec<Mutex<Seat>>,
    pub(super) builds: Builds,
    limits: OnceLock<Vec<Duration>>,
    /// Where no right solution is known: how each step ends on the unmutated tree.
    usual: Mutex<BTreeMap<Step, Exit>>,
    /// Whether commands run in overlay mounts now.
    pub(super) covered: AtomicBool,
    /// The commands that gave two answers and were let through, once there is a baseline.
    flaky: OnceLock<BTreeSet<usize>>,
    /// What the tests of a command enter, by its place, where that was seen.
    pub(super) reach: Mutex<BTreeMap<usize, Arc<Reach>>>,
    /// How the first worker's tree looked before any command ran in it.
    pub(super) before: Mutex<left::State>,
    /// What good runs of the unmutated tree left there.
    pub(super) left: Mutex<Left>,
    /// Whether commands run where they were sealed to.
    at_sealed_places: bool,
    /// What every workspace starts from.
    pub(super) golden: Golden,
    // Last, so that the workspaces are gone before it is removed.
    pub(super) scratch: Scratch,
}

impl<'a> Lab<'a> {
    /// Copies the tree for each worker and runs `[setup]` in each copy.
    ///
    /// # Errors
    /// [`RunError`] when a copy cannot be made, or `[setup]` does not pass.
    pub fn open(
        task: &'a Task,
        sources: Sources<'a>,
        settings: &'a Settings,
        spawner: &'a Spawner,
        sink: &'a dyn Sink,
    ) -> Result<Self, RunError> {
        remove_leftovers(&settings.scratch, sink)?;
        let snapshots = std::iter::once(sources.tree).chain(sources.heldout).collect::<Vec<_>>();
        let roots = snapshots.iter().map(|snapshot| snapshot.root()).collect::<Vec<_>>();
        let scratch = Scratch::create(&settings.scratch, &roots)?;
        let jobs = affordable(&scratch, &snapshots, settings.jobs, sink)?;
        let (pool, jobs) = threads(jobs, sink)?;
        let copies = match jobs {
            1 => "copying the tree for 1 worker".to_owned(),
            jobs => format!("copying the tree for {jobs} workers"),
        };
        sink.tell(Event::Step { name: copies.into(), total: None });
        let golden = Golden::create(&scratch, sources)?;
        let seat =
            |worker| Ok(Mutex::new(Seat::create(task, (&scratch, &golden), (worker, worker))?));
        let seats =
            pool.install(|| (0..jobs).into_par_iter().map(seat).collect::<Result<_, RunError>>())?;
        let lab = Self {
            task,
            snapshot: sources.tree,
            settings,
            sink,
            spawner,
            pool,
            seats,
            builds: Builds::of(task),
            limits: OnceLock::new(),
            usual: Mutex::default(),
            flaky: OnceLock::new(),
            reach: Mutex::default(),
            before: Mutex::default(),
            left: Mutex::default(),
            at_sealed_places: false,
            covered: AtomicBool::new(false),
            golden,
            scratch,
        };
        lab.set_up_all()?;
        lab.look_before();
        Ok(lab)
    }

    /// From now on a command that is sealed with a directory finds its copy there: see
    /// [`Spawner::run_shown_at`].
    #[must_use]
    pub fn at_sealed_places(self) -> Self {
        Self { at_sealed_places: true, ..self }
    }

    /// Where a step finds its copy, if not where that is.
    pub(super) fn shown_at(&self, step: Step) -> Option<&Path> {
        let Step::Command(place) = step else { return None };
        let sealed = self.task.commands[place].seal.as_ref().filter(|_| self.at_sealed_places);
        sealed.map(|sealed| Path::new(&sealed.cwd))
    }

    fn set_up_all(&self) -> Result<(), RunError> {
        if self.task.setup.is_none() {
            return Ok(());
        }
        self.sink.tell(Event::Step { name: "running [setup] in every copy".into(), total: None });
        let one = |worker: usize| self.set_up(&mut self.seat(worker), worker);
        self.pool.install(|| (0..self.seats.len()).into_par_iter().try_for_each(one))
    }

    /// Whether a run of the unmutated tree is as it must be: it passes, or where no right solution
    /// is known, it ends by itself as it did before.
    pub(super) fn is_good(&self, run: &Run) -> bool {
        if self.task.solution != Solution::None {
            return run.passed();
        }
        let mut usual = self.usual.lock().expect("no worker panics with it");
        let before = usual.entry(run.step).or_insert_with(|| run.exit.clone());
        matches!(run.exit, Exit::Code(_)) && *before == run.exit
    }

    /// Places of the commands that fail on the unmutated tree, as they may where no right solution is
    /// known.
    #[must_use]
    pub fn failing(&self) -> BTreeSet<usize> {
        let usual = self.usual.lock().expect("no worker panics with it");
        let failing = usual.iter().filter(|(_, exit)| **exit != Exit::Code(0));
        let places = failing.filter_map(|(step, _)| match step {
            Step::Command(place) => Some(*place),
            Step::Setup | Step::Build | Step::Product(_) | Step::Tests(_) => None,
        });
        places.collect()
    }

    fn set_up(&self, seat: &mut Seat, worker: usize) -> Result<(), RunError> {
        let name = format!("setup-w{worker}");
        let made = self.step(seat, (&name, 0), &[], Step::Setup, (Attempt::First, true))?;
        let run = made.0;
        if !run.passed() {
            return Err(self.red(&run, "setup", false));
        }
        let unclean = || RunError::Unclean { id: "setup".to_owned() };
        let certificate = seat.certificate.take().ok_or_else(unclean)?;
        seat.workspace.adopt(Scope::Everything, &certificate)?;
        Ok(seat.workspace.reset(certificate)?)
    }

    /// A fresh workspace for this worker, set up like the first.
    pub(super) fn replace(&self, worker: usize) -> Result<(), RunError> {
        self.renew(&mut self.seat(worker))
    }

    /// Removes this worker's workspace, until it is replaced.
    pub(super) fn vacate(&self, worker: usize) -> Result<(), RunError> {
        let mut seat = self.seat(worker);
        seat.vacant = true;
        // Processes that serve in it take room too.
        seat.ladders.iter_mut().for_each(Vec::clear);
        Ok(seat.workspace.vacate()?)
    }

    /// The bytecode that good runs of the unmutated tree left of sources outside of it, for the
    /// workspaces of other trees.
    #[must_use]
    pub fn bytecode_of_outside(&self) -> Bytecode {
        self.occupied(0).workspace.bytecode_of_outside()
    }

    /// How many workers there are.
    #[must_use]
    pub fn workers(&self) -> usize {
        self.seats.len()
    }

    /// Brings the workspace back, or replaces it when a process may still be alive in it.
    ///
    /// Until the workspace is warm, the bytecode that a passing run of the unmutated tree left
    /// becomes part of what is brought back.
    pub(super) fn clean(&self, seat: &mut Seat, known_good: bool) -> Result<(), RunError> {
        let Some(certificate) = seat.certificate.take() else { return self.renew(seat) };
        let adopts = known_good && !seat.warm;
        if adopts && seat.worker == 0 {
            self.look_at(&seat.workspace.tree());
        }
        let adopted = !adopts || seat.workspace.adopt(Scope::Caches, &certificate).is_ok();
        // What a command left may be beyond mending: then the whole directory goes.
        if adopted && self.bring_back(seat, certificate) { Ok(()) } else { self.renew(seat) }
    }

    /// Makes the workspace what it was before the run that this certificate is of; whether that can be.
    pub(super) fn bring_back(&self, seat: &mut Seat, certificate: Certificate) -> bool {
        match self.spawner.sandbox().workspaces {
            Workspaces::Copy => seat.workspace.remake(certificate),
            _ => seat.workspace.reset(certificate),
        }
        .is_ok()
    }

    fn renew(&self, seat: &mut Seat) -> Result<(), RunError> {
        seat.workspace.replace()?;
        (seat.is_placed, seat.warm, seat.vacant) = (false, false, false);
        let worker = seat.worker;
        seat.environment = Environment::of(self.task, seat.workspace.path(), worker);
        if self.task.setup.is_some() { self.set_up(seat, worker) } else { Ok(()) }
    }

    /// Runs the unmutated tree, at least once in every workspace and all of them at the same time,
    /// and fixes the time limits.
    ///
    /// # Errors
    /// [`RunError::Red`] when a run does not pass, [`RunError::NotStarted`] when one cannot start.
    pub fn baseline(&self) -> Result<Baseline, RunError> {
        let mut baseline = baseline::run(self)?;
        self.limits.set(self.limits_after(&baseline)).expect("there is one baseline");
        self.flaky.set(self.find_flaky(&baseline)?).expect("there is one baseline");
        self.get_used_to_left();
        baseline.tests = self.refuse_empty(&baseline)?;
        Ok(baseline)
    }

    /// Runs the commands on the tree with these files changed, as a control: with `all` each of
    /// them, else up to the first that fails. No other worker is active.
    ///
    /// # Errors
    /// [`RunError`] when the run itself cannot go on.
    pub fn control(
        &self,
        name: &str,
        edits: &[(RelPath, Vec<u8>)],
        all: bool,
    ) -> Result<Vec<Run>, RunError> {
        let stop = if all { Stop::Never } else { Stop::FirstFailure };
        let mut seat = self.seat(0);
        // Where every command is to answer, a product that does not build is no answer of theirs.
        let must_build = !all || self.task.build.is_some();
        let from = Tier::Exact;
        let first = How { attempt: Attempt::First, stop, must_build, from };
        let runs = self.trial(&mut seat, name, edits, Vec::new(), first)?;
        if runs.last().is_some_and(|run| again(&run.exit) == Again::Alone) {
            drop(seat);
            seat = self.seat_alone(0);
            return self.trial(
                &mut seat,
                name,
                edits,
                runs,
                How { attempt: Attempt::Alone, ..first },
            );
        }
        Ok(runs)
    }

    /// The time limit of a command; before the baseline, of the baseline itself.
    pub(super) fn limit(&self, command: usize) -> Duration {
        let stated = self.task.commands[command].timeout;
        self.limits.get().map_or(stated.unwrap_or(baseline::LIMIT), |limits| limits[command])
    }

    /// The first worker's copy of the tree.
    #[must_use]
    pub fn first_tree(&self) -> PathBuf {
        self.occupied(0).workspace.tree()
    }

    /// The tree that is mutated.
    #[must_use]
    pub fn snapshot(&self) -> &Snapshot {
        self.snapshot
    }

    /// With the limits of another lab's baseline, in command order, for a tree that has none of its own.
    #[must_use]
    pub fn with_limits(self, limits: &[Duration]) -> Self {
        self.limits.set(limits.to_vec()).expect("there is no baseline");
        self
    }

    /// The limits in force, in command order, once there is a baseline.
    #[must_use]
    pub fn limits(&self) -> &[Duration] {
        self.limits.get().map_or(&[], Vec::as_slice)
    }

    /// The places of the commands that gave two answers on the unmutated tree and were let through.
    #[must_use]
    pub fn flaky(&self) -> BTreeSet<usize> {
        self.flaky.get().cloned().unwrap_or_default()
    }

    /// Whether a failing run of the unmutated tree is let through: before the baseline is over it may
    /// be that of any command, where flaky ones are let through at all.
    pub(super) fn is_let_through(&self, run: &Run) -> bool {
        let Step::Command(place) = run.step else { return false };
        let answered = matches!(
            run.exit,
            Exit::Code(_) | Exit::Signal(_) | Exit::TimedOut | Exit::OutputLimit
        );
        answered
            && match self.flaky.get() {
                Some(flaky) => flaky.contains(&place),
                None => self.settings.flaky.is_some(),
            }
    }

    /// How a workspace finds what a run changed.
    #[must_use]
    pub fn soundness(&self) -> Soundness {
        self.scratch.soundness()
    }

    /// The variables a command sees, by name.
    #[must_use]
    pub fn environment_names(&self) -> Vec<String> {
        self.occupied(0).environment.names()
    }

    /// Sits down at a workspace, when it is this run's turn.
    pub(super) fn seat(&self, worker: usize) -> Sitting<'_> {
        let turn = self.spawner.share().map(Share::one);
        Sitting { seat: self.occupied(worker), _turn: turn }
    }

    /// The same when no other worker of any run is active.
    pub(super) fn seat_alone(&self, worker: usize) -> Sitting<'_> {
        let turn = self.spawner.share().map(Share::all);
        Sitting { seat: self.occupied(worker), _turn: turn }
    }

    pub(super) fn occupied(&self, worker: usize) -> MutexGuard<'_, Seat> {
        self.seats[worker].lock().expect("a worker that panics ends the run")
    }
}

/// For how many workers, of those that are wanted, there is room.
fn affordable(
    scratch: &Scratch,
    trees: &[&Snapshot],
    wanted: usize,
    sink: &dyn Sink,
) -> Result<usize, RunError> {
    let fits = |jobs: &usize| scratch.check_space(trees, *jobs).is_ok();
    let Some(jobs) = (1..=wanted).rev().find(fits) else {
        scratch.check_space(trees, 1)?;
        return Ok(1);
    };
    if jobs < wanted {
        sink.tell(Event::Warning(format!(
            "there is room for {jobs} of {wanted} copies; the run has as many workers"
        )));
    }
    Ok(jobs)
}

/// Threads for this many workers, or for fewer where the system has no more.
fn threads(wanted: usize, sink: &dyn Sink) -> Result<(rayon::ThreadPool, usize), RunError> {
    let mut jobs = wanted;
    loop {
        match rayon::ThreadPoolBuilder::new().num_threads(jobs).build() {
            Ok(pool) => return Ok((pool, jobs)),
            Err(error) if jobs == 1 => {
                return Err(RunError::Threads { jobs: wanted, message: error.to_string() });
            }
            Err(error) => {
                jobs /= 2;
                sink.tell(Event::Warning(format!(
                    "cannot start more than {jobs} workers: {error}; the run has as many"
                )));
            }
        }
    }
}

/// Removes the scratch directories of runs that were killed.
fn remove_leftovers(base: &Path, sink: &dyn Sink) -> Result<(), RunError> {
    for leftover in Scratch::leftovers(base)? {
        let shown = leftover.path().display().to_string();
        sink.tell(match leftover.remove() {
            Ok(()) => Event::Note(format!("removed `{shown}`, which a run left that was killed")),
            Err(error) => Event::Warning(format!("`{shown}` is of a run that was killed: {error}")),
        });
    }
    Ok(())
}
