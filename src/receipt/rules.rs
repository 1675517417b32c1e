//! The rules across members that a schema cannot say, one function each.
//!
//! Numbered as the document numbers them where it does: it speaks of sixteen gate rules and states
//! four. What it demands without a number has a name instead.

use serde_json::Value;

use super::invariants::at_most;
use crate::base::Sha256;
use crate::evidence::scan;

/// A rule: its number or name, what it says, and whether a receipt keeps it.
pub struct Rule {
    /// `G-05`, or a name where the document gives none.
    pub id: &'static str,
    /// One sentence.
    pub says: &'static str,
    pub(super) holds: fn(&Value) -> bool,
}

/// Every rule, in the order of the document.
pub const RULES: &[Rule] = &[
    Rule {
        id: "overall-within-criteria",
        says: "verification.overall claims no more than the worst criterion, and PASS has a criterion that passes: a check that was not made is UNKNOWN",
        holds: overall_within_criteria,
    },
    Rule {
        id: "pass-has-evidence",
        says: "a criterion that passes names its evidence and is not NOT_ESTABLISHED",
        holds: pass_has_evidence,
    },
    Rule {
        id: "assist-approved",
        says: "under ASSIST nothing is applied and no runtime changes without a person who approved it",
        holds: assist_approved,
    },
    Rule {
        id: "operate-scope",
        says: "OPERATE names its whole scope: customer, remediation class, history, policy, acceptance",
        holds: operate_scope,
    },
    Rule {
        id: "class-not-revoked",
        says: "OPERATE is not used for a remediation class that a regression revoked",
        holds: class_not_revoked,
    },
    Rule {
        id: "search-before-create",
        says: "existing work was searched before ownership grew or source changed",
        holds: search_before_create,
    },
    Rule { id: "G-05", says: "no private to-do remains", holds: no_private_todo },
    Rule { id: "G-06", says: "no polling was used", holds: no_polling },
    Rule { id: "G-07", says: "no unsupported internal hack was used", holds: no_hack },
    Rule {
        id: "economics-basis",
        says: "unmeasured amounts are null, and measured ones are given",
        holds: economics_basis,
    },
    Rule {
        id: "economics-sum",
        says: "cost_per_accepted_outcome is the sum of the costs over the accepted outcomes",
        holds: economics_sum,
    },
    Rule {
        id: "G-12",
        says: "no secret stands in the receipt: only op:// references name one",
        holds: no_literal_secret,
    },
    Rule {
        id: "no-human-credential",
        says: "no human credential stands in for a machine identity",
        holds: no_human_credential,
    },
    Rule {
        id: "blocked-is-no-pass",
        says: "what was blocked for want of access or identity is no PASS",
        holds: blocked_is_no_pass,
    },
    Rule {
        id: "durable-ref",
        says: "a durable transition names where to, and that is no local path",
        holds: durable_ref,
    },
    Rule {
        id: "local-is-not-durable",
        says: "LOCAL_ONLY has no durable transition",
        holds: local_is_not_durable,
    },
    Rule {
        id: "interrupted-unknown",
        says: "an interrupted run has the result UNKNOWN",
        holds: interrupted_unknown,
    },
    Rule {
        id: "zero-kill-no-pass",
        says: "commands that killed nothing support no PASS",
        holds: zero_kill_no_pass,
    },
    Rule {
        id: "complete-is-stamped",
        says: "receipt_complete is true only under the validator's stamp over the receipt without it",
        holds: complete_is_stamped,
    },
];

/// The member at the end of a way of names, or null.
fn at<'r>(receipt: &'r Value, way: &str) -> &'r Value {
    let mut names = way.split('/');
    names.try_fold(receipt, |value, name| value.get(name)).unwrap_or(&Value::Null)
}

fn word<'r>(receipt: &'r Value, way: &str) -> &'r str {
    at(receipt, way).as_str().unwrap_or_default()
}

fn is_true(receipt: &Value, way: &str) -> bool {
    at(receipt, way) == true
}

fn says_something(receipt: &Value, way: &str) -> bool {
    !word(receipt, way).trim().is_empty()
}

fn criteria(receipt: &Value) -> &[Value] {
    at(receipt, "verification/criteria").as_array().map_or(&[], Vec::as_slice)
}

fn overall_within_criteria(receipt: &Value) -> bool {
    let overall = word(receipt, "verification/overall");
    let verdicts = criteria(receipt).iter().map(|one| word(one, "verdict"));
    let verdicts = verdicts.filter(|verdict| *verdict != "NOT_APPLICABLE").collect::<Vec<_>>();
    match overall {
        "NOT_APPLICABLE" => verdicts.is_empty(),
        "PASS" | "DEGRADED" if verdicts.is_empty() => false,
        _ => verdicts.iter().all(|verdict| at_most(verdict).contains(&overall)),
    }
}

fn pass_has_evidence(receipt: &Value) -> bool {
    let backed = |one: &Value| {
        let evidence = at(one, "evidence").as_array().is_some_and(|list| !list.is_empty());
        evidence && word(one, "evidence_class") != "NOT_ESTABLISHED"
    };
    criteria(receipt).iter().all(|one| word(one, "verdict") != "PASS" || backed(one))
}

fn assist_approved(receipt: &Value) -> bool {
    let applied =
        at(receipt, "changes/artifacts_applied").as_array().is_some_and(|it| !it.is_empty());
    let acted = applied || is_true(receipt, "changes/runtime_changed");
    word(receipt, "authority/level") != "ASSIST"
        || !acted
        || says_something(receipt, "human_gate/approved_by")
}

fn operate_scope(receipt: &Value) -> bool {
    let scope = ["customer", "remediation_class", "policy", "acceptance_ref"];
    word(receipt, "authority/level") != "OPERATE"
        || scope.iter().all(|name| says_something(receipt, &format!("authority/{name}")))
}

fn class_not_revoked(receipt: &Value) -> bool {
    let class = at(receipt, "authority/remediation_class");
    let revoked = at(receipt, "authority/revoked_classes").as_array();
    word(receipt, "authority/level") != "OPERATE"
        || !revoked.is_some_and(|revoked| revoked.contains(class))
}

fn search_before_create(receipt: &Value) -> bool {
    let created = word(receipt, "changes/ownership_delta") == "POSITIVE"
        || is_true(receipt, "changes/source_changed");
    !created || is_true(receipt, "work/existing_work_searched")
}

fn no_private_todo(receipt: &Value) -> bool {
    !is_true(receipt, "factory/private_todo_remaining")
}

fn no_polling(receipt: &Value) -> bool {
    !is_true(receipt, "factory/polling_used")
}

fn no_hack(receipt: &Value) -> bool {
    !is_true(receipt, "factory/unsupported_internal_hack_used")
}

/// Amounts that a measured run must give; the rest may be unknown to it.
const MEASURED: [&str; 3] = ["model_cost", "infrastructure_cost", "human_review_minutes"];

fn economics_basis(receipt: &Value) -> bool {
    let Some(economics) = at(receipt, "economics").as_object() else { return true };
    match word(receipt, "economics/estimate_basis") {
        "NOT_MEASURED" => {
            economics.iter().all(|(name, amount)| name == "estimate_basis" || !amount.is_number())
        }
        "MEASURED" => {
            MEASURED.iter().all(|name| economics.get(*name).is_some_and(Value::is_number))
        }
        _ => true,
    }
}

fn economics_sum(receipt: &Value) -> bool {
    let amount = |name: &str| at(receipt, &format!("economics/{name}")).as_f64();
    let Some(each) = amount("cost_per_accepted_outcome") else { return true };
    let costs = ["model_cost", "infrastructure_cost", "human_review_cost"].map(amount);
    match (costs, amount("accepted_outcomes")) {
        ([Some(model), Some(infrastructure), Some(review)], Some(accepted)) if accepted > 0.0 => {
            let sum = model + infrastructure + review;
            (each * accepted - sum).abs() <= sum * 0.005 + 0.005
        }
        // A cost each of what is not known, or of nothing, is made up.
        _ => false,
    }
}

fn no_literal_secret(receipt: &Value) -> bool {
    match receipt {
        Value::String(text) => scan::hits(text.as_bytes()).next().is_none(),
        Value::Array(items) => items.iter().all(no_literal_secret),
        Value::Object(members) => members.values().all(no_literal_secret),
        _ => true,
    }
}

fn no_human_credential(receipt: &Value) -> bool {
    !is_true(receipt, "auth/human_credential_used")
}

fn blocked_is_no_pass(receipt: &Value) -> bool {
    let blocked = ["AUTH_BLOCKED", "MACHINE_IDENTITY_PROVISIONING_GAP"];
    !blocked.contains(&word(receipt, "auth/state")) || word(receipt, "result/status") != "PASS"
}

fn durable_ref(receipt: &Value) -> bool {
    let reference = word(receipt, "terminal/durable_ref");
    !is_true(receipt, "terminal/durable_transition_established") || is_durable(reference)
}

/// Whether a reference can name a place that outlives this machine: not empty, and no local path.
#[must_use]
pub fn is_durable(reference: &str) -> bool {
    let reference = reference.trim();
    let local = reference.starts_with(['/', '.', '~'])
        || reference.to_ascii_lowercase().starts_with("file:");
    !reference.is_empty() && !local
}

fn local_is_not_durable(receipt: &Value) -> bool {
    word(receipt, "terminal/state") != "LOCAL_ONLY"
        || !is_true(receipt, "terminal/durable_transition_established")
}

fn interrupted_unknown(receipt: &Value) -> bool {
    word(receipt, "terminal/state") != "INTERRUPTED" || word(receipt, "result/status") == "UNKNOWN"
}

fn zero_kill_no_pass(receipt: &Value) -> bool {
    let nothing = at(receipt, "measured/killed").as_u64() == Some(0);
    !nothing || word(receipt, "result/status") != "PASS"
}

fn complete_is_stamped(receipt: &Value) -> bool {
    let stamped = at(receipt, "terminal/stamp/receipt_sha256");
    if is_true(receipt, "terminal/receipt_complete") {
        stamped.as_str() == Some(unstamped_sha256(receipt).to_string().as_str())
    } else {
        stamped.is_null()
    }
}

/// Digest over the receipt as it was before anybody stamped it: its members in the order of their
/// names, without spaces.
pub(super) fn unstamped_sha256(receipt: &Value) -> Sha256 {
    let mut bare = receipt.clone();
    if let Some(terminal) = bare.get_mut("terminal").and_then(Value::as_object_mut) {
        terminal.remove("stamp");
        terminal.insert("receipt_complete".to_owned(), Value::Bool(false));
    }
    Sha256::of(serde_json_canonicalizer::to_vec(&bare).unwrap_or_default().as_slice())
}
