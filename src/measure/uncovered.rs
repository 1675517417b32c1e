//! Functions without a cheat, as `run.json` names them.

use serde::{Deserialize, Serialize};

use crate::plan::{Plan, Uncovered};

/// A function that no cheat takes the place of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UncoveredRecord {
    /// Its file.
    pub path: String,
    /// Its dotted name.
    pub function: String,
    /// Line of its definition, from 1.
    pub line: u32,
    /// Why not.
    pub why: String,
}

impl UncoveredRecord {
    pub(super) fn of(one: &Uncovered, plan: &Plan) -> Self {
        Self {
            path: plan.files[one.file as usize].name.clone(),
            function: one.function.clone(),
            line: one.line,
            why: one.why.to_owned(),
        }
    }
}
