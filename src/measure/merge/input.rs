//! A run to merge, as its directory holds it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::MergeError;
use crate::base::Sha256;
use crate::measure::evidence::{BASELINE, MANIFEST};
use crate::measure::ledger::Line;
use crate::measure::verdicts::Known;
use crate::measure::{OutputDir, OutputError, RunFile, Shard, State, runners};
use crate::plan::{Places, Planned, PlannedRow};

/// A run to merge.
pub(super) struct Input {
    pub(super) output: OutputDir,
    pub(super) run: RunFile,
    /// The bytes of `mutants.jsonl`, which are those that the run names.
    pub(super) plan: Vec<u8>,
    pub(super) lines: Vec<Line>,
    pub(super) outcomes_sha256: Sha256,
}

impl Input {
    /// Reads the run at `path`, which must be over.
    pub(super) fn read(path: &Path) -> Result<Self, MergeError> {
        let output = OutputDir::existing(path)?;
        let run = output.read_run()?;
        if !matches!(run.state, State::Finished | State::Shard) {
            return Err(MergeError::Unfinished(path.to_owned()));
        }
        let plan = read(&output.plan())?;
        if Sha256::of(&plan) != run.plan_sha256 {
            let message = "it is not the plan that run.json names".to_owned();
            return Err(MergeError::Damaged { path: output.plan(), message });
        }
        let outcomes_sha256 = Sha256::of(&read(&output.outcomes())?);
        let (lines, _) = output.read_outcomes(&run)?;
        if lines.iter().any(|line| line.reused.is_some()) {
            return Err(MergeError::Reused(path.to_owned()));
        }
        Ok(Self { output, run, plan, lines, outcomes_sha256 })
    }

    pub(super) fn path(&self) -> &Path {
        self.output.path()
    }

    /// What orders inputs, whatever the order of the words.
    pub(super) fn place(&self) -> (Option<Shard>, Sha256, PathBuf) {
        (self.run.conduct.shard, self.outcomes_sha256, self.path().to_owned())
    }

    /// The lines of its plan.
    pub(super) fn rows(&self) -> Result<Vec<PlannedRow>, MergeError> {
        let lines = self.plan.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
        let row = |(number, line): (usize, &[u8])| {
            serde_json::from_slice(line).map_err(|error| MergeError::Damaged {
                path: self.output.plan(),
                message: format!("line {}: {error}", number + 1),
            })
        };
        lines.enumerate().map(row).collect()
    }

    /// The mutants of these lines.
    pub(super) fn planned<'a>(
        &self,
        rows: &'a [PlannedRow],
    ) -> Result<Vec<Planned<'a>>, MergeError> {
        let planned = |row: &'a PlannedRow| {
            row.planned().ok_or_else(|| MergeError::Damaged {
                path: self.output.plan(),
                message: format!("nobody knows why `{}` is not counted", row.id),
            })
        };
        rows.iter().map(planned).collect()
    }

    /// Its verdicts by place in the plan, each of them what its runs mean.
    pub(super) fn checked<'a>(
        &'a self,
        places: &Places,
        mutants: &[Planned<'_>],
    ) -> Result<Vec<(usize, &'a Line)>, MergeError> {
        let (runners, flaky) = (runners(&self.run.task), self.run.flaky_places());
        let known = Known { runners: &runners, flaky: &flaky };
        let damaged = |message| MergeError::Damaged { path: self.output.outcomes(), message };
        let mut checked = BTreeMap::new();
        for line in &self.lines {
            let place = places.get(&line.id);
            let place = place.ok_or_else(|| damaged(format!("no mutant `{}`", line.id)))?;
            if known.judge(line, mutants[place].class) != line.outcome {
                let message = format!("the verdict of `{}` is not what its runs mean", line.id);
                return Err(damaged(message));
            }
            // The later of two stands.
            checked.insert(place, line);
        }
        Ok(checked.into_iter().collect())
    }
}

/// What the trees held before the first mutant, the same in all of the runs: file names below
/// `evidence/` and their bytes.
pub(super) fn manifest(inputs: &[Input]) -> Result<[(&'static str, Vec<u8>); 2], MergeError> {
    let whole = |input: &Input| {
        let text = |name| input.output.read_evidence(name).ok();
        Some([(MANIFEST, text(MANIFEST)?), (BASELINE, text(BASELINE)?)])
    };
    inputs.iter().find_map(whole).ok_or_else(|| MergeError::Damaged {
        path: inputs[0].output.evidence(),
        message: "no run holds the list of what was there before its first mutant".to_owned(),
    })
}

/// Copies the mutated sources from whichever run holds them as they were.
pub(super) fn copy_sources(inputs: &[Input], output: &OutputDir) -> Result<(), MergeError> {
    let folder = output.sources();
    fs::create_dir_all(&folder).map_err(|error| OutputError::Io { path: folder.clone(), error })?;
    for digest in inputs[0].run.sources.values() {
        let name = digest.to_string();
        let whole = |input: &Input| {
            let bytes = fs::read(input.output.sources().join(&name)).ok();
            bytes.filter(|bytes| Sha256::of(bytes) == *digest)
        };
        // A file without a mutant has no copy.
        if let Some(bytes) = inputs.iter().find_map(whole) {
            output.replace(&folder.join(&name), &bytes)?;
        }
    }
    Ok(())
}

fn read(path: &Path) -> Result<Vec<u8>, OutputError> {
    fs::read(path).map_err(|error| OutputError::Io { path: path.to_owned(), error })
}
