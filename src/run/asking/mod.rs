//! What pytest commands are asked on the unmutated tree, in runs that are judged by nothing: a plugin of
//! ours is loaded through the command's environment and tells what it finds.

mod covered;

use std::fs;

use super::lab::Lab;
use super::{Attempt, Environment, Exit, RunError, Step};

pub use covered::{ChangedTests, Covered, Function};

/// The variable pytest takes further words from, before those of the command.
const VARIABLE: &str = "PYTEST_ADDOPTS";

/// Largest report that is read.
const LARGEST: u64 = 1 << 24;

/// A plugin and what it is told.
pub(super) struct Question<'a> {
    /// Of the run: names its log.
    pub(super) name: &'a str,
    /// Name of the plugin's module.
    pub(super) module: &'a str,
    /// Its text.
    pub(super) plugin: &'a str,
    /// What it finds beside itself as `question.json`.
    pub(super) told: &'a [u8],
    /// Further words for pytest.
    pub(super) words: &'a str,
    /// Further variables.
    pub(super) variables: &'a [(&'a str, &'a str)],
}

/// `usual` with further words for pytest, after those that it has.
pub(super) fn with_words(usual: &Environment, words: &str) -> Environment {
    let own = usual.get(VARIABLE).map(|own| own.to_string_lossy().into_owned());
    let own = own.map_or_else(String::new, |own| format!("{own} "));
    usual.clone().with(VARIABLE, &format!("{own}{words}"))
}

impl Lab<'_> {
    /// Runs the command at `place` with a plugin: how it ended, and what the plugin wrote to
    /// `report.json` beside itself, if it did.
    pub(super) fn ask(
        &self,
        place: usize,
        question: &Question<'_>,
    ) -> Result<(Exit, Option<Vec<u8>>), RunError> {
        let Question { name, module, plugin, told, words, variables } = *question;
        let mut seat = self.seat(0);
        let (step, first) = (Step::Command(place), Attempt::First);
        if let Err(run) = self.place(&mut seat, name, &[], step, (first, true))? {
            return Ok((run.exit, None));
        }
        let folder = seat.workspace.tmp().join("adequacy-probe");
        // Under an overlay mount, what is put there goes where what the command writes goes.
        let there = seat.workspace.written(&folder);
        let put = fs::create_dir_all(&there)
            .and_then(|()| fs::write(there.join(format!("{module}.py")), plugin))
            .and_then(|()| fs::write(there.join("question.json"), told));
        let (Ok(()), Some(folder)) = (put, folder.to_str()) else {
            self.clean(&mut seat, false)?;
            return Ok((Exit::Lost("the plugin cannot be written".to_owned()), None));
        };
        let usual = seat.environment.clone();
        let asking = with_words(&usual, &format!("{words} -p {module}"))
            .with("PYTHONPATH", &first_on_path(folder, &usual));
        let more = variables.iter();
        seat.environment = more.fold(asking, |asking, (name, value)| asking.with(name, value));
        let log = self.log_name(name, step, "");
        let run = self.spawn(&mut seat, self.argv(place), self.limit(place), step, first, log);
        seat.environment = usual;
        let exit = run?.exit;
        let written = there.join("report.json");
        let met = fs::symlink_metadata(&written).ok().filter(fs::Metadata::is_file);
        let report = met.filter(|met| met.len() <= LARGEST).and_then(|_| fs::read(&written).ok());
        self.clean(&mut seat, false)?;
        Ok((exit, report))
    }
}

fn first_on_path(folder: &str, usual: &Environment) -> String {
    match usual.get("PYTHONPATH") {
        Some(own) => format!("{folder}:{}", own.to_string_lossy()),
        None => folder.to_owned(),
    }
}
