//! What commands of Python are asked on the unmutated tree, in runs that are judged by nothing: something of
//! ours is loaded through the command's environment and tells what it finds.

mod door;
mod noting;

use std::fs;
use std::path::Path;

use serde::de::DeserializeOwned;

use super::lab::Lab;
use super::python;
use super::{Attempt, Environment, Exit, RunError, Runner, Step};

pub(super) use door::Door;
pub use noting::ChangedTests;

/// The variable pytest takes further words from, before those of the command.
pub(super) const WORDS: &str = "PYTEST_ADDOPTS";

/// Name of the file that an answer is written to.
const REPORT: &str = "report.json";

/// Name of the module, beside each plugin, by which that takes its own traces away.
const TRACES: &str = "adequacy_traces.py";

/// Largest report that is read.
const LARGEST: u64 = 1 << 26;

/// What a command is asked.
pub(super) struct Question<'a> {
    /// Of the run: names its log.
    pub(super) name: &'a str,
    /// Files that it finds beside its report, by name.
    pub(super) files: &'a [(&'a str, &'a [u8])],
    /// The environment that makes it answer, of the usual one and the path of its report.
    pub(super) environment: &'a dyn Fn(&Environment, &Path) -> Environment,
}

/// What came of it.
pub(super) struct Told {
    pub(super) exit: Exit,
    /// What was written to the report.
    pub(super) report: Option<Vec<u8>>,
    /// How many tests ran, by the output.
    pub(super) executed: Option<u64>,
}

impl Told {
    /// What the report says; `None` where there is none, or it says something else.
    pub(super) fn told<T: DeserializeOwned>(&self) -> Option<T> {
        self.report.as_deref().and_then(|report| serde_json::from_slice(report).ok())
    }
}

/// `usual` with further words for pytest, after those that it has.
pub(super) fn with_words(usual: &Environment, words: &str) -> Environment {
    let own = usual.get(WORDS).map(|own| format!("{} ", own.to_string_lossy()));
    usual.clone().with(WORDS, &format!("{}{words}", own.unwrap_or_default()))
}

/// `usual` with `ours` before what a variable has.
pub(super) fn with_first(
    usual: &Environment,
    name: &str,
    ours: &str,
    separator: char,
) -> Environment {
    let own = usual.get(name).map(|own| format!("{separator}{}", own.to_string_lossy()));
    usual.clone().with(name, &format!("{ours}{}", own.unwrap_or_default()))
}

/// `usual` with a plugin for pytest, a module in `folder`, after further words for it.
pub(super) fn with_plugin(
    usual: &Environment,
    words: &str,
    (folder, module): (&Path, &str),
) -> Environment {
    let words = with_words(usual, &format!("{words} -p {module}"));
    with_first(&words, "PYTHONPATH", &folder.display().to_string(), ':')
}

impl Lab<'_> {
    /// Runs the command at `place` so that it answers a question.
    pub(super) fn ask(&self, place: usize, question: &Question<'_>) -> Result<Told, RunError> {
        let mut seat = self.seat(0);
        let (step, first) = (Step::Command(place), Attempt::First);
        let nothing = |exit| Ok(Told { exit, report: None, executed: None });
        if let Err(run) = self.place(&mut seat, question.name, &[], step, (first, true))? {
            return nothing(run.exit);
        }
        let folder = seat.workspace.tmp().join("adequacy-probe");
        // Under an overlay mount, what is put there goes where what the command writes goes.
        let there = seat.workspace.written(&folder);
        let traces = (TRACES, python::TRACES.as_bytes());
        let mut files = question.files.iter().chain(std::iter::once(&traces));
        let put = fs::create_dir_all(&there)
            .and_then(|()| files.try_for_each(|(name, text)| fs::write(there.join(name), text)));
        if put.is_err() {
            self.clean(&mut seat, false)?;
            return nothing(Exit::Lost("the question cannot be written".to_owned()));
        }
        let asking = (question.environment)(&seat.environment, &folder.join(REPORT));
        let usual = std::mem::replace(&mut seat.environment, asking);
        let log = self.log_name(question.name, step, "");
        let run = self.spawn(&mut seat, self.argv(place), self.limit(place), step, first, log);
        seat.environment = usual;
        let run = run?;
        let written = there.join(REPORT);
        let met = fs::symlink_metadata(&written).ok().filter(fs::Metadata::is_file);
        let report = met.filter(|met| met.len() <= LARGEST).and_then(|_| fs::read(&written).ok());
        self.clean(&mut seat, false)?;
        let executed = self.executed(place, &run.log);
        Ok(Told { exit: run.exit, report, executed })
    }

    /// How many tests a run of the command at `place` executed, where its runner's output tells.
    pub(super) fn executed(&self, place: usize, log: &str) -> Option<u64> {
        let runner = Runner::of(self.task.commands[place].argv.words())?;
        runner.executed(&fs::read(self.settings.logs.join(log)).ok()?)
    }
}
