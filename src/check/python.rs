//! `python_ast`: whether a real Python reads two sources as the same syntax tree.

use std::path::Path;
use std::process::{Command, Stdio};

const SAME_TREE: &str = include_str!("same_tree.py");

/// Whether the sources have the same tree; an error says why nobody can tell. Neither is run.
pub(super) fn same_tree(sealed: &Path, now: &Path) -> Result<bool, String> {
    let output = Command::new("python3")
        .args(["-I", "-c", SAME_TREE])
        .args([sealed, now])
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("python3 cannot be started: {error}"))?;
    match (output.status.success(), output.stdout.as_slice()) {
        (true, b"same\n") => Ok(true),
        (true, b"differs\n") => Ok(false),
        _ => {
            let words = String::from_utf8_lossy(&output.stderr);
            let last = words.lines().last().unwrap_or("no words");
            Err(format!("python3 gave no answer ({}): {last}", output.status))
        }
    }
}
