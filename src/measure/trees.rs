//! The trees of a task as they are listed, and those that patches make.

use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::MeasureError;
use crate::base::{RelPath, Sink};
use crate::plan;
use crate::run::workspace::Sources;
use crate::task::{Solution, Task, Variant};
use crate::tree::patch::Patch;
use crate::tree::{self, Choice, Snapshot};

/// The listings of a task's trees.
pub struct TaskTrees {
    /// The tree that mutants are made of.
    pub base: Snapshot,
    /// What the agent gets, beside a right solution.
    pub start: Option<Snapshot>,
    /// What commands find at `../heldout`.
    pub heldout: Option<Snapshot>,
    /// What was left out of the tree that the task names, which links come from.
    named: Option<Snapshot>,
    /// Holds a tree that a patch made.
    _made: Option<TempDir>,
}

impl TaskTrees {
    /// Lists the trees of `task`; what a patch makes is put below `scratch`.
    ///
    /// # Errors
    /// [`MeasureError`] when one cannot be read, a patch does not apply, or an item of `choice` is
    /// in none of them.
    pub fn of(
        task: &Task,
        choice: &Choice,
        scratch: &Path,
        sink: &dyn Sink,
    ) -> Result<Self, MeasureError> {
        let list = |root: &Path| listing(task, root, choice, sink);
        let heldout = task.heldout.as_ref().map(|root| whole(root, sink)).transpose()?;
        let named = list(&task.tree)?;
        let (base, start, named, _made) = match &task.solution {
            Solution::Tree | Solution::None => (named, None, None, None),
            Solution::From(start) => (named, Some(list(start)?), None, None),
            Solution::Patch(patch) => {
                let made = patched(&named, patch, scratch)?;
                let base = tree::snapshot(&made.path().join(TREE), &everything(), sink)?;
                (base, Some(named.clone()), Some(named), Some(made))
            }
        };
        if let Some(path) = unmatched(&base, start.as_ref()) {
            return Err(MeasureError::Unmatched(path.clone()));
        }
        if start.as_ref().is_some_and(|start| start.first_difference(&base).is_none()) {
            let words = "the start tree and the right solution are the same: there is no change to test";
            return Err(MeasureError::NoMutants(words.to_owned()));
        }
        Ok(Self { base, start, heldout, named, _made })
    }

    /// What a plan is made from.
    #[must_use]
    pub fn for_plan(&self) -> plan::Trees<'_> {
        plan::Trees { base: &self.base, start: self.start.as_ref() }
    }

    /// What a workspace holds, with these links.
    #[must_use]
    pub fn sources<'a>(&'a self, links: &'a [(RelPath, PathBuf)]) -> Sources<'a> {
        Sources { tree: &self.base, heldout: self.heldout.as_ref(), links }
    }

    /// The listing of the tree that the task names, with what was left out of it.
    #[must_use]
    pub fn named(&self) -> &Snapshot {
        self.named.as_ref().unwrap_or(&self.base)
    }

    /// A path of a tree that is no longer as it was listed.
    ///
    /// # Errors
    /// [`MeasureError`] when one can no longer be listed.
    pub fn first_change(
        &self,
        task: &Task,
        choice: &Choice,
    ) -> Result<Option<PathBuf>, MeasureError> {
        let sink = &crate::base::Silent;
        let start = match &task.solution {
            Solution::From(root) => self.start.as_ref().map(|start| (start, root.as_path())),
            _ => None,
        };
        let named = Some((self.named(), task.tree.as_path()));
        for (before, root) in named.into_iter().chain(start) {
            let after = listing(task, root, choice, sink)?;
            if let Some(path) = before.first_difference(&after) {
                return Ok(Some(path.below(root)));
            }
        }
        let Some((before, root)) = self.heldout.as_ref().zip(task.heldout.as_ref()) else {
            return Ok(None);
        };
        let after = whole(root, sink)?;
        Ok(before.first_difference(&after).map(|path| path.below(root)))
    }
}

/// A tree of another solution, and what it is kept in.
pub struct VariantTree {
    /// Its listing.
    pub snapshot: Snapshot,
    _made: Option<TempDir>,
}

/// Lists another solution of the task; `start` is what patches are applied to.
///
/// # Errors
/// [`MeasureError`] when it cannot be read, or its patch does not apply.
pub fn variant(
    variant: &Variant,
    task: &Task,
    start: &Snapshot,
    choice: &Choice,
    scratch: &Path,
    sink: &dyn Sink,
) -> Result<VariantTree, MeasureError> {
    if !variant.is_patch {
        let snapshot = listing(task, &variant.path, choice, sink)?;
        return Ok(VariantTree { snapshot, _made: None });
    }
    let made = patched(start, &variant.path, scratch)?;
    let snapshot = tree::snapshot(&made.path().join(TREE), &everything(), sink)?;
    Ok(VariantTree { snapshot, _made: Some(made) })
}

/// Name of a patched tree in its temporary directory.
const TREE: &str = "tree";

fn patched(start: &Snapshot, patch: &Path, scratch: &Path) -> Result<TempDir, MeasureError> {
    let fault = |error| tree::TreeError::io("make a directory in", scratch, error);
    let made = tempfile::Builder::new().prefix("adequacy-patched-").tempdir_in(scratch);
    let made = made.map_err(fault)?;
    let root = made.path().join(TREE);
    start.copy_to(&root)?;
    let text = std::fs::read(patch).map_err(|error| tree::TreeError::io("read", patch, error))?;
    let wrong = |source| MeasureError::Patch { path: patch.to_owned(), source };
    let changes = Patch::parse(&text).and_then(|patch| patch.apply(&|path| start.state(path)));
    tree::patch::write(&changes.map_err(wrong)?, &root)?;
    Ok(made)
}

/// The listing of one of the task's trees without its task file and without a run directory that
/// stands in it.
///
/// # Errors
/// [`MeasureError`] when the tree cannot be read.
pub fn listing(
    task: &Task,
    root: &Path,
    choice: &Choice,
    sink: &dyn Sink,
) -> Result<Snapshot, MeasureError> {
    let below = |path: &Path| RelPath::new(path.strip_prefix(root).ok()?.as_os_str().as_bytes()).ok();
    let task_file = task.file.as_ref().and_then(|file| below(file));
    Ok(tree::snapshot(root, &Choice { task_file, ..choice.clone() }, sink)?)
}

/// Nothing is left out of held-out files, nor of a tree that was made from a listing.
fn everything() -> Choice {
    Choice { all: true, ..Choice::default() }
}

fn whole(root: &Path, sink: &dyn Sink) -> Result<Snapshot, MeasureError> {
    Ok(tree::snapshot(root, &everything(), sink)?)
}

/// An item of the choice that met nothing in any of the trees.
fn unmatched<'a>(base: &'a Snapshot, start: Option<&'a Snapshot>) -> Option<&'a RelPath> {
    let met = |path: &&RelPath| start.is_none_or(|start| start.unmatched().contains(path));
    base.unmatched().iter().find(met)
}
