//! Whether a receipt holds, and the stamp that says so.

use serde_json::{Value, json};

use super::rules::{RULES, unstamped_sha256};
use super::schema::shape;
use crate::evidence::{Fault, Shape};

/// What is wrong with a receipt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Each broken rule and malformed member; empty when the receipt holds.
    pub faults: Vec<Fault>,
    /// Members that the shape does not know.
    pub unknown: Vec<Fault>,
}

impl Verdict {
    /// Whether it holds; with `strict` unknown members count too.
    #[must_use]
    pub fn holds(&self, strict: bool) -> bool {
        self.faults.is_empty() && (!strict || self.unknown.is_empty())
    }
}

/// Validates the text of a receipt.
#[must_use]
pub fn validate(text: &[u8]) -> Verdict {
    match Shape::read(text) {
        Ok(receipt) => validate_value(&receipt),
        Err(fault) => Verdict { faults: vec![fault], unknown: Vec::new() },
    }
}

/// Validates a receipt that was read. All rules are tried, so that one call names every broken one.
#[must_use]
pub fn validate_value(receipt: &Value) -> Verdict {
    let mut faults = shape().faults(receipt);
    let broken = RULES.iter().filter(|rule| !(rule.holds)(receipt));
    faults.extend(broken.map(|rule| Fault::new(rule.id, "", rule.says)));
    Verdict { faults, unknown: shape().unknown(receipt) }
}

/// The receipt with the stamp that makes it complete.
///
/// # Errors
/// The [`Verdict`] of a receipt that does not hold: nothing is stamped.
pub fn stamp(receipt: &Value) -> Result<Value, Verdict> {
    let verdict = validate_value(receipt);
    if !verdict.holds(false) {
        return Err(verdict);
    }
    let mut stamped = receipt.clone();
    stamped["terminal"]["receipt_complete"] = true.into();
    stamped["terminal"]["stamp"] = json!({
        "by": concat!("adequacy receipt validate ", env!("CARGO_PKG_VERSION")),
        "receipt_sha256": unstamped_sha256(receipt).to_string()
    });
    Ok(stamped)
}
