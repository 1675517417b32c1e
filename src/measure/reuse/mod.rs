//! Verdicts of an earlier run that stand for mutants of this one: where all that a verdict rests on is
//! known of both runs, and the same.

mod key;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

pub use key::{Key, KeyPart};

use super::confirm::Chosen;
use super::ledger::Line;
use super::{
    Decided, Decisions, Ledger, MeasureError, Options, OutputDir, OutputError, Prepared, RunFile,
    State, output,
};
use crate::base::{Event, RelPath, Sha256, Sink};
use crate::outcome::{Outcome, Reason};
use crate::run::{Attempt, Run, Step, answers};
use crate::task::Task;
use crate::tree::TreeError;

/// An earlier run, and the digest of its receipt; `None` where there is no run yet.
#[derive(Debug, Clone)]
pub struct Reuse {
    /// The run directory, absolute.
    pub path: PathBuf,
    /// Of its `receipt.json`, which somebody has checked with all that it rests on.
    pub receipt: Option<Sha256>,
}

/// What became of reusing verdicts: `reuse` in `run.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReuseRecord {
    /// What the verdicts of this run rest on.
    pub key: Key,
    /// Digest of the receipt of the earlier run.
    pub receipt_sha256: Option<Sha256>,
    /// Why none of its verdicts could be reused: what differs or is not known.
    pub differs: Vec<String>,
    /// Verdicts of this run that are an earlier run's.
    pub verdicts: u64,
}

/// The earlier run as its directory holds it.
pub(super) struct Earlier {
    path: PathBuf,
    receipt: Sha256,
    run: RunFile,
    /// Digests of the lines of its plan.
    rows: HashSet<Sha256>,
    lines: BTreeMap<String, Line>,
}

/// The verdicts that may stand, by place in the plan, and where their logs are.
#[derive(Default)]
pub(super) struct Reusable {
    logs: PathBuf,
    lines: BTreeMap<usize, Line>,
}

/// Where logs of an earlier run are put, below `logs/`.
const BELOW: &str = "reused/";

/// Reads the earlier run, before this one takes the place of whatever is in its directory.
///
/// # Errors
/// [`MeasureError`] when it cannot be read or is about to be removed.
pub(super) fn read(options: &Options) -> Result<Option<Earlier>, MeasureError> {
    let Some(Reuse { path, receipt: Some(receipt) }) = &options.reuse else { return Ok(None) };
    let real = |path: &Path| path.canonicalize().ok();
    let (found, mut place) = (real(path), path.clone());
    let old = OutputDir::old(&options.output);
    if found == real(&old) {
        return Err(OutputError::InTheWay(path.clone()).into());
    }
    let folder = OutputDir::existing(path)?;
    let run = folder.read_run()?;
    let lines = folder.read_outcomes(&run)?.0.into_iter().map(|line| (line.id.clone(), line));
    let lines = lines.collect();
    let rows = rows_of(&folder)?;
    if found == real(&options.output) {
        place = old;
    }
    Ok(Some(Earlier { path: place, receipt: *receipt, run, rows, lines }))
}

/// The verdicts that stand for mutants of this run; writes to `run` what they rest on, and says why there are
/// none.
///
/// # Errors
/// [`MeasureError`] when there is no interpreter any more, or a source cannot be read.
pub(super) fn reusable(
    (task, options): (&Task, &Options),
    prepared: &Prepared,
    earlier: Option<Earlier>,
    run: &mut RunFile,
    sink: &dyn Sink,
) -> Result<Reusable, MeasureError> {
    let Some(reuse) = &options.reuse else { return Ok(Reusable::default()) };
    sink.tell(Event::Step { name: "reading what verdicts rest on".into(), total: None });
    let key = key::of(task, options, prepared, run)?;
    let record = |differs| ReuseRecord {
        key: key.clone(),
        receipt_sha256: reuse.receipt,
        differs,
        verdicts: 0,
    };
    let differs = match &earlier {
        None => vec![format!("`{}` holds no run", reuse.path.display())],
        Some(earlier) => earlier.differences(&key),
    };
    if !differs.is_empty() {
        sink.tell(Event::Warning(format!(
            "no verdict is reused, every mutant is run: {}",
            differs.join("; ")
        )));
        run.reuse = Some(record(differs));
        return Ok(Reusable::default());
    }
    run.reuse = Some(record(Vec::new()));
    let earlier = earlier.expect("it would be a reason");
    let same = earlier.same_rows(prepared)?;
    let caught = earlier.run.executors.caught(&earlier.run);
    let plan = &prepared.plan;
    let chosen = Chosen::of(run.conduct.confirm, plan, task.mutate.seed);
    // As many answers as this run would ask for.
    let answered = |place: usize, line: &Line| {
        let (first, second) = answers(&line.runs);
        let none = BTreeSet::new();
        let asked = chosen.steps((place, line.outcome), first, task.commands.len(), &none);
        asked.is_empty() || !second.is_empty()
    };
    let places = plan.mutants.iter().enumerate();
    let lines = places.filter_map(|(place, mutant)| {
        let id = mutant.id.to_string();
        let line = earlier.lines.get(&id)?;
        let decided = Decided::of(line.outcome, &line.runs);
        let stands = same[place]
            && stands(line, run)
            && answered(place, line)
            && run.executors.believes(&decided, &caught);
        let reused = line.reused.or(Some(earlier.receipt));
        stands.then(|| (place, Line { reused, ..line.clone() }))
    });
    Ok(Reusable { lines: lines.collect(), logs: OutputDir::logs_in(&earlier.path) })
}

impl Earlier {
    /// For each mutant of a plan, whether the earlier one had it, and in the same words.
    fn same_rows(&self, Prepared { trees, plan, .. }: &Prepared) -> Result<Vec<bool>, TreeError> {
        let mut same = Vec::with_capacity(plan.mutants.len());
        output::rows(plan, &trees.base, &mut |row| {
            same.push(self.rows.contains(&Sha256::of(row)));
        })?;
        Ok(same)
    }

    /// Why no verdict of it stands for a mutant of a run with this key.
    fn differences(&self, key: &Key) -> Vec<String> {
        match (&self.run.reuse, self.run.state) {
            (_, State::Begun | State::Spoiled) => {
                vec!["the earlier run is not finished, or is spoiled".to_owned()]
            }
            (None, _) => vec![
                "the earlier run was made without `--reuse` and does not record what its verdicts \
                 rest on (this run does)"
                    .to_owned(),
            ],
            (Some(then), _) => key::differences(key, &then.key),
        }
    }
}

/// Whether a verdict was given at once, by whole commands that ended ordinarily, and within today's
/// limits.
fn stands(line: &Line, run: &RunFile) -> bool {
    let ordinary = match line.outcome {
        Outcome::Survived => true,
        Outcome::Killed { reason, .. } => match reason {
            Reason::Exit
            | Reason::Collection
            | Reason::NoTests
            | Reason::Harness
            | Reason::Build => true,
            Reason::Crash | Reason::TimeOut | Reason::Resource => false,
        },
        Outcome::Undecided { .. } | Outcome::Unviable | Outcome::NotBuilt => false,
    };
    let in_time = |one: &Run| match one.step {
        Step::Command(place) => {
            let limit = run.commands.get(place).and_then(|command| command.limit);
            limit.is_some_and(|limit| one.wall < limit)
        }
        Step::Setup | Step::Build | Step::Product(_) | Step::Tests(_) => false,
    };
    let at_once = |one: &Run| matches!(one.attempt, Attempt::First | Attempt::Confirm);
    // What a command reaches was seen in the earlier run only.
    let whole = |one: &Run| !one.unreached;
    ordinary && line.runs.iter().all(|one| at_once(one) && in_time(one) && whole(one))
}

impl Reusable {
    /// Adds to the ledger what stands of these mutants, and gives those that are left to run.
    ///
    /// # Errors
    /// [`MeasureError`] when a log or the ledger cannot be written.
    pub(super) fn take_over(
        mut self,
        todo: Vec<usize>,
        (ledger, output): (&Ledger, &OutputDir),
        known: &mut Decisions,
        sink: &dyn Sink,
    ) -> Result<Vec<usize>, MeasureError> {
        let (all, mut left) = (todo.len(), Vec::new());
        for place in todo {
            let line = self.lines.remove(&place).map(|line| self.with_logs(line, output));
            match line.transpose()?.flatten() {
                Some(line) => {
                    ledger.add(&line)?;
                    known.insert(place, Decided::of(line.outcome, &line.runs));
                }
                None => left.push(place),
            }
        }
        if left.len() < all {
            let reused = all - left.len();
            let text = format!("reused: {reused} of {all} verdicts are those of the earlier run");
            sink.tell(Event::Note(text));
        }
        Ok(left)
    }

    /// The line with its logs copied to `output`; `None` when one is no longer what it was.
    fn with_logs(&self, mut line: Line, output: &OutputDir) -> Result<Option<Line>, OutputError> {
        for run in &mut line.runs {
            let Ok(name) = RelPath::new(run.log.as_bytes()) else { return Ok(None) };
            let text = fs::read(name.below(&self.logs)).ok();
            let same = |text: &Vec<u8>| run.log_sha256 == Some(Sha256::of(text));
            let Some(text) = text.filter(same) else { return Ok(None) };
            if !run.log.starts_with(BELOW) {
                run.log = format!("{BELOW}{}", run.log);
            }
            let to = output.logs().join(&run.log);
            let folder = to.parent().expect("a file below the logs");
            let written = fs::create_dir_all(folder).and_then(|()| fs::write(&to, text));
            written.map_err(|error| OutputError::Io { path: to, error })?;
        }
        Ok(Some(line))
    }
}

/// The mutants whose verdict is an earlier run's; the later of two on one mutant stands.
#[derive(Debug, Clone, Default)]
pub(super) struct Reused(BTreeSet<String>);

impl Reused {
    /// Looks at one more verdict.
    pub(super) fn add(&mut self, line: &Line) {
        if line.reused.is_some() {
            self.0.insert(line.id.clone());
        } else {
            self.0.remove(&line.id);
        }
    }

    pub(super) fn count(&self) -> u64 {
        self.0.len() as u64
    }
}

/// The digests of the lines of the plan in a run directory.
fn rows_of(folder: &OutputDir) -> Result<HashSet<Sha256>, OutputError> {
    let path = folder.plan();
    let fault = |error| OutputError::Io { path: path.clone(), error };
    let mut file = BufReader::new(File::open(&path).map_err(fault)?);
    let (mut rows, mut line) = (HashSet::new(), Vec::new());
    while file.read_until(b'\n', &mut line).map_err(fault)? > 0 {
        rows.insert(Sha256::of(&line));
        line.clear();
    }
    Ok(rows)
}
