//! What lies below a folder: tasks, or bundles, each with its name and in the order of the names.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::super::Exit;
use super::super::fault::Fault;
use crate::bundle::CONTRACT;
use crate::measure::OutputDir;
use crate::report::terminal::plain;

/// A task file makes its directory a task.
const TASK_FILE: &str = "adequacy.toml";

/// A run directory's name where no flag says.
pub(super) const OUTPUT: &str = "adequacy.out";

/// What a bundle's name may end in, which is no part of its task's name.
const BUNDLE_ENDS: [&str; 2] = [".tar.zst", ".bundle"];

/// One of many.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item {
    /// Its name for people: the path below the folder, or what stands for it.
    pub(super) id: String,
    /// Its path below the folder, without the end of a bundle's name.
    pub(super) below: PathBuf,
    /// Where it is.
    pub(super) path: PathBuf,
}

impl Item {
    fn new(below: PathBuf, path: PathBuf) -> Self {
        Self { id: plain(below.as_os_str().as_bytes()), below, path }
    }
}

/// The tasks below `root`: directories that hold a task file. Nothing is looked for inside of one, nor
/// in hidden directories, run directories and behind links.
pub(super) fn tasks(root: &Path) -> Result<Vec<Item>, Fault> {
    if root.join(TASK_FILE).is_file() {
        let shown = root.display();
        let message = format!("`{shown}` is a task; `--all` takes a folder of tasks");
        return Err(Fault::new(Exit::Usage, message));
    }
    let mut found = Vec::new();
    let mut todo = vec![PathBuf::new()];
    while let Some(folder) = todo.pop() {
        for name in directories(&inside(root, &folder))? {
            let below = folder.join(name);
            let path = root.join(&below);
            if path.join(TASK_FILE).is_file() {
                found.push(Item::new(below, path));
            } else if OutputDir::existing(&path).is_err() {
                todo.push(below);
            }
        }
    }
    some(found, root, "directory that holds adequacy.toml")
}

/// A task's run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Run {
    /// The task's name.
    pub(crate) id: String,
    /// The run directory; `None` for a task that has none.
    pub(crate) folder: Option<PathBuf>,
}

/// The runs below `root`: run directories by their own names, and tasks with the one in them. What an
/// earlier run was renamed to is left out.
pub(crate) fn runs(root: &Path) -> Result<Vec<Run>, Fault> {
    let mut found = Vec::new();
    let mut todo = vec![PathBuf::new()];
    while let Some(folder) = todo.pop() {
        for name in directories(&inside(root, &folder))? {
            let below = folder.join(&name);
            let path = root.join(&below);
            let id = plain(below.as_os_str().as_bytes());
            if path.join(TASK_FILE).is_file() {
                let output = path.join(OUTPUT);
                let folder = OutputDir::existing(&output).is_ok().then_some(output);
                found.push(Run { id, folder });
            } else if OutputDir::existing(&path).is_err() {
                todo.push(below);
            } else if !name.as_bytes().ends_with(b".old") {
                found.push(Run { id, folder: Some(path) });
            }
        }
    }
    Ok(found)
}

/// The bundles below `root`: directories that hold a contract, and archives.
pub(super) fn bundles(root: &Path) -> Result<Vec<Item>, Fault> {
    let mut found = Vec::new();
    let mut todo = vec![PathBuf::new()];
    while let Some(folder) = todo.pop() {
        for (name, is_directory) in entries(&inside(root, &folder))? {
            let below = folder.join(&name);
            let path = root.join(&below);
            let bundle = if is_directory {
                path.join(CONTRACT).is_file()
            } else {
                crate::bundle::is_archive(&path)
            };
            if bundle {
                found.push(Item::new(folder.join(without_end(&name)), path));
            } else if is_directory {
                todo.push(below);
            }
        }
    }
    let found = some(found, root, "bundle: a directory that holds contract.json, or a .tar.zst")?;
    match found.windows(2).find(|pair| pair[0].below == pair[1].below) {
        None => Ok(found),
        Some(pair) => {
            let (one, other) = (pair[0].path.display(), pair[1].path.display());
            let message = format!("`{one}` and `{other}` are bundles of one name; take one away");
            Err(Fault::new(Exit::Usage, message))
        }
    }
}

/// As a person would write it: a path that is joined to nothing ends in a slash.
fn inside(root: &Path, folder: &Path) -> PathBuf {
    if folder.as_os_str().is_empty() { root.to_owned() } else { root.join(folder) }
}

fn without_end(name: &OsStr) -> &OsStr {
    let bytes = name.as_bytes();
    let ends = BUNDLE_ENDS.iter().filter_map(|end| bytes.strip_suffix(end.as_bytes()));
    let shorter = ends.into_iter().find(|rest| !rest.is_empty());
    OsStr::from_bytes(shorter.unwrap_or(bytes))
}

/// In the order of their names; none is a mistake.
fn some(found: Vec<Item>, root: &Path, what: &str) -> Result<Vec<Item>, Fault> {
    if found.is_empty() {
        let message = format!("nothing to do: below `{}` is no {what}", root.display());
        return Err(Fault::new(Exit::NothingToDo, message));
    }
    let mut found = found;
    found.sort_by(|a, b| a.below.as_os_str().as_bytes().cmp(b.below.as_os_str().as_bytes()));
    Ok(found)
}

fn directories(folder: &Path) -> Result<impl Iterator<Item = std::ffi::OsString>, Fault> {
    Ok(entries(folder)?.into_iter().filter(|(_, is_directory)| *is_directory).map(|(name, _)| name))
}

/// What a folder holds, without links, hidden names and what is neither file nor directory.
fn entries(folder: &Path) -> Result<BTreeMap<std::ffi::OsString, bool>, Fault> {
    let fault = |error: std::io::Error| {
        Fault::new(Exit::Usage, format!("cannot read `{}`: {error}", folder.display()))
    };
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).map_err(fault)? {
        let entry = entry.map_err(fault)?;
        let kind = entry.file_type().map_err(fault)?;
        if (kind.is_dir() || kind.is_file()) && !entry.file_name().as_bytes().starts_with(b".") {
            found.insert(entry.file_name(), kind.is_dir());
        }
    }
    Ok(found)
}
