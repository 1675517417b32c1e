//! Whether what the agent gets already holds the solution: in the git history of the start tree.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use super::TaskTrees;
use crate::base::{Event, Sink};
use crate::task::{Solution, Task};

/// Warns when the store of the start tree's git holds files of the right solution that the change
/// makes. Where git is not there or does not answer, that is said instead.
pub(super) fn look(task: &Task, trees: &TaskTrees, sink: &dyn Sink) {
    let start = match &task.solution {
        Solution::From(start) => start,
        Solution::Patch(_) => &task.tree,
        Solution::Tree | Solution::None => return,
    };
    let git_dir = start.join(".git");
    if !git_dir.exists() {
        return;
    }
    let changed = trees.changed_files();
    let known = known(&git_dir.join("objects"), &changed, trees);
    let Some(known) = known.filter(|known| known.lines().count() == changed.len()) else {
        sink.tell(Event::Note(format!(
            "`{}` could not be searched for the solution: git is missing, or refuses it",
            git_dir.display()
        )));
        return;
    };
    let found = changed.iter().zip(known.lines()).filter(|(_, line)| !line.ends_with(" missing"));
    let found = found.map(|(name, _)| format!("`{name}`")).collect::<Vec<_>>();
    if !found.is_empty() {
        sink.tell(Event::Warning(format!(
            "the git history of the start tree holds the solution's {}: an agent can find it there",
            found.join(", ")
        )));
    }
}

/// What git says of the blobs of `changed` in a store of objects; `None` when it does not answer.
///
/// The repository's own configuration can name programs to run, so git never sees it: the store is
/// looked into from an empty repository of ours.
fn known(objects: &Path, changed: &[String], trees: &TaskTrees) -> Option<String> {
    if !objects.is_dir() {
        return None;
    }
    let ours = tempfile::tempdir().ok()?;
    git(ours.path(), None, &["init", "--quiet", "--bare", "."], "")?;
    let paths = changed.iter().map(|name| trees.base.root().join(name).display().to_string());
    let paths = paths.collect::<Vec<_>>().join("\n");
    let ids = git(ours.path(), None, &["hash-object", "--no-filters", "--stdin-paths"], &paths)?;
    git(ours.path(), Some(objects), &["cat-file", "--batch-check"], &ids)
}

/// What git prints for `input`; `None` when it does not end well. It runs in the directory of an empty
/// repository and without the caller's variables and configuration.
fn git(ours: &Path, objects: Option<&Path>, words: &[&str], input: &str) -> Option<String> {
    let mut child = Command::new("git")
        .args(words)
        .current_dir(ours)
        .env_clear()
        .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
        .envs(objects.map(|objects| ("GIT_OBJECT_DIRECTORY", objects)))
        .envs([("GIT_CONFIG_NOSYSTEM", "1"), ("GIT_CONFIG_GLOBAL", "/dev/null")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut stdin = child.stdin.take().expect("it is piped");
    let text = format!("{input}\n");
    let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
    let output = child.wait_with_output().ok()?;
    // One that reads nothing closes its end: that is no fault.
    let _ = writer.join().expect("writing does not panic");
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
}
