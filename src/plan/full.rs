//! A tree without a start: every operator on every chosen file.

use rayon::prelude::*;

use super::{Class, Mutant, Plan, PlanError, PlanFile, choose, source};
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
    let total = found.iter().map(|(_, mutations)| mutations.len()).sum();
    let mut plan = Plan { ignored, ..Plan::default() };
    // Whole from the start: growing would hold the mutants twice.
    plan.mutants.reserve_exact(total);
    for (file, mutations) in found {
        let place = u32::try_from(plan.files.len()).expect("fewer than 2^32 files");
        let mutants = mutations.into_iter().map(|it| Mutant::new(Class::Full, place, it));
        plan.mutants.extend(mutants);
        plan.files.push(file);
    }
    Ok(plan)
}
