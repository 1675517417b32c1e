//! The logs of merged runs: those of the n-th run go to `logs/n/`.

use std::fs;
use std::path::Path;

use super::MergeError;
use super::input::Input;
use crate::base::RelPath;
use crate::measure::ledger::Line;
use crate::measure::{OutputDir, OutputError, RunFile};
use crate::run::Run;

/// Names the logs of a run as they are called below the merged run's `logs/`.
pub(super) fn put_below(input: &mut Input, number: usize) {
    let RunFile { baselines, start, variants, controls, .. } = &mut input.run;
    let lines = input.lines.iter_mut().flat_map(|line| &mut line.runs);
    let start = start.iter_mut().flat_map(|start| start.rounds.iter_mut().flatten());
    let variants = variants.iter_mut().flat_map(|variant| &mut variant.runs);
    let controls = controls.iter_mut().flat_map(|it| it.runs.values_mut().flatten());
    let all = lines.chain(baselines.iter_mut().flatten()).chain(start);
    for run in all.chain(variants).chain(controls) {
        run.log = format!("{number}/{}", run.log);
    }
}

/// Copies the logs that the merged run names; gives how many are not there.
pub(super) fn copy(
    inputs: &[Input],
    run: &RunFile,
    lines: &[Line],
    output: &OutputDir,
) -> Result<u64, MergeError> {
    let mut lost = 0;
    for (place, input) in inputs.iter().enumerate() {
        let folder = format!("{}/", place + 1);
        for run in every_run(run, lines) {
            let Some(name) = run.log.strip_prefix(&folder) else { continue };
            let Ok(name) = RelPath::new(name.as_bytes()) else {
                lost += 1;
                continue;
            };
            let from = name.below(&input.output.logs());
            let to = name.below(&output.logs().join((place + 1).to_string()));
            lost += u64::from(!copy_file(&from, &to)?);
        }
    }
    Ok(lost)
}

fn every_run<'a>(run: &'a RunFile, lines: &'a [Line]) -> impl Iterator<Item = &'a Run> {
    let start = run.start.iter().flat_map(|start| start.rounds.iter().flatten());
    let variants = run.variants.iter().flat_map(|variant| &variant.runs);
    let controls = run.controls.iter().flat_map(|controls| controls.runs.values().flatten());
    let lines = lines.iter().flat_map(|line| &line.runs);
    lines.chain(run.baselines.iter().flatten()).chain(start).chain(variants).chain(controls)
}

/// Whether there was a file to copy.
fn copy_file(from: &Path, to: &Path) -> Result<bool, OutputError> {
    if !fs::symlink_metadata(from).is_ok_and(|found| found.is_file()) {
        return Ok(false);
    }
    let folder = to.parent().expect("a file below the logs");
    let copied = fs::create_dir_all(folder).and_then(|()| fs::copy(from, to));
    copied.map(|_| true).map_err(|error| OutputError::Io { path: to.to_owned(), error })
}
