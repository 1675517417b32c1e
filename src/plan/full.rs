//! A tree without a start: every operator on every chosen file.

use rayon::prelude::*;

use super::{Class, Plan, PlanError, PlanFile, choose, source};
use crate::task::Task;
use crate::tree::Snapshot;

pub(super) fn plan(task: &Task, snapshot: &Snapshot) -> Result<Plan, PlanError> {
    let operators = choose::operators(&task.mutate.operators)?;
    let (chosen, ignored) = choose::files(task, snapshot)?;
    let one = |(path, language): choose::Chosen| {
        let source = source(snapshot, &path)?;
        let found = language.mutations(&source, &|operator| operators.contains_key(operator.name));
        let mut file = PlanFile::new(path, language, &source);
        file.note(&found);
        Ok((file, found.mutations))
    };
    let found = chosen.into_par_iter().map(one).collect::<Result<Vec<_>, PlanError>>()?;
    Ok(Plan::of_files(Class::Full, ignored, found))
}
