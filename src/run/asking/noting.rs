//! Which functions of the tree the tests of a command of pytest enter: one run of all of them, or of those
//! that changed.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::json;

use super::{Question, with_first};
use crate::base::RelPath;
use crate::run::lab::Lab;
use crate::run::python;
use crate::run::reach::Reach;
use crate::run::{Environment, Exit, RunError};

/// What pytest is told to load.
const PLUGIN: &str = "adequacy_worker.noting";

/// How pytest ends where it has no test to run.
const NO_TESTS: i32 = 5;

/// Tests by the first and last of lines that changed, in files of the tree.
pub type ChangedTests = BTreeMap<RelPath, Vec<(u32, u32)>>;

impl Lab<'_> {
    /// Runs the tests of the pytest command at `place`, or the changed ones of them, and notes which functions
    /// each enters in the files that are `wanted`; where that cannot be known, why.
    ///
    /// # Errors
    /// [`RunError`] when the run itself cannot go on.
    pub fn note_tests(
        &self,
        place: usize,
        changed: Option<&ChangedTests>,
        wanted: impl Fn(&str) -> bool,
    ) -> Result<Result<Reach, String>, RunError> {
        if let Err(why) = python::install(self.scratch.path()) {
            return Ok(Err(why));
        }
        let question = json!({ "changed": changed }).to_string();
        let environment = |usual: &Environment, report: &Path| {
            let folder = report.parent().expect("it is a file in a folder");
            let path = python::folder(self.scratch.path()).display().to_string();
            let loads = with_first(usual, "PYTEST_PLUGINS", PLUGIN, ',');
            let loads = with_first(&loads, "PYTHONPATH", &path, ':');
            loads.with("ADEQUACY_NOTE", &folder.display().to_string())
        };
        let question = Question {
            name: "noting",
            files: &[("question.json", question.as_bytes())],
            environment: &environment,
        };
        let told = self.ask(place, &question)?;
        let reach = told.report.as_deref().map(|report| Reach::parse(report, wanted));
        Ok(match (reach, told.exit) {
            (None, _) => Err("the command does not load a plugin from its environment".to_owned()),
            (Some(Err(why)), _) => Err(why),
            (Some(Ok(reach)), exit) if reach.tests.is_empty() => match exit {
                Exit::Code(NO_TESTS) if changed.is_some() => Ok(reach),
                // Such as that of a controller, whose tests run in other processes.
                exit => Err(format!("no test was seen where the command runs its tests: {exit}")),
            },
            (Some(Ok(reach)), Exit::Code(0)) => Ok(reach),
            (Some(Ok(_)), exit) => Err(format!("the tests do not pass while it is noted: {exit}")),
        })
    }
}
