//! `--check-parallel`: a sample of the mutants once more with nobody beside them. What they share that
//! no workspace holds, such as a port or a database, shows in another answer.

use std::collections::BTreeMap;
use std::sync::Mutex;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{Decisions, MeasureError, OutputDir, Refusal, RunFile, Sentinels, runners};
use crate::base::lowest;
use crate::outcome::{self, Outcome, Terms};
use crate::plan::Plan;
use crate::run::{Keep, Lab, Run, RunError};
use crate::task::Task;

/// One in so many mutants is in the sample, and at least [`LEAST`].
const SAMPLED: usize = 20;

/// The smallest sample, where there are so many mutants.
const LEAST: usize = 10;

/// What a sample of the mutants did beside others and alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parallel {
    /// Workers that were active when the mutants were decided.
    pub jobs: usize,
    /// Mutants in the sample.
    pub sampled: u64,
    /// Those that were decided otherwise alone.
    pub differing: Vec<Disagreement>,
}

/// A mutant whose answer hangs on what runs beside it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Disagreement {
    /// The mutant.
    pub id: String,
    /// What was decided beside others.
    pub beside_others: Outcome,
    /// What it did alone.
    pub alone: Outcome,
}

/// Runs the sample alone and keeps what came of it in `run.json`.
///
/// # Errors
/// [`Refusal::Parallel`] when a mutant is decided otherwise; else as [`measure`](super::measure()).
pub(super) fn check(
    lab: &Lab<'_>,
    task: &Task,
    output: &OutputDir,
    run: &mut RunFile,
    plan: &Plan,
    decided: &Decisions,
) -> Result<(), MeasureError> {
    let places = sample(plan, decided, task.mutate.seed);
    let (runners, flaky) = (runners(task), lab.flaky());
    let judge = |place: usize, runs: &[Run]| {
        let must_build = !plan.mutants[place].class.is_never_unviable();
        outcome::judge(runs, &Terms { runners: &runners, flaky: &flaky, must_build })
    };
    let found = Found { judge, alone: Mutex::default(), sentinels: Mutex::default() };
    let name = "running a sample of the mutants alone";
    lab.alone(plan, &places, (name, "alone-"), &found)?;
    let sentinels = found.sentinels.into_inner().expect("the workers are done");
    run.sentinels.runs += sentinels.runs;
    run.sentinels.failures += sentinels.failures;
    let alone = found.alone.into_inner().expect("the workers are done");
    let kind = std::mem::discriminant::<Outcome>;
    let both = alone.into_iter().filter_map(|(place, alone)| {
        let beside_others = decided.outcome(place)?;
        Some(Disagreement { id: plan.mutants[place].id.to_string(), beside_others, alone })
    });
    let differing = both.filter(|it| kind(&it.alone) != kind(&it.beside_others));
    let differing = differing.collect::<Vec<_>>();
    let ids = differing.iter().map(|it| it.id.clone()).collect::<Vec<_>>();
    let sampled = places.len() as u64;
    run.conduct.check_parallel = vec![Parallel { jobs: run.jobs, sampled, differing }];
    output.write_run(run)?;
    if ids.is_empty() { Ok(()) } else { Err(Refusal::Parallel { ids, sampled }.into()) }
}

/// The sample, in plan order.
fn sample(plan: &Plan, decided: &Decisions, seed: u64) -> Vec<usize> {
    let places = decided.iter().map(|(place, _)| place);
    let size = places.clone().count().div_ceil(SAMPLED).max(LEAST);
    let mut places = lowest(places, size, |place| {
        <[u8; 32]>::from(Sha256::digest(format!("parallel:{seed}:{}", plan.mutants[place].id)))
    });
    places.sort_unstable();
    places
}

/// What the mutants do alone.
struct Found<J> {
    judge: J,
    alone: Mutex<BTreeMap<usize, Outcome>>,
    sentinels: Mutex<Sentinels>,
}

impl<J: Fn(usize, &[Run]) -> Outcome + Sync> Keep for Found<J> {
    fn decided(&self, place: usize, runs: &[Run]) -> Result<(), RunError> {
        let outcome = (self.judge)(place, runs);
        self.alone.lock().expect("no worker panics with it").insert(place, outcome);
        Ok(())
    }

    fn unmutated(&self, passed: bool) -> Result<(), RunError> {
        let mut sentinels = self.sentinels.lock().expect("no worker panics with it");
        sentinels.runs += 1;
        sentinels.failures += u64::from(!passed);
        Ok(())
    }
}
