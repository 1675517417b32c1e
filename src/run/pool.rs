//! All mutants over all workers: the queue, the sentinels, and the repeats that need a quiet machine.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::executor::Tier;
use super::lab::Lab;
use super::seat::Sitting;
use super::trial::{Again, How, Stop, again};
use super::{Attempt, Exit, Run, RunError, Share, Step};
use crate::base::Event;
use crate::plan::Plan;

/// Mutants a worker runs between two runs of the unmutated tree.
pub const MAX_BETWEEN_SENTINELS: usize = 50;

/// Time a worker runs mutants before it runs the unmutated tree again.
const LONGEST_BETWEEN_SENTINELS: Duration = Duration::from_secs(600);

/// Sentinels in a row that may fail, each in a fresh workspace, before the run is given up.
const PATIENCE: u32 = 3;

const WAITING: &str = "running again, one at a time, what other workers could have caused";

/// Keeps what the pool finds out, at once, so that a run that is broken off loses none of it. Called by
/// any worker.
pub trait Keep: Sync {
    /// The runs of the mutant at `place` of the plan, once nothing can change them.
    ///
    /// # Errors
    /// [`RunError`] when they cannot be kept: the run ends.
    fn decided(&self, place: usize, runs: &[Run]) -> Result<(), RunError>;

    /// The steps of the mutant at `place` that must give the same once more, from a clean start, before
    /// these runs are its answer; none where they suffice.
    fn asks_again(&self, place: usize, runs: &[Run]) -> Vec<Step> {
        let _ = (place, runs);
        Vec::new()
    }

    /// The unmutated tree was run between the mutants, and whether it passed.
    ///
    /// # Errors
    /// [`RunError`] when that cannot be kept: the run ends.
    fn unmutated(&self, passed: bool) -> Result<(), RunError> {
        let _ = passed;
        Ok(())
    }
}

/// For a caller who wants the mutants alone.
impl<F: Fn(usize, &[Run]) -> Result<(), RunError> + Sync> Keep for F {
    fn decided(&self, place: usize, runs: &[Run]) -> Result<(), RunError> {
        self(place, runs)
    }
}

pub(super) struct Pool<'a> {
    pub(super) lab: &'a Lab<'a>,
    plan: &'a Plan,
    todo: &'a [usize],
    pub(super) keep: &'a dyn Keep,
    /// The fastest executor that is asked for a first run.
    from: Tier,
    /// What the names of logs begin with.
    prefix: &'static str,
    next: AtomicUsize,
    pub(super) waiting: Mutex<Vec<Tried>>,
    /// Workers that did not stop for want of room.
    active: AtomicUsize,
    sentinels: AtomicU64,
    done: AtomicU64,
    killed: AtomicU64,
}

/// A mutant and what it did so far.
pub(super) struct Tried {
    pub(super) place: usize,
    pub(super) runs: Vec<Run>,
    /// The steps of its second answer, once it is asked for one.
    pub(super) again: Vec<Step>,
}

impl Tried {
    /// Whether some step did not pass; what that means is not decided here.
    fn failed(&self) -> bool {
        self.runs.iter().any(|run| !run.passed())
    }

    /// Whether its last run must be made again with no other worker active.
    pub(super) fn waits(&self) -> bool {
        let beside = |run: &&Run| matches!(run.attempt, Attempt::First | Attempt::Confirm);
        let last = self.runs.last().filter(beside);
        last.is_some_and(|run| again(&run.exit) == Again::Alone)
    }

    pub(super) fn new(place: usize) -> Self {
        Self { place, runs: Vec::new(), again: Vec::new() }
    }
}

/// A worker's mutants since the unmutated tree last passed in its workspace, but for those that
/// passed too: a broken workspace makes failures, and these must not stand yet.
pub(super) struct Pending {
    pub(super) failed: Vec<Tried>,
    /// The one that is run now.
    pub(super) begun: Option<usize>,
    since: Instant,
    count: usize,
}

impl Pending {
    pub(super) fn new() -> Self {
        Self { failed: Vec::new(), begun: None, since: Instant::now(), count: 0 }
    }

    fn is_due(&self) -> bool {
        self.count >= MAX_BETWEEN_SENTINELS || self.since.elapsed() >= LONGEST_BETWEEN_SENTINELS
    }
}

impl Lab<'_> {
    /// Runs the mutants at the places `todo` of `plan`, and hands the runs of each to `keep` once
    /// nothing can change them: a kill waits until the unmutated tree has passed again.
    ///
    /// # Errors
    /// [`RunError`] when the run cannot go on, or `keep` says so.
    pub fn mutants(&self, plan: &Plan, todo: &[usize], keep: &dyn Keep) -> Result<(), RunError> {
        let pool = Pool { todo, from: Tier::FASTEST, ..Pool::new(self, plan, keep) };
        self.queue(&pool, "running the mutants")
    }

    /// The same on the exact path alone. Logs begin with `prefix`, so that no earlier one is written
    /// over; `name` says to people what that is for.
    ///
    /// # Errors
    /// [`RunError`] when the run cannot go on, or `keep` says so.
    pub fn exactly(
        &self,
        plan: &Plan,
        todo: &[usize],
        (name, prefix): (&'static str, &'static str),
        keep: &dyn Keep,
    ) -> Result<(), RunError> {
        self.queue(&Pool { todo, prefix, ..Pool::new(self, plan, keep) }, name)
    }

    fn queue(&self, pool: &Pool<'_>, name: &'static str) -> Result<(), RunError> {
        let todo = pool.todo;
        self.sink.tell(Event::Step { name: name.into(), total: Some(todo.len() as u64) });
        let workers = 0..self.seats.len().min(todo.len());
        pool.active.store(workers.len(), Ordering::SeqCst);
        self.pool.install(|| {
            workers.into_par_iter().try_for_each(|worker| {
                // The others end with their present mutant when one cannot go on.
                pool.work(worker).inspect_err(|_| pool.next.store(todo.len(), Ordering::SeqCst))
            })
        })?;
        pool.confirm(WAITING)
    }

    /// Runs mutants one at a time with no other worker active; as [`Lab::mutants`] else. Their logs
    /// begin with `prefix`.
    ///
    /// # Errors
    /// [`RunError`] when the run cannot go on, or `keep` says so.
    pub fn alone(
        &self,
        plan: &Plan,
        todo: &[usize],
        (name, prefix): (&'static str, &'static str),
        keep: &dyn Keep,
    ) -> Result<(), RunError> {
        let waiting = Mutex::new(todo.iter().map(|&place| Tried::new(place)).collect());
        Pool { waiting, prefix, ..Pool::new(self, plan, keep) }.confirm(name)
    }
}

impl<'a> Pool<'a> {
    fn new(lab: &'a Lab<'a>, plan: &'a Plan, keep: &'a dyn Keep) -> Self {
        Self {
            lab,
            plan,
            todo: &[],
            keep,
            from: Tier::Exact,
            prefix: "",
            next: AtomicUsize::new(0),
            waiting: Mutex::new(Vec::new()),
            active: AtomicUsize::new(1),
            sentinels: AtomicU64::new(0),
            done: AtomicU64::new(0),
            killed: AtomicU64::new(0),
        }
    }
}

impl Pool<'_> {
    fn work(&self, worker: usize) -> Result<(), RunError> {
        let _useful = self.lab.spawner.share().filter(|_| worker > 0).map(Share::one_more);
        let mut pending = Pending::new();
        loop {
            match self.work_on(worker, &mut pending) {
                Err(error) if error.is_want() => {
                    if !self.make_do(worker, &mut pending, error)? {
                        return Ok(());
                    }
                }
                done => return done,
            }
        }
    }

    /// Counts a worker out unless it is the last; whether it is.
    pub(super) fn retire(&self) -> bool {
        let last = |active: usize| active.checked_sub(1).filter(|left| *left > 0);
        self.active.fetch_update(Ordering::SeqCst, Ordering::SeqCst, last).is_err()
    }

    fn work_on(&self, worker: usize, pending: &mut Pending) -> Result<(), RunError> {
        while let Some(&place) = self.todo.get(self.next.fetch_add(1, Ordering::SeqCst)) {
            pending.begun = Some(place);
            let tried = self.attempt(worker, Tried::new(place), Attempt::First)?;
            pending.begun = None;
            self.progress(&tried);
            self.sort(tried, pending)?;
            if pending.is_due() {
                self.sentinel(worker, pending, Attempt::First)?;
            }
        }
        self.sentinel(worker, pending, Attempt::First)
    }

    /// Runs a mutant, from where its runs end, and once more where `keep` asks for that. As `Alone` it
    /// is brought to its end whatever it needs.
    fn attempt(&self, worker: usize, tried: Tried, attempt: Attempt) -> Result<Tried, RunError> {
        let mut tried = tried;
        if tried.again.is_empty() {
            tried = self.first_answer(worker, tried, attempt)?;
            if tried.waits() {
                return Ok(tried);
            }
            tried.again = self.keep.asks_again(tried.place, &tried.runs);
        }
        self.second_answer(worker, tried, attempt)
    }

    fn second_answer(
        &self,
        worker: usize,
        tried: Tried,
        attempt: Attempt,
    ) -> Result<Tried, RunError> {
        if tried.again.is_empty() {
            return Ok(tried);
        }
        let mutant = &self.plan.mutants[tried.place];
        let edits = self.plan.texts(mutant, self.lab.snapshot)?;
        let must_build = !mutant.class.is_never_unviable();
        let (stop, from) = (Stop::FirstFailure, Tier::Exact);
        let how = How { attempt, stop, must_build, from };
        let name = format!("{}{}", self.prefix, mutant.id);
        self.lab.confirm(&mut self.sit(worker, attempt), &name, &edits, tried, how)
    }

    fn first_answer(
        &self,
        worker: usize,
        tried: Tried,
        attempt: Attempt,
    ) -> Result<Tried, RunError> {
        let Tried { place, runs, again } = tried;
        let mutant = &self.plan.mutants[place];
        let name = format!("{}{}", self.prefix, mutant.id);
        let edits = self.plan.texts(mutant, self.lab.snapshot)?;
        let full = self.lab.settings.full_matrix || mutant.class.is_decisive();
        let stop = if full { Stop::Never } else { Stop::FirstFailure };
        let must_build = !mutant.class.is_never_unviable();
        let first = if runs.is_empty() { Attempt::First } else { attempt };
        let how = How { attempt: first, stop, must_build, from: self.from };
        let mut seat = self.sit(worker, attempt);
        let runs = self.lab.trial(&mut seat, &name, &edits, runs, how)?;
        drop(seat);
        let tried = Tried { place, runs, again };
        if attempt == Attempt::Alone && tried.waits() {
            return self.first_answer(worker, tried, attempt);
        }
        Ok(tried)
    }

    fn sit(&self, worker: usize, attempt: Attempt) -> Sitting<'_> {
        match attempt {
            Attempt::Alone => self.lab.seat_alone(worker),
            Attempt::First | Attempt::Repeat | Attempt::Confirm => self.lab.seat(worker),
        }
    }

    fn progress(&self, tried: &Tried) {
        let killed = u64::from(tried.failed());
        let done = self.done.fetch_add(1, Ordering::SeqCst) + 1;
        let killed = self.killed.fetch_add(killed, Ordering::SeqCst) + killed;
        self.lab.sink.tell(Event::Progress { done, killed });
    }

    /// A mutant that passed everything is decided; any other waits for the next sentinel.
    fn sort(&self, tried: Tried, pending: &mut Pending) -> Result<(), RunError> {
        pending.count += 1;
        if tried.failed() {
            pending.failed.push(tried);
            return Ok(());
        }
        self.keep.decided(tried.place, &tried.runs)
    }

    /// Runs the unmutated tree; if it passes, the failures before it stand. If not, the workspace is
    /// replaced and those mutants are run again from the start; one that meets a failing sentinel
    /// once more stays undecided.
    fn sentinel(
        &self,
        worker: usize,
        pending: &mut Pending,
        attempt: Attempt,
    ) -> Result<(), RunError> {
        for round in 1..=PATIENCE {
            let mut failed = std::mem::take(&mut pending.failed);
            match self.unmutated(worker, &failed) {
                Ok(()) => {
                    *pending = Pending::new();
                    return failed.into_iter().try_for_each(|tried| self.stands(tried));
                }
                Err(error) if error.is_want() => {
                    pending.failed = failed;
                    return Err(error);
                }
                Err(error) if round == PATIENCE => return Err(error),
                Err(RunError::Red(_) | RunError::NoAnswer { .. }) => {
                    let count = failed.len();
                    self.lab.sink.tell(Event::Warning(format!(
                        "the unmutated tree did not pass beside the mutants; {count} mutants that \
                         failed since it last did are run again"
                    )));
                    failed.reverse();
                    let again = self.again(worker, &mut failed, round, pending, attempt);
                    // What an error left over.
                    pending.failed.append(&mut failed);
                    again?;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Runs the mutants that met a failing sentinel again, the last of them first, in a fresh workspace;
    /// after the first round, they are given up.
    fn again(
        &self,
        worker: usize,
        failed: &mut Vec<Tried>,
        round: u32,
        pending: &mut Pending,
        attempt: Attempt,
    ) -> Result<(), RunError> {
        self.lab.replace(worker)?;
        while let Some(tried) = failed.pop() {
            if round > 1 {
                self.give_up(&tried)?;
                continue;
            }
            pending.begun = Some(tried.place);
            let tried = self.attempt(worker, Tried::new(tried.place), attempt)?;
            pending.begun = None;
            self.sort(tried, pending)?;
        }
        Ok(())
    }

    /// Runs the unmutated tree by every executor that these failures came from.
    fn unmutated(&self, worker: usize, failed: &[Tried]) -> Result<(), RunError> {
        let failures = failed.iter().flat_map(|tried| &tried.runs).filter(|run| !run.passed());
        let mut executors = failures.map(|run| run.executor).collect::<BTreeSet<_>>();
        if executors.is_empty() {
            executors.insert(self.from);
        }
        for from in executors {
            let number = self.sentinels.fetch_add(1, Ordering::SeqCst) + 1;
            let name = format!("{}sentinel-{number}", self.prefix);
            let result = self.lab.unmutated(worker, &name, true, from);
            match &result {
                Ok(_) => self.keep.unmutated(true)?,
                Err(RunError::Red(_) | RunError::NoAnswer { .. }) => self.keep.unmutated(false)?,
                Err(_) => {}
            }
            result?;
        }
        Ok(())
    }

    /// What a good sentinel does with a mutant that failed: it is decided, or has its turn alone.
    fn stands(&self, tried: Tried) -> Result<(), RunError> {
        if tried.waits() {
            self.waiting.lock().expect("no worker panics with it").push(tried);
            return Ok(());
        }
        self.keep.decided(tried.place, &tried.runs)
    }

    fn give_up(&self, tried: &Tried) -> Result<(), RunError> {
        let mut runs = tried.runs.clone();
        let why = "the unmutated tree failed beside it, twice".to_owned();
        runs.iter_mut().for_each(|run| run.exit = Exit::Lost(why.clone()));
        self.keep.decided(tried.place, &runs)
    }

    /// The mutants whose exits others could have caused, one at a time on a quiet machine.
    fn confirm(&self, name: &'static str) -> Result<(), RunError> {
        let mut waiting = std::mem::take(&mut *self.waiting.lock().expect("the workers are done"));
        waiting.sort_by_key(|tried| tried.place);
        if waiting.is_empty() {
            return Ok(());
        }
        let total = Some(waiting.len() as u64);
        self.done.store(0, Ordering::SeqCst);
        self.killed.store(0, Ordering::SeqCst);
        self.lab.sink.tell(Event::Step { name: name.into(), total });
        self.make_room()?;
        let mut pending = Pending::new();
        for tried in waiting {
            let (place, before) = (tried.place, tried.runs.clone());
            let tried = match self.attempt(0, tried, Attempt::Alone) {
                Err(error) if error.is_want() => {
                    self.give_up_for_want(place, before, &error)?;
                    continue;
                }
                tried => tried?,
            };
            self.progress(&tried);
            self.sort(tried, &mut pending)?;
            if pending.is_due() {
                self.sentinel(0, &mut pending, Attempt::Alone)?;
            }
        }
        self.sentinel(0, &mut pending, Attempt::Alone)
    }
}
