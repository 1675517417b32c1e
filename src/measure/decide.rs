//! The mutants that are not decided yet, and keeping what comes of them at once.

use std::collections::BTreeSet;
use std::io;
use std::sync::Mutex;

use super::confirm::Chosen;
use super::decisions::Decisions;
use super::executors::Decided;
use super::reuse::Reusable;
use super::spot_check::{self, Check};
use super::{Ledger, MeasureError, OutputDir, OutputError, RunFile, built, runners};
use crate::base::{Event, Sink};
use crate::outcome::{self, Outcome, Terms};
use crate::plan::Plan;
use crate::run::{Baseline, Keep, Lab, Run, RunError, Runner, Step};
use crate::task::Task;

/// Runs the mutants that the ledger does not hold yet and whose verdict is not `reusable`, and adds each
/// to it; then checks what faster executors said.
pub(super) fn decide(
    (lab, baseline): (&Lab<'_>, &Baseline),
    task: &Task,
    output: &OutputDir,
    run: &mut RunFile,
    plan: &Plan,
    reusable: Reusable,
    sink: &dyn Sink,
) -> Result<Decisions, MeasureError> {
    let (ledger, mut known) = Ledger::open(output, &run.key(), plan)?;
    let shard = run.conduct.shard;
    let ours = |(index, _): &(usize, usize)| shard.is_none_or(|shard| shard.holds(*index));
    let ours = plan.counted().enumerate().filter(ours).map(|(_, place)| place);
    let mut todo = ours.filter(|place| known.get(*place).is_none()).collect::<Vec<_>>();
    let caught = run.executors.caught(run);
    let doubted = known.iter().filter(|(_, decided)| !run.executors.believes(decided, &caught));
    let doubted = doubted.map(|(place, _)| place).collect::<Vec<_>>();
    doubted.iter().for_each(|&place| known.remove(place));
    if run.resumed {
        let known = known.iter().count();
        run.taken_over = known as u64;
        let all = known + todo.len() + doubted.len();
        sink.tell(Event::Note(format!("resumed: {known} of {all} verdicts are taken over")));
    }
    for place in built::not_built(lab, task, plan, &todo, sink)? {
        let decided = Decided::of(Outcome::NotBuilt, &[]);
        ledger.append(&plan.mutants[place], &decided, &[])?;
        known.insert(place, decided);
    }
    todo.retain(|place| known.get(*place).is_none());
    let mut todo = reusable.take_over(todo, (&ledger, output), &mut known, sink)?;
    if !run.executors.exact_only {
        run.executors.add(lab.offer(plan, baseline, &todo, &caught)?);
        lab.put_in_order(plan, &mut todo);
        output.write_tests(lab, task, run)?;
    }
    let keeper = Keeper {
        output,
        plan,
        ledger,
        runners: runners(task),
        flaky: lab.flaky(),
        chosen: Chosen::of(run.conduct.confirm, plan, task.mutate.seed),
        decided: Mutex::new(known),
        run: Mutex::new(run),
    };
    lab.mutants(plan, &todo, &keeper)?;
    keeper.again(lab, &doubted)?;
    keeper.check(lab, task, sink)?;
    let Keeper { decided, run, .. } = keeper;
    let decided = decided.into_inner().expect("the workers are done");
    let run = run.into_inner().expect("the workers are done");
    run.executors.count(decided.iter().map(|(_, decided)| decided));
    Ok(decided)
}

struct Keeper<'a> {
    output: &'a OutputDir,
    plan: &'a Plan,
    ledger: Ledger,
    runners: Vec<Option<Runner>>,
    flaky: BTreeSet<usize>,
    chosen: Chosen,
    decided: Mutex<Decisions>,
    run: Mutex<&'a mut RunFile>,
}

impl Keeper<'_> {
    /// Makes verdicts of faster executors again; where one differs, all of that command's.
    fn check(&self, lab: &Lab<'_>, task: &Task, sink: &dyn Sink) -> Result<(), MeasureError> {
        // Nothing is decided meanwhile: what the check runs is only compared.
        let suspect = {
            let decided = self.decided.lock().expect("the workers are done");
            self.suspect(&decided, lab, task, sink)?
        };
        Ok(self.again(lab, &suspect)?)
    }

    /// The mutants whose verdict rests on an executor that the spot check caught.
    fn suspect(
        &self,
        decided: &Decisions,
        lab: &Lab<'_>,
        task: &Task,
        sink: &dyn Sink,
    ) -> Result<Vec<usize>, MeasureError> {
        let ids = task.commands.iter().map(|command| command.id.clone()).collect::<Vec<_>>();
        let (plan, runners) = (self.plan, self.runners.as_slice());
        let seed = task.mutate.seed;
        let check = Check { lab, plan, runners, ids: &ids, seed, keep: self };
        let Some(mut found) = check.make(decided)? else { return Ok(Vec::new()) };
        let (caught, suspect) = {
            let mut run = self.run.lock().expect("the workers are done");
            // What an earlier part of this run found stays found.
            let earlier = run.executors.spot_check.take().unwrap_or_default();
            found.differences.splice(0..0, earlier.differences);
            found.made_again += earlier.made_again;
            run.executors.spot_check = Some(found);
            let caught = run.executors.caught(&run);
            let suspect = spot_check::suspect(decided, &caught);
            if let Some(found) = &mut run.executors.spot_check {
                found.made_again += suspect.len() as u64;
            }
            // Before they are made again: a resumed run must not believe them either.
            self.write(&run)?;
            (caught, suspect)
        };
        lab.give_up(&caught);
        if suspect.is_empty() {
            return Ok(suspect);
        }
        let names = caught.iter().map(|&place| ids[place].clone()).collect::<Vec<_>>();
        sink.tell(Event::Warning(format!(
            "the spot check found a verdict of {} that the exact path does not give; {} mutants are \
             decided again on the exact path",
            super::observe::quoted(&names),
            suspect.len()
        )));
        Ok(suspect)
    }

    fn judge(&self, place: usize, runs: &[Run]) -> Outcome {
        let must_build = !self.plan.mutants[place].class.is_never_unviable();
        let (runners, flaky) = (&self.runners, &self.flaky);
        outcome::judge(runs, &Terms { runners, flaky, must_build })
    }

    /// Decides mutants once more, on the exact path. Their logs have names of their own, for the
    /// ledger keeps the lines that no longer stand.
    fn again(&self, lab: &Lab<'_>, places: &[usize]) -> Result<(), RunError> {
        if places.is_empty() {
            return Ok(());
        }
        let how = ("running mutants again on the exact path", "exact-");
        lab.exactly(self.plan, places, how, self)
    }

    fn write(&self, run: &RunFile) -> Result<(), RunError> {
        self.output.write_run(run).map_err(|error| match error {
            OutputError::Io { path, error } => RunError::Log { path, error },
            other => RunError::Log {
                path: self.output.path().to_owned(),
                error: io::Error::other(other.to_string()),
            },
        })
    }
}

impl Keep for Keeper<'_> {
    fn asks_again(&self, place: usize, runs: &[Run]) -> Vec<Step> {
        let first = (place, self.judge(place, runs));
        self.chosen.steps(first, runs, self.runners.len(), &self.flaky)
    }

    fn decided(&self, place: usize, runs: &[Run]) -> Result<(), RunError> {
        let decided = Decided::of(self.judge(place, runs), runs);
        self.ledger.append(&self.plan.mutants[place], &decided, runs).map_err(|error| {
            RunError::Log { path: error.path().to_owned(), error: error.into_io() }
        })?;
        self.decided.lock().expect("no worker panics with it").insert(place, decided);
        Ok(())
    }

    fn unmutated(&self, passed: bool) -> Result<(), RunError> {
        let mut run = self.run.lock().expect("no worker panics with it");
        run.sentinels.runs += 1;
        run.sentinels.failures += u64::from(!passed);
        // Written each time: how often the tree failed must outlive this process.
        self.write(&run)
    }
}
