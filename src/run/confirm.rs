//! A mutant's second answer: steps of it once more, each from a clean start.

use super::lab::Lab;
use super::pool::Tried;
use super::seat::Seat;
use super::trial::{Again, Edits, How, again, decides};
use super::{Attempt, Run, RunError, answers};

impl Lab<'_> {
    /// Runs the steps `tried.again` once more, in order, up to the first that fails, or to an exit that
    /// must be repeated with no other worker active. Tried before, it goes on at that exit.
    pub(super) fn confirm(
        &self,
        seat: &mut Seat,
        name: &str,
        edits: &Edits,
        tried: Tried,
        how: How,
    ) -> Result<Tried, RunError> {
        let Tried { place, mut runs, again: steps } = tried;
        let begun = answers(&runs).1.last().map(|run| run.step);
        let left = steps.iter().skip_while(|step| begun.is_some_and(|begun| begun != **step));
        for &step in left {
            let mut once = |attempt: Attempt, runs: &mut Vec<Run>| {
                let number = runs.len();
                // Why a command failed is told by its first answer.
                let (run, _) =
                    self.step(seat, (name, number), edits, step, (attempt, how.must_build))?;
                let next = again(&run.exit);
                runs.push(run);
                Ok::<_, RunError>(next)
            };
            let next = match begun {
                Some(begun) if begun == step => Again::Alone,
                _ => once(Attempt::Confirm, &mut runs)?,
            };
            match (next, how.attempt) {
                (Again::No, _) => {}
                (Again::Repeat, _) => drop(once(Attempt::Repeat, &mut runs)?),
                (Again::Alone, Attempt::Alone) => drop(once(Attempt::Alone, &mut runs)?),
                (Again::Alone, _) => break,
            }
            if decides(answers(&runs).1, step) {
                break;
            }
        }
        Ok(Tried { place, runs, again: steps })
    }
}
