//! The mutants that are not decided yet, and keeping what comes of them at once.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::Mutex;

use super::confirm::Chosen;
use super::{Ledger, MeasureError, OutputDir, OutputError, RunFile, built, runners};
use crate::base::{Event, Sink};
use crate::outcome::{self, Outcome, Terms};
use crate::plan::Plan;
use crate::run::{Keep, Lab, Run, RunError, Runner, Step};
use crate::task::Task;

/// Runs the mutants that the ledger does not hold yet, and adds each to it.
pub(super) fn decide(
    lab: &Lab<'_>,
    task: &Task,
    output: &OutputDir,
    run: &mut RunFile,
    plan: &Plan,
    sink: &dyn Sink,
) -> Result<BTreeMap<usize, Outcome>, MeasureError> {
    let (ledger, mut known) = Ledger::open(output, &run.key(), plan)?;
    let shard = run.conduct.shard;
    let ours = |(index, _): &(usize, usize)| shard.is_none_or(|shard| shard.holds(*index));
    let ours = plan.counted().enumerate().filter(ours).map(|(_, place)| place);
    let todo = ours.filter(|place| !known.contains_key(place)).collect::<Vec<_>>();
    if run.resumed {
        run.taken_over = known.len() as u64;
        let (known, all) = (known.len(), known.len() + todo.len());
        sink.tell(Event::Note(format!("resumed: {known} of {all} verdicts are taken over")));
    }
    for place in built::not_built(lab, task, plan, &todo, sink)? {
        ledger.append(&plan.mutants[place], &Outcome::NotBuilt, &[])?;
        known.insert(place, Outcome::NotBuilt);
    }
    let todo = todo.into_iter().filter(|place| !known.contains_key(place)).collect::<Vec<_>>();
    let keeper = Keeper {
        output,
        plan,
        ledger,
        runners: runners(task),
        flaky: lab.flaky(),
        chosen: Chosen::of(run.conduct.confirm, plan, task.mutate.seed),
        outcomes: Mutex::new(known),
        run: Mutex::new(run),
    };
    lab.mutants(plan, &todo, &keeper)?;
    Ok(keeper.outcomes.into_inner().expect("the workers are done"))
}

struct Keeper<'a> {
    output: &'a OutputDir,
    plan: &'a Plan,
    ledger: Ledger,
    runners: Vec<Option<Runner>>,
    flaky: BTreeSet<usize>,
    chosen: Chosen,
    outcomes: Mutex<BTreeMap<usize, Outcome>>,
    run: Mutex<&'a mut RunFile>,
}

impl Keeper<'_> {
    fn judge(&self, place: usize, runs: &[Run]) -> Outcome {
        let must_build = !self.plan.mutants[place].class.is_never_unviable();
        let (runners, flaky) = (&self.runners, &self.flaky);
        outcome::judge(runs, &Terms { runners, flaky, must_build })
    }
}

impl Keep for Keeper<'_> {
    fn asks_again(&self, place: usize, runs: &[Run]) -> Vec<Step> {
        let first = (place, self.judge(place, runs));
        self.chosen.steps(first, runs, self.runners.len(), &self.flaky)
    }

    fn decided(&self, place: usize, runs: &[Run]) -> Result<(), RunError> {
        let outcome = self.judge(place, runs);
        self.ledger.append(&self.plan.mutants[place], &outcome, runs).map_err(|error| {
            RunError::Log { path: error.path().to_owned(), error: error.into_io() }
        })?;
        self.outcomes.lock().expect("no worker panics with it").insert(place, outcome);
        Ok(())
    }

    fn unmutated(&self, passed: bool) -> Result<(), RunError> {
        let mut run = self.run.lock().expect("no worker panics with it");
        run.sentinels.runs += 1;
        run.sentinels.failures += u64::from(!passed);
        // Written each time: how often the tree failed must outlive this process.
        self.output.write_run(&run).map_err(|error| match error {
            OutputError::Io { path, error } => RunError::Log { path, error },
            other => RunError::Log {
                path: self.output.path().to_owned(),
                error: io::Error::other(other.to_string()),
            },
        })
    }
}
