//! The verdicts of a run directory, made again from the runs that stand beside them.

use std::collections::BTreeSet;

use super::ledger::Line;
use crate::outcome::{self, Outcome, Terms};
use crate::plan::Class;
use crate::run::Runner;

/// What is known of a run's commands.
pub(super) struct Known<'a> {
    /// The runners of the commands, in sealed order.
    pub(super) runners: &'a [Option<Runner>],
    /// Places of the commands whose failures show nothing.
    pub(super) flaky: &'a BTreeSet<usize>,
}

impl Known<'_> {
    /// What the runs of a line mean.
    pub(super) fn judge(&self, line: &Line, class: Class) -> Outcome {
        if line.runs.is_empty() && line.outcome == Outcome::NotBuilt {
            // That was found by a control for many mutants at once.
            return Outcome::NotBuilt;
        }
        let must_build = !class.is_never_unviable();
        let Self { runners, flaky } = *self;
        outcome::judge(&line.runs, &Terms { runners, flaky, must_build })
    }
}
