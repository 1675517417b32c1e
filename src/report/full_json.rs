//! All there is of a run in one JSON document, by the schema in `docs/full-report.schema.json`.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Value, json};

use super::count::{CommandCount, flaky};
use super::entry::Entry;
use super::log::RunLog;
use super::place::Region;
use super::reached::reached;
use super::row::PlanRow;
use super::triage::{Classification, Triage};
use crate::measure::{ClassTotals, Isolation};
use crate::outcome::{Reason, Verdict};
use crate::run::{Reach, Tier};

/// What `format` says.
const FORMAT: &str = "adequacy-report/1";

#[derive(Serialize)]
struct Report<'a> {
    format: &'static str,
    tool: &'a str,
    state: Value,
    notes: Vec<String>,
    contract_id: &'a str,
    reveals_solution: bool,
    tree_sha256: String,
    plan_sha256: String,
    commands: Vec<Value>,
    environment: &'a [String],
    interpreter: Option<String>,
    isolation: Value,
    isolation_before: Vec<Value>,
    sampler: Value,
    unmutated: Value,
    executors: Value,
    tests: BTreeMap<&'a str, Vec<&'a str>>,
    totals: Value,
    pending: u64,
    triage: Option<Value>,
    gates: &'a BTreeMap<String, bool>,
    allowed: &'a [String],
    neutralized: &'a [String],
    matrix: Value,
    not_reached: &'a [String],
    by_class: BTreeMap<&'static str, ClassTotals>,
    by_operator: &'a BTreeMap<String, ClassTotals>,
    by_file: &'a BTreeMap<String, ClassTotals>,
    mutants: Vec<Mutant<'a>>,
    sources: BTreeMap<&'a str, String>,
}

#[derive(Serialize)]
struct Mutant<'a> {
    #[serde(flatten)]
    row: PlanRow,
    region: Region,
    standing: &'static str,
    why: String,
    reason: Option<&'static str>,
    killed_by: Vec<&'a str>,
    failed_tests: BTreeMap<&'a str, &'a str>,
    reached_by: BTreeMap<&'a str, Vec<usize>>,
    verdicts: BTreeMap<&'a str, &'static str>,
    basis: Option<&'a str>,
    executor: Option<&'a str>,
    wall_s: f64,
    reused_from: Option<String>,
    classification: Option<&'static str>,
}

/// The report as indented JSON.
pub(super) fn render(log: &RunLog) -> String {
    let run = &log.run;
    let flaky = flaky(run);
    let totals = log.count.totals();
    let classes = log.count.by_class.iter().map(|(class, tally)| (class.name(), *tally));
    let report = Report {
        format: FORMAT,
        tool: &run.tool,
        state: json!(run.state),
        notes: log.notes(),
        contract_id: &run.task.contract_id,
        reveals_solution: log.reveals_solution(),
        tree_sha256: run.tree_sha256.to_string(),
        plan_sha256: run.plan_sha256.to_string(),
        commands: log.count.commands.iter().map(|count| command(log, count)).collect(),
        environment: &run.environment,
        interpreter: run.interpreter.as_ref().map(|found| found.version.clone()),
        isolation: isolation(&run.isolation),
        isolation_before: run.isolation_before.iter().map(isolation).collect(),
        sampler: json!(run.sampler),
        unmutated: json!(run.unmutated()),
        executors: super::executors::value(log),
        tests: log.tests.iter().map(|(id, them)| (id.as_str(), names(them))).collect(),
        totals: json!(totals),
        pending: log.count.pending,
        triage: log.triage.as_ref().map(|found| triage(log, found)),
        gates: &run.gates,
        allowed: &run.allowed,
        neutralized: &run.neutralized,
        matrix: json!(run.matrix),
        not_reached: &run.not_reached,
        by_class: classes.collect(),
        by_operator: &log.count.by_operator,
        by_file: &log.count.by_file,
        mutants: log.entries.iter().map(|entry| mutant(log, entry, &flaky)).collect(),
        sources: log.sources.iter().map(|(path, it)| (path.as_str(), it.text())).collect(),
    };
    let mut text = serde_json::to_string_pretty(&report).expect("plain values");
    text.push('\n');
    text
}

fn isolation(found: &Isolation) -> Value {
    let allow_write = found.allow_write.iter().map(|place| place.as_ref().display().to_string());
    json!({
        "processes": found.processes,
        "network": found.network,
        "files": found.files,
        "allow_write": allow_write.collect::<Vec<_>>(),
    })
}

/// What people say of the survivors; the numbers of `totals` stay as they are.
fn triage(log: &RunLog, found: &Triage) -> Value {
    let totals = log.count.totals();
    let equivalent = found.count(Classification::Equivalent);
    json!({
        "equivalent": equivalent,
        "missing_test": found.count(Classification::MissingTest),
        "accepted": found.count(Classification::Accepted),
        "not_judged": found.open(log).count(),
        "stale": found.stale.len(),
        "killed": totals.killed,
        "mutants_without_equivalents": totals.mutants - equivalent,
    })
}

fn command(log: &RunLog, count: &CommandCount) -> Value {
    let found = log.run.commands.iter().find(|command| command.id == count.id);
    let found = found.expect("counts are made of the commands");
    json!({
        "id": count.id,
        "argv": found.argv,
        "runner": found.runner,
        "limit_s": found.limit.map(|limit| limit.as_secs_f64()),
        "flaky": log.run.flaky.contains(&count.id),
        "ran": count.ran,
        "first": count.first,
        "refused": count.refused,
        "alone": count.alone,
    })
}

fn mutant<'a>(log: &'a RunLog, entry: &'a Entry, flaky: &[bool]) -> Mutant<'a> {
    let standing = entry.standing();
    let id = |place: usize| log.run.commands[place].id.as_str();
    let said = entry.verdicts.iter().enumerate();
    let said = said.filter_map(|(place, verdict)| Some((id(place), word((*verdict)?))));
    Mutant {
        row: entry.row.whole(),
        region: log.region(entry),
        standing: standing.word(),
        why: standing.why(&log.run),
        reason: entry.reason().map(Reason::word),
        killed_by: entry.killers(flaky).map(id).collect(),
        failed_tests: entry.failed.iter().map(|(place, test)| (id(*place), &**test)).collect(),
        reached_by: reached(log, entry).into_iter().map(|one| (one.id, one.tests)).collect(),
        verdicts: said.collect(),
        basis: entry.basis.as_deref(),
        executor: entry.executor.map(Tier::word),
        wall_s: entry.wall.as_secs_f64(),
        reused_from: entry.reused.map(|receipt| receipt.to_string()),
        classification: log.judgement(entry).map(|it| it.classification.word()),
    }
}

fn names(reach: &Reach) -> Vec<&str> {
    reach.tests.iter().map(|(name, _)| name.as_str()).collect()
}

const fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Passed => "accepted",
        Verdict::Failed(_) => "refused",
        Verdict::Unclear(_) => "unclear",
    }
}
