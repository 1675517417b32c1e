//! A few judgements for a second person, drawn by a seed and not by the first.

use super::Triage;
use crate::base::Sha256;
use crate::report::{Entry, Judgement, RunLog};

/// At most `count` of the judged survivors: those of lowest rank, which is the SHA-256 of
/// `<seed in decimal>:<content key>`. The same seed draws the same, whatever the order of the file.
#[must_use]
pub fn drawn<'a>(
    triage: &'a Triage,
    log: &'a RunLog,
    count: usize,
    seed: u64,
) -> Vec<(&'a Entry, &'a Judgement)> {
    let judged = log.survivors().filter_map(|entry| Some((entry, triage.judgement(entry)?)));
    let mut judged = judged.collect::<Vec<_>>();
    judged.sort_by_cached_key(|(_, it)| Sha256::of(format!("{seed}:{}", it.key).as_bytes()));
    judged.truncate(count);
    judged
}
