//! A start tree without a right solution: functions that do nothing.

use adequacy_mutators::Bodies;

use super::cargo::Settings;
use super::{Class, Plan, PlanError, PlanFile, choose, source};
use crate::task::Task;
use crate::tree::Snapshot;

pub(super) fn plan(task: &Task, snapshot: &Snapshot) -> Result<Plan, PlanError> {
    let chosen = choose::files(task, snapshot, &Settings::default())?;
    let one = |(path, language): choose::Chosen| {
        let source = source(snapshot, &path)?;
        let outline = language.outline(&source);
        let found = language.bodies(&source, &outline, Bodies::Degenerate, &|_| true);
        let mut file = PlanFile::new(path, language, &source);
        file.functions = outline.definitions.into_iter().map(|it| it.name).collect();
        Ok((file, found))
    };
    Plan::of_class(Class::Degenerate, chosen, one)
}
