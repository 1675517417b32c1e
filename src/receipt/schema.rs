//! The receipt's JSON Schema: its members, and the invariants as conditionals.

use std::sync::LazyLock;

use serde_json::{Value, json};

use super::invariants::INVARIANTS;
use crate::evidence::Shape;

/// What the member `schema` says.
pub const RECEIPT: &str = "adequacy-receipt/v1";

static MEMBERS: LazyLock<Value> = LazyLock::new(|| {
    serde_json::from_str(include_str!("members.json")).expect("JSON of this program")
});

static SHAPE: LazyLock<Shape> = LazyLock::new(|| Shape::new(schema()));

/// The whole schema, for structured output and for validators.
#[must_use]
pub fn schema() -> Value {
    let mut schema = reduced();
    schema["allOf"] = INVARIANTS.iter().map(super::Invariant::schema).collect();
    schema
}

/// The schema for providers whose strict mode knows no conditionals: without the invariants, which
/// `receipt validate` then finds.
#[must_use]
pub fn reduced() -> Value {
    MEMBERS.clone()
}

/// The definition of a tool whose one call is the receipt, and the choice that forces it.
#[must_use]
pub fn tool(schema: &Value) -> Value {
    json!({
        "tools": [{
            "name": "emit_receipt",
            "description": "The receipt of this run. Call it exactly once, as the last act; without it the run did not happen.",
            "input_schema": schema
        }],
        "tool_choice": {"type": "tool", "name": "emit_receipt"}
    })
}

/// The compiled schema.
pub(super) fn shape() -> &'static Shape {
    &SHAPE
}
