//! Files outside of the protected paths that decide which tests run, or what a run's status is.

use std::collections::BTreeSet;
use std::path::Path;

use super::answer::{Change, CollectionPart};
use super::{CheckError, is_protected};
use crate::base::{RelPath, Silent};
use crate::bundle::{Bundle, REFERENCE};
use crate::measure::RUNNER_FILES;
use crate::plan;
use crate::tree::{Choice, Entry, Kind, Snapshot};

/// Files that an interpreter or a packaging tool loads by itself.
const LOADED: &[&[u8]] =
    &[b"sitecustomize.py", b"usercustomize.py", b"pytest.toml", b".pytest.toml", b"setup.py"];

/// Modules that, standing at the top of the tree, take the place of a test runner or of what it loads
/// first.
const SHADOWS: &[&[u8]] = &[
    b"_pytest",
    b"argparse",
    b"coverage",
    b"doctest",
    b"importlib",
    b"iniconfig",
    b"pluggy",
    b"pytest",
    b"runpy",
    b"traceback",
    b"unittest",
];

/// Compares these files of the final tree with those of the start tree and of the right solution: what
/// a runner loads by itself, what a command names, and tests that were there before.
pub(super) fn judge(
    bundle: &Bundle,
    now: Option<&Snapshot>,
    choice: &Choice,
) -> Result<CollectionPart, CheckError> {
    let known = known(bundle)?;
    let named = named(bundle);
    let strict = |path: &RelPath| decides(path) || named.contains(path.as_bytes());
    let wanted = |entry: &&Entry| {
        !matches!(entry.kind, Kind::Directory { .. })
            && (strict(&entry.path) || plan::is_test(&entry.path))
            && !is_protected(bundle, &entry.path)
    };
    let mut changes = Vec::new();
    for entry in now.into_iter().flat_map(Snapshot::entries).filter(wanted) {
        let before = known.iter().filter_map(|tree| tree.get(&entry.path));
        let before = before.map(|entry| content(&entry.kind)).collect::<Vec<_>>();
        let what = if known.is_empty() {
            "is there, and no tree is at hand to compare it with"
        } else if before.is_empty() && strict(&entry.path) {
            "appeared"
        } else if before.is_empty() {
            // One more test can only fail.
            continue;
        } else if before.contains(&content(&entry.kind)) {
            continue;
        } else {
            "changed"
        };
        changes.push(Change::new(&entry.path, what.to_owned()));
    }
    // What the start tree has, and the final tree has not, decides something too, unless the right
    // solution has it neither.
    let is_there = |path: &RelPath, tree: &Snapshot| tree.get(path).is_some();
    if let Some(start) = known.first() {
        for entry in start.entries().iter().filter(wanted) {
            let path = &entry.path;
            let gone = !now.is_some_and(|now| is_there(path, now));
            if gone
                && known.iter().all(|tree| is_there(path, tree))
                && !choice.exclude.contains(path)
            {
                changes.push(Change::new(path, "went".to_owned()));
            }
        }
    }
    Ok(CollectionPart { compared: !known.is_empty(), changes })
}

/// The start tree and the right solution, as far as the bundle has them.
fn known(bundle: &Bundle) -> Result<Vec<Snapshot>, CheckError> {
    let everything = Choice { all: true, ..Choice::default() };
    let mut known = Vec::new();
    let reference = bundle.compile.as_ref().map(|_| bundle.root.join(REFERENCE));
    let is_there = |path: &std::path::PathBuf| Path::is_dir(path);
    for root in bundle.workspace().into_iter().chain(reference.filter(is_there)) {
        known.extend(super::listing(&root, &everything, &Silent)?);
    }
    Ok(known)
}

/// Words of the commands that may be files of the tree; what stands behind `::` names a test in a file.
fn named(bundle: &Bundle) -> BTreeSet<Vec<u8>> {
    let commands = bundle.record.acceptance.iter();
    let words =
        commands.flat_map(|command| command.argv.iter().chain(command.ids.iter().flatten()));
    let path = |word: &String| {
        let path = word.split("::").next().unwrap_or_default();
        path.strip_prefix("./").unwrap_or(path).as_bytes().to_vec()
    };
    words.map(path).collect()
}

/// What decides whether two entries are the same.
fn content(kind: &Kind) -> Vec<u8> {
    match kind {
        Kind::File { sha256, .. } => sha256.as_raw().to_vec(),
        Kind::Link { target } => [b"link ", target.as_os_str().as_encoded_bytes()].concat(),
        Kind::Directory { .. } => Vec::new(),
    }
}

/// Whether a file at this path can change what is collected or reported.
fn decides(path: &RelPath) -> bool {
    let name = path.name();
    let mut segments = path.segments();
    let top = segments.next().expect("a path has at least one segment");
    let parent = path.segments().rev().nth(1).unwrap_or_default();
    let installed = |end: &[u8]| parent.ends_with(end);
    RUNNER_FILES.contains(&name)
        || LOADED.contains(&name)
        || name.ends_with(b".pth")
        || (name == b"entry_points.txt" && (installed(b".dist-info") || installed(b".egg-info")))
        || SHADOWS.contains(&top.strip_suffix(b".py").unwrap_or(top))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_decides_over_tests_is_known_by_its_path() {
        let decides = |path: &str| decides(&RelPath::new(path.as_bytes()).unwrap());
        for path in [
            "conftest.py",
            "a/b/conftest.py",
            "setup.cfg",
            "sitecustomize.py",
            "x.pth",
            "p-1.dist-info/entry_points.txt",
            "unittest.py",
            "unittest/__init__.py",
            "pytest/__init__.py",
        ] {
            assert!(decides(path), "{path}");
        }
        for path in
            ["a.py", "entry_points.txt", "src/unittest.py", "conftest.py.txt", "docs/conf.py"]
        {
            assert!(!decides(path), "{path}");
        }
    }
}
