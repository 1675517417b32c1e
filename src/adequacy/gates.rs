//! Gates: thresholds that a run meets or not, by name.

use std::collections::BTreeMap;

use super::Adequacy;
use crate::outcome::Reason;

/// The thresholds in force for a tree.
#[derive(Debug, Clone, PartialEq)]
pub struct Thresholds {
    /// Least share of the counted mutants that must be killed; no gate when `None`.
    pub kill_ratio: Option<f64>,
    /// Largest share of the counted mutants that may be killed by time-out.
    pub timeout_share: f64,
    /// Most undecided mutants.
    pub undecided: u64,
}

/// One gate and how the run fared.
#[derive(Debug, Clone, PartialEq)]
pub struct Gate {
    /// Its name: the key in the record, and what `--allow` takes.
    pub name: &'static str,
    /// Whether the run meets it.
    pub pass: bool,
    /// What it demands, in words.
    pub formula: &'static str,
    /// What was compared.
    pub value: f64,
    /// What it was compared with.
    pub threshold: f64,
}

impl Thresholds {
    /// The thresholds that a task file's `[gates]` gives, `undecided` from a flag if there is one.
    #[must_use]
    pub fn of(gates: &BTreeMap<String, f64>, max_undecided: Option<u64>) -> Self {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "checked when read; a fraction of a mutant allows none"
        )]
        let whole = |value: &f64| *value as u64;
        Self {
            kill_ratio: gates.get("kill_ratio").copied(),
            timeout_share: gates.get("timeout_share").copied().unwrap_or(0.1),
            undecided: max_undecided.or(gates.get("undecided").map(whole)).unwrap_or(0),
        }
    }

    /// The gates, first those whose failure means that the number itself is in doubt.
    #[must_use]
    pub fn gates(&self, adequacy: &Adequacy) -> Vec<Gate> {
        #[expect(clippy::cast_precision_loss, reason = "a ratio of counts far below 2^52")]
        let share = |part: u64| part as f64 / adequacy.mutants.max(1) as f64;
        #[expect(clippy::cast_precision_loss, reason = "counts far below 2^52")]
        let count = |number: u64| number as f64;
        let undecided = adequacy.undecided_count();
        let time_outs = share(adequacy.kills_by(Reason::TimeOut));
        let mut gates = vec![
            Gate {
                name: "undecided",
                pass: undecided <= self.undecided,
                formula: "undecided mutants <= threshold",
                value: count(undecided),
                threshold: count(self.undecided),
            },
            Gate {
                name: "timeout_share",
                pass: time_outs <= self.timeout_share,
                formula: "mutants killed by time-out / mutants <= threshold",
                value: time_outs,
                threshold: self.timeout_share,
            },
        ];
        if let Some(least) = self.kill_ratio {
            let ratio = share(adequacy.killed);
            gates.push(Gate {
                name: "kill_ratio",
                pass: ratio >= least,
                formula: "killed / mutants >= threshold",
                value: ratio,
                threshold: least,
            });
        }
        gates
    }
}
