//! The trees of a task as they are listed, and those that patches make.

use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::{MeasureError, OutputDir, Since};
use crate::base::{Event, RelPath, Sha256, Sink};
use crate::plan;
use crate::run::workspace::{Aside, Sources};
use crate::task::{self, Solution, Task, Variant};
use crate::tree::patch::Patch;
use crate::tree::{self, Choice, Snapshot};

/// What is listed of a tree, and where this program itself writes.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// What is left out, and what is kept.
    pub choice: &'a Choice,
    /// The run directory, which is no part of a tree.
    pub output: Option<&'a Path>,
    /// Where trees are put that patches make.
    pub scratch: &'a Path,
    /// Mutate only what differs from this.
    pub since: Option<&'a Since>,
}

/// The listings of a task's trees.
#[derive(Debug)]
pub struct TaskTrees {
    /// The tree that mutants are made of.
    pub base: Snapshot,
    /// What the agent gets, beside a right solution.
    pub start: Option<Snapshot>,
    /// What commands find at `../heldout`.
    pub heldout: Option<Snapshot>,
    /// What was left out of the tree that the task names, which links come from.
    named: Option<Snapshot>,
    /// Where in each tree the run directory is, as that was before it was made.
    outputs: BTreeMap<PathBuf, RelPath>,
    /// Holds a tree that a patch made.
    _made: Option<Aside>,
}

impl TaskTrees {
    /// Lists the trees of `task`.
    ///
    /// # Errors
    /// [`MeasureError`] when one cannot be read, a patch does not apply, start and solution are the
    /// same, or an item of the choice is in none of them.
    pub fn of(task: &Task, wanted: &Wanted<'_>, sink: &dyn Sink) -> Result<Self, MeasureError> {
        if let Some(above) = task.file_above() {
            let hint = task::hint_above(&above);
            let tree = task.tree.display();
            sink.tell(Event::Warning(format!("no task file here: bare tree `{tree}`{hint}")));
        }
        let mut outputs = BTreeMap::new();
        let mut list = |root: &Path| {
            let output = wanted.output.and_then(|output| OutputDir::place_in(output, root));
            outputs.extend(output.clone().map(|output| (root.to_owned(), output)));
            listing(task, root, output, wanted, sink)
        };
        let heldout = task.heldout.as_ref().map(|root| whole(root, sink)).transpose()?;
        let named = list(&task.tree)?;
        let (base, start, named, _made) = match &task.solution {
            Solution::Tree | Solution::None => (named, None, None, None),
            Solution::From(start) => (named, Some(list(start)?), None, None),
            Solution::Patch(patch) => {
                let made = patched(&named, patch, wanted.scratch)?;
                let base = tree::snapshot(&made.path().join(TREE), &everything(), sink)?;
                (base, Some(named.clone()), Some(named), Some(made))
            }
        };
        if let Some(path) = unmatched(&base, start.as_ref()) {
            return Err(MeasureError::Unmatched(path.clone()));
        }
        if start.as_ref().is_some_and(|start| start.first_difference(&base).is_none()) {
            let words =
                "the start tree and the right solution are the same: there is no change to test";
            return Err(MeasureError::NoMutants(words.to_owned()));
        }
        Ok(Self { base, start, heldout, named, outputs, _made })
    }

    /// One digest over everything that is copied: of the mutated tree alone, where it is alone, else
    /// over the digests of the mutated tree, the start tree and the held-out files.
    #[must_use]
    pub fn digest(&self) -> Sha256 {
        let base = self.base.digest();
        if self.start.is_none() && self.heldout.is_none() {
            return base;
        }
        let of = |tree: &Option<Snapshot>| tree.as_ref().map(Snapshot::digest);
        let all = (base, of(&self.start), of(&self.heldout));
        Sha256::of(&serde_json::to_vec(&all).expect("digests are plain values"))
    }

    /// What a plan is made from.
    #[must_use]
    pub fn for_plan(&self) -> plan::Trees<'_> {
        plan::Trees { base: &self.base, start: self.start.as_ref() }
    }

    /// What a workspace holds, with these links.
    #[must_use]
    pub fn sources<'a>(&'a self, links: &'a [(RelPath, PathBuf)]) -> Sources<'a> {
        Sources { tree: &self.base, heldout: self.heldout.as_ref(), links, bytecode: None }
    }

    /// The listing of the tree that the task names, with what was left out of it.
    #[must_use]
    pub fn named(&self) -> &Snapshot {
        self.named.as_ref().unwrap_or(&self.base)
    }

    /// The files that the right solution adds or changes and that are no tests, in path order.
    #[must_use]
    pub fn changed_files(&self) -> Vec<String> {
        let Some(start) = &self.start else { return Vec::new() };
        let files = self.base.files().filter(|(path, sha256, _)| start.file(path) != Some(sha256));
        let product = files.filter(|(path, _, _)| !plan::is_test(path) && !path.has_control());
        product.filter_map(|(path, _, _)| path.as_str().map(ToOwned::to_owned)).collect()
    }

    /// A path of a tree that is no longer as it was listed.
    ///
    /// # Errors
    /// [`MeasureError`] when one can no longer be listed.
    pub fn first_change(
        &self,
        task: &Task,
        wanted: &Wanted<'_>,
    ) -> Result<Option<PathBuf>, MeasureError> {
        let sink = &crate::base::Silent;
        let start = match &task.solution {
            Solution::From(root) => self.start.as_ref().map(|start| (start, root.as_path())),
            _ => None,
        };
        let named = Some((self.named(), task.tree.as_path()));
        for (before, root) in named.into_iter().chain(start) {
            let after = listing(task, root, self.outputs.get(root).cloned(), wanted, sink)?;
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
pub(super) struct VariantTree {
    /// Its listing.
    pub(super) snapshot: Snapshot,
    _made: Option<Aside>,
}

/// Lists another solution of the task; `start` is what patches are applied to.
///
/// # Errors
/// [`MeasureError`] when it cannot be read, or its patch does not apply.
pub(super) fn variant(
    variant: &Variant,
    task: &Task,
    start: &Snapshot,
    wanted: &Wanted<'_>,
    sink: &dyn Sink,
) -> Result<VariantTree, MeasureError> {
    if !variant.is_patch {
        let output = wanted.output.and_then(|it| OutputDir::place_in(it, &variant.path));
        let snapshot = listing(task, &variant.path, output, wanted, sink)?;
        return Ok(VariantTree { snapshot, _made: None });
    }
    let made = patched(start, &variant.path, wanted.scratch)?;
    let snapshot = tree::snapshot(&made.path().join(TREE), &everything(), sink)?;
    Ok(VariantTree { snapshot, _made: Some(made) })
}

/// Name of a patched tree in its temporary directory.
const TREE: &str = "tree";

fn patched(start: &Snapshot, patch: &Path, scratch: &Path) -> Result<Aside, MeasureError> {
    let fault = |error| tree::TreeError::io("make a directory in", scratch, error);
    let made = Aside::create(scratch, "patched").map_err(fault)?;
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
fn listing(
    task: &Task,
    root: &Path,
    output: Option<RelPath>,
    wanted: &Wanted<'_>,
    sink: &dyn Sink,
) -> Result<Snapshot, MeasureError> {
    let below =
        |path: &Path| RelPath::new(path.strip_prefix(root).ok()?.as_os_str().as_bytes()).ok();
    let task_file = task.file.as_ref().and_then(|file| below(file));
    let choice = Choice { task_file, output, ..wanted.choice.clone() };
    Ok(tree::snapshot(root, &choice, sink)?)
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
