//! The numbered invariants of the agent contract, one function each: the conditional of the schema
//! that enforces it.
//!
//! The document speaks of twelve and states eight. The other numbers (INV-02, INV-10, INV-11, INV-12)
//! are not given a meaning here.

use serde_json::{Value, json};

/// An invariant: its number, what it says, and the conditional that enforces it.
pub struct Invariant {
    /// As the document numbers it.
    pub id: &'static str,
    /// One sentence.
    pub says: &'static str,
    condition: fn() -> Value,
}

impl Invariant {
    /// The member of the schema's `allOf`.
    #[must_use]
    pub fn schema(&self) -> Value {
        let mut schema = (self.condition)();
        schema["title"] = self.id.into();
        schema["description"] = self.says.into();
        schema
    }
}

/// Every invariant that the document states, by number.
pub const INVARIANTS: &[Invariant] = &[
    Invariant {
        id: "INV-01",
        says: "result.status claims no more than verification.overall",
        condition: ceiling,
    },
    Invariant {
        id: "INV-03",
        says: "where a witness is required, its status caps verification.overall",
        condition: witness,
    },
    Invariant {
        id: "INV-04",
        says: "AUTH_BLOCKED carries all nine fields of its diagnosis",
        condition: diagnosis,
    },
    Invariant {
        id: "INV-05",
        says: "OBSERVE changes no source and no runtime and applies no artifact",
        condition: observe,
    },
    Invariant {
        id: "INV-06",
        says: "OPERATE has an acceptance, a remediation class and a verified history",
        condition: operate,
    },
    Invariant {
        id: "INV-07",
        says: "COMPLETED has an established durable transition",
        condition: durable,
    },
    Invariant {
        id: "INV-08",
        says: "a duplicate of existing work passes a human gate",
        condition: duplicate,
    },
    Invariant { id: "INV-09", says: "growing ownership passes a human gate", condition: ownership },
];

/// The nine fields that diagnose a denial.
pub const DIAGNOSIS: [&str; 9] = [
    "OPERATION",
    "PRINCIPAL",
    "EXISTING_AUTH_PATH",
    "ATTEMPT",
    "AUTHENTICATED",
    "TARGET",
    "TARGET_ROLE",
    "AUTHORIZED",
    "EXACT_DENIAL",
];

/// The verdicts that claim no more than `ceiling` does. Not applicable claims something of its own:
/// that nothing was asked for.
pub(super) fn at_most(ceiling: &str) -> &'static [&'static str] {
    match ceiling {
        "PASS" => &["PASS", "DEGRADED", "UNKNOWN", "FAIL"],
        "DEGRADED" => &["DEGRADED", "UNKNOWN", "FAIL"],
        "UNKNOWN" => &["UNKNOWN", "FAIL"],
        "NOT_APPLICABLE" => &["NOT_APPLICABLE", "UNKNOWN", "FAIL"],
        _ => &["FAIL"],
    }
}

/// The schema of an object in which these members, and maybe others, look so.
fn has(members: &Value) -> Value {
    let names = members.as_object().expect("members by name").keys().collect::<Vec<_>>();
    json!({"required": names, "properties": members})
}

fn is(value: impl Into<Value>) -> Value {
    json!({"const": value.into()})
}

fn one_of(words: &[&str]) -> Value {
    json!({"enum": words})
}

fn ceiling() -> Value {
    let case = |ceiling: &str| {
        json!({
            "if": has(&json!({"verification": has(&json!({"overall": is(ceiling)}))})),
            "then": {"properties": {"result": {"properties": {"status": one_of(at_most(ceiling))}}}}
        })
    };
    let cases = ["PASS", "DEGRADED", "UNKNOWN", "NOT_APPLICABLE", "FAIL"].map(case);
    json!({"allOf": cases})
}

fn witness() -> Value {
    let case = |status: &str| {
        let seen = has(&json!({"witness_required": is(true), "witness_status": is(status)}));
        let capped = json!({"overall": one_of(at_most(status))});
        json!({
            "if": has(&json!({"verification": seen})),
            "then": {"properties": {"verification": {"properties": capped}}}
        })
    };
    let cases = ["PASS", "DEGRADED", "UNKNOWN", "NOT_APPLICABLE", "FAIL"].map(case);
    json!({"allOf": cases})
}

fn diagnosis() -> Value {
    let field = |name: &&str| {
        let schema = match *name {
            "AUTHENTICATED" | "AUTHORIZED" => json!({"type": "boolean"}),
            _ => json!({"type": "string", "minLength": 1}),
        };
        ((*name).to_owned(), schema)
    };
    let fields = DIAGNOSIS.iter().map(field).collect::<serde_json::Map<_, _>>();
    let mut denial = has(&fields.into());
    denial["type"] = "object".into();
    json!({
        "if": has(&json!({"auth": has(&json!({"state": is("AUTH_BLOCKED")}))})),
        "then": {"properties": {"auth": {"properties": {"denial": denial}}}}
    })
}

fn observe() -> Value {
    let nothing = json!({
        "source_changed": is(false),
        "runtime_changed": is(false),
        "artifacts_applied": {"maxItems": 0}
    });
    json!({
        "if": level("OBSERVE"),
        "then": {"properties": {"changes": {"properties": nothing}}}
    })
}

fn operate() -> Value {
    let some = json!({"type": "string", "minLength": 1});
    let earned = json!({
        "acceptance_ref": some,
        "remediation_class": some,
        "verified_history_runs": {"minimum": 1}
    });
    json!({
        "if": level("OPERATE"),
        "then": {"properties": {"authority": {"properties": earned}}}
    })
}

fn durable() -> Value {
    let established = json!({"durable_transition_established": is(true)});
    json!({
        "if": has(&json!({"terminal": has(&json!({"state": is("COMPLETED")}))})),
        "then": {"properties": {"terminal": {"properties": established}}}
    })
}

fn duplicate() -> Value {
    gated(&json!({"work": has(&json!({"duplicate_work_created": is(true)}))}))
}

fn ownership() -> Value {
    gated(&json!({"changes": has(&json!({"ownership_delta": is("POSITIVE")}))}))
}

/// Whatever looks so has a human gate that says why.
fn gated(when: &Value) -> Value {
    let gate = json!({"required": is(true), "reason": {"type": "string", "minLength": 1}});
    json!({
        "if": has(when),
        "then": {"properties": {"human_gate": {"properties": gate}}}
    })
}

fn level(level: &str) -> Value {
    has(&json!({"authority": has(&json!({"level": is(level)}))}))
}
