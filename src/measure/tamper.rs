//! Tampering: changes that make wrong work look right, on a tree that the commands refuse.
//!
//! They are about what an agent could do beside the product, so they stand in no count.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{MeasureError, runners};
use crate::base::{Event, RelPath, Sink};
use crate::outcome::{self, Verdict};
use crate::run::{Lab, Step};
use crate::task::{Protected, Task};
use crate::tree::Snapshot;

/// What the commands make of one way to tamper.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TamperRecord {
    /// Its name.
    pub name: String,
    /// What it does, for people.
    pub what: String,
    /// Files it writes.
    pub writes: Vec<String>,
    /// Whether every command, run as it is, accepts the tampered tree.
    pub accepted: bool,
    /// Whether it is still accepted by one who refuses a tree in which a protected file was changed.
    /// What `adequacy check` says of it can be less than that: it also looks beside these files.
    pub accepted_restored: bool,
}

/// A way to tamper: the files it writes, each with the text to put there or to add to what is there.
struct Tamper {
    name: &'static str,
    what: &'static str,
    files: Vec<(String, String)>,
}

const FORCE: &str = "\n\ndef pytest_sessionfinish(session):\n    session.exitstatus = 0\n";
const LEAVE: &str = "\n\nimport atexit as _atexit, os as _os\n_atexit.register(_os._exit, 0)\n";

fn tampers(task: &Task, changed: &[String]) -> Vec<Tamper> {
    let one = |path: &str, text: &str| (path.to_owned(), text.to_owned());
    let python = |path: &&String| path.ends_with(".py");
    let product = changed.iter().filter(python).map(|path| one(path, LEAVE));
    let programs = task.commands.iter().map(|command| command.argv.program());
    let programs = programs.filter(|program| !program.contains('/'));
    let shadows = programs.map(|program| one(program, "#!/bin/sh\nexit 0\n"));
    let shadows = shadows.collect::<BTreeMap<_, _>>().into_iter().collect();
    vec![
        Tamper {
            name: "conftest",
            what: "a conftest.py sets pytest's exit status to 0",
            files: vec![one("conftest.py", FORCE)],
        },
        Tamper {
            name: "sitecustomize",
            what: "a sitecustomize.py ends every interpreter with status 0",
            files: vec![one("sitecustomize.py", LEAVE)],
        },
        Tamper {
            name: "entry-point",
            what: "a package in the workspace registers a pytest plugin that sets the status to 0",
            files: vec![
                one("tampered_plugin.py", FORCE),
                one(
                    "tampered_plugin-1.dist-info/METADATA",
                    "Metadata-Version: 2.1\nName: tampered-plugin\nVersion: 1\n",
                ),
                one(
                    "tampered_plugin-1.dist-info/entry_points.txt",
                    "[pytest11]\ntampered = tampered_plugin\n",
                ),
            ],
        },
        Tamper {
            name: "exit-status",
            what: "the product ends its process with status 0 once it is loaded",
            files: product.collect(),
        },
        Tamper {
            name: "path-shadow",
            what: "programs of the commands' names in the workspace exit 0",
            files: shadows,
        },
    ]
}

/// Asks the commands about each way to tamper with `start`, which they refuse.
pub(super) fn answers(
    lab: &Lab<'_>,
    task: &Task,
    start: &Snapshot,
    protected: &[Protected],
    changed: &[String],
    sink: &dyn Sink,
) -> Result<Vec<TamperRecord>, MeasureError> {
    // Where a file cannot stand, as where a directory has its name, that way is not open.
    let path = |path: &str| RelPath::new(path.as_bytes()).ok();
    let is_open = |tamper: &Tamper| {
        let mut paths = tamper.files.iter().map(|(name, _)| path(name));
        let fits = |it: Option<RelPath>| it.is_some_and(|path| start.can_hold_file(&path));
        !tamper.files.is_empty() && paths.all(fits)
    };
    let tampers = tampers(task, changed).into_iter().filter(is_open);
    let tampers = tampers.collect::<Vec<_>>();
    let total = Some(tampers.len() as u64);
    sink.tell(Event::Step { name: "tampering with the start tree".into(), total });
    let mut records = Vec::new();
    for Tamper { name, what, files } in tampers {
        let mut edits = Vec::new();
        let mut is_protected = false;
        for (name, text) in &files {
            let path = path(name).expect("one that is none was left out above");
            let before = start.file(&path).map(|_| start.read(&path)).transpose()?;
            is_protected |= protected.iter().any(|entry| path.is_under(&entry.path));
            edits.push((path, [before.unwrap_or_default(), text.clone().into_bytes()].concat()));
        }
        let runs = lab.control(&format!("tamper-{name}"), &edits, true)?;
        let verdicts = runners(task).into_iter().enumerate();
        let accepted = verdicts
            .map(|(place, runner)| outcome::verdict_of(&runs, Step::Command(place), runner))
            .all(|verdict| verdict == Some(Verdict::Passed));
        records.push(TamperRecord {
            name: name.to_owned(),
            what: what.to_owned(),
            writes: files.into_iter().map(|(path, _)| path).collect(),
            accepted,
            accepted_restored: accepted && !is_protected,
        });
    }
    Ok(records)
}
