//! Generated commands: twins that ask the functions of a change from another process, and probes.
//!
//! Each is a file of standard-library Python among the held-out files and an acceptance entry, written
//! into the task before it is measured, so that they are sealed, bundled and checked like any other.

mod candidates;
mod launch;
mod neutral;
mod survey;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use self::candidates::Candidate;
pub(super) use self::neutral::neutralized;
use super::{MeasureError, Options, Prepared, observe};
use crate::base::{Event, RelPath, Sink};
use crate::plan::is_test;
use crate::run::workspace::{Aside, Sources};
use crate::run::{Exit, Lab, Run, Spawner, Step};
use crate::task::{self, Prepatch, Probe, Role, Task, TaskError};
use crate::tree::{self, Choice, Snapshot, TreeError};

/// What is generated for a task.
#[derive(Debug)]
pub struct Probes {
    /// The files that go among the held-out ones: name and text.
    pub files: BTreeMap<&'static str, String>,
    /// The commands, in the order in which they are sealed.
    pub commands: Vec<task::Command>,
    /// What is not generated, and why: a command or a function, and a sentence.
    pub refused: Vec<(String, String)>,
}

/// A kind of generated command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Twin,
    Determinism,
    TypeStrict,
    Imports,
}

const CALLS: &str = include_str!("calls.py");
const IMPORTS: &str = include_str!("imports.py");

impl Kind {
    const fn file(self) -> &'static str {
        match self {
            Self::Twin => "adequacy_twin.py",
            Self::Determinism => "adequacy_determinism.py",
            Self::TypeStrict => "adequacy_type_strict.py",
            Self::Imports => "adequacy_imports.py",
        }
    }

    const fn probe(self) -> Option<Probe> {
        match self {
            Self::Twin => None,
            Self::Determinism => Some(Probe::Determinism),
            Self::TypeStrict => Some(Probe::TypeStrict),
            Self::Imports => Some(Probe::ImportSideEffects),
        }
    }

    /// The text of its file: the same bytes whatever the task.
    fn text(self) -> String {
        let (kind, about) = match self {
            Self::Twin => {
                ("twin", "Runs a command with functions of the product in another process.")
            }
            Self::Determinism => (
                "determinism",
                "Runs a command and asks each question to functions of the product three times, in two processes.",
            ),
            Self::TypeStrict => (
                "type_strict",
                "Runs a command and looks at the exact types that functions of the product return.",
            ),
            Self::Imports => return IMPORTS.replace("@FILE@", self.file()),
        };
        CALLS.replace("@KIND@", kind).replace("@FILE@", self.file()).replace("@DOC@", about)
    }

    /// The word that starts it in a command.
    fn word(self) -> String {
        format!("../heldout/{}", self.file())
    }
}

/// Finds the probes and twins of `task` that hold on its right solution, which is run for that.
/// `logs` takes the outputs of those runs.
///
/// # Errors
/// [`MeasureError`] when the task is no change, its held-out files have other files of these names, or
/// the trees cannot be run.
pub fn generate(
    task: &Task,
    options: &Options,
    prepared: &Prepared,
    logs: &Path,
    spawner: &Spawner,
    sink: &dyn Sink,
) -> Result<Probes, MeasureError> {
    let Some(start) = prepared.trees.start.as_ref().filter(|_| task.solution.is_change()) else {
        return Err(refused(
            task,
            "has no `start` with a right solution: probes are about what a change touches",
        ));
    };
    let held = HeldOut::with_all(task, prepared, &options.scratch, sink)?;
    let links = prepared.links(task, sink);
    let ask = |name: &str, tree: &Snapshot, candidates: &[Candidate]| {
        let commands = candidates.iter().map(|it| it.command.clone()).collect();
        let task = Task { commands, ..task.clone() };
        let one = Options { jobs: 1, ..options.clone() };
        let settings = one.settings(logs.to_owned(), Default::default());
        let links = observe::fitting(&links, tree);
        let sources =
            Sources { tree, heldout: Some(&held.snapshot), links: &links, bytecode: None };
        let lab = Lab::open(&task, sources, &settings, spawner, sink)?;
        let runs = lab.observe(name, 1)?.remove(0);
        Ok::<_, MeasureError>((0..candidates.len()).map(|at| last(&runs, at)).collect::<Vec<_>>())
    };
    let step = |name: &'static str| sink.tell(Event::Step { name: name.into(), total: None });
    step("asking which functions the commands call");
    let (found, mut refused) = survey::survey(task, prepared, &held.snapshot);
    let said = ask("survey", &prepared.trees.base, &found.commands())?;
    let candidates = found.candidates(&said, logs, &mut refused);
    step("running the probes on the right solution");
    let on_base = ask("probes", &prepared.trees.base, &candidates)?;
    step("running the probes on the start tree");
    let on_start = ask("probes-start", start, &candidates)?;
    let mut probes = Probes { files: BTreeMap::new(), commands: Vec::new(), refused };
    for ((candidate, base), start) in candidates.into_iter().zip(on_base).zip(on_start) {
        let Candidate { kind, mut command } = candidate;
        match (base.exit, start.exit) {
            (Exit::Code(0), Exit::Code(code)) => {
                command.prepatch = if code == 0 { Prepatch::Pass } else { Prepatch::Fail };
                probes.files.insert(kind.file(), kind.text());
                probes.commands.push(command);
            }
            (Exit::Code(0), other) => {
                probes
                    .refused
                    .push((command.id, format!("gives no answer on the start tree: {other}")));
            }
            (other, _) => {
                let words = survey::last_line(logs, &base.log);
                let why = format!("does not pass on the right solution ({other}): {words}");
                probes.refused.push((command.id, why));
            }
        }
    }
    Ok(probes)
}

/// The run of the command at this place that stands.
fn last(runs: &[Run], at: usize) -> Run {
    let run = runs.iter().rfind(|run| run.step == Step::Command(at));
    run.expect("every command is observed").clone()
}

fn refused(task: &Task, message: &str) -> MeasureError {
    let place = task.file.as_ref().unwrap_or(&task.tree).display().to_string();
    TaskError::Value { place, message: message.to_owned() }.into()
}

/// The held-out files of a task with every generated one beside them.
struct HeldOut {
    snapshot: Snapshot,
    _folder: Aside,
}

impl HeldOut {
    fn with_all(
        task: &Task,
        prepared: &Prepared,
        scratch: &Path,
        sink: &dyn Sink,
    ) -> Result<Self, MeasureError> {
        let fault = |error| TreeError::io("make a directory in", scratch, error);
        let folder = Aside::create(scratch, "probes").map_err(fault)?;
        let root = folder.path().join("heldout");
        match &prepared.trees.heldout {
            Some(own) => own.copy_to(&root)?,
            None => fs::create_dir(&root).map_err(|error| TreeError::io("make", &root, error))?,
        }
        for kind in [Kind::Twin, Kind::Determinism, Kind::TypeStrict, Kind::Imports] {
            let path = root.join(kind.file());
            let known = fs::symlink_metadata(&path).is_ok();
            if known && fs::read(&path).ok().as_deref() != Some(kind.text().as_bytes()) {
                let message = format!("`heldout` has another `{}`; move it away", kind.file());
                return Err(refused(task, &message));
            }
            if !known {
                fs::write(&path, kind.text())
                    .map_err(|error| TreeError::io("write", &path, error))?;
            }
        }
        let choice = Choice { all: true, ..Choice::default() };
        Ok(Self { snapshot: tree::snapshot(&root, &choice, sink)?, _folder: folder })
    }
}

/// A held-out command of ours.
fn command(id: String, argv: Vec<String>, kind: Kind, twin_of: Option<String>) -> task::Command {
    task::Command {
        id,
        argv: crate::base::Argv::new(argv).expect("it begins with the program of another command"),
        timeout: None,
        role: Role::Heldout,
        ids: None,
        run_writes: None,
        probe: kind.probe(),
        in_process_twin_of: twin_of,
        prepatch: Prepatch::default(),
        seal: None,
    }
}

/// The files of the plan that can be loaded as modules, in path order.
fn modules(prepared: &Prepared) -> Vec<String> {
    let files = prepared.plan.files.iter().filter(|file| {
        file.language == adequacy_mutators::Language::Python
            && !file.is_absent
            && !is_test(&file.path)
    });
    let is_name = |name: &str| {
        let plain = |c: char| c.is_alphanumeric() || c == '_';
        name.chars().all(plain)
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name != "__main__"
    };
    let loads = |path: &RelPath| {
        let name = PathBuf::from(path.as_str().unwrap_or_default());
        name.file_stem().and_then(|stem| stem.to_str()).is_some_and(is_name)
    };
    files.filter(|file| loads(&file.path)).map(|file| file.name.clone()).collect()
}
