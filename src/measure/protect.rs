//! What an agent must leave as it is though the task file does not say so: what the commands look at.

use std::collections::BTreeSet;

use super::TaskTrees;
use crate::base::RelPath;
use crate::plan;
use crate::run::Runner;
use crate::task::{Protected, ProtectedKind, Task};
use crate::tree::Kind;

/// Files that configure a test runner, or that it loads by itself.
pub const RUNNER_FILES: &[&[u8]] =
    &[b"conftest.py", b"pytest.ini", b".pytest.ini", b"pyproject.toml", b"setup.cfg", b"tox.ini"];

/// Files that fix the versions of what is installed.
const LOCK_FILES: &[&[u8]] = &[
    b"Cargo.lock",
    b"Pipfile.lock",
    b"package-lock.json",
    b"pdm.lock",
    b"pnpm-lock.yaml",
    b"poetry.lock",
    b"requirements.lock",
    b"uv.lock",
    b"yarn.lock",
];

/// The protected paths of a task: those it names, and where it has a start tree, also every test file
/// that a command names, every runner's configuration and every lock file of the right solution. Never
/// one that the solution changes: the agent may have to change it too.
pub(super) fn protected(task: &Task, trees: &TaskTrees) -> Vec<Protected> {
    let mut protected = task.protected.clone();
    let Some(start) = &trees.start else { return protected };
    let named = Named::of(task, trees);
    let stated = protected.iter().map(|entry| entry.path.clone()).collect::<Vec<_>>();
    let covered = |path: &RelPath| stated.iter().any(|above| path.is_under(above));
    for (path, sha256, _) in trees.base.files() {
        let name = path.name();
        let wanted =
            named.holds(path) || RUNNER_FILES.contains(&name) || LOCK_FILES.contains(&name);
        let plain = path.as_str().is_some() && !path.has_control();
        if wanted && plain && !covered(path) && start.file(path) == Some(sha256) {
            let (path, kind) = (path.clone(), ProtectedKind::File);
            protected.push(Protected { path, kind, exclude: None, equivalence: None });
        }
    }
    protected
}

/// What the commands name as tests.
struct Named {
    /// Scripts and files, by path.
    files: BTreeSet<RelPath>,
    /// Directories, whose test files count.
    directories: Vec<RelPath>,
    /// Whether a runner looks for its tests by itself, so that any test file may be one.
    all: bool,
}

impl Named {
    fn of(task: &Task, trees: &TaskTrees) -> Self {
        let mut named = Self { files: BTreeSet::new(), directories: Vec::new(), all: false };
        for command in &task.commands {
            let mut names_some = false;
            for path in plan::named_files(&command.argv, &task.tree) {
                names_some |= trees.base.file(&path).is_some();
                named.files.insert(path);
            }
            let words = command.argv.words().iter().chain(command.ids.iter().flatten());
            for path in words.flat_map(|word| paths(word)) {
                match trees.base.get(&path).map(|entry| &entry.kind) {
                    Some(Kind::File { .. }) => drop(named.files.insert(path)),
                    Some(Kind::Directory { .. }) => named.directories.push(path),
                    Some(Kind::Link { .. }) | None => continue,
                }
                names_some = true;
            }
            named.all |= !names_some && Runner::of(command.argv.words()).is_some();
        }
        named
    }

    fn holds(&self, path: &RelPath) -> bool {
        let below = || self.directories.iter().any(|above| path.is_under(above));
        self.files.contains(path) || plan::is_test(path) && (self.all || below())
    }
}

/// The paths that a word may mean: as it stands, before pytest's `::`, and as a dotted module whose
/// last parts may be a class and a method.
fn paths(word: &str) -> Vec<RelPath> {
    let path = word.split("::").next().unwrap_or_default();
    let path = path.strip_prefix("./").unwrap_or(path).trim_end_matches('/');
    let mut found = vec![path.to_owned()];
    if !path.contains('/') {
        let parts = path.split('.').collect::<Vec<_>>();
        found.extend((1..=parts.len()).map(|end| format!("{}.py", parts[..end].join("/"))));
    }
    found.iter().filter_map(|path| RelPath::new(path.as_bytes()).ok()).collect()
}
