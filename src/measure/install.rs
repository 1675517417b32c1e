//! The record of `[setup]`: what was there before it ran, and what it left of that.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::TaskTrees;
use crate::base::{RelPath, Sha256};
use crate::task::Task;

/// Files that pin what is installed.
const LOCKS: &[&str] = &[
    "Cargo.lock",
    "Pipfile.lock",
    "bun.lock",
    "composer.lock",
    "go.sum",
    "npm-shrinkwrap.json",
    "package-lock.json",
    "pdm.lock",
    "pnpm-lock.yaml",
    "poetry.lock",
    "uv.lock",
    "yarn.lock",
];

/// Files that say what is to be installed.
const MANIFESTS: &[&str] = &[
    "Cargo.toml",
    "Pipfile",
    "composer.json",
    "go.mod",
    "package.json",
    "pnpm-workspace.yaml",
    "pyproject.toml",
    "requirements.txt",
    "setup.cfg",
    "setup.py",
];

/// The half that is written before `[setup]` runs; none without one.
pub(super) fn before(task: &Task, trees: &TaskTrees) -> Option<Value> {
    let setup = task.setup.as_ref()?;
    let inputs =
        inputs(trees).map(|(path, digest, _)| (path.to_string(), digest.to_string().into()));
    let modules = trees.base.entries().iter().any(|entry| entry.path.name() == MODULES.as_bytes());
    let linked = trees.named().left_out().iter().any(|it| it.path.name() == MODULES.as_bytes());
    Some(json!({
        "pre": {
            "argv": setup.argv.words(),
            "cwd": ".",
            // Below the private directory of each worker, which is new and empty.
            "env_paths": {"HOME": "./home", "TMPDIR": "./tmp"},
            "node_modules_present": modules || linked,
            // The caller's own stores, as below CARGO_HOME, are not counted.
            "store_entries": null,
            "inputs": inputs.collect::<serde_json::Map<_, _>>(),
        },
        "post": null,
    }))
}

const MODULES: &str = "node_modules";

/// Adds the half after it, which passed, from the copy that it ran in.
pub(super) fn after(record: &mut Value, trees: &TaskTrees, copy: &Path) {
    let same = |path: &RelPath, digest: &Sha256| {
        fs::read(path.below(copy)).is_ok_and(|bytes| Sha256::of(&bytes) == *digest)
    };
    let unchanged = |locks: bool| {
        let mut inputs = inputs(trees).filter(|(_, _, lock)| *lock || !locks);
        inputs.all(|(path, digest, _)| same(path, digest))
    };
    record["post"] = json!({
        "exit": 0,
        "projects": null,
        "packages_added": packages(&copy.join(MODULES)),
        "lock_unchanged": unchanged(true),
        "all_inputs_unchanged": unchanged(false),
    });
}

/// The files an installation goes by: path, digest, whether it is a lock.
fn inputs(trees: &TaskTrees) -> impl Iterator<Item = (&RelPath, &Sha256, bool)> {
    let named = trees.base.files().filter(|(path, ..)| path.as_str().is_some());
    named.filter_map(|(path, digest, _)| {
        let name = std::str::from_utf8(path.name()).ok()?;
        let lock = LOCKS.contains(&name);
        (lock || MANIFESTS.contains(&name)).then_some((path, digest, lock))
    })
}

/// Packages at the top of a `node_modules`; null where there is none.
fn packages(modules: &Path) -> Option<usize> {
    let names = |folder: &Path| {
        let entries = fs::read_dir(folder).ok()?;
        Some(entries.flatten().map(|entry| entry.path()).collect::<Vec<_>>())
    };
    let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    let mut count = 0;
    for path in names(modules)? {
        match name(&path) {
            Some(hidden) if hidden.starts_with('.') => {}
            Some(scope) if scope.starts_with('@') => {
                count += names(&path).map_or(0, |all| all.len());
            }
            _ => count += 1,
        }
    }
    Some(count)
}
