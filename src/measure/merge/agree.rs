//! What runs must have in common to be parts of one.

use super::MergeError;
use super::input::Input;
use crate::measure::run_file::tool;
use crate::measure::same_task::same;
use crate::measure::{Controls, RunFile, StartRecord, VariantRecord};

/// Refuses two runs that are not parts of one measurement.
pub(super) fn check(one: &Input, other: &Input) -> Result<(), MergeError> {
    match differs(&one.run, &other.run) {
        None => Ok(()),
        Some(what) => {
            let (one, other) = (one.path().to_owned(), other.path().to_owned());
            Err(MergeError::Differs { what, one, other })
        }
    }
}

/// What is not the same of two runs.
fn differs(one: &RunFile, other: &RunFile) -> Option<&'static str> {
    let pairs = [
        ("the version of this program", one.tool == other.tool),
        ("the task", one.task_sha256 == other.task_sha256 && same(&one.task, &other.task)),
        ("a tree", one.tree_sha256 == other.tree_sha256),
        ("the interpreter", version(one) == version(other)),
        ("the sampler", one.sampler == other.sampler),
        ("the plan", one.plan_sha256 == other.plan_sha256),
        ("what the commands do on the start tree", start(one) == start(other)),
        ("what they make of the other solutions", variants(one).eq(variants(other))),
        ("what the controls found", controls(one) == controls(other)),
    ];
    pairs.into_iter().find(|(_, same)| !same).map(|(what, _)| what)
}

/// Refuses a run of another version than the one that judges here.
pub(super) fn of_this_version(input: &Input) -> Result<(), MergeError> {
    if input.run.tool == tool() {
        return Ok(());
    }
    let (path, found) = (input.path().to_owned(), input.run.tool.clone());
    Err(MergeError::OtherVersion { path, found })
}

fn version(run: &RunFile) -> Option<&str> {
    run.interpreter.as_ref().map(|found| found.version.as_str())
}

/// Which command passes on the start tree, and what tampering does there.
type OnStart<'a> = (Vec<(&'a str, bool)>, &'a [crate::measure::TamperRecord]);

/// What must agree of the start tree. Why a command fails there may differ.
fn start(run: &RunFile) -> Option<OnStart<'_>> {
    let StartRecord { commands, tampered, .. } = run.start.as_ref()?;
    let passes = commands.iter().map(|command| (command.id.as_str(), command.passes));
    Some((passes.collect(), tampered))
}

fn variants(run: &RunFile) -> impl Iterator<Item = (&str, bool, &[String])> {
    run.variants.iter().map(|variant| {
        let VariantRecord { name, accepted, refused_by, .. } = variant;
        (name.as_str(), *accepted, refused_by.as_slice())
    })
}

fn controls(run: &RunFile) -> Option<(bool, &[String], &[crate::measure::Rewrite])> {
    let Controls { load, line_sensitive, rewrites, .. } = run.controls.as_ref()?;
    Some((load.is_some(), line_sensitive, rewrites))
}
