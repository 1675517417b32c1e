//! A receipt as this program writes one: what all of its own say alike, and their criteria.

use serde_json::{Value, json};

use super::RECEIPT;

/// One thing that was asked, and what came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Criterion {
    /// Its name.
    pub id: String,
    /// What would be right.
    pub expected: &'static str,
    /// What was seen.
    pub observed: String,
    /// What would prove the verdict wrong.
    pub falsified_by: &'static str,
    /// A word of the receipt's vocabulary.
    pub verdict: &'static str,
    /// The class of evidence of a verdict other than UNKNOWN, which has none.
    pub class: &'static str,
    /// Where the evidence is.
    pub evidence: &'static [&'static str],
}

/// A receipt to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft<'r> {
    /// Name of the run.
    pub id: String,
    /// Name and version of the program that made it.
    pub tool: &'r str,
    /// The command that was given, such as `check`.
    pub command: &'r str,
    /// `OBSERVE`, or `ASSIST` of what prepares something for a person.
    pub authority: &'static str,
    /// What was asked for.
    pub effect: &'static str,
}

impl Draft<'_> {
    /// The receipt of what has begun: until it ends, nothing is known.
    #[must_use]
    pub fn begun(&self) -> Value {
        let state = json!({
            "state": "INTERRUPTED",
            "durable_transition_established": false,
            "durable_ref": null,
            "receipt_complete": false,
        });
        self.with(Vec::new(), &state)
    }

    /// The receipt of what has ended: the worst of the criteria is the verdict of all. `durable` is where
    /// it is kept so that it outlives this machine.
    #[must_use]
    pub fn ended(&self, criteria: Vec<Criterion>, durable: Option<&str>) -> Value {
        let state = json!({
            "state": if durable.is_some() { "COMPLETED" } else { "LOCAL_ONLY" },
            "durable_transition_established": durable.is_some(),
            "durable_ref": durable,
            "receipt_complete": false,
        });
        self.with(criteria, &state)
    }

    fn with(&self, criteria: Vec<Criterion>, terminal: &Value) -> Value {
        let verification = verification(criteria);
        json!({
            "schema": RECEIPT,
            "run": {"id": self.id, "tool": self.tool, "command": self.command},
            "authority": {
                "level": self.authority,
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
                "requested_effect": self.effect,
                "status": verification["overall"],
            },
            "verification": verification,
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
            "terminal": terminal,
        })
    }
}

/// The worst of the criteria is the verdict of all; nothing asked is nothing known.
fn verification(criteria: Vec<Criterion>) -> Value {
    let worst = ["FAIL", "UNKNOWN", "DEGRADED", "PASS"];
    let overall = worst.iter().find(|verdict| criteria.iter().any(|one| one.verdict == **verdict));
    let overall = *overall.unwrap_or(&"UNKNOWN");
    let criteria = criteria.into_iter().map(|one| {
        json!({
            "id": one.id,
            "expected": one.expected,
            "observed": one.observed,
            "falsification_condition": one.falsified_by,
            "verdict": one.verdict,
            "evidence_class": if one.verdict == "UNKNOWN" { "NOT_ESTABLISHED" } else { one.class },
            "evidence": one.evidence,
        })
    });
    json!({
        "overall": overall,
        "witness_required": false,
        "witness_status": "NOT_APPLICABLE",
        "criteria": criteria.collect::<Vec<_>>(),
    })
}
