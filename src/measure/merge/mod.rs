//! Conductor of `merge`: several runs of one task, mostly shards of it, become one run directory.
//!
//! It sees the run directories alone, no tree and no command: what the merged run claims is checked
//! against the trees when it is sealed.

mod agree;
mod combine;
mod input;
mod logs;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use input::Input;

use super::ledger::{self, Line};
use super::verdicts::Known;
use super::{
    Decided, LedgerError, Matrix, OutputDir, OutputError, RunFile, confirm, evidence, gates,
    receipt, runners,
};
use crate::adequacy::{Adequacy, Gate};
use crate::plan::{Places, Planned, PlannedRow};

/// What a merge made.
#[derive(Debug)]
pub struct Merged {
    /// What was written to `run.json`.
    pub run: RunFile,
    /// How the numbers compare with the task's thresholds.
    pub gates: Vec<Gate>,
    /// The run directory.
    pub output: OutputDir,
    /// Logs that the merged runs name and their directories do not hold.
    pub lost_logs: u64,
}

/// Why runs are not merged.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// A run directory cannot be used.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// A ledger cannot be used.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// A run has not decided all that it was to decide.
    #[error(
        "the run in `{}` is not finished, or is spoiled; go on with it (`measure --resume`, with the \
         flags it had) or leave it out", .0.display()
    )]
    Unfinished(PathBuf),
    /// Some of its verdicts are an earlier run's.
    #[error("the run in `{}` holds verdicts of an earlier run (`--reuse`), which are not merged; measure it without", .0.display())]
    Reused(PathBuf),
    /// Two runs are not of one measurement.
    #[error("`{}` and `{}` are not parts of one run: {what} differs", one.display(), other.display())]
    Differs {
        /// What is not the same.
        what: &'static str,
        /// A run directory.
        one: PathBuf,
        /// Another.
        other: PathBuf,
    },
    /// A run is of another version of this program.
    #[error("the run in `{}` is of `{found}`; this version cannot vouch for its verdicts: measure it again", path.display())]
    OtherVersion {
        /// The run directory.
        path: PathBuf,
        /// The version.
        found: String,
    },
    /// Mutants that two runs decided otherwise.
    #[error(
        "runs that overlap disagree about {}: their verdicts hang on something besides the mutant; find \
         out on what (`adequacy replay`) and measure again", few(.0)
    )]
    Disagree(Vec<String>),
    /// Mutants that no run decided.
    #[error("no run decided {} of {all} mutants: {}{}", ids.len(), few(ids), missing(shards))]
    Gap {
        /// Their ids, in plan order.
        ids: Vec<String>,
        /// Mutants that are to be decided.
        all: usize,
        /// Shards that were not given, where all that were are of one division.
        shards: Vec<String>,
    },
    /// The merged run would take the place of one that it is made of.
    #[error("`{}` is one of the runs to merge, or the place where an earlier run is moved to; name another directory with `-o`", .0.display())]
    InTheWay(PathBuf),
    /// A run directory does not hold what it says it holds.
    #[error("`{}` is damaged: {message}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
}

/// Ids that a message names.
const NAMED: usize = 50;

fn few(ids: &[String]) -> String {
    let more = ids.len().saturating_sub(NAMED);
    let named = ids[..ids.len() - more].join(", ");
    if more > 0 { format!("{named} and {more} more") } else { named }
}

fn missing(shards: &[String]) -> String {
    match shards {
        [] => String::new(),
        [one] => format!("; shard {one} is missing"),
        all => format!("; shards {} are missing", all.join(", ")),
    }
}

/// Merges the runs at `paths`, in any order, into a new run directory at `out`.
///
/// # Errors
/// [`MergeError`]: they are not parts of one run, disagree, or leave a mutant undecided; nothing is
/// written then.
pub fn merge(paths: &[PathBuf], out: &Path) -> Result<Merged, MergeError> {
    out_of_the_way(paths, out)?;
    let mut inputs = paths.iter().map(|path| Input::read(path)).collect::<Result<Vec<_>, _>>()?;
    // What is written must not hang on the order of the words.
    inputs.sort_by_key(Input::place);
    let (first, others) = inputs.split_first().expect("there is a run to merge");
    others.iter().try_for_each(|other| agree::check(first, other))?;
    agree::of_this_version(first)?;
    let rows = first.rows()?;
    let mutants = first.planned(&rows)?;
    let manifest = input::manifest(&inputs)?;
    let mut run = combine::run(&inputs);
    inputs.iter_mut().enumerate().for_each(|(place, input)| logs::put_below(input, place + 1));
    let lines = lines(&inputs, &rows, &mutants, &run)?;
    let outcome = |place: usize| lines.get(&place).map(|line| line.outcome);
    let adequacy = Adequacy::of_decided(mutants.iter().copied(), outcome);
    let killed = |path: &str| {
        let mut counted = adequacy.counted(mutants.iter().copied());
        counted.any(|(mutant, killed)| killed && mutant.path == path)
    };
    let not_reached = combine::not_reached(&inputs, killed);
    combine::records(&mut run, &inputs);
    run.neutralized = combine::neutralized(&inputs, &rows);
    let decided = lines.values().map(|line| Decided::of(line.outcome, &line.runs));
    run.executors.count(decided);
    let gates = gates::of(&run.task, &run, &adequacy);
    let output = OutputDir::open(out, false)?;
    output.begin(&run, None)?;
    let lines = lines.into_values().collect::<Vec<_>>();
    let lost_logs = logs::copy(&inputs, &run, &lines, &output)?;
    output.write_plan(&mut run, None, |take| {
        take(&inputs[0].plan);
        Ok::<_, OutputError>(())
    })?;
    input::copy_sources(&inputs, &output)?;
    output.replace(&output.outcomes(), &ledger::text(&run.key(), &lines))?;
    run.conduct.confirmed = confirm::of_run(&output, &run)?;
    run.matrix = Matrix::of(&run.task, rows.iter().map(|row| row.id), &output, &run)?;
    run.finish(mutants.iter().copied(), &adequacy, &gates, not_reached);
    output.write_run(&run)?;
    for (name, text) in &manifest {
        output.write_evidence(name, text)?;
    }
    let mut unsmooth = evidence::Unsmooth::default();
    lines.iter().for_each(|line| unsmooth.add(line));
    evidence::write_records(&output, &run, &unsmooth)?;
    receipt::finish(&output, &run, &receipt::Act { command: "merge", ..receipt::Act::default() })?;
    Ok(Merged { run, gates, output, lost_logs })
}

/// Neither the new run directory nor where an earlier one is moved to may be one of the runs.
fn out_of_the_way(paths: &[PathBuf], out: &Path) -> Result<(), MergeError> {
    let mut old = OsString::from(out);
    old.push(".old");
    let taken = [out.canonicalize().ok(), PathBuf::from(old).canonicalize().ok()];
    let holds = |path: &&PathBuf| {
        let real = path.canonicalize().ok();
        real.is_some_and(|real| taken.iter().flatten().any(|taken| real.starts_with(taken)))
    };
    match paths.iter().find(holds) {
        Some(path) => Err(MergeError::InTheWay(path.clone())),
        None => Ok(()),
    }
}

/// One verdict for each mutant that counts, by its place in the plan.
fn lines(
    inputs: &[Input],
    rows: &[PlannedRow],
    mutants: &[Planned<'_>],
    run: &RunFile,
) -> Result<BTreeMap<usize, Line>, MergeError> {
    let places = rows.iter().map(|row| row.id).collect::<Places>();
    let (runners, flaky) = (runners(&run.task), run.flaky_places());
    // A command that gave two answers anywhere shows nothing by failing, wherever it failed.
    let known = Known { runners: &runners, flaky: &flaky };
    let mut found = BTreeMap::<usize, Line>::new();
    let mut disputed = BTreeMap::<usize, String>::new();
    for input in inputs {
        for line in input.checked(&places, mutants)? {
            let (place, line) = line;
            let outcome = known.judge(line, mutants[place].class);
            let line = Line { outcome, ..line.clone() };
            match found.get(&place) {
                Some(other) if other.outcome != outcome => {
                    disputed.insert(place, line.id);
                }
                Some(_) => {}
                None => drop(found.insert(place, line)),
            }
        }
    }
    if !disputed.is_empty() {
        return Err(MergeError::Disagree(disputed.into_values().collect()));
    }
    whole(&found, inputs, rows)?;
    Ok(found)
}

/// No mutant that counts is left out.
fn whole<T>(
    found: &BTreeMap<usize, T>,
    inputs: &[Input],
    rows: &[PlannedRow],
) -> Result<(), MergeError> {
    let counted = rows.iter().enumerate().filter(|(_, row)| row.is_counted());
    let all = counted.clone().count();
    let left = counted.filter(|(place, _)| !found.contains_key(place));
    let ids = left.map(|(_, row)| row.id.to_string()).collect::<Vec<_>>();
    if ids.is_empty() {
        return Ok(());
    }
    Err(MergeError::Gap { ids, all, shards: combine::missing_shards(inputs) })
}
