//! Which mutants are asked for a second answer.

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{LedgerError, Line, OutputDir, RunFile};
use crate::base::lowest;
use crate::outcome::{Doubt, Outcome, Reason};
use crate::plan::Plan;
use crate::run::{Run, Step, answers};

/// Of which mutants a second answer is asked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Confirm {
    /// Of the decisive classes; of kills in which the tests were not what failed; of a sample.
    #[default]
    Auto,
    /// Of all.
    All,
    /// Of none.
    Off,
}

/// One in so many of the mutants that are not asked anyway.
const SAMPLED: usize = 20;

/// The mutants that are asked whatever their first answer is.
pub(super) struct Chosen {
    mode: Confirm,
    /// By place in the plan.
    always: Vec<bool>,
}

impl Chosen {
    /// Chooses among the mutants that count: the same whichever shard, part or worker runs them.
    pub(super) fn of(mode: Confirm, plan: &Plan, seed: u64) -> Self {
        let is_decisive = |place: usize| plan.mutants[place].class.is_decisive();
        let rest = plan.counted().filter(|&place| !is_decisive(place));
        let size = rest.clone().count() / SAMPLED;
        let drawn = lowest(rest, size, |place| {
            <[u8; 32]>::from(Sha256::digest(format!("confirm:{seed}:{}", plan.mutants[place].id)))
        });
        let mut always = (0..plan.mutants.len()).map(is_decisive).collect::<Vec<_>>();
        drawn.into_iter().for_each(|place| always[place] = true);
        Self { mode, always }
    }

    /// The steps of the mutant at `place` that must give the same once more, after its first answer
    /// came to `outcome`: of a kill the command that killed, of a survivor every command but the `flaky`
    /// ones, whose second answer nobody would ask about. A step that was run twice has answered twice.
    pub(super) fn steps(
        &self,
        (place, outcome): (usize, Outcome),
        runs: &[Run],
        commands: usize,
        flaky: &BTreeSet<usize>,
    ) -> Vec<Step> {
        let strange = match outcome {
            Outcome::Killed { reason, .. } => {
                !matches!(reason, Reason::Exit | Reason::Collection | Reason::NoTests)
            }
            Outcome::Survived
            | Outcome::Undecided { .. }
            | Outcome::Unviable
            | Outcome::NotBuilt => false,
        };
        let is_asked = match self.mode {
            Confirm::Off => false,
            Confirm::All => true,
            Confirm::Auto => strange || self.always[place],
        };
        let steps = match outcome {
            Outcome::Killed { command, .. } => vec![Step::Command(command)],
            Outcome::Survived => (0..commands)
                .filter(|command| !flaky.contains(command))
                .map(Step::Command)
                .collect(),
            Outcome::Unviable => {
                let builds = |run: &&Run| matches!(run.step, Step::Build | Step::Product(_));
                runs.iter().rfind(builds).map(|run| run.step).into_iter().collect()
            }
            Outcome::Undecided { .. } | Outcome::NotBuilt => Vec::new(),
        };
        let times = |step: Step| runs.iter().filter(|run| run.step == step).count();
        let is_twice =
            matches!(steps[..], [step] if times(step) > 1 && outcome != Outcome::Survived);
        if is_asked && !is_twice { steps } else { Vec::new() }
    }
}

/// How the second answers turned out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confirmed {
    /// Mutants that were asked for one.
    pub asked: u64,
    /// Those whose second answer was another.
    pub flips: u64,
}

/// Counts the second answers of a run, of whose two lines on one mutant the later stands.
///
/// # Errors
/// [`LedgerError`] when its verdicts cannot be read.
pub(super) fn of_run(output: &OutputDir, run: &RunFile) -> Result<Confirmed, LedgerError> {
    let mut answered = BTreeMap::new();
    output.each_outcome(run, |line| {
        let answer = Answer::of(&line);
        if answer.was_asked || answer.is_flip {
            answered.insert(line.id, answer);
        } else {
            answered.remove(&line.id);
        }
    })?;
    let number = |is: fn(&Answer) -> bool| answered.values().filter(|it| is(it)).count() as u64;
    Ok(Confirmed { asked: number(|it| it.was_asked), flips: number(|it| it.is_flip) })
}

/// What a verdict tells of second answers.
struct Answer {
    was_asked: bool,
    is_flip: bool,
}

impl Answer {
    fn of(line: &Line) -> Self {
        Self {
            was_asked: !answers(&line.runs).1.is_empty(),
            is_flip: matches!(line.outcome, Outcome::Undecided { why: Doubt::Flaky, .. }),
        }
    }
}

impl FromStr for Confirm {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "auto" => Ok(Self::Auto),
            "all" => Ok(Self::All),
            "off" => Ok(Self::Off),
            _ => Err("must be auto, all or off"),
        }
    }
}
