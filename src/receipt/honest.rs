//! Honest receipts of the shapes that runs produce: the base of every case, and the examples.

use serde_json::{Value, json};

use super::validate::stamp;

/// Each by name; the first five are the published examples.
#[must_use]
pub fn receipts() -> Vec<(&'static str, Value)> {
    NAMES.iter().map(|name| (*name, receipt(name))).collect()
}

/// Names of the honest receipts.
pub(super) const NAMES: [&str; 9] = [
    "observe",
    "assist",
    "operate",
    "blocked-durably-fail",
    "auth-blocked",
    "blocked-durably-unknown",
    "interrupted",
    "stamped",
    "check",
];

/// How many of them are published as examples.
pub const EXAMPLES: usize = 5;

/// The honest receipt of that name.
///
/// # Panics
/// When there is none: names are written in this module.
#[must_use]
pub(super) fn receipt(name: &str) -> Value {
    match name {
        "observe" => observe(),
        "assist" => assist(),
        "operate" => operate(),
        "blocked-durably-fail" => blocked_durably("FAIL"),
        "blocked-durably-unknown" => blocked_durably("UNKNOWN"),
        "auth-blocked" => auth_blocked(),
        "interrupted" => interrupted(),
        "check" => check(),
        "stamped" => stamp(&assist()).expect("an honest receipt is stamped"),
        _ => unreachable!("a name of this module"),
    }
}

fn digest(digit: char) -> String {
    digit.to_string().repeat(64)
}

/// A measurement whose commands killed nothing: true, and no support for anything.
fn observe() -> Value {
    serde_json::from_str(include_str!("honest.json")).expect("JSON of this program")
}

/// A final tree that a command refuses.
fn check() -> Value {
    let mut receipt = observe();
    receipt.as_object_mut().expect("an object").remove("measured");
    receipt["run"]["command"] = "check".into();
    receipt["result"]["requested_effect"] = "hold a final tree against its contract".into();
    let criterion = &mut receipt["verification"]["criteria"][0];
    criterion["id"] = "command unit".into();
    criterion["expected"] = "the command accepts the final tree".into();
    criterion["observed"] = "exit 1".into();
    criterion["evidence"] = json!(["judged/answer_sha256"]);
    receipt["judged"] = json!({
        "word": "contradicted",
        "answer_sha256": digest('7'),
        "contract_sha256": digest('6'),
        "bundle_sha256": digest('8'),
        "tree_sha256": digest('9'),
    });
    receipt
}

/// A sealed contract, which a person has yet to publish.
fn assist() -> Value {
    let mut receipt = observe();
    receipt["run"]["command"] = "seal".into();
    receipt["authority"]["level"] = "ASSIST".into();
    receipt["result"] = json!({"requested_effect": "seal a contract", "status": "PASS"});
    receipt["verification"]["overall"] = "PASS".into();
    receipt["verification"]["criteria"][0]["observed"] = "11 of 12 mutants killed".into();
    receipt["verification"]["criteria"][0]["verdict"] = "PASS".into();
    receipt["measured"]["killed"] = 11.into();
    receipt["measured"]["survived"] = 1.into();
    receipt["measured"]["contract_sha256"] = digest('6').into();
    receipt
}

/// A remediation within an earned class, finished where it outlives the machine.
fn operate() -> Value {
    let mut receipt = assist();
    receipt.as_object_mut().expect("an object").remove("measured");
    receipt["run"]["command"] = "restart".into();
    receipt["authority"] = json!({
        "level": "OPERATE",
        "acceptance_ref": "acceptance/2026-114",
        "remediation_class": "restart-a-stuck-worker",
        "verified_history_runs": 41,
        "policy": "policy/restarts",
        "customer": "example",
        "revoked_classes": ["resize-a-volume"]
    });
    receipt["changes"]["runtime_changed"] = true.into();
    receipt["changes"]["ownership_delta"] = "NEGATIVE".into();
    receipt["changes"]["artifacts_applied"] = json!(["restart worker-7"]);
    receipt["factory"]["secrets_referenced"] = json!(["op://runs/worker-api/token"]);
    receipt["auth"]["state"] = "AUTHORIZED".into();
    receipt["verification"]["witness_required"] = true.into();
    receipt["verification"]["witness_status"] = "PASS".into();
    receipt["economics"] = json!({
        "estimate_basis": "MEASURED",
        "model_cost": 0.4,
        "infrastructure_cost": 0.1,
        "human_review_minutes": 3,
        "human_review_cost": 4.5,
        "automated_actions": 2,
        "human_escalations": 0,
        "accepted_outcomes": 2,
        "cost_per_accepted_outcome": 2.5
    });
    receipt["terminal"] = json!({
        "state": "COMPLETED",
        "durable_transition_established": true,
        "durable_ref": "git:refs/heads/main@4b1d",
        "receipt_complete": false
    });
    receipt
}

/// Blocked, with where it stands kept where it outlives the machine: what that means is said by the
/// verdict alone.
fn blocked_durably(verdict: &str) -> Value {
    let mut receipt = assist();
    receipt["verification"]["overall"] = verdict.into();
    receipt["verification"]["criteria"][0]["verdict"] = verdict.into();
    receipt["result"]["status"] = verdict.into();
    receipt["terminal"] = json!({
        "state": "BLOCKED_DURABLY",
        "durable_transition_established": true,
        "durable_ref": "queue:contracts/17",
        "receipt_complete": false
    });
    receipt
}

/// A denial, diagnosed layer by layer.
fn auth_blocked() -> Value {
    let mut receipt = blocked_durably("UNKNOWN");
    receipt["auth"] = json!({
        "state": "AUTH_BLOCKED",
        "human_credential_used": false,
        "denial": {
            "OPERATION": "push the sealed contract",
            "PRINCIPAL": "sealer@runs",
            "EXISTING_AUTH_PATH": "op://runs/registry/token",
            "ATTEMPT": "PUT contracts/17",
            "AUTHENTICATED": true,
            "TARGET": "contracts/17",
            "TARGET_ROLE": "writer",
            "AUTHORIZED": false,
            "EXACT_DENIAL": "403: role reader may not PUT"
        }
    });
    receipt
}

fn interrupted() -> Value {
    let mut receipt = blocked_durably("UNKNOWN");
    receipt["terminal"] = json!({
        "state": "INTERRUPTED",
        "durable_transition_established": false,
        "durable_ref": null,
        "receipt_complete": false
    });
    receipt
}
