//! A worker's place at its workspace.

use std::ops::{Deref, DerefMut};
use std::sync::MutexGuard;

use super::environment::Environment;
use super::executor::Ladders;
use super::workspace::{Golden, Scratch, Workspace, WorkspaceError};
use super::{Certificate, Turn, left};
use crate::task::Task;
use crate::tree::Globs;

/// A worker's place: its workspace and environment, and whether they are clean.
pub(super) struct Seat {
    pub(super) worker: usize,
    pub(super) workspace: Workspace,
    pub(super) environment: Environment,
    /// Whether the bytecode of the unmutated tree is part of what a reset brings back.
    pub(super) warm: bool,
    /// Whether a mutant is in place and its product is built: the next step goes on from there.
    pub(super) is_placed: bool,
    /// Whether the workspace was removed to make room.
    pub(super) vacant: bool,
    /// The executors that come before the exact path, once they are offered.
    pub(super) ladders: Ladders,
    /// The certificate of the last run in it; `None` when a process of it may be alive.
    pub(super) certificate: Option<Certificate>,
}

/// A worker at its workspace.
pub(super) struct Sitting<'a> {
    // Before the turn, so that nobody has the turn and waits for the workspace.
    pub(super) seat: MutexGuard<'a, Seat>,
    pub(super) _turn: Option<Turn>,
}

impl Deref for Sitting<'_> {
    type Target = Seat;

    fn deref(&self) -> &Seat {
        &self.seat
    }
}

impl DerefMut for Sitting<'_> {
    fn deref_mut(&mut self) -> &mut Seat {
        &mut self.seat
    }
}

impl Seat {
    /// A place for worker number `worker` in a full copy of the tree, which is workspace number `folder`.
    pub(super) fn create(
        task: &Task,
        (scratch, golden): (&Scratch, &Golden),
        (worker, folder): (usize, usize),
    ) -> Result<Self, WorkspaceError> {
        // Where a pattern is none, nothing is permitted.
        let permitted = Globs::new(&left::permitted(task)).ok();
        let workspace = Workspace::create(scratch, golden, folder)?.permitting(permitted);
        Ok(Self::at(workspace, task, worker))
    }

    /// A place for another worker in this very copy: see [`Workspace::beside`].
    pub(super) fn beside(&self, task: &Task, worker: usize) -> Self {
        Self { warm: self.warm, ..Self::at(self.workspace.beside(worker), task, worker) }
    }

    fn at(workspace: Workspace, task: &Task, worker: usize) -> Self {
        Self {
            worker,
            environment: Environment::of(task, workspace.path(), worker),
            workspace,
            warm: false,
            is_placed: false,
            vacant: false,
            ladders: task.commands.iter().map(|_| Vec::new()).collect(),
            certificate: None,
        }
    }

    /// Whether no process of the last run is alive.
    pub(super) fn is_certified(&self) -> bool {
        self.certificate.is_some()
    }

    /// Remembers whether the run that just ended is known to have left no process.
    pub(super) fn certify(&mut self, certificate: Option<Certificate>) {
        self.certificate = certificate;
    }
}
