//! Whether an overlay mount works here, and whether a program can tell it from a plain directory.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::probe::try_in;
use super::{Sandbox, Workspaces};

/// What a process saw of the overlay it ran in. The places are those that [`prepare`] makes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Layered {
    changes_files: bool,
    removes_and_makes_directories: bool,
    renames_directories: bool,
    keeps_hard_links: bool,
    keeps_inodes: bool,
}

/// Makes in a workspace what [`look`] then changes.
///
/// # Errors
/// What the system says.
pub(super) fn prepare(workspace: &Path) -> io::Result<()> {
    for folder in ["gone", "renamed"] {
        fs::create_dir(workspace.join(folder))?;
        fs::write(workspace.join(folder).join("file"), "before")?;
    }
    fs::write(workspace.join("one"), "before")?;
    fs::hard_link(workspace.join("one"), workspace.join("two"))
}

/// Looks from inside, where `.` is the workspace; `None` where nothing was prepared.
pub(super) fn look() -> Option<Layered> {
    let inode = |path: &str| fs::metadata(path).map(|met| (met.dev(), met.ino())).ok();
    let before = inode("one")?;
    let append = || OpenOptions::new().append(true).open("one")?.write_all(b" and after");
    let changes_files = append().is_ok();
    let is = |path: &str, text: &str| fs::read_to_string(path).is_ok_and(|found| found == text);
    let again = || -> io::Result<bool> {
        fs::remove_dir_all("gone")?;
        fs::create_dir("gone")?;
        Ok(fs::read_dir("gone")?.next().is_none())
    };
    Some(Layered {
        changes_files: changes_files && is("one", "before and after"),
        removes_and_makes_directories: again().unwrap_or(false),
        renames_directories: fs::rename("renamed", "other").is_ok() && is("other/file", "before"),
        keeps_hard_links: is("two", "before and after"),
        keeps_inodes: inode("one") == Some(before) && inode("two") == Some(before),
    })
}

/// Whether nothing of it reached the copy below.
fn is_untouched(workspace: &Path) -> io::Result<bool> {
    for name in ["gone/file", "renamed/file", "one", "two"] {
        if fs::read_to_string(workspace.join(name))? != "before" {
            return Ok(false);
        }
    }
    Ok(!workspace.join("other").exists())
}

/// Whether the overlay mounts that `sandbox` names work here.
///
/// # Errors
/// What does not work, in words.
pub(super) fn probe(sandbox: &Sandbox, helper: &Path, scratch: &Path) -> Result<(), String> {
    if !sandbox.namespaces {
        return Err("it needs namespaces".to_owned());
    }
    let (seen, untouched) = try_in(sandbox, helper, scratch, is_untouched)?;
    let seen = seen.layered.ok_or("what lies below cannot be seen in it")?;
    let faithful = sandbox.workspaces == Workspaces::Overlay;
    let faults = [
        (!untouched, "what is written in it reaches the copy below"),
        (!seen.changes_files, "files cannot be changed in it"),
        (!seen.removes_and_makes_directories, "directories cannot be removed and made again in it"),
        (faithful && !seen.renames_directories, "directories cannot be renamed in it"),
        (faithful && !seen.keeps_hard_links, "hard links come apart in it"),
        (faithful && !seen.keeps_inodes, "files become others when they are written in it"),
    ];
    match faults.into_iter().find(|(fault, _)| *fault) {
        Some((_, words)) => Err(words.to_owned()),
        None => Ok(()),
    }
}
