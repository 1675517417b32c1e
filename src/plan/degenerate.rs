//! A start tree without a right solution: functions that do nothing.

use adequacy_mutators::Bodies;
use rayon::prelude::*;

use super::{Class, Mutant, Plan, PlanError, PlanFile, choose, source};
use crate::task::Task;
use crate::tree::Snapshot;

pub(super) fn plan(task: &Task, snapshot: &Snapshot) -> Result<Plan, PlanError> {
    let (chosen, ignored) = choose::files(task, snapshot)?;
    let one = |(path, language): choose::Chosen| {
        let source = source(snapshot, &path)?;
        let outline = language.outline(&source);
        let found = language.bodies(&source, &outline, Bodies::Degenerate, &|_| true);
        let mut file = PlanFile::new(path, language, &source);
        file.functions = outline.definitions.into_iter().map(|it| it.name).collect();
        Ok((file, found))
    };
    let found = chosen.into_par_iter().map(one).collect::<Result<Vec<_>, PlanError>>()?;
    let mut plan = Plan { ignored, ..Plan::default() };
    for (file, mutations) in found {
        let place = u32::try_from(plan.files.len()).expect("fewer than 2^32 files");
        let mutants = mutations.into_iter().map(|it| Mutant::new(Class::Degenerate, place, it));
        plan.mutants.extend(mutants);
        plan.files.push(file);
    }
    Ok(plan)
}
