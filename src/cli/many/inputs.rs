//! Digests over what decides the end of a task: this program, what it was asked for, and what it reads.

use std::fmt::Debug;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
use std::path::Path;

use super::super::fault::Fault;
use super::super::{Exit, setup};
use crate::base::{Sha256, Silent};
use crate::measure::{TaskTrees, Wanted};
use crate::task::Task;
use crate::tree::Choice;

/// Of the parts of a thing, each a text of its own.
pub(super) fn digest(asked: &impl Debug, parts: &[String]) -> Sha256 {
    // The words of a value hold every flag, also those that are added to it one day.
    let all = (env!("CARGO_PKG_VERSION"), format!("{asked:?}"), parts);
    Sha256::of(&serde_json::to_vec(&all).expect("plain values"))
}

/// Of a task: as it is resolved, and everything that would be copied.
pub(super) fn task(
    task: &Task,
    choice: &Choice,
    output: Option<&Path>,
    scratch: Option<&Path>,
) -> Result<Vec<String>, Fault> {
    let scratch = setup::scratch(scratch, &task.tree)?;
    let wanted = Wanted { choice, output, scratch: &scratch, since: None };
    let trees = TaskTrees::of(task, &wanted, &Silent)?.digest();
    let mut parts = vec![serde_json::to_string(task).expect("plain values"), trees.to_string()];
    for variant in task.must_pass.iter().chain(&task.known_wrong) {
        parts.push(whole(&variant.path)?.to_string());
    }
    Ok(parts)
}

/// Of a file, or of everything below a directory: names, kinds, execute bits, contents, targets.
pub(super) fn whole(root: &Path) -> Result<Sha256, Fault> {
    let mut text = Vec::new();
    add(root, &mut text).map_err(|error| {
        Fault::new(Exit::Usage, format!("cannot read `{}`: {error}", root.display()))
    })?;
    Ok(Sha256::of(&text))
}

/// Adds a line for what is at `path`, and those for what is below it in the order of the names.
fn add(path: &Path, text: &mut Vec<u8>) -> io::Result<()> {
    let met = fs::symlink_metadata(path)?;
    let kind = met.file_type();
    if kind.is_file() {
        let executable = met.permissions().mode() & 0o111 != 0;
        line(text, if executable { "program" } else { "file" }, &fs::read(path)?);
    } else if kind.is_symlink() {
        line(text, "link", fs::read_link(path)?.as_os_str().as_bytes());
    } else if kind.is_dir() {
        let names = fs::read_dir(path)?.map(|entry| entry.map(|entry| entry.file_name()));
        let mut names = names.collect::<io::Result<Vec<_>>>()?;
        names.sort();
        line(text, "directory", b"");
        for name in names {
            line(text, "name", name.as_bytes());
            add(&path.join(name), text)?;
        }
        line(text, "end", b"");
    } else {
        line(text, if kind.is_fifo() { "pipe" } else { "special" }, b"");
    }
    Ok(())
}

/// Of one length whatever is in it, so that no content looks like another line.
fn line(text: &mut Vec<u8>, what: &str, of: &[u8]) {
    text.extend_from_slice(format!("{what} {}\n", Sha256::of(of)).as_bytes());
}
