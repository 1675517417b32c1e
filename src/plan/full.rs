//! A tree without a start: every operator on every chosen file.

use adequacy_mutators::Language;

use super::cargo::Settings;
use super::{Class, Plan, PlanError, PlanFile, choose, source};
use crate::task::Task;
use crate::tree::Snapshot;

pub(super) fn plan(task: &Task, snapshot: &Snapshot) -> Result<Plan, PlanError> {
    let operators = choose::operators(&task.mutate.operators)?;
    let settings = Settings::of(snapshot)?;
    let chosen = choose::files(task, snapshot, &settings)?;
    let one = |(path, language): choose::Chosen| {
        let source = source(snapshot, &path)?;
        let mut found =
            language.mutations(&source, &|operator| operators.contains_key(operator.name));
        let left_out = match language {
            Language::Rust => settings.filter(&path, &source, &mut found.mutations),
            Language::Python => 0,
        };
        let mut file = PlanFile::new(path, language, &source);
        file.note(&found);
        file.left_out = left_out;
        Ok((file, found.mutations))
    };
    Plan::of_class(Class::Full, chosen, one)
}
