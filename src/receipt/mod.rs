//! The receipt of a run: what it claims, each claim with its evidence, and the rules it is held to.
//!
//! The shape is the agent contract's: `docs/receipt.md` goes through it sentence by sentence. A receipt
//! is JSON; [`validate`] names every rule it breaks, [`cases`] prove that each rule refuses something.

mod conformance;
mod draft;
mod honest;
mod invariants;
mod rules;
mod schema;
mod text;
mod validate;

pub use conformance::{Case, cases};
pub use draft::{Criterion, Draft};
pub use honest::{EXAMPLES, receipts};
pub use invariants::{DIAGNOSIS, INVARIANTS, Invariant};
pub use rules::{RULES, Rule, is_durable};
pub use schema::{RECEIPT, reduced, schema, tool};
pub use text::rules_for_prompts;
pub use validate::{Verdict, stamp, validate, validate_value};
