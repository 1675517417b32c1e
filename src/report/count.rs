//! The numbers of a run, counted from its verdicts.

use std::collections::BTreeMap;

use super::entry::{Entry, Standing};
use crate::base::Sha256;
use crate::measure::{ClassTotals, RunFile, Totals};
use crate::outcome::{Outcome, Reason};
use crate::plan::{Class, UNCHANGED};

/// Mutants that count, by a name of theirs.
pub(super) type Tallies = BTreeMap<String, ClassTotals>;

/// What one command did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommandCount {
    /// Its id.
    pub id: String,
    /// Killed mutants that it refused first.
    pub first: u64,
    /// Killed mutants that it refused, as far as it was run.
    pub refused: u64,
    /// Killed mutants that it refused though every other command, all of them run, accepted them.
    pub alone: u64,
    /// Mutants it was run on.
    pub ran: u64,
    /// For each command of the list, the killed mutants that both refused.
    pub with: Vec<u64>,
}

/// The numbers of a run.
#[derive(Debug)]
pub struct Count {
    totals: Totals,
    /// Mutants that are to be run and were not yet.
    pub pending: u64,
    /// By class, in sealed order.
    pub by_class: BTreeMap<Class, ClassTotals>,
    /// By operator.
    pub by_operator: BTreeMap<String, ClassTotals>,
    /// By file.
    pub by_file: BTreeMap<String, ClassTotals>,
    /// By function: path and name.
    pub by_function: BTreeMap<(String, String), ClassTotals>,
    /// By command, in sealed order.
    pub commands: Vec<CommandCount>,
}

impl Count {
    /// Counts the verdicts of `entries`.
    pub(super) fn of(entries: &[Entry], run: &RunFile) -> Self {
        let mut kill_vector = Vec::new();
        let mut count = Self {
            totals: none(),
            pending: 0,
            by_class: BTreeMap::new(),
            by_operator: Tallies::new(),
            by_file: Tallies::new(),
            by_function: BTreeMap::new(),
            commands: commands(entries, run),
        };
        for entry in entries {
            let totals = &mut count.totals;
            match entry.standing() {
                Standing::Pending => count.pending += 1,
                Standing::Unviable(_) | Standing::Decided(Outcome::Unviable) => {
                    totals.unviable += 1;
                }
                Standing::Decided(Outcome::NotBuilt) => totals.not_built += 1,
                Standing::Left(why) if why.starts_with("equivalent") => totals.equivalent += 1,
                Standing::Left(why) if why.starts_with("duplicate") => totals.duplicate += 1,
                // Nobody asked for them: they are in no number.
                Standing::Left(why) if why == UNCHANGED => {}
                Standing::Left(_) => totals.not_sampled += 1,
                Standing::Decided(outcome) => {
                    kill_vector.push(matches!(outcome, Outcome::Killed { .. }));
                    count.add(entry, outcome, run);
                }
            }
        }
        // serde_json's bytes for booleans are the RFC 8785 bytes.
        let bytes = serde_json::to_vec(&kill_vector).expect("a list of booleans");
        count.totals.kill_vector_sha256 = Sha256::of(&bytes);
        count.totals.by_class.clone_from(&count.by_class);
        count
    }

    fn add(&mut self, entry: &Entry, outcome: Outcome, run: &RunFile) {
        let totals = &mut self.totals;
        totals.mutants += 1;
        match outcome {
            Outcome::Killed { reason, command } => {
                totals.killed += 1;
                *totals.killed_by_reason.entry(reason.word().to_owned()).or_default() += 1;
                let id = run.commands[command].id.clone();
                *totals.first_killers.entry(id).or_default() += 1;
            }
            Outcome::Survived => totals.survived += 1,
            Outcome::Undecided { .. } => totals.undecided += 1,
            Outcome::Unviable | Outcome::NotBuilt => {}
        }
        let row = &entry.row;
        let function = (row.path.to_string(), row.place_name().to_owned());
        for tally in [
            self.by_class.entry(row.class).or_insert_with(no_tally),
            self.by_operator.entry(row.operator.to_string()).or_insert_with(no_tally),
            self.by_file.entry(row.path.to_string()).or_insert_with(no_tally),
            self.by_function.entry(function).or_insert_with(no_tally),
        ] {
            tally.mutants += 1;
            tally.killed += u64::from(matches!(outcome, Outcome::Killed { .. }));
            tally.undecided += u64::from(matches!(outcome, Outcome::Undecided { .. }));
        }
    }

    /// The members of `totals` in `run.json`; of an unfinished run, those of its decided mutants.
    #[must_use]
    pub fn totals(&self) -> Totals {
        self.totals.clone()
    }

    /// Kills by an ordinary failing exit.
    #[must_use]
    pub fn by_exit(&self) -> u64 {
        self.totals.killed_by_reason.get(Reason::Exit.word()).copied().unwrap_or(0)
    }
}

fn commands(entries: &[Entry], run: &RunFile) -> Vec<CommandCount> {
    let all = run.commands.len();
    let new =
        |id: &str| CommandCount { id: id.to_owned(), with: vec![0; all], ..Default::default() };
    let mut counts = run.commands.iter().map(|command| new(&command.id)).collect::<Vec<_>>();
    let flaky = flaky(run);
    for entry in entries {
        for (place, verdict) in entry.verdicts.iter().enumerate() {
            counts[place].ran += u64::from(verdict.is_some());
        }
        let killers = entry.killers(&flaky).collect::<Vec<_>>();
        if let Some(Outcome::Killed { command, .. }) = entry.outcome {
            counts[command].first += 1;
        }
        let whole = entry.verdicts.iter().all(Option::is_some);
        for &place in &killers {
            counts[place].refused += 1;
            counts[place].alone += u64::from(whole && killers.len() == 1);
            for &other in &killers {
                counts[place].with[other] += 1;
            }
        }
    }
    counts
}

/// For each command, whether it gave two answers on the unmutated tree.
#[must_use]
pub(super) fn flaky(run: &RunFile) -> Vec<bool> {
    run.commands.iter().map(|command| run.flaky.contains(&command.id)).collect()
}

fn no_tally() -> ClassTotals {
    ClassTotals { mutants: 0, killed: 0, undecided: 0 }
}

fn none() -> Totals {
    Totals {
        mutants: 0,
        killed: 0,
        killed_by_reason: BTreeMap::new(),
        first_killers: BTreeMap::new(),
        by_class: BTreeMap::new(),
        survived: 0,
        undecided: 0,
        unviable: 0,
        not_built: 0,
        equivalent: 0,
        duplicate: 0,
        not_sampled: 0,
        kill_vector_sha256: Sha256::of(b"[]"),
    }
}

/// A part of a whole in per cent, with one digit.
#[must_use]
pub fn share(part: u64, all: u64) -> String {
    if all == 0 {
        return "none of 0".to_owned();
    }
    #[expect(clippy::cast_precision_loss, reason = "counts far below 2^52")]
    let percent = part as f64 * 100.0 / all as f64;
    // Rounding must not say that all were killed when one was not, nor none when one was.
    let shown = if part < all { percent.min(99.9) } else { percent };
    let shown = if part > 0 { shown.max(0.1) } else { shown };
    format!("{shown:.1} %")
}
