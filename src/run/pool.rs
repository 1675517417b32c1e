//! All mutants over all workers: the queue, the sentinels, and the repeats that need a quiet machine.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::lab::Lab;
use super::trial::{Again, Stop, again};
use super::{Attempt, Exit, Run, RunError};
use crate::base::{Event, RelPath};
use crate::plan::Plan;

/// Mutants a worker runs between two runs of the unmutated tree.
pub const MAX_BETWEEN_SENTINELS: usize = 50;

/// Time a worker runs mutants before it runs the unmutated tree again.
const LONGEST_BETWEEN_SENTINELS: Duration = Duration::from_secs(600);

/// Sentinels in a row that may fail, each in a fresh workspace, before the run is given up.
const PATIENCE: u32 = 3;

/// How the unmutated tree fared between the mutants.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Sentinels {
    /// Runs of the unmutated tree beside and after the mutants.
    pub runs: u64,
    /// Those that did not pass.
    pub failures: u64,
}

/// What a worker does with a decided mutant: its place in the plan, and its runs.
pub(super) type Decided<'a> = dyn Fn(usize, &[Run]) -> Result<(), RunError> + Sync + 'a;

struct Pool<'a> {
    lab: &'a Lab<'a>,
    plan: &'a Plan,
    todo: &'a [usize],
    decided: &'a Decided<'a>,
    next: AtomicUsize,
    waiting: Mutex<Vec<Tried>>,
    sentinels: AtomicU64,
    failures: AtomicU64,
    done: AtomicU64,
    killed: AtomicU64,
}

/// A mutant and what it did so far.
struct Tried {
    place: usize,
    runs: Vec<Run>,
}

impl Tried {
    /// Whether some step did not pass; what that means is not decided here.
    fn failed(&self) -> bool {
        self.runs.iter().any(|run| !run.passed())
    }
}

/// A worker's kills since the unmutated tree last passed in its workspace.
struct Pending {
    kills: Vec<Tried>,
    since: Instant,
    count: usize,
}

impl Lab<'_> {
    /// Runs the mutants at the places `todo` of `plan`, and hands the runs of each to `decided` once
    /// nothing can change them: a kill waits until the unmutated tree has passed again.
    ///
    /// # Errors
    /// [`RunError`] when the run cannot go on, or `decided` says so.
    pub fn mutants(
        &self,
        plan: &Plan,
        todo: &[usize],
        decided: &Decided<'_>,
    ) -> Result<Sentinels, RunError> {
        self.sink.tell(Event::Step { name: "mutants", total: Some(todo.len() as u64) });
        let pool = Pool {
            lab: self,
            plan,
            todo,
            decided,
            next: AtomicUsize::new(0),
            waiting: Mutex::new(Vec::new()),
            sentinels: AtomicU64::new(0),
            failures: AtomicU64::new(0),
            done: AtomicU64::new(0),
            killed: AtomicU64::new(0),
        };
        let workers = 0..self.seats.len().min(todo.len());
        self.pool.install(|| workers.into_par_iter().try_for_each(|worker| pool.work(worker)))?;
        pool.confirm()?;
        Ok(Sentinels { runs: pool.sentinels.into_inner(), failures: pool.failures.into_inner() })
    }
}

impl Pool<'_> {
    fn work(&self, worker: usize) -> Result<(), RunError> {
        let mut pending = Pending { kills: Vec::new(), since: Instant::now(), count: 0 };
        while let Some(&place) = self.todo.get(self.next.fetch_add(1, Ordering::SeqCst)) {
            let tried = self.first(worker, place)?;
            self.progress(&tried);
            pending.count += 1;
            self.sort(tried, &mut pending)?;
            if pending.count >= MAX_BETWEEN_SENTINELS
                || pending.since.elapsed() >= LONGEST_BETWEEN_SENTINELS
            {
                self.sentinel(worker, &mut pending)?;
            }
        }
        self.sentinel(worker, &mut pending)
    }

    fn edits(&self, place: usize) -> Result<Vec<(RelPath, Vec<u8>)>, RunError> {
        let mutant = &self.plan.mutants[place];
        let text = self.plan.text(mutant, self.lab.snapshot)?;
        Ok(vec![(self.plan.file(mutant).path.clone(), text)])
    }

    fn progress(&self, tried: &Tried) {
        let killed = u64::from(tried.failed());
        let done = self.done.fetch_add(1, Ordering::SeqCst) + 1;
        let killed = self.killed.fetch_add(killed, Ordering::SeqCst) + killed;
        self.lab.sink.tell(Event::Progress { done, killed });
    }

    fn stop(&self) -> Stop {
        if self.lab.settings.full_matrix { Stop::Never } else { Stop::FirstFailure }
    }

    fn first(&self, worker: usize, place: usize) -> Result<Tried, RunError> {
        let name = self.plan.mutants[place].id.to_string();
        let edits = self.edits(place)?;
        let how = (Attempt::First, self.stop());
        let mut seat = self.lab.seat(worker);
        let runs = self.lab.trial(&mut seat, &name, &edits, Vec::new(), how)?;
        Ok(Tried { place, runs })
    }

    /// Puts a tried mutant where it belongs: decided, waiting for the end, or waiting for a sentinel.
    fn sort(&self, tried: Tried, pending: &mut Pending) -> Result<(), RunError> {
        let last = tried.runs.last().map(|run| &run.exit);
        if last.is_some_and(|exit| again(exit) == Again::Alone) {
            self.waiting.lock().expect("no worker panics with it").push(tried);
            return Ok(());
        }
        if tried.failed() {
            pending.kills.push(tried);
            Ok(())
        } else {
            (self.decided)(tried.place, &tried.runs)
        }
    }

    /// Runs the unmutated tree; if it passes, the kills before it stand. If not, the workspace is
    /// replaced and they are run again; those that meet a failing sentinel once more stay undecided.
    fn sentinel(&self, worker: usize, pending: &mut Pending) -> Result<(), RunError> {
        let mut again = false;
        for attempt in 1..=PATIENCE {
            let number = self.sentinels.fetch_add(1, Ordering::SeqCst) + 1;
            let result = self.lab.unmutated(worker, &format!("sentinel-{number}"), true);
            let kills = std::mem::take(&mut pending.kills);
            match result {
                Ok(_) => {
                    for tried in kills {
                        (self.decided)(tried.place, &tried.runs)?;
                    }
                    (pending.count, pending.since) = (0, Instant::now());
                    return Ok(());
                }
                Err(error) if attempt == PATIENCE => return Err(error),
                Err(RunError::Red(_) | RunError::NoAnswer { .. }) => {
                    self.failures.fetch_add(1, Ordering::SeqCst);
                    let message = format!(
                        "the unmutated tree did not pass beside the mutants: {} kills are run again",
                        kills.len()
                    );
                    self.lab.sink.tell(Event::Warning(message));
                    self.lab.replace(worker)?;
                    for tried in kills {
                        if again {
                            self.give_up(&tried)?;
                        } else {
                            self.sort(self.first(worker, tried.place)?, pending)?;
                        }
                    }
                    again = true;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn give_up(&self, tried: &Tried) -> Result<(), RunError> {
        let mut runs = tried.runs.clone();
        let why = "the unmutated tree failed beside it, twice".to_owned();
        runs.iter_mut().for_each(|run| run.exit = Exit::Lost(why.clone()));
        (self.decided)(tried.place, &runs)
    }

    /// The mutants whose exits others could have caused, one at a time on a quiet machine.
    fn confirm(&self) -> Result<(), RunError> {
        let mut waiting = std::mem::take(&mut *self.waiting.lock().expect("the workers are done"));
        waiting.sort_by_key(|tried| tried.place);
        if waiting.is_empty() {
            return Ok(());
        }
        let total = Some(waiting.len() as u64);
        self.done.store(0, Ordering::SeqCst);
        self.killed.store(0, Ordering::SeqCst);
        self.lab.sink.tell(Event::Step { name: "confirmations, one at a time", total });
        let mut pending = Pending { kills: Vec::new(), since: Instant::now(), count: 0 };
        for mut tried in waiting {
            let name = self.plan.mutants[tried.place].id.to_string();
            let edits = self.edits(tried.place)?;
            let how = (Attempt::Alone, self.stop());
            let mut seat = self.lab.seat(0);
            tried.runs = self.lab.trial(&mut seat, &name, &edits, tried.runs, how)?;
            drop(seat);
            self.progress(&tried);
            pending.kills.push(tried);
            pending.count += 1;
            if pending.count >= MAX_BETWEEN_SENTINELS {
                self.sentinel(0, &mut pending)?;
            }
        }
        self.sentinel(0, &mut pending)
    }
}
