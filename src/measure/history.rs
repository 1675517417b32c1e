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
    let store = start.join(".git");
    if !store.exists() {
        return;
    }
    let changed = trees.changed_files();
    let paths = changed.iter().map(|name| trees.base.root().join(name).display().to_string());
    let paths = paths.collect::<Vec<_>>().join("\n");
    let ids = git(&store, &["hash-object", "--no-filters", "--stdin-paths"], &paths);
    let known = ids.and_then(|ids| git(&store, &["cat-file", "--batch-check"], &ids));
    let Some(known) = known.filter(|known| known.lines().count() == changed.len()) else {
        sink.tell(Event::Note(format!(
            "`{}` could not be searched for the solution: git is missing, or refuses it",
            store.display()
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

/// What git prints for `input`; `None` when it does not end well. Nothing of the caller's environment
/// and no hook of the repository has a say.
fn git(store: &Path, words: &[&str], input: &str) -> Option<String> {
    let mut child = Command::new("git")
        .arg("--git-dir")
        .arg(store)
        .args(["-c", "core.fsmonitor=false", "-c", "safe.directory=*"])
        .args(words)
        .env_clear()
        .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
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
    let written = writer.join().expect("writing does not panic");
    (written.is_ok() && output.status.success())
        .then(|| String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
}
