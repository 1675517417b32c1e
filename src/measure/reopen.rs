//! A finished run again, without running a command: its numbers made anew from its verdicts and the
//! trees they are about.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::run_file::tool;
use super::verdicts::Known;
use super::{
    Decided, Decisions, LedgerError, Line, MeasureError, Measured, OutputDir, OutputError,
    Prepared, RunFile, Shard, State, Wanted, gates, output, prepare, protect, runners, same_task,
};
use crate::adequacy::Adequacy;
use crate::base::Sink;
use crate::plan::Plan;
use crate::task::Task;

/// Which run, and what is let through of it.
#[derive(Debug)]
pub struct Reopened<'a> {
    /// The task as it is now.
    pub task: &'a Task,
    /// The run directory.
    pub output: &'a Path,
    /// Where a tree is put that a patch makes.
    pub scratch: &'a Path,
    /// Most undecided mutants, where a flag says so; else what the run was asked for.
    pub max_undecided: Option<u64>,
    /// Known defects that a person lets through, beside those of the run.
    pub allow: &'a BTreeSet<String>,
}

/// Why a run is not taken up again.
#[derive(Debug, thiserror::Error)]
pub enum ReopenError {
    /// The trees cannot be listed, or the mutants cannot be planned.
    #[error(transparent)]
    Measure(#[from] MeasureError),
    /// The run directory cannot be used.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The ledger cannot be used.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// It is a part of a run.
    #[error("the run in `{}` is shard {shard} of its plan; put all of them together with `adequacy merge`", path.display())]
    Part {
        /// The run directory.
        path: PathBuf,
        /// Which part.
        shard: Shard,
    },
    /// Some of its verdicts are an earlier run's.
    #[error("the run in `{}` holds verdicts of an earlier run (`--reuse`), which are never sealed; measure without it", .0.display())]
    Reused(PathBuf),
    /// It was broken off, or cannot be trusted.
    #[error("the run in `{}` is not finished, or is spoiled; nothing of it can be sealed", .0.display())]
    Unfinished(PathBuf),
    /// The task, its trees or this program are not those of the run.
    #[error("the run in `{}` is not one of this task as it is now: {what} differs; measure again", path.display())]
    Differs {
        /// The run directory.
        path: PathBuf,
        /// What is not the same.
        what: &'static str,
    },
    /// Its files do not say the same.
    #[error("the run in `{}` is damaged: {what}", path.display())]
    Damaged {
        /// The run directory.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
}

/// Takes up the finished run in `wanted.output`: the task, the trees, the interpreter and the plan must
/// be those of the run, and every verdict what its runs mean. What is let through is added to its
/// `run.json`.
///
/// # Errors
/// [`ReopenError`], which says what is not as it was.
pub fn reopen(wanted: &Reopened<'_>, sink: &dyn Sink) -> Result<Measured, ReopenError> {
    let output = OutputDir::open(wanted.output, true)?;
    let mut run = output.read_run()?;
    let path = || output.path().to_owned();
    let differs = |what| ReopenError::Differs { path: path(), what };
    match (run.state, run.conduct.shard) {
        (State::Finished, None) => {}
        (State::Shard | State::Finished, Some(shard)) => {
            return Err(ReopenError::Part { path: path(), shard });
        }
        (State::Begun | State::Spoiled | State::Shard, _) => {
            return Err(ReopenError::Unfinished(path()));
        }
    }
    if run.tool != tool() {
        return Err(differs("the version of this program"));
    }
    let (lines, _) = output.read_outcomes(&run)?;
    if lines.iter().any(|line| line.reused.is_some()) {
        return Err(ReopenError::Reused(path()));
    }
    let task = same_task::moved(&run.task, wanted.task).ok_or_else(|| differs("the task"))?;
    let prepared = prepared(wanted, &run, &task, sink)?;
    same(&prepared, &run).map_err(differs)?;
    let Prepared { trees, plan, .. } = prepared;
    let decided = decided(&output, &run, &task, &plan, lines)?;
    let damaged = |what: &str| ReopenError::Damaged { path: path(), what: what.to_owned() };
    let adequacy = Adequacy::of(&plan, |place| decided.outcome(place));
    let adequacy = adequacy.ok_or_else(|| damaged("a mutant of its plan has no verdict"))?;
    if wanted.max_undecided.is_some() {
        run.conduct.max_undecided = wanted.max_undecided;
    }
    let allowed = run.allowed.iter().chain(wanted.allow).cloned().collect::<BTreeSet<_>>();
    run.allowed = allowed.into_iter().collect();
    run.task = task;
    let gates = gates::of(&run.task, &run, &adequacy);
    let (totals, not_reached) = (run.totals.take(), run.not_reached.clone());
    run.finish(plan.planned(), &adequacy, &gates, not_reached);
    if totals != run.totals {
        return Err(damaged("its totals are not those of its verdicts"));
    }
    output.write_run(&run)?;
    let protected = protect::protected(&run.task, &trees);
    Ok(Measured { trees, protected, plan, adequacy, gates, run, output })
}

/// The plan of the task as it is now, sampled as the run was.
fn prepared(
    wanted: &Reopened<'_>,
    run: &RunFile,
    task: &Task,
    sink: &dyn Sink,
) -> Result<Prepared, ReopenError> {
    let listed = Wanted {
        choice: &run.choice,
        output: Some(wanted.output),
        scratch: wanted.scratch,
        since: None,
    };
    let mut prepared = prepare::planned(task, &listed, sink)?;
    // A budget was made a number by the times of that run.
    let limit = run.sampler.as_ref().map(|sampled| sampled.limit);
    if let Some(limit) = limit.filter(|_| task.mutate.budget.is_some()) {
        prepared.plan.sample(limit, task.mutate.seed);
    }
    Ok(prepared)
}

/// What of the trees, the interpreter and the plan is not as the run had it.
fn same(prepared: &Prepared, run: &RunFile) -> Result<(), &'static str> {
    if prepared.trees.digest() != run.tree_sha256 {
        return Err("a tree");
    }
    let version = prepared.interpreter.as_ref().map(|(_, judge)| judge.version.as_str());
    if version != run.interpreter.as_ref().map(|found| found.version.as_str()) {
        return Err("the interpreter");
    }
    match output::digest(&prepared.plan, &prepared.trees.base) {
        Ok(digest) if digest == run.plan_sha256 => Ok(()),
        Ok(_) => Err("the plan"),
        // Listed a moment ago, and no longer so.
        Err(_) => Err("a tree"),
    }
}

/// The verdicts of the run by place in the plan.
fn decided(
    output: &OutputDir,
    run: &RunFile,
    task: &Task,
    plan: &Plan,
    lines: Vec<Line>,
) -> Result<Decisions, ReopenError> {
    let damaged = |what| ReopenError::Damaged { path: output.path().to_owned(), what };
    let places = plan.places();
    let (runners, flaky) = (runners(task), run.flaky_places());
    let known = Known { runners: &runners, flaky: &flaky };
    let mut decided = Decisions::none_of(plan.mutants.len());
    for line in lines {
        let place = places.get(&line.id);
        let place = place.ok_or_else(|| damaged(format!("no mutant `{}`", line.id)))?;
        if known.judge(&line, plan.mutants[place].class) != line.outcome {
            return Err(damaged(format!("the verdict of `{}` is not what its runs mean", line.id)));
        }
        decided.insert(place, Decided::of(line.outcome, &line.runs));
    }
    Ok(decided)
}
