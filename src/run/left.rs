//! What the commands leave in a private copy of the tree, beside caches: of the unmutated one in full, of
//! a mutant what is outside of the budget.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::lab::Lab;
use super::seat::Seat;
use super::trial::Edits;
use crate::base::{RelPath, Sha256, Silent};
use crate::task::Task;
use crate::tree::{self, Choice, Kind, Snapshot};

/// Paths of the tree that a good run of the unmutated tree did not leave as they were.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Left {
    /// Files with other contents.
    pub changed: BTreeSet<String>,
    /// Files and links that were not there.
    pub appeared: BTreeSet<String>,
    /// Files and links that are gone.
    pub went: BTreeSet<String>,
}

/// What stands at each path; directories are not told.
pub(super) type State = BTreeMap<RelPath, Option<Sha256>>;

/// The state of the tree at `root`; `None` where it cannot be listed, such as when it is gone.
pub(super) fn state(root: &Path) -> Option<State> {
    let all = Choice { all: true, ..Choice::default() };
    tree::snapshot(root, &all, &Silent).ok().map(|snapshot| of(&snapshot))
}

fn of(snapshot: &Snapshot) -> State {
    let entries = snapshot.entries().iter().filter_map(|entry| match &entry.kind {
        Kind::File { sha256, .. } => Some((entry.path.clone(), Some(*sha256))),
        Kind::Link { .. } => Some((entry.path.clone(), None)),
        Kind::Directory { .. } => None,
    });
    entries.collect()
}

/// What commands may leave in their copy of a tree, as patterns of gitignore: bytecode, pytest's own cache,
/// and what `run_writes` names.
#[must_use]
pub fn permitted(task: &Task) -> Vec<String> {
    let caches = ["**/__pycache__/**", "**/*.pyc", "**/.pytest_cache/**"].map(str::to_owned);
    let named = task.commands.iter().flat_map(|command| command.run_writes.iter().flatten());
    caches.into_iter().chain(named.cloned()).collect()
}

impl Lab<'_> {
    /// The paths outside of the budget that the run before the last reset left, wrote or removed, below the
    /// workspace: `tree/..`, `heldout/..`; without what the engine itself put in place.
    pub(super) fn outside_budget(&self, seat: &mut Seat, edits: &Edits) -> Vec<String> {
        let mut found = seat.workspace.take_strays();
        found.retain(|path| {
            let path = path.strip_prefix("tree/");
            !edits.iter().any(|(edited, _)| Some(edited.to_string().as_str()) == path)
        });
        found
    }

    /// From now on what good runs left is told of no run.
    pub(super) fn get_used_to_left(&self) {
        for worker in 0..self.seats.len() {
            self.occupied(worker).workspace.get_used_to(self.usually_left());
        }
    }

    /// What good runs leave, below a workspace.
    pub(super) fn usually_left(&self) -> BTreeSet<String> {
        let Left { changed, appeared, went } = self.left();
        let all = [changed, appeared, went].into_iter().flatten();
        all.map(|path| format!("tree/{path}")).collect()
    }

    /// Remembers how the tree of the first worker looks before any command runs in it.
    pub(super) fn look_before(&self) {
        let state = state(&self.first_tree());
        *self.before.lock().expect("no worker panics with it") = state.unwrap_or_default();
    }

    /// Adds what a good run of the unmutated tree left in this tree.
    pub(super) fn look_at(&self, tree: &Path) {
        let before = self.before.lock().expect("no worker panics with it");
        if let Some(after) = state(tree) {
            self.left.lock().expect("no worker panics with it").add(&before, &after);
        }
    }

    /// What good runs of the unmutated tree left in a private copy of it.
    #[must_use]
    pub fn left(&self) -> Left {
        self.left.lock().expect("no worker panics with it").clone()
    }
}

impl Left {
    /// Adds how `after` differs from `before`.
    pub(super) fn add(&mut self, before: &State, after: &State) {
        for (path, state) in after {
            match before.get(path) {
                Some(earlier) if earlier == state => {}
                Some(_) => drop(self.changed.insert(path.to_string())),
                None => drop(self.appeared.insert(path.to_string())),
            }
        }
        let gone = before.keys().filter(|path| !after.contains_key(*path));
        self.went.extend(gone.map(ToString::to_string));
    }
}
