//! A mutant of a run with what was decided.

use std::sync::Arc;
use std::time::Duration;

use super::row::{Row, Shared};
use crate::base::Sha256;
use crate::measure::{Line, RunFile};
use crate::outcome::{self, Outcome, Reason, Verdict};
use crate::run::{Step, Tier};

/// A mutant, what was decided, and what each command said.
#[derive(Debug)]
pub struct Entry {
    /// The mutant.
    pub row: Row,
    /// What its runs mean; `None` when nothing was decided, or it is not run at all.
    pub outcome: Option<Outcome>,
    /// What each command said, in sealed order; `None` where it was not run.
    pub verdicts: Box<[Option<Verdict>]>,
    /// Wall time of all its runs.
    pub wall: Duration,
    /// CPU time of all its runs.
    pub cpu: Duration,
    /// What a survivor rests on.
    pub basis: Option<Arc<str>>,
    /// What gave the verdict.
    pub executor: Option<Tier>,
    /// The receipt of the earlier run that decided it, where it is not this one.
    pub reused: Option<Sha256>,
    /// The tests that failed, with the place of their command, where an executor saw which.
    pub failed: Box<[(usize, Arc<str>)]>,
}

/// What a report says of a mutant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing<'a> {
    /// It counts, and this was decided.
    Decided(Outcome),
    /// It does not compile, with the interpreter's words.
    Unviable(&'a str),
    /// It is not counted: its code is that of the original or of another mutant, or it was not sampled.
    Left(&'a str),
    /// It is to be run and was not yet.
    Pending,
}

impl Entry {
    pub(super) fn of(row: Row) -> Self {
        let (outcome, verdicts) = (None, Box::default());
        let (wall, cpu) = (Duration::ZERO, Duration::ZERO);
        let (basis, executor, reused, failed) = (None, None, None, Box::default());
        Self { row, outcome, verdicts, wall, cpu, basis, executor, reused, failed }
    }

    /// Takes over a decision; the later of two stands.
    pub(super) fn decide(
        &mut self,
        line: Line,
        run: &RunFile,
        shared: &mut Shared,
    ) -> Result<(), String> {
        if let Outcome::Killed { command, .. } | Outcome::Undecided { command, .. } = line.outcome
            && command >= run.commands.len()
        {
            return Err(format!("mutant `{}` names command {command}, which is none", line.id));
        }
        if self.row.not_counted.is_some() {
            return Err(format!("mutant `{}` is decided though it is not to be run", line.id));
        }
        let commands = run.commands.iter().enumerate();
        let said = |(place, command): (usize, &crate::measure::CommandRecord)| {
            outcome::verdict_of(&line.runs, Step::Command(place), command.runner)
        };
        self.verdicts = commands.map(said).collect();
        self.reused = line.reused;
        // Times of another run are no times of this one.
        let own = || line.runs.iter().filter(|_| line.reused.is_none());
        self.wall = own().map(|run| run.wall).sum();
        self.cpu = own().map(|run| run.cpu).sum();
        (self.outcome, self.basis) = (Some(line.outcome), Some(shared.one(&line.basis)));
        self.executor = Some(line.executor);
        let failed = line.runs.into_iter().filter_map(|run| match run.step {
            Step::Command(place) => Some((place, shared.one(&run.tests?.failed?))),
            _ => None,
        });
        self.failed = failed.collect();
        Ok(())
    }

    /// What a report says of it.
    #[must_use]
    pub fn standing(&self) -> Standing<'_> {
        match (&self.outcome, self.row.not_counted.as_deref()) {
            (Some(outcome), _) => Standing::Decided(*outcome),
            (None, Some(why)) => match why.strip_prefix("unviable: ") {
                Some(words) => Standing::Unviable(words),
                None => Standing::Left(why),
            },
            (None, None) => Standing::Pending,
        }
    }

    /// Whether every command accepted it.
    #[must_use]
    pub fn is_survivor(&self) -> bool {
        self.outcome == Some(Outcome::Survived)
    }

    /// How the command that killed it failed.
    #[must_use]
    pub fn reason(&self) -> Option<Reason> {
        match self.outcome {
            Some(Outcome::Killed { reason, .. }) => Some(reason),
            _ => None,
        }
    }

    /// The places of the commands that refused it, as far as they were run. A command that gives two
    /// answers on the unmutated tree (its place is in `flaky`) refuses nothing.
    pub fn killers<'a>(&'a self, flaky: &'a [bool]) -> impl Iterator<Item = usize> + 'a {
        let failed = |verdict: &Option<Verdict>| matches!(verdict, Some(Verdict::Failed(_)));
        let places = self.verdicts.iter().enumerate();
        let killed = matches!(self.outcome, Some(Outcome::Killed { .. }));
        places
            .filter(move |(place, verdict)| killed && failed(verdict) && !flaky[*place])
            .map(|(place, _)| place)
    }
}

impl Standing<'_> {
    /// One word, the same in every format.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Decided(Outcome::Killed { .. }) => "killed",
            Self::Decided(Outcome::Survived) => "survived",
            Self::Decided(Outcome::Undecided { .. }) => "undecided",
            Self::Decided(Outcome::Unviable) | Self::Unviable(_) => "unviable",
            Self::Decided(Outcome::NotBuilt) => "not_built",
            Self::Left(_) => "not_counted",
            Self::Pending => "pending",
        }
    }

    /// Why, in words for people; empty where the word says it all.
    #[must_use]
    pub fn why(self, run: &RunFile) -> String {
        let id = |place: usize| &run.commands[place].id;
        match self {
            Self::Decided(Outcome::Killed { reason, command }) => {
                format!("killed by `{}` ({})", id(command), reason.word())
            }
            Self::Decided(Outcome::Survived) => "every command accepts it".to_owned(),
            Self::Decided(Outcome::Undecided { why, command }) => {
                format!("`{}` {}", id(command), why.words())
            }
            Self::Decided(Outcome::Unviable) => "the build fails".to_owned(),
            Self::Decided(Outcome::NotBuilt) => "no command builds this code".to_owned(),
            Self::Unviable(words) => format!("does not compile: {words}"),
            Self::Left(why) => why.to_owned(),
            Self::Pending => "not run yet".to_owned(),
        }
    }
}
