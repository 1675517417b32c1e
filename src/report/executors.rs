//! What the verdicts of a run were made by, in words and as JSON.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::log::RunLog;
use crate::measure::{Executors, SpotCheck};
use crate::outcome::Outcome;
use crate::run::Tier;

/// The decided mutants by executor and the survivors by what they rest on, counted from the verdicts.
pub(super) fn counted(log: &RunLog) -> (BTreeMap<Tier, u64>, BTreeMap<&str, u64>) {
    let (mut verdicts, mut survivors) = (BTreeMap::new(), BTreeMap::new());
    for entry in &log.entries {
        if let Some(executor) = entry.executor {
            *verdicts.entry(executor).or_default() += 1;
        }
        if let (Some(Outcome::Survived), Some(basis)) = (entry.outcome, &entry.basis) {
            *survivors.entry(&**basis).or_default() += 1;
        }
    }
    (verdicts, survivors)
}

/// Whether `run.json` counts what the verdicts of a finished run say; one of an older version says
/// nothing.
pub(super) fn fits(log: &RunLog) -> bool {
    let Executors { verdicts, survivors, .. } = &log.run.executors;
    let (by_executor, by_basis) = counted(log);
    let same = || survivors.iter().map(|(basis, count)| (basis.as_str(), *count)).eq(by_basis);
    !log.is_finished() || verdicts.is_empty() || *verdicts == by_executor && same()
}

/// By what, on what survivors rest, and what the spot check found: one sentence each.
pub(super) fn lines(log: &RunLog) -> Vec<String> {
    let (verdicts, survivors) = counted(log);
    let verdicts = verdicts.iter().map(|(tier, count)| format!("{count} {}", tier.word()));
    let survivors = survivors.iter().map(|(basis, count)| format!("{count} {basis}"));
    let (verdicts, survivors) = (joined(verdicts), joined(survivors));
    let mut lines =
        vec![format!("Verdicts by executor: {verdicts}; survivors by basis: {survivors}")];
    lines.extend(log.run.executors.spot_check.as_ref().map(spot_check));
    lines
}

fn spot_check(check: &SpotCheck) -> String {
    let SpotCheck { population, checked, survivors, differences, made_again, .. } = check;
    let found = match differences.len() {
        0 => "none differs".to_owned(),
        count => format!(
            "{count} differed, so {made_again} mutants were decided again on the exact path"
        ),
    };
    format!(
        "Spot check: {checked} of {population} mutants that faster executors judged ({survivors} of \
         them survivors) made again on the exact path; {found}"
    )
}

fn joined(parts: impl Iterator<Item = String>) -> String {
    let parts = parts.collect::<Vec<_>>();
    if parts.is_empty() { "none".to_owned() } else { parts.join(", ") }
}

/// The member `executors` of the full report.
pub(super) fn value(log: &RunLog) -> Value {
    let Executors { exact_only, offered, spot_check, .. } = &log.run.executors;
    let (verdicts, survivors) = counted(log);
    json!({
        "exact_only": exact_only,
        "offered": offered,
        "verdicts": verdicts,
        "survivors": survivors,
        "spot_check": spot_check,
    })
}
