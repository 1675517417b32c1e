//! Directories left out of the copies that the commands need all the same: linked, not copied.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::base::{Argv, RelPath};
use crate::plan::interpreter::Interpreter;
use crate::task::Task;
use crate::tree::{Snapshot, TreeError};

/// Programs that look for `node_modules` by themselves.
const NODE: &[&str] = &["node", "npm", "npx", "pnpm", "yarn"];

/// A left-out directory that the copies link to.
pub struct Link {
    /// Where it is in the tree.
    pub path: RelPath,
    /// The original.
    pub target: PathBuf,
    /// What needs it.
    pub why: String,
}

/// The left-out directories of `snapshot`, the listing of the task's tree or of one that stands in for
/// it, that a command's words, its interpreter or its runner reach into.
#[must_use]
pub fn needed(task: &Task, snapshot: &Snapshot, interpreter: Option<&Interpreter>) -> Vec<Link> {
    let root = snapshot.root();
    let steps = task.setup.iter().chain(&task.build).map(|step| &step.argv);
    let argvs = task.commands.iter().map(|command| &command.argv).chain(steps);
    let argvs = argvs.collect::<Vec<_>>();
    let why = |path: &RelPath| {
        let text = path.as_str()?;
        let absolute = path.below(root);
        let in_word = |word: &String| {
            let word = word.strip_prefix("./").unwrap_or(word);
            word.strip_prefix(text).is_some_and(|rest| rest.starts_with('/'))
                || Path::new(word).starts_with(&absolute)
        };
        let node = |argv: &&&Argv| text == "node_modules" && NODE.contains(&argv.program());
        if let Some(argv) = argvs.iter().find(|argv| argv.words().iter().any(in_word)) {
            Some(format!("`{argv}` names it"))
        } else if interpreter.is_some_and(|found| found.program.starts_with(&absolute)) {
            Some("the Python that the commands start is in it".to_owned())
        } else {
            argvs.iter().find(node).map(|argv| format!("`{argv}` looks for its packages there"))
        }
    };
    let linked = snapshot.left_out().iter().filter_map(|left_out| {
        let target = left_out.path.below(root);
        let why = why(&left_out.path).filter(|_| target.is_dir())?;
        Some(Link { path: left_out.path.clone(), target, why })
    });
    linked.collect()
}

/// What can be seen of linked directories without reading them: enough to notice a write.
#[derive(Debug, PartialEq, Eq)]
pub struct Fingerprint(BTreeMap<PathBuf, [i64; 4]>);

/// Looks at everything below the targets of links.
///
/// # Errors
/// [`TreeError`] when a directory cannot be listed.
pub fn fingerprint(links: &[(RelPath, PathBuf)]) -> Result<Fingerprint, TreeError> {
    let mut seen = BTreeMap::new();
    for (_, target) in links {
        let mut todo = vec![target.clone()];
        while let Some(folder) = todo.pop() {
            let fault = |error| TreeError::io("list", &folder, error);
            for entry in fs::read_dir(&folder).map_err(fault)? {
                let path = entry.map_err(fault)?.path();
                let fault = |error| TreeError::io("look at", &path, error);
                let meta = fs::symlink_metadata(&path).map_err(fault)?;
                if meta.is_dir() {
                    todo.push(path.clone());
                }
                let size = i64::try_from(meta.size()).unwrap_or(i64::MAX);
                seen.insert(path, [size, meta.mtime(), meta.mtime_nsec(), i64::from(meta.mode())]);
            }
        }
    }
    Ok(Fingerprint(seen))
}

impl Fingerprint {
    /// A path that differs from `after`.
    #[must_use]
    pub fn first_difference(&self, after: &Self) -> Option<String> {
        let gone = self.0.iter().find(|(path, seen)| after.0.get(*path) != Some(*seen));
        let new = after.0.iter().find(|(path, _)| !self.0.contains_key(*path));
        gone.or(new).map(|(path, _)| path.display().to_string())
    }
}
