//! Survivors that an earlier run did not have, matched by content and not by lines.

use std::collections::{BTreeSet, HashMap};

use super::entry::Entry;
use super::log::RunLog;
use crate::base::Sha256;

/// For each mutant of a run, in plan order, what stays the same when lines around it move: a digest of
/// path, function, operator, before, after, and its place among those that are alike in all of these.
#[must_use]
pub fn content_keys(log: &RunLog) -> Vec<Sha256> {
    let mut seen = HashMap::new();
    let key = |entry: &Entry| {
        let row = &entry.row;
        let content = (&row.path, &row.function, &row.operator, &row.before, row.after());
        let ordinal = seen.entry(Sha256::of(&bytes(&content))).or_insert(0_u64);
        *ordinal += 1;
        let (path, function, operator, before, after) = content;
        Sha256::of(&bytes(&(path, function, operator, before, after, *ordinal - 1)))
    };
    log.entries.iter().map(key).collect()
}

/// Text and small integers only: serde_json's bytes are the RFC 8785 bytes.
fn bytes(value: &impl serde::Serialize) -> Vec<u8> {
    serde_json::to_vec(value).expect("plain values")
}

/// The survivors of `log` that are no survivors of `before`.
#[must_use]
pub fn new_survivors<'a>(log: &'a RunLog, before: &RunLog) -> Vec<&'a Entry> {
    let known = content_keys(before).into_iter().zip(&before.entries);
    let known = known.filter(|(_, entry)| entry.is_survivor()).map(|(key, _)| key);
    let known = known.collect::<BTreeSet<_>>();
    let now = content_keys(log).into_iter().zip(&log.entries);
    let new = now.filter(|(key, entry)| entry.is_survivor() && !known.contains(key));
    new.map(|(_, entry)| entry).collect()
}
