//! The receipt of a run: what it claims, made from `run.json` alone, with the digests of what it
//! rests on.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{OutputDir, OutputError, RunFile, State};
use crate::base::Sha256;
use crate::receipt::{Criterion, Draft, validate_value};

/// What a receipt says beyond its run.
#[derive(Debug, Clone, Default)]
pub struct Act {
    /// The command that was given, such as `measure`.
    pub command: &'static str,
    /// For `seal`: the digest of the contract, or `None` when it was refused.
    pub contract: Option<Sha256>,
    /// Where the run directory is kept so that it outlives this machine, if anywhere.
    pub durable: Option<String>,
}

/// Writes the receipt of a run that has begun: until it ends, nothing is known.
pub(super) fn begin(output: &OutputDir, run: &RunFile, act: &Act) -> Result<(), OutputError> {
    write(output, &draft(run, act).begun())
}

/// Writes the receipt of a run that has ended.
///
/// # Errors
/// [`OutputError`] when a file of the run cannot be read, or the receipt not be written.
pub fn finish(output: &OutputDir, run: &RunFile, act: &Act) -> Result<(), OutputError> {
    write(output, &of(run, act, &output.digests()?))
}

/// What the receipt of a run says that rests on these files. The same input gives the same receipt, so
/// that anybody can make it again.
#[must_use]
pub fn of(run: &RunFile, act: &Act, files: &BTreeMap<String, Sha256>) -> Value {
    let mut receipt = draft(run, act).ended(criteria(run, act), act.durable.as_deref());
    if let Some(totals) = &run.totals {
        receipt["measured"] = json!({
            "mutants": totals.mutants,
            "killed": totals.killed,
            "survived": totals.survived,
            "undecided": totals.undecided,
            "plan_sha256": run.plan_sha256.to_string(),
            "kill_vector_sha256": totals.kill_vector_sha256.to_string(),
            "contract_sha256": act.contract.map(|digest| digest.to_string()),
        });
    }
    let files = files.iter().map(|(path, digest)| (path, digest.to_string()));
    receipt["files"] =
        serde_json::to_value(files.collect::<BTreeMap<_, _>>()).expect("plain values");
    receipt
}

fn write(output: &OutputDir, receipt: &Value) -> Result<(), OutputError> {
    debug_assert!(validate_value(receipt).holds(true), "{:?}", validate_value(receipt));
    output.write_receipt(receipt)
}

fn draft<'r>(run: &'r RunFile, act: &Act) -> Draft<'r> {
    let (authority, effect) = match act.command {
        "seal" => ("ASSIST", "seal what the commands tell apart"),
        _ => ("OBSERVE", "measure what the commands tell apart"),
    };
    Draft { id: run.key().to_string(), tool: &run.tool, command: act.command, authority, effect }
}

/// What every criterion of a run rests on.
const EVIDENCE: &[&str] = &["run.json", "outcomes.jsonl"];

/// A criterion that the runs themselves show.
fn shown(
    id: &str,
    expected: &'static str,
    observed: String,
    falsified_by: &'static str,
    verdict: &'static str,
) -> Criterion {
    let (id, class, evidence) = (id.to_owned(), "PROVEN_IN_RUNTIME", EVIDENCE);
    Criterion { id, expected, observed, falsified_by, verdict, class, evidence }
}

fn criteria(run: &RunFile, act: &Act) -> Vec<Criterion> {
    let mut all = vec![
        baseline(run),
        sentinels(run),
        controls(run),
        unchanged(run),
        kills(run),
        decided(run),
    ];
    for (name, pass) in &run.gates {
        let allowed = run.allowed.contains(name);
        all.push(shown(
            &format!("gate {name}"),
            "the gate holds",
            if *pass { "it holds".to_owned() } else { "it fails".to_owned() },
            "the formula of this gate over the counts of this run",
            match (pass, allowed) {
                (true, _) => "PASS",
                (false, true) => "DEGRADED",
                (false, false) => "FAIL",
            },
        ));
    }
    if let Some(reuse) = run.reuse.as_ref().filter(|reuse| reuse.verdicts > 0) {
        let receipt = reuse.receipt_sha256.map(|digest| digest.to_string()).unwrap_or_default();
        all.push(shown(
            "own verdicts",
            "every verdict is of this run",
            format!("{} are those of the run with the receipt {receipt}", reuse.verdicts),
            "one of these mutants, run again, with another answer",
            "DEGRADED",
        ));
    }
    if let Some(shard) = run.conduct.shard {
        all.push(shown(
            "whole",
            "every mutant of the plan is decided here",
            format!("shard {shard} of the plan"),
            "a mutant of the plan that outcomes.jsonl does not hold",
            "UNKNOWN",
        ));
    }
    if act.command == "seal" {
        all.push(shown(
            "sealed",
            "a contract that its own reader accepts",
            match act.contract {
                Some(digest) => format!("contract.json with the digest {digest}"),
                None => "nothing was sealed".to_owned(),
            },
            "a code of `adequacy verify` on the sealed files",
            if act.contract.is_some() { "PASS" } else { "FAIL" },
        ));
    }
    all
}

fn baseline(run: &RunFile) -> Criterion {
    let runs = run.baselines.len();
    shown(
        "baseline",
        "every command gives the same good answer on the unmutated tree each time",
        match run.flaky.len() {
            0 => format!("{runs} rounds, all good"),
            count => format!("{runs} rounds; {count} commands gave two answers"),
        },
        "one round on the unmutated tree with another answer",
        match (runs, run.flaky.is_empty()) {
            (0, _) => "UNKNOWN",
            (_, true) => "PASS",
            (_, false) => "DEGRADED",
        },
    )
}

fn sentinels(run: &RunFile) -> Criterion {
    let seen = run.unmutated();
    shown(
        "unmutated runs",
        "the unmutated tree passes between and after the mutants",
        format!("{} runs, {} failures", seen.runs, seen.failures),
        "a run of the unmutated tree that fails",
        match (seen.runs, seen.failures) {
            (0, _) => "UNKNOWN",
            (_, 0) => "PASS",
            _ => "DEGRADED",
        },
    )
}

fn controls(run: &RunFile) -> Criterion {
    shown(
        "controls",
        "the commands run this tree, and none of them looks at its text",
        match &run.controls {
            Some(_) => "each control was answered as it must be".to_owned(),
            None => "no control was run".to_owned(),
        },
        "a command that passes while every mutated file raises when it is loaded",
        if run.controls.is_some() { "PASS" } else { "UNKNOWN" },
    )
}

fn unchanged(run: &RunFile) -> Criterion {
    let (observed, verdict) = match run.state {
        State::Finished | State::Shard => ("the same digests, and no process left", "PASS"),
        State::Begun => ("not looked at", "UNKNOWN"),
        State::Spoiled => ("another tree, or processes left", "FAIL"),
    };
    shown(
        "tree unchanged",
        "the tree is after the run what it was before",
        observed.to_owned(),
        "a file whose digest differs from evidence/baseline.sha256",
        verdict,
    )
}

fn kills(run: &RunFile) -> Criterion {
    let (killed, mutants) = run.totals.as_ref().map_or((0, 0), |it| (it.killed, it.mutants));
    shown(
        "kills",
        "the commands refuse some wrong solution",
        format!("{killed} of {mutants} mutants killed"),
        "a killed mutant that the commands accept when they run on it again",
        match (killed, mutants) {
            (_, 0) => "UNKNOWN",
            // The other shards may hold the kills.
            (0, _) if run.conduct.shard.is_some() => "UNKNOWN",
            (0, _) => "FAIL",
            _ => "PASS",
        },
    )
}

fn decided(run: &RunFile) -> Criterion {
    let undecided = run.totals.as_ref().map(|totals| totals.undecided);
    shown(
        "decided",
        "every mutant that counts is killed or survives",
        match undecided {
            Some(count) => format!("{count} undecided"),
            None => "not counted".to_owned(),
        },
        "a mutant whose commands give another answer when they run again",
        match undecided {
            Some(0) => "PASS",
            Some(_) => "DEGRADED",
            None => "UNKNOWN",
        },
    )
}
