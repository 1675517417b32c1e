//! `adequacy` measures how well a list of acceptance commands tells a right solution from a wrong
//! one, and seals the answer.
//!
//! The flow has one direction; each arrow is one public function, each noun one type, each stage
//! one module that sees only the stages before it and [`base`]:
//!
//! ```text
//! adequacy.toml -> task::load -> Task -> tree::snapshot -> Snapshot -> plan::plan -> Plan
//!   -> run::run -> Vec<Run> -> outcome::judge -> Outcome -> adequacy::Adequacy::of -> Adequacy
//!   -> seal::build -> contract.json bytes -> statement::seal -> contract.statement.json bytes
//!   -> verify::verify(statement bytes, contract bytes) -> valid | Code
//! ```
//!
//! The modules are declared in that order. `tests/layering.rs` holds the rule.

pub mod base;

#[cfg(feature = "engine")]
pub mod adequacy;
#[cfg(feature = "engine")]
pub mod outcome;
#[cfg(feature = "engine")]
pub mod plan;
#[cfg(feature = "engine")]
pub mod run;
#[cfg(feature = "engine")]
pub mod task;
#[cfg(feature = "engine")]
pub mod tree;

pub mod contract;
#[cfg(feature = "engine")]
pub mod seal;
pub mod statement;
pub mod verify;

#[cfg(feature = "engine")]
pub mod audit;
#[cfg(feature = "engine")]
pub mod bundle;
#[cfg(feature = "engine")]
pub mod check;
#[cfg(feature = "engine")]
pub mod cli;
pub mod envelope;
#[cfg(feature = "engine")]
pub mod evidence;
#[cfg(feature = "engine")]
pub mod import;
#[cfg(feature = "engine")]
pub mod measure;
#[cfg(feature = "engine")]
pub mod receipt;
#[cfg(feature = "engine")]
pub mod recheck;
#[cfg(feature = "engine")]
pub mod report;
pub mod vectors;
