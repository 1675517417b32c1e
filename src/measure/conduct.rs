//! How a run was conducted: what of the plan it ran, and what it was asked for. Members of `run.json`.

use serde::{Deserialize, Serialize};

use super::{Confirm, Confirmed, Options, Parallel, Shard};
use crate::base::Sha256;

/// How a run was conducted.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Conduct {
    /// Which part of the plan it ran; the whole of it when `None`.
    pub shard: Option<Shard>,
    /// The runs that it was merged from, in order; none for a run of its own.
    pub merged_from: Vec<Part>,
    /// Runs of the unmutated tree before the mutants that were asked for; workers may have made more.
    pub baselines_asked: u32,
    /// Most undecided mutants, where a flag said so.
    pub max_undecided: Option<u64>,
    /// Of which mutants a second answer was asked.
    pub confirm: Confirm,
    /// How the second answers turned out, once all mutants are decided.
    pub confirmed: Confirmed,
    /// What the runs of a sample alone showed, one entry a run that was asked for that.
    pub check_parallel: Vec<Parallel>,
}

/// One of the runs that another was merged from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// Which part of the plan it ran; the whole of it when `None`.
    pub shard: Option<Shard>,
    /// Mutants it decided.
    pub decided: u64,
    /// Workers.
    pub jobs: usize,
    /// Digest of its `outcomes.jsonl`.
    pub outcomes_sha256: Sha256,
}

impl Conduct {
    pub(super) fn of(options: &Options) -> Self {
        Self {
            shard: options.shard,
            merged_from: Vec::new(),
            baselines_asked: options.baselines,
            max_undecided: options.max_undecided,
            confirm: options.confirm,
            confirmed: Confirmed::default(),
            check_parallel: Vec::new(),
        }
    }
}
