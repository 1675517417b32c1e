//! Stage 6, pure: from outcomes to the numbers of a record.

mod gates;
mod interval;

use std::collections::BTreeMap;

pub use gates::{CHEAT_GATE, Gate, Input, Thresholds};
pub use interval::Interval;

use crate::base::{Digesting, Sha256};
use crate::outcome::{Doubt, Outcome, Reason};
use crate::plan::{Class, Edit, FateKind, Plan, Planned};
use crate::tree::{Snapshot, TreeError};

/// What the commands were able to tell apart.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Adequacy {
    /// Mutants that count: killed, survived and undecided ones.
    pub mutants: u64,
    /// Those that a command killed.
    pub killed: u64,
    /// Kills by how the command failed.
    pub reasons: BTreeMap<Reason, u64>,
    /// Kills by the command that was first to kill.
    pub first_killers: BTreeMap<usize, u64>,
    /// Those that every command accepted.
    pub survived: u64,
    /// Those that no command killed and some command did not answer for; never kills.
    pub undecided: BTreeMap<Doubt, u64>,
    /// Mutants that do not compile or build; not counted.
    pub unviable: u64,
    /// Mutants in code that no command builds; not counted.
    pub not_built: u64,
    /// Mutants with the code of the original; not counted.
    pub equivalent: u64,
    /// Mutants with the code of an earlier mutant; not counted.
    pub duplicate: u64,
    /// Mutants that the sampler left out; not counted.
    pub not_sampled: u64,
    /// The counted mutants by the set they belong to, in sealed order of the sets.
    pub by_class: BTreeMap<Class, Tally>,
    /// One entry a counted mutant, in sealed order: whether it was killed.
    pub kill_vector: Vec<bool>,
    /// The places of the counted mutants in the plan, in sealed order.
    pub places: Vec<usize>,
}

/// The mutants of one set.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Tally {
    /// Those that count.
    pub mutants: u64,
    /// Those that a command killed.
    pub killed: u64,
    /// Those that nobody could decide.
    pub undecided: u64,
}

impl Tally {
    /// Those that were not killed, the undecided ones included.
    #[must_use]
    pub const fn alive(self) -> u64 {
        self.mutants - self.killed
    }
}

impl Adequacy {
    /// Counts the outcomes of `plan`'s mutants; `None` when a mutant that is to be run has none.
    #[must_use]
    pub fn of(plan: &Plan, outcome: impl Fn(usize) -> Option<Outcome>) -> Option<Self> {
        let whole = plan.counted().all(|place| outcome(place).is_some());
        whole.then(|| Self::of_decided(plan.planned(), outcome))
    }

    /// Counts the outcomes of those mutants that have one, as of a part of a plan.
    #[must_use]
    pub fn of_decided<'p>(
        mutants: impl Iterator<Item = Planned<'p>>,
        outcome: impl Fn(usize) -> Option<Outcome>,
    ) -> Self {
        let mut adequacy = Self::default();
        for (place, mutant) in mutants.enumerate() {
            match mutant.fate {
                FateKind::Counted => {
                    if let Some(outcome) = outcome(place) {
                        adequacy.add(place, mutant.class, outcome);
                    }
                }
                FateKind::Unviable => adequacy.unviable += 1,
                FateKind::Equivalent => adequacy.equivalent += 1,
                FateKind::Duplicate => adequacy.duplicate += 1,
                FateKind::NotSampled => adequacy.not_sampled += 1,
                // Nobody asked for it: it is in no number.
                FateKind::Unchanged => {}
            }
        }
        adequacy
    }

    fn add(&mut self, place: usize, class: Class, outcome: Outcome) {
        let killed = match outcome {
            Outcome::Unviable => {
                self.unviable += 1;
                return;
            }
            Outcome::NotBuilt => {
                self.not_built += 1;
                return;
            }
            Outcome::Killed { reason, command } => {
                *self.reasons.entry(reason).or_default() += 1;
                *self.first_killers.entry(command).or_default() += 1;
                self.killed += 1;
                true
            }
            Outcome::Survived => {
                self.survived += 1;
                false
            }
            Outcome::Undecided { why, .. } => {
                *self.undecided.entry(why).or_default() += 1;
                false
            }
        };
        let tally = self.by_class.entry(class).or_default();
        tally.mutants += 1;
        tally.killed += u64::from(killed);
        tally.undecided += u64::from(matches!(outcome, Outcome::Undecided { .. }));
        self.mutants += 1;
        self.kill_vector.push(killed);
        self.places.push(place);
    }

    /// Mutants that nobody could decide.
    #[must_use]
    pub fn undecided_count(&self) -> u64 {
        self.undecided.values().sum()
    }

    /// The mutants of one set.
    #[must_use]
    pub fn of_class(&self, class: Class) -> Tally {
        self.by_class.get(&class).copied().unwrap_or_default()
    }

    /// Those of all `mutants` of the plan that count, and whether each was killed.
    pub fn counted<'p>(
        &self,
        mutants: impl Iterator<Item = Planned<'p>>,
    ) -> impl Iterator<Item = (Planned<'p>, bool)> {
        let mut decided = self.places.iter().zip(&self.kill_vector).peekable();
        mutants.enumerate().filter_map(move |(place, mutant)| {
            decided.next_if(|(at, _)| **at == place).map(|(_, killed)| (mutant, *killed))
        })
    }

    /// Places in the sources, told by line and column, at which a mutant was killed, and all that have
    /// a mutant that counts.
    #[must_use]
    pub fn sites<'p>(&self, mutants: impl Iterator<Item = Planned<'p>>) -> (usize, usize) {
        let mut files = BTreeMap::<&str, Vec<(u32, u32, bool)>>::new();
        for (Planned { path, line, column, .. }, killed) in self.counted(mutants) {
            files.entry(path).or_default().push((line, column, killed));
        }
        let (mut killed, mut all) = (0, 0);
        for mut places in files.into_values() {
            places.sort_unstable();
            for place in places.chunk_by(|one, other| (one.0, one.1) == (other.0, other.1)) {
                all += 1;
                killed += usize::from(place.iter().any(|(_, _, killed)| *killed));
            }
        }
        (killed, all)
    }

    /// Kills for this reason.
    #[must_use]
    pub fn kills_by(&self, reason: Reason) -> u64 {
        self.reasons.get(&reason).copied().unwrap_or(0)
    }

    /// SHA-256 of the canonical list of booleans, one a counted mutant (done-records section 10).
    #[must_use]
    pub fn kill_vector_sha256(&self) -> Sha256 {
        // serde_json's bytes for booleans are the RFC 8785 bytes.
        Sha256::of(&serde_json::to_vec(&self.kill_vector).expect("a list of booleans"))
    }

    /// SHA-256 of the canonical list of `{path, operator, line, column, sha256}`, with `set` where the
    /// mutant belongs to one, one a counted mutant (done-records section 10); `None` when there is
    /// none. The inner `sha256` is over the pairs of path and digest of its mutated files.
    ///
    /// # Errors
    /// [`TreeError`] when a source can no longer be read as it was.
    pub fn mutant_set_sha256(
        &self,
        plan: &Plan,
        snapshot: &Snapshot,
    ) -> Result<Option<Sha256>, TreeError> {
        if self.places.is_empty() {
            return Ok(None);
        }
        // Handed on entry by entry: the list is longer than the plan.
        let mut list = Digesting::default();
        let mut before = &b"["[..];
        // The mutants of a class stand together by file: one source at a time is enough.
        let mut source = (u32::MAX, Vec::new());
        let mut digest = |edit: &Edit| {
            let file = &plan.files[edit.file as usize];
            if source.0 != edit.file {
                source = (edit.file, file.source(snapshot)?);
            }
            Ok::<_, TreeError>((&file.name, Sha256::of(&file.with(edit, &source.1))))
        };
        for mutant in self.places.iter().map(|&place| &plan.mutants[place]) {
            let file = plan.file(mutant);
            let files = plan.edits(mutant).map(&mut digest).collect::<Result<Vec<_>, _>>()?;
            let files = serde_json::to_vec(&files).expect("plain values");
            let entry = MutantSetEntry {
                column: mutant.column,
                line: mutant.line,
                operator: mutant.operator.name,
                path: &file.name,
                set: mutant.class.is_set().then(|| mutant.class.name()),
                sha256: Sha256::of(&files),
            };
            list.add(std::mem::replace(&mut before, b","));
            list.add(&serde_json::to_vec(&entry).expect("plain values"));
        }
        list.add(b"]");
        Ok(Some(list.done()))
    }
}

/// An entry of the mutant set; the members stand in the order of RFC 8785, so that serde_json's
/// bytes are the canonical ones (text and small integers only).
#[derive(serde::Serialize)]
struct MutantSetEntry<'a> {
    column: u32,
    line: u32,
    operator: &'a str,
    path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    set: Option<&'static str>,
    sha256: Sha256,
}
