//! What people say of survivors, in a file that they keep beside their sources.
//!
//! It changes what a report shows beside the numbers, and never a number that is sealed.

mod audit;
mod edit;
mod file;

use std::collections::{BTreeMap, BTreeSet, HashMap};

pub use audit::drawn;
pub use edit::Edited;
pub use file::{Classification, Judgement, TriageError, TriageFile};

use super::count::share;
use super::entry::{Entry, Standing};
use super::log::RunLog;
use super::ratchet::content_keys;
use crate::base::Sha256;
use crate::plan::UNCHANGED;

/// Where the judgements are kept if nobody says otherwise: in the current directory.
pub const FILE: &str = "survivors.toml";

/// The judgements of a file, held against one run.
#[derive(Debug)]
pub struct Triage {
    /// The file's name, for people.
    pub name: String,
    /// The judgements of survivors of the run, by the mutant's id.
    judged: BTreeMap<String, Judgement>,
    /// Judgements of what no longer survives, each with the reason.
    pub stale: Vec<(Judgement, String)>,
    /// Judgements that lack something and do not count, each with what is missing.
    pub incomplete: Vec<(Judgement, &'static str)>,
}

impl Triage {
    /// Matches `file` with the mutants of `log` by their content keys.
    #[must_use]
    pub fn of(file: &TriageFile, log: &RunLog) -> Self {
        let by_key = content_keys(log).into_iter().zip(&log.entries).collect::<HashMap<_, _>>();
        let (mut judged, mut stale, mut incomplete) = (BTreeMap::new(), Vec::new(), Vec::new());
        for judgement in &file.judgements {
            let entry = by_key.get(&judgement.key).copied();
            if let Some(why) = stale_because(judgement, entry, log) {
                stale.push((judgement.clone(), why));
                continue;
            }
            let Some(entry) = entry.filter(|entry| entry.is_survivor()) else { continue };
            match judgement.lacks() {
                Some(what) => incomplete.push((judgement.clone(), what)),
                None if judgement.classification == Classification::None => {}
                None => {
                    judged.insert(entry.row.id.to_string(), judgement.clone());
                }
            }
        }
        Self { name: file.name(), judged, stale, incomplete }
    }

    /// What people say of this mutant.
    #[must_use]
    pub fn judgement(&self, entry: &Entry) -> Option<&Judgement> {
        self.judged.get(&*entry.row.id)
    }

    /// The survivors that nobody has judged, or not completely, in plan order.
    pub fn open<'a>(&'a self, log: &'a RunLog) -> impl Iterator<Item = &'a Entry> {
        log.survivors().filter(|entry| !self.judged.contains_key(&*entry.row.id))
    }

    /// How many survivors have this classification.
    #[must_use]
    pub fn count(&self, classification: Classification) -> u64 {
        let all = self.judged.values().filter(|it| it.classification == classification);
        all.count() as u64
    }

    /// What a report says of it, beside the numbers of the run; one sentence each.
    #[must_use]
    pub fn words(&self, log: &RunLog) -> Vec<String> {
        let totals = log.count.totals();
        let kinds = Classification::ALL.iter().map(|kind| {
            let count = self.count(*kind);
            format!("{count} {}", kind.word())
        });
        let kinds = kinds.collect::<Vec<_>>().join(", ");
        let open = self.open(log).count();
        let mut words = vec![format!("Triaged in {}: {kinds}, {open} not judged", self.name)];
        let equivalent = self.count(Classification::Equivalent);
        if equivalent > 0 {
            let left = totals.mutants - equivalent;
            words.push(format!(
                "Adjusted score: {} killed ({} of {left}), without the {equivalent} that people call \
                 equivalent; beside the score of all, {}, and never sealed",
                share(totals.killed, left),
                totals.killed,
                share(totals.killed, totals.mutants),
            ));
        }
        let stale =
            self.stale.iter().map(|(it, why)| format!("Stale in {}: {it}: {why}", self.name));
        words.extend(stale);
        let incomplete = self.incomplete.iter();
        words.extend(incomplete.map(|(it, what)| format!("Not complete: {it} {what}")));
        words
    }
}

/// Why a judgement says nothing of this run any more; `None` where it does, or where the run does not
/// tell.
fn stale_because(judgement: &Judgement, entry: Option<&Entry>, log: &RunLog) -> Option<String> {
    let operators = &log.run.task.mutate.operators;
    let narrowed =
        !operators.is_empty() && operators.iter().all(|it| it.text != judgement.operator);
    match entry {
        // What such a run left alone, it says nothing of.
        None if log.run.since.is_some() || narrowed => None,
        None if log.run.files.contains_key(&judgement.path) => {
            Some("there is no such mutant any more".to_owned())
        }
        None if log.run.ignored.contains_key(&judgement.path) => None,
        None => Some("its file is not there any more".to_owned()),
        Some(entry) => match entry.standing() {
            Standing::Decided(crate::outcome::Outcome::Survived) => None,
            Standing::Decided(crate::outcome::Outcome::Undecided { .. }) | Standing::Pending => {
                None
            }
            Standing::Left(why) if why == "not sampled" || why == UNCHANGED => None,
            standing => Some(standing.why(&log.run)),
        },
    }
}

impl TriageFile {
    /// The keys that the file names.
    fn keys(&self) -> BTreeSet<Sha256> {
        self.judgements.iter().map(|judgement| judgement.key).collect()
    }
}
