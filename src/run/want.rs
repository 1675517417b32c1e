//! What the run does when room, memory or processes run out for its own work: it goes on with fewer
//! workers. No verdict is made of it, and nothing that was not confirmed yet is kept.

use std::sync::PoisonError;
use std::time::Duration;

use super::lab::Lab;
use super::pool::{Pending, Pool, Tried};
use super::{Attempt, Exit, Run, RunError, Step, Tier};
use crate::base::Event;

impl RunError {
    /// Whether it may go well with fewer workers.
    pub(super) fn is_want(&self) -> bool {
        matches!(self, Self::Workspace(error) if error.is_want())
    }
}

impl Lab<'_> {
    /// A run that could not be started for want of what `error` says, which decides nothing.
    fn starved(&self, error: &RunError) -> Run {
        let step = self.task.build.as_ref().map_or(Step::Command(0), |_| Step::Build);
        Run {
            step,
            attempt: Attempt::Alone,
            exit: Exit::Starved(error.to_string()),
            wall: Duration::ZERO,
            cpu: Duration::ZERO,
            log: String::new(),
            log_sha256: None,
            executor: Tier::Exact,
            declined: Vec::new(),
            unreached: false,
            outside_budget: Vec::new(),
            tests: None,
        }
    }
}

impl Pool<'_> {
    /// A worker met want: its copy is removed, which makes room, and what it has not confirmed has its
    /// turn at the end. Whether the worker goes on: only one without others does, in a fresh copy.
    ///
    /// # Errors
    /// `error` itself where giving up makes no difference, or why there is no fresh copy.
    pub(super) fn make_do(
        &self,
        worker: usize,
        pending: &mut Pending,
        error: RunError,
    ) -> Result<bool, RunError> {
        let lost = std::mem::replace(pending, Pending::new());
        let places = lost.failed.iter().map(|tried| tried.place).chain(lost.begun);
        let tried = places.map(Tried::new).collect::<Vec<_>>();
        let alone = self.retire();
        if alone && tried.is_empty() {
            return Err(error);
        }
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).extend(tried);
        self.lab.vacate(worker)?;
        let what = if alone { "this worker copies the tree anew" } else { "it stops" };
        self.lab.sink.tell(Event::Warning(format!("worker {worker} met {error}; {what}")));
        if alone {
            self.lab.replace(worker)?;
        }
        Ok(alone)
    }

    /// Where a worker stopped, no copy but the one that is needed now stays.
    ///
    /// # Errors
    /// That one cannot be made.
    pub(super) fn make_room(&self) -> Result<(), RunError> {
        let workers = 0..self.lab.workers();
        if !workers.clone().any(|worker| self.lab.seat(worker).vacant) {
            return Ok(());
        }
        workers.skip(1).try_for_each(|worker| self.lab.vacate(worker))?;
        self.lab.replace(0)
    }

    /// What is done with a mutant that meets want with no other worker active: it is undecided.
    pub(super) fn give_up_for_want(
        &self,
        place: usize,
        mut runs: Vec<Run>,
        error: &RunError,
    ) -> Result<(), RunError> {
        runs.push(self.lab.starved(error));
        self.keep.decided(place, &runs)?;
        self.lab.vacate(0)?;
        self.lab.replace(0)
    }
}
