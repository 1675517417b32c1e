//! The proof that every rule refuses something, and that honest receipts pass.
//!
//! Each case changes one of the honest receipts in one place and names the code that must answer.
//! `receipt conformance` runs them; the examples are the honest receipts themselves.

use serde_json::{Value, json};

use super::honest;
use super::invariants::DIAGNOSIS;
use super::validate::validate_value;

/// A receipt and the code that must refuse it, or `None` where it must pass.
pub struct Case {
    /// What it shows.
    pub name: String,
    /// The receipt.
    pub receipt: Value,
    /// The code of the fault that it must have; none for an honest receipt.
    pub refused_by: Option<&'static str>,
}

impl Case {
    /// Whether the validator answers as it must: exactly this code among its faults, or none at all.
    #[must_use]
    pub fn is_right(&self) -> bool {
        let faults = validate_value(&self.receipt).faults;
        match self.refused_by {
            Some(code) => faults.iter().any(|fault| fault.code == code),
            None => faults.is_empty(),
        }
    }
}

/// Every case: the honest receipts, then the refusals.
#[must_use]
pub fn cases() -> Vec<Case> {
    let honest = honest::receipts().into_iter().map(|(name, receipt)| Case {
        name: name.to_owned(),
        receipt,
        refused_by: None,
    });
    let refused = REFUSED.iter().map(|(base, changes, code)| {
        let mut receipt = honest::receipt(base);
        let changes = changes();
        for (pointer, value) in changes.as_object().expect("places and values") {
            put(&mut receipt, &format!("/{pointer}"), value.clone());
        }
        Case { name: format!("{code}: {base} with {changes}"), receipt, refused_by: Some(*code) }
    });
    let mut all = honest.chain(refused).collect::<Vec<_>>();
    all.extend(missing());
    all.extend(wrong_types());
    all.extend(diagnoses());
    all
}

/// Puts a value at a JSON Pointer.
fn put(receipt: &mut Value, pointer: &str, value: Value) {
    let (above, name) = pointer.rsplit_once('/').expect("a pointer");
    let above = receipt.pointer_mut(above).expect("a place of the receipt");
    match above {
        Value::Array(items) => items[name.parse::<usize>().expect("a place")] = value,
        other => other[name] = value,
    }
}

/// A base, what is put where, and the code that refuses it.
type Refusal = (&'static str, fn() -> Value, &'static str);

const REFUSED: &[Refusal] = &[
    // The invariants, each in each of its ways.
    ("assist", || json!({"verification/overall": "DEGRADED", "result/status": "PASS"}), "INV-01"),
    ("assist", || json!({"verification/overall": "UNKNOWN", "result/status": "PASS"}), "INV-01"),
    ("assist", || json!({"verification/overall": "FAIL", "result/status": "UNKNOWN"}), "INV-01"),
    (
        "assist",
        || json!({"verification/overall": "NOT_APPLICABLE", "result/status": "PASS"}),
        "INV-01",
    ),
    (
        "assist",
        || json!({"verification/overall": "PASS", "result/status": "NOT_APPLICABLE"}),
        "INV-01",
    ),
    (
        "assist",
        || json!({"verification/witness_required": true, "verification/witness_status": "DEGRADED"}),
        "INV-03",
    ),
    (
        "assist",
        || json!({"verification/witness_required": true, "verification/witness_status": "UNKNOWN"}),
        "INV-03",
    ),
    (
        "assist",
        || json!({"verification/witness_required": true, "verification/witness_status": "FAIL"}),
        "INV-03",
    ),
    (
        "assist",
        || json!({"verification/witness_required": true, "verification/witness_status": "NOT_APPLICABLE"}),
        "INV-03",
    ),
    (
        "observe",
        || json!({"verification/overall": "NOT_APPLICABLE", "verification/witness_required": true, "verification/witness_status": "PASS"}),
        "INV-03",
    ),
    ("auth-blocked", || json!({"auth/denial": null}), "INV-04"),
    ("observe", || json!({"changes/source_changed": true}), "INV-05"),
    ("observe", || json!({"changes/runtime_changed": true}), "INV-05"),
    ("observe", || json!({"changes/artifacts_applied": ["a.patch"]}), "INV-05"),
    ("operate", || json!({"authority/acceptance_ref": ""}), "INV-06"),
    ("operate", || json!({"authority/acceptance_ref": null}), "INV-06"),
    ("operate", || json!({"authority/remediation_class": ""}), "INV-06"),
    ("operate", || json!({"authority/remediation_class": null}), "INV-06"),
    ("operate", || json!({"authority/verified_history_runs": 0}), "INV-06"),
    ("operate", || json!({"terminal/durable_transition_established": false}), "INV-07"),
    ("assist", || json!({"work/duplicate_work_created": true}), "INV-08"),
    (
        "assist",
        || json!({"work/duplicate_work_created": true, "human_gate": {"required": true, "reason": "", "approved_by": null}}),
        "INV-08",
    ),
    (
        "assist",
        || json!({"work/duplicate_work_created": true, "human_gate": {"required": true, "reason": null, "approved_by": null}}),
        "INV-08",
    ),
    ("assist", || json!({"changes/ownership_delta": "POSITIVE"}), "INV-09"),
    (
        "assist",
        || json!({"changes/ownership_delta": "POSITIVE", "human_gate": {"required": true, "reason": "", "approved_by": null}}),
        "INV-09",
    ),
    (
        "assist",
        || json!({"work/duplicate_work_created": true, "human_gate": {"required": false, "reason": "seen", "approved_by": null}}),
        "INV-08",
    ),
    (
        "assist",
        || json!({"changes/ownership_delta": "POSITIVE", "human_gate": {"required": true, "reason": null, "approved_by": null}}),
        "INV-09",
    ),
    (
        "assist",
        || json!({"changes/ownership_delta": "POSITIVE", "human_gate": {"required": false, "reason": "seen", "approved_by": null}}),
        "INV-09",
    ),
    // The gate rules that the document numbers.
    ("assist", || json!({"factory/private_todo_remaining": true}), "G-05"),
    ("assist", || json!({"factory/polling_used": true}), "G-06"),
    ("assist", || json!({"factory/unsupported_internal_hack_used": true}), "G-07"),
    (
        "assist",
        || json!({"result/requested_effect": concat!("use ghp", "_0123456789abcdefghijABCDEFGHIJ0123456789")}),
        "G-12",
    ),
    // What it demands without a number.
    ("assist", || json!({"verification/criteria": []}), "overall-within-criteria"),
    ("assist", || json!({"verification/criteria/0/verdict": "UNKNOWN"}), "overall-within-criteria"),
    (
        "assist",
        || json!({"verification/criteria/0/verdict": "NOT_APPLICABLE"}),
        "overall-within-criteria",
    ),
    (
        "assist",
        || json!({"verification/overall": "NOT_APPLICABLE", "result/status": "UNKNOWN"}),
        "overall-within-criteria",
    ),
    ("assist", || json!({"verification/criteria/0/evidence": []}), "pass-has-evidence"),
    (
        "assist",
        || json!({"verification/criteria/0/evidence_class": "NOT_ESTABLISHED"}),
        "pass-has-evidence",
    ),
    ("assist", || json!({"changes/artifacts_applied": ["a.patch"]}), "assist-approved"),
    ("assist", || json!({"changes/runtime_changed": true}), "assist-approved"),
    ("operate", || json!({"authority/customer": null}), "operate-scope"),
    ("operate", || json!({"authority/policy": " "}), "operate-scope"),
    (
        "operate",
        || json!({"authority/revoked_classes": ["restart-a-stuck-worker"]}),
        "class-not-revoked",
    ),
    (
        "assist",
        || json!({"work/existing_work_searched": false, "changes/source_changed": true}),
        "search-before-create",
    ),
    ("assist", || json!({"economics/model_cost": 1.0}), "economics-basis"),
    ("operate", || json!({"economics/model_cost": null}), "economics-basis"),
    ("operate", || json!({"economics/cost_per_accepted_outcome": 0.01}), "economics-sum"),
    ("operate", || json!({"economics/accepted_outcomes": 0}), "economics-sum"),
    ("auth-blocked", || json!({"auth/human_credential_used": true}), "no-human-credential"),
    ("assist", || json!({"auth/state": "MACHINE_IDENTITY_PROVISIONING_GAP"}), "blocked-is-no-pass"),
    ("operate", || json!({"terminal/durable_ref": null}), "durable-ref"),
    ("operate", || json!({"terminal/durable_ref": "./out"}), "durable-ref"),
    ("operate", || json!({"terminal/durable_ref": "/srv/out"}), "durable-ref"),
    ("operate", || json!({"terminal/durable_ref": "file:///srv/out"}), "durable-ref"),
    ("operate", || json!({"terminal/state": "LOCAL_ONLY"}), "local-is-not-durable"),
    ("assist", || json!({"terminal/state": "INTERRUPTED"}), "interrupted-unknown"),
    ("assist", || json!({"measured/killed": 0}), "zero-kill-no-pass"),
    ("assist", || json!({"terminal/receipt_complete": true}), "complete-is-stamped"),
    (
        "assist",
        || json!({"terminal/receipt_complete": true, "terminal/stamp": {"by": "me", "receipt_sha256": "0".repeat(64)}}),
        "complete-is-stamped",
    ),
    (
        "assist",
        || json!({"terminal/stamp": {"by": "me", "receipt_sha256": "0".repeat(64)}}),
        "complete-is-stamped",
    ),
    // Words that claim more than the vocabulary can.
    ("assist", || json!({"schema": "adequacy-receipt/v0"}), "member_word"),
    ("assist", || json!({"result/status": "SUCCESS"}), "member_word"),
    ("assist", || json!({"verification/overall": "DONE"}), "member_word"),
    ("assist", || json!({"verification/witness_status": "complete"}), "member_word"),
    ("assist", || json!({"verification/criteria/0/verdict": "looks good"}), "member_word"),
    ("assist", || json!({"verification/criteria/0/evidence_class": "OBVIOUS"}), "member_word"),
    ("assist", || json!({"authority/level": "ADMIN"}), "member_word"),
    ("assist", || json!({"changes/ownership_delta": "SMALL"}), "member_word"),
    ("assist", || json!({"auth/state": "TOKEN_EXPIRED"}), "member_word"),
    ("assist", || json!({"economics/estimate_basis": "GUESSED"}), "member_word"),
    ("assist", || json!({"terminal/state": "DONE"}), "member_word"),
    // Members that must say something.
    ("assist", || json!({"run/id": ""}), "member_empty"),
    ("assist", || json!({"run/tool": ""}), "member_empty"),
    ("assist", || json!({"run/command": ""}), "member_empty"),
    ("assist", || json!({"authority/revoked_classes": [""]}), "member_empty"),
    ("operate", || json!({"changes/artifacts_applied": [""]}), "member_empty"),
    ("assist", || json!({"verification/criteria/0/id": ""}), "member_empty"),
    ("assist", || json!({"verification/criteria/0/expected": ""}), "member_empty"),
    ("assist", || json!({"verification/criteria/0/observed": ""}), "member_empty"),
    ("assist", || json!({"verification/criteria/0/falsification_condition": ""}), "member_empty"),
    ("assist", || json!({"verification/criteria/0/evidence": [""]}), "member_empty"),
    ("assist", || json!({"result/requested_effect": ""}), "member_empty"),
    ("stamped", || json!({"terminal/stamp/by": ""}), "member_empty"),
    // Numbers, digests, paths and secrets.
    ("assist", || json!({"authority/verified_history_runs": -1}), "member_range"),
    ("operate", || json!({"economics/human_review_minutes": -1}), "member_range"),
    ("assist", || json!({"measured/mutants": -1}), "member_range"),
    ("assist", || json!({"measured/killed": -1}), "member_range"),
    ("assist", || json!({"measured/survived": -1}), "member_range"),
    ("assist", || json!({"measured/undecided": -1}), "member_range"),
    ("assist", || json!({"measured/plan_sha256": "abc"}), "digest_malformed"),
    ("assist", || json!({"files": {"run.json": "A".repeat(64)}}), "digest_malformed"),
    ("assist", || json!({"measured/contract_sha256": "abc"}), "member_word"),
    ("check", || json!({"judged/word": ""}), "member_empty"),
    ("check", || json!({"judged/answer_sha256": "abc"}), "digest_malformed"),
    ("check", || json!({"judged/contract_sha256": "abc"}), "member_word"),
    ("check", || json!({"judged/bundle_sha256": "abc"}), "member_word"),
    ("check", || json!({"judged/tree_sha256": "abc"}), "member_word"),
    ("assist", || json!({"files": {"../run.json": "0".repeat(64)}}), "path_malformed"),
    ("assist", || json!({"factory/secrets_referenced": ["hunter2"]}), "secret_literal"),
];

/// Objects whose members are all demanded, each with a receipt that has it.
const DEMANDED: &[(&str, &str)] = &[
    ("stamped", ""),
    ("stamped", "/run"),
    ("stamped", "/authority"),
    ("stamped", "/human_gate"),
    ("stamped", "/work"),
    ("stamped", "/changes"),
    ("stamped", "/factory"),
    ("stamped", "/verification"),
    ("stamped", "/verification/criteria/0"),
    ("stamped", "/result"),
    ("stamped", "/auth"),
    ("stamped", "/economics"),
    ("stamped", "/measured"),
    ("stamped", "/terminal/stamp"),
    ("check", "/judged"),
];

/// Members that a receipt may leave out.
const OPTIONAL: [&str; 3] = ["measured", "judged", "files"];

fn missing() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut leave_out = |base: &Value, at: &str, name: &str| {
        let mut receipt = base.clone();
        let object = receipt.pointer_mut(at).and_then(Value::as_object_mut).expect("an object");
        object.remove(name);
        let name = format!("member_missing: {at}/{name}");
        cases.push(Case { name, receipt, refused_by: Some("member_missing") });
    };
    for (base, at) in DEMANDED {
        let base = honest::receipt(base);
        let names = base.pointer(at).and_then(Value::as_object).expect("an object").keys();
        for name in names.filter(|name| !OPTIONAL.contains(&name.as_str())) {
            leave_out(&base, at, name);
        }
    }
    let base = honest::receipt("stamped");
    for name in ["state", "durable_transition_established", "durable_ref", "receipt_complete"] {
        leave_out(&base, "/terminal", name);
    }
    cases
}

/// Every member of two receipts that together hold all of them, as something it can never be.
fn wrong_types() -> Vec<Case> {
    let base = honest::receipt("stamped");
    let mut places = Vec::new();
    for base in [&base, &honest::receipt("check")] {
        let mut found = Vec::new();
        collect(base, "", &mut found);
        places.extend(found.into_iter().map(|pointer| (base.clone(), pointer)));
    }
    let case = |(mut receipt, pointer): (Value, String)| {
        put(&mut receipt, &pointer, json!([[0]]));
        // Fixed words and digests that may be null are no question of type.
        let word = WORDS.iter().any(|end| pointer.ends_with(end));
        let code = if word { "member_word" } else { "member_type" };
        Case { name: format!("{code}: {pointer}"), receipt, refused_by: Some(code) }
    };
    let lists = ["/authority/revoked_classes", "/changes/artifacts_applied"];
    let lists = lists.into_iter().chain(["/factory/secrets_referenced", "/verification/criteria"]);
    let lists = lists.chain(["/verification/criteria/0/evidence"]).map(|pointer| {
        let mut receipt = base.clone();
        put(&mut receipt, pointer, json!({}));
        let name = format!("member_type: {pointer} is no list");
        Case { name, receipt, refused_by: Some("member_type") }
    });
    let root = Case {
        name: "member_type: a list for a receipt".to_owned(),
        receipt: json!([]),
        refused_by: Some("member_type"),
    };
    places.into_iter().map(case).chain(lists).chain([root]).collect()
}

/// Members with fixed words.
const WORDS: &[&str] = &[
    "/schema",
    "/level",
    "/ownership_delta",
    "/overall",
    "/witness_status",
    "/verdict",
    "/evidence_class",
    "/status",
    "/state",
    "/estimate_basis",
    "/contract_sha256",
    "/bundle_sha256",
    "/tree_sha256",
];

fn collect(value: &Value, at: &str, places: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, inner) in members {
                let pointer = format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"));
                places.push(pointer.clone());
                collect(inner, &pointer, places);
            }
        }
        Value::Array(items) => {
            for (place, inner) in items.iter().enumerate() {
                let pointer = format!("{at}/{place}");
                places.push(pointer.clone());
                collect(inner, &pointer, places);
            }
        }
        _ => {}
    }
}

/// A denial of which one field says nothing, is of another type, or is not there.
fn diagnoses() -> Vec<Case> {
    let base = honest::receipt("auth-blocked");
    let mut cases = Vec::new();
    for field in DIAGNOSIS {
        let pointer = format!("/auth/denial/{field}");
        for wrong in [Some(json!("")), Some(json!([])), None] {
            let mut receipt = base.clone();
            match &wrong {
                Some(wrong) => put(&mut receipt, &pointer, wrong.clone()),
                None => {
                    receipt["auth"]["denial"].as_object_mut().expect("an object").remove(field);
                }
            }
            let name = format!("INV-04: {field} is {wrong:?}");
            cases.push(Case { name, receipt, refused_by: Some("INV-04") });
        }
    }
    cases
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::evidence::Shape;
    use crate::receipt::{INVARIANTS, RULES, schema};

    #[test]
    fn every_case_is_answered_as_it_must_be() {
        let wrong = cases().into_iter().filter(|case| !case.is_right());
        let wrong = wrong
            .map(|case| format!("{}: {:?}", case.name, validate_value(&case.receipt).faults))
            .collect::<Vec<_>>();
        assert_eq!(wrong, [""; 0]);
    }

    #[test]
    fn every_rule_refuses_something() {
        let refused =
            cases().into_iter().filter_map(|case| case.refused_by).collect::<BTreeSet<_>>();
        let ids = INVARIANTS.iter().map(|rule| rule.id).chain(RULES.iter().map(|rule| rule.id));
        assert_eq!(ids.filter(|id| !refused.contains(id)).collect::<Vec<_>>(), [""; 0]);
    }

    /// Takes each constraint out of the schema in turn: then some case is no longer refused by the
    /// schema under the code that it names, or the constraint is decoration.
    #[test]
    fn a_schema_without_any_one_of_its_constraints_lets_a_case_through() {
        let whole = schema();
        let cases = cases();
        let by_schema = |shape: &Shape, case: &Case| {
            let code = case.refused_by.unwrap_or_default();
            shape.faults(&case.receipt).iter().any(|fault| fault.code == code)
        };
        let shape = Shape::new(whole.clone());
        let refused = cases.iter().filter(|case| by_schema(&shape, case)).collect::<Vec<_>>();
        let mut constraints = Vec::new();
        find_constraints(&whole, "", &mut constraints);
        assert!(constraints.len() > 250, "{}", constraints.len());
        let unneeded = constraints.iter().filter(|constraint| {
            let weaker = Shape::new(without(&whole, constraint));
            refused.iter().all(|case| by_schema(&weaker, case))
        });
        assert_eq!(unneeded.collect::<Vec<_>>(), [""; 0].iter().collect::<Vec<_>>());
    }

    const KEYWORDS: &[&str] = &[
        "type",
        "const",
        "enum",
        "pattern",
        "minLength",
        "maxItems",
        "minimum",
        "propertyNames",
        "anyOf",
        "items",
        "additionalProperties",
        "then",
        "$ref",
    ];

    fn find_constraints(schema: &Value, at: &str, found: &mut Vec<String>) {
        let Some(members) = schema.as_object() else { return };
        for (name, inner) in members {
            let pointer = format!("{at}/{name}");
            match (name.as_str(), inner) {
                ("required", Value::Array(names)) => {
                    found.extend((0..names.len()).map(|place| format!("{pointer}/{place}")));
                }
                ("allOf", Value::Array(parts)) => {
                    for (place, part) in parts.iter().enumerate() {
                        find_constraints(part, &format!("{pointer}/{place}"), found);
                    }
                }
                // What a condition asks for is no constraint on the receipt.
                ("if", _) => {}
                ("properties" | "$defs", Value::Object(inner)) => {
                    for (name, inner) in inner {
                        find_constraints(inner, &format!("{pointer}/{name}"), found);
                    }
                }
                (name, inner) if KEYWORDS.contains(&name) => {
                    found.push(pointer.clone());
                    find_constraints(inner, &pointer, found);
                }
                _ => {}
            }
        }
    }

    fn without(schema: &Value, pointer: &str) -> Value {
        let mut weaker = schema.clone();
        let (above, name) = pointer.rsplit_once('/').expect("a pointer");
        match weaker.pointer_mut(above).expect("a place of the schema") {
            Value::Array(items) => {
                items.remove(name.parse::<usize>().expect("a place"));
            }
            object => {
                object.as_object_mut().expect("an object").remove(name);
            }
        }
        weaker
    }
}
