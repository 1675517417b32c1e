//! What a finished run claims of each mutant, read from its files.

use std::collections::HashMap;
use std::fs;

use serde::Deserialize;

use super::BundleError;
use super::compile::Claim;
use crate::base::Sha256;
use crate::measure::{OutputDir, RunFile};
use crate::outcome::Outcome;
use crate::plan::Class;

/// The members of a line of `mutants.jsonl` that a claim needs.
#[derive(Deserialize)]
struct Planned {
    id: String,
    class: Class,
    operator: String,
    path: String,
    line: u32,
    not_counted: Option<String>,
}

/// The mutants that were run, in sealed order.
pub(super) fn read(output: &OutputDir, run: &RunFile) -> Result<Vec<Claim>, BundleError> {
    let path = output.path().join("mutants.jsonl");
    let text = fs::read(&path).map_err(|error| BundleError::io("read", &path, error))?;
    if Sha256::of(&text) != run.plan_sha256 {
        let what = format!("`{}` is not the plan that run.json names", path.display());
        return Err(BundleError::Changed(what));
    }
    let (decided, _) = output.read_outcomes(run)?;
    let decided =
        decided.into_iter().map(|line| (line.id, line.outcome)).collect::<HashMap<_, _>>();
    let mut claims = Vec::new();
    for line in text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
        let planned = serde_json::from_slice::<Planned>(line).map_err(|error| {
            BundleError::Unreadable { path: path.clone(), what: format!("is damaged: {error}") }
        })?;
        if planned.not_counted.is_some() {
            continue;
        }
        let outcome = decided.get(&planned.id).ok_or_else(|| {
            BundleError::Run(format!("the run has no outcome for the mutant `{}`", planned.id))
        })?;
        claims.push(claim(planned, outcome, run));
    }
    Ok(claims)
}

fn claim(planned: Planned, outcome: &Outcome, run: &RunFile) -> Claim {
    let id = |place: usize| run.commands.get(place).map(|command| command.id.clone());
    let (word, reason, command) = match outcome {
        Outcome::Killed { reason, command } => ("killed", Some(reason.word()), id(*command)),
        Outcome::Survived => ("survived", None, None),
        Outcome::Undecided { why, command } => ("undecided", Some(why.words()), id(*command)),
        Outcome::Unviable => ("unviable", None, None),
        Outcome::NotBuilt => ("not_built", None, None),
    };
    let Planned { id, class, operator, path, line, not_counted: _ } = planned;
    let (outcome, reason) = (word.to_owned(), reason.map(str::to_owned));
    Claim { id, class, operator, path, line, outcome, reason, command }
}
