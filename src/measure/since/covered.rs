//! What the tests that changed run: more to mutate beside the lines that changed.

use std::collections::BTreeSet;

use adequacy_mutators::Language;
use serde::{Deserialize, Serialize};

use super::Since;
use crate::base::{Event, RelPath, Sink};
use crate::measure::{MeasureError, Options, OutputDir, TaskTrees, links, prepare, runners};
use crate::plan::{changed_lines, is_test};
use crate::run::{ChangedTests, Lab, Reach, RunError, Runner, Spawner};
use crate::task::Task;
use crate::tree::Snapshot;

/// A function of the tree that is no test, in a source that can be mutated.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Function {
    /// The file.
    pub path: RelPath,
    /// Its first line, from 1.
    pub first: u32,
    /// Its last.
    pub last: u32,
}

/// Tests that changed, and what they run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoveredRecord {
    /// The test files that changed.
    pub files: Vec<String>,
    /// How many tests were watched.
    pub tests: u64,
    /// What they entered, in order, each once.
    pub functions: Vec<Function>,
    /// Where that is not known of a command, why.
    pub unknown: Vec<String>,
}

/// `options` whose `--since` holds what the changed tests run; an earlier part of the run has asked already.
///
/// # Errors
/// [`MeasureError`] when the tree cannot be listed or copied.
pub(in crate::measure) fn with_changed_tests(
    task: &Task,
    options: &Options,
    spawner: &Spawner,
    sink: &dyn Sink,
) -> Result<Options, MeasureError> {
    let mut options = options.clone();
    let Some(since) = &options.since else { return Ok(options) };
    let record = if options.resume {
        let asked = OutputDir::existing(&options.output)?.read_run()?.since;
        // Of another comparison it has another plan, and is refused.
        let asked = asked.filter(|asked| asked.merge_base == since.record.merge_base);
        asked.and_then(|asked| asked.changed_tests)
    } else {
        let trees = TaskTrees::of(task, &options.wanted(), sink)?;
        let changed = since.changed_tests(&trees.base)?;
        (!changed.is_empty())
            .then(|| watched((task, &trees), &changed, &options, spawner, sink))
            .transpose()?
    };
    if let Some(record) = &record {
        record.tell(sink);
    }
    options.since.iter_mut().for_each(|since| since.record.changed_tests = record.clone());
    Ok(options)
}

/// Runs the changed tests in a copy of their own.
fn watched(
    (task, trees): (&Task, &TaskTrees),
    changed: &ChangedTests,
    options: &Options,
    spawner: &Spawner,
    sink: &dyn Sink,
) -> Result<CoveredRecord, MeasureError> {
    let files = changed.keys().map(RelPath::to_string).collect();
    let mut record = CoveredRecord { files, ..CoveredRecord::default() };
    let runners = runners(task).into_iter().zip(&task.commands).enumerate();
    let (asked, other): (Vec<_>, Vec<_>) =
        runners.partition(|(_, (runner, _))| *runner == Some(Runner::Pytest));
    let no_pytest = |(_, (_, command)): &(_, (_, &crate::task::Command))| {
        format!("`{}` is no command of pytest", command.id)
    };
    record.unknown.extend(other.iter().map(no_pytest));
    if asked.is_empty() {
        return Ok(record);
    }
    let interpreters = prepare::interpreters(task, &[Some(&task.tree)])?;
    let links = links::needed(task, trees.named(), interpreters.first());
    let links = links.into_iter().map(|link| (link.path, link.target)).collect::<Vec<_>>();
    let logs = tempfile::tempdir_in(&options.scratch)
        .map_err(|error| RunError::Log { path: options.scratch.clone(), error })?;
    let one = Options { jobs: 1, ..options.clone() };
    let settings = one.settings(logs.path().to_owned(), BTreeSet::new());
    let lab = Lab::open(task, trees.sources(&links), &settings, spawner, sink)?;
    sink.tell(Event::Step { name: "watching what the changed tests run".into(), total: None });
    for (place, (_, command)) in asked {
        match lab.note_tests(place, Some(changed), is_product)? {
            Ok(reach) => record.add(&reach),
            Err(why) => record.unknown.push(format!("`{}`: {why}", command.id)),
        }
    }
    record.functions.sort_unstable();
    record.functions.dedup();
    Ok(record)
}

/// Whether a file can be mutated, and is no test.
fn is_product(path: &str) -> bool {
    let path = RelPath::new(path.as_bytes()).ok();
    path.is_some_and(|path| !is_test(&path) && Language::of_file_name(path.name()).is_some())
}

impl Since {
    /// The Python tests of the tree that differ, by the lines that do.
    fn changed_tests(&self, tree: &Snapshot) -> Result<ChangedTests, MeasureError> {
        let tests = tree.files().map(|(path, ..)| path).filter(|path| {
            let is_python = path.as_str().is_some_and(|name| name.ends_with(".py"));
            is_python && is_test(path) && !path.has_control()
        });
        let tests = tests.cloned().collect::<Vec<_>>();
        let before = self.texts(tests.iter())?;
        let mut changed = ChangedTests::new();
        for path in tests {
            let after = tree.read(&path)?;
            let before = before.get(&path).map_or(&[][..], Vec::as_slice);
            if before == after {
                continue;
            }
            let lines = changed_lines(Language::Python, before, &after);
            if !lines.is_empty() {
                changed.insert(path, lines);
            }
        }
        Ok(changed)
    }
}

impl CoveredRecord {
    /// Adds what the tests of another command enter.
    fn add(&mut self, reach: &Reach) {
        self.tests += reach.tests.len() as u64;
        for (path, functions) in &reach.functions {
            let Ok(path) = RelPath::new(path.as_bytes()) else { continue };
            self.functions.extend(functions.iter().map(|function| {
                let [first, last] = function.lines;
                Function { path: path.clone(), first, last }
            }));
        }
    }

    /// Says what was found, and what is not known.
    fn tell(&self, sink: &dyn Sink) {
        let (tests, functions) = (self.tests, self.functions.len());
        let files = self.files.len();
        sink.tell(Event::Note(format!(
            "{files} test files changed; their {tests} changed tests enter {functions} functions of the \
             tree, which are mutated too"
        )));
        for why in &self.unknown {
            sink.tell(Event::Warning(format!("what changed tests run is not known: {why}")));
        }
    }
}
