//! The receipt of a run: what it claims, made from `run.json` alone, with the digests of what it
//! rests on.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{OutputDir, OutputError, RunFile, State};
use crate::base::Sha256;
use crate::receipt::{RECEIPT, validate_value};

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
    let mut receipt = base(run, act);
    receipt["verification"] = verification(Vec::new());
    receipt["result"]["status"] = "UNKNOWN".into();
    receipt["terminal"] = json!({
        "state": "INTERRUPTED",
        "durable_transition_established": false,
        "durable_ref": null,
        "receipt_complete": false,
    });
    write(output, &receipt)
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
    let mut receipt = base(run, act);
    let verification = verification(criteria(run, act));
    receipt["result"]["status"] = verification["overall"].clone();
    receipt["verification"] = verification;
    receipt["terminal"] = json!({
        "state": if act.durable.is_some() { "COMPLETED" } else { "LOCAL_ONLY" },
        "durable_transition_established": act.durable.is_some(),
        "durable_ref": act.durable,
        "receipt_complete": false,
    });
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

fn base(run: &RunFile, act: &Act) -> Value {
    let seals = act.command == "seal";
    json!({
        "schema": RECEIPT,
        "run": {
            "id": run.key().to_string(),
            "tool": run.tool,
            "command": act.command,
        },
        "authority": {
            "level": if seals { "ASSIST" } else { "OBSERVE" },
            "acceptance_ref": null,
            "remediation_class": null,
            "verified_history_runs": 0,
            "policy": null,
            "customer": null,
            "revoked_classes": [],
        },
        "human_gate": {"required": false, "reason": null, "approved_by": null},
        // It creates no work of its own, and looks for none.
        "work": {"existing_work_searched": false, "duplicate_work_created": false},
        "changes": {
            "ownership_delta": "NEUTRAL",
            "source_changed": false,
            "runtime_changed": false,
            "artifacts_applied": [],
        },
        "factory": {
            "private_todo_remaining": false,
            "polling_used": false,
            "unsupported_internal_hack_used": false,
            "secrets_referenced": [],
        },
        "result": {
            "requested_effect": if seals { "seal what the commands tell apart" } else { "measure what the commands tell apart" },
        },
        "auth": {"state": "NOT_NEEDED", "human_credential_used": false, "denial": null},
        "economics": {
            "estimate_basis": "NOT_MEASURED",
            "model_cost": null,
            "infrastructure_cost": null,
            "human_review_minutes": null,
            "human_review_cost": null,
            "automated_actions": null,
            "human_escalations": null,
            "accepted_outcomes": null,
            "cost_per_accepted_outcome": null,
        },
    })
}

/// A verdict and what stands behind it.
struct Criterion {
    id: String,
    expected: &'static str,
    observed: String,
    falsified_by: &'static str,
    verdict: &'static str,
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
        all.push(Criterion {
            id: format!("gate {name}"),
            expected: "the gate holds",
            observed: if *pass { "it holds".to_owned() } else { "it fails".to_owned() },
            falsified_by: "the formula of this gate over the counts of this run",
            verdict: match (pass, allowed) {
                (true, _) => "PASS",
                (false, true) => "DEGRADED",
                (false, false) => "FAIL",
            },
        });
    }
    if let Some(reuse) = run.reuse.as_ref().filter(|reuse| reuse.verdicts > 0) {
        let receipt = reuse.receipt_sha256.map(|digest| digest.to_string()).unwrap_or_default();
        all.push(Criterion {
            id: "own verdicts".to_owned(),
            expected: "every verdict is of this run",
            observed: format!("{} are those of the run with the receipt {receipt}", reuse.verdicts),
            falsified_by: "one of these mutants, run again, with another answer",
            verdict: "DEGRADED",
        });
    }
    if let Some(shard) = run.conduct.shard {
        all.push(Criterion {
            id: "whole".to_owned(),
            expected: "every mutant of the plan is decided here",
            observed: format!("shard {shard} of the plan"),
            falsified_by: "a mutant of the plan that outcomes.jsonl does not hold",
            verdict: "UNKNOWN",
        });
    }
    if act.command == "seal" {
        all.push(Criterion {
            id: "sealed".to_owned(),
            expected: "a contract that its own reader accepts",
            observed: match act.contract {
                Some(digest) => format!("contract.json with the digest {digest}"),
                None => "nothing was sealed".to_owned(),
            },
            falsified_by: "a code of `adequacy verify` on the sealed files",
            verdict: if act.contract.is_some() { "PASS" } else { "FAIL" },
        });
    }
    all
}

fn baseline(run: &RunFile) -> Criterion {
    let runs = run.baselines.len();
    Criterion {
        id: "baseline".to_owned(),
        expected: "every command gives the same good answer on the unmutated tree each time",
        observed: match run.flaky.len() {
            0 => format!("{runs} rounds, all good"),
            count => format!("{runs} rounds; {count} commands gave two answers"),
        },
        falsified_by: "one round on the unmutated tree with another answer",
        verdict: match (runs, run.flaky.is_empty()) {
            (0, _) => "UNKNOWN",
            (_, true) => "PASS",
            (_, false) => "DEGRADED",
        },
    }
}

fn sentinels(run: &RunFile) -> Criterion {
    let seen = run.unmutated();
    Criterion {
        id: "unmutated runs".to_owned(),
        expected: "the unmutated tree passes between and after the mutants",
        observed: format!("{} runs, {} failures", seen.runs, seen.failures),
        falsified_by: "a run of the unmutated tree that fails",
        verdict: match (seen.runs, seen.failures) {
            (0, _) => "UNKNOWN",
            (_, 0) => "PASS",
            _ => "DEGRADED",
        },
    }
}

fn controls(run: &RunFile) -> Criterion {
    Criterion {
        id: "controls".to_owned(),
        expected: "the commands run this tree, and none of them looks at its text",
        observed: match &run.controls {
            Some(_) => "each control was answered as it must be".to_owned(),
            None => "no control was run".to_owned(),
        },
        falsified_by: "a command that passes while every mutated file raises when it is loaded",
        verdict: if run.controls.is_some() { "PASS" } else { "UNKNOWN" },
    }
}

fn unchanged(run: &RunFile) -> Criterion {
    let (observed, verdict) = match run.state {
        State::Finished | State::Shard => ("the same digests, and no process left", "PASS"),
        State::Begun => ("not looked at", "UNKNOWN"),
        State::Spoiled => ("another tree, or processes left", "FAIL"),
    };
    Criterion {
        id: "tree unchanged".to_owned(),
        expected: "the tree is after the run what it was before",
        observed: observed.to_owned(),
        falsified_by: "a file whose digest differs from evidence/baseline.sha256",
        verdict,
    }
}

fn kills(run: &RunFile) -> Criterion {
    let (killed, mutants) = run.totals.as_ref().map_or((0, 0), |it| (it.killed, it.mutants));
    Criterion {
        id: "kills".to_owned(),
        expected: "the commands refuse some wrong solution",
        observed: format!("{killed} of {mutants} mutants killed"),
        falsified_by: "a killed mutant that the commands accept when they run on it again",
        verdict: match (killed, mutants) {
            (_, 0) => "UNKNOWN",
            // The other shards may hold the kills.
            (0, _) if run.conduct.shard.is_some() => "UNKNOWN",
            (0, _) => "FAIL",
            _ => "PASS",
        },
    }
}

fn decided(run: &RunFile) -> Criterion {
    let undecided = run.totals.as_ref().map(|totals| totals.undecided);
    Criterion {
        id: "decided".to_owned(),
        expected: "every mutant that counts is killed or survives",
        observed: match undecided {
            Some(count) => format!("{count} undecided"),
            None => "not counted".to_owned(),
        },
        falsified_by: "a mutant whose commands give another answer when they run again",
        verdict: match undecided {
            Some(0) => "PASS",
            Some(_) => "DEGRADED",
            None => "UNKNOWN",
        },
    }
}

/// The worst of the criteria is the verdict of all.
fn verification(criteria: Vec<Criterion>) -> Value {
    let worst = ["FAIL", "UNKNOWN", "DEGRADED", "PASS"];
    let overall = worst.iter().find(|verdict| criteria.iter().any(|one| one.verdict == **verdict));
    let criteria = criteria.into_iter().map(|one| {
        let class = if one.verdict == "UNKNOWN" { "NOT_ESTABLISHED" } else { "PROVEN_IN_RUNTIME" };
        json!({
            "id": one.id,
            "expected": one.expected,
            "observed": one.observed,
            "falsification_condition": one.falsified_by,
            "verdict": one.verdict,
            "evidence_class": class,
            "evidence": ["run.json", "outcomes.jsonl"],
        })
    });
    json!({
        "overall": overall.unwrap_or(&"UNKNOWN"),
        "witness_required": false,
        "witness_status": "NOT_APPLICABLE",
        "criteria": criteria.collect::<Vec<_>>(),
    })
}
