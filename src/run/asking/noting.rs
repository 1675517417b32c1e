//! Which functions of the tree the tests of a command enter: one run of all of them or, of pytest, of those
//! that changed.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::json;

use super::{Door, Question};
use crate::base::RelPath;
use crate::run::lab::Lab;
use crate::run::python;
use crate::run::reach::Reach;
use crate::run::{Environment, Exit, RunError, Runner};

/// How pytest ends where it has no test to run.
const NO_TESTS: i32 = 5;

/// Tests by the first and last of lines that changed, in files of the tree.
pub type ChangedTests = BTreeMap<RelPath, Vec<(u32, u32)>>;

impl Lab<'_> {
    /// Runs the tests of the command at `place`, or the `changed` ones of pytest's, and notes which functions
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
        let scratch = self.scratch.path();
        let runner = Runner::of(self.task.commands[place].argv.words());
        let Some(door) = Door::of(runner, python::folder(scratch)) else {
            return Ok(Err("it is no command of pytest or unittest".to_owned()));
        };
        if let Err(why) = python::install(scratch) {
            return Ok(Err(why));
        }
        let question = json!({ "changed": changed }).to_string();
        let environment = |usual: &Environment, report: &Path| {
            door.note(usual, report.parent().expect("it is a file in a folder"))
        };
        let question = Question {
            name: "noting",
            files: &[("question.json", question.as_bytes())],
            environment: &environment,
        };
        let told = self.ask(place, &question)?;
        let reach = told.report.as_deref().map(|report| Reach::parse(report, wanted));
        Ok(match (reach, told.exit) {
            (None, _) => Err(format!("{} does not let us in by its environment", door.runner())),
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
