//! What an agent must leave as it is though the task file does not say so: what the commands look at.

use std::collections::BTreeSet;

use super::TaskTrees;
use crate::base::RelPath;
use crate::task::{Protected, ProtectedKind, Task};

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

/// The protected paths of a task: those it names, and where it has a start tree, also every file that
/// a command names, every runner's configuration and every lock file of the right solution. Never one
/// that the solution changes: the agent may have to change it too.
pub(super) fn protected(task: &Task, trees: &TaskTrees) -> Vec<Protected> {
    let mut protected = task.protected.clone();
    let Some(start) = &trees.start else { return protected };
    let named = named(task);
    let stated = protected.iter().map(|entry| entry.path.clone()).collect::<Vec<_>>();
    let covered = |path: &RelPath| stated.iter().any(|above| path.is_under(above));
    for (path, sha256, _) in trees.base.files() {
        let name = path.name();
        let wanted = named.contains(path.as_bytes())
            || RUNNER_FILES.contains(&name)
            || LOCK_FILES.contains(&name);
        let plain = path.as_str().is_some() && !path.has_control();
        if wanted && plain && !covered(path) && start.file(path) == Some(sha256) {
            let (path, kind) = (path.clone(), ProtectedKind::File);
            protected.push(Protected { path, kind, exclude: None, equivalence: None });
        }
    }
    protected
}

/// Words of the commands that may be paths; what stands behind `::` names a test in a file.
fn named(task: &Task) -> BTreeSet<Vec<u8>> {
    let words = task.commands.iter().flat_map(|command| command.argv.words());
    let ids = task.commands.iter().flat_map(|command| command.ids.iter().flatten());
    let path = |word: &String| {
        let path = word.split("::").next().unwrap_or_default();
        path.strip_prefix("./").unwrap_or(path).as_bytes().to_vec()
    };
    words.chain(ids).map(path).collect()
}
