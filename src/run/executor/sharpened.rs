//! The real command in a fresh process on a real mutated file, told by its environment alone to stop
//! at the first failing test and to be brief about it. A survivor ran everything.

use std::fs;
use std::path::Path;

use super::{Asked, Declined, Door, Executor, Lab, Passed, RunError, Seat, Tier};
use crate::run::{Attempt, Exit, Run, Step};

/// What pytest prints above what went wrong while it collected tests.
const COLLECTING: &[u8] = b"ERROR collecting ";

/// A log as long as this may have lost its middle.
const LONGEST_LOG: usize = 200 << 10;

/// Where the probe found that nothing but a test stands between a failure and the runner's status.
pub(super) struct Sharpened(pub(super) Door);

impl Executor for Sharpened {
    fn tier(&self) -> Tier {
        Tier::Sharpened
    }

    fn run(
        &mut self,
        lab: &Lab<'_>,
        seat: &mut Seat,
        asked: Asked<'_>,
    ) -> Result<Result<Run, Passed>, RunError> {
        let Asked { name: (name, number), edits, command, must_build } = asked;
        let (step, first) = (Step::Command(command), Attempt::First);
        let name = format!("{name}.{number}");
        let declined = |run: &Run, why: String| {
            let executor = Tier::Sharpened;
            let declined = Declined { executor, why, wall: run.wall, cpu: run.cpu };
            Ok(Err(Passed { declined, to: Tier::Exact }))
        };
        let built = match lab.place(seat, &name, edits, step, (first, must_build))? {
            Ok(cpu) => cpu,
            Err(run) => return declined(&run, run.exit.to_string()),
        };
        let log = lab.log_name(&name, step, ".sharpened");
        let sharp = self.0.sharp(&seat.environment);
        let usual = std::mem::replace(&mut seat.environment, sharp);
        let run = lab.spawn(seat, lab.argv(command), lab.limit(command), step, first, log);
        seat.environment = usual;
        let mut run = run?;
        run.cpu += built;
        run.executor = Tier::Sharpened;
        let known_good = edits.is_empty() && run.passed();
        lab.clean(seat, known_good)?;
        run.outside_budget = lab.outside_budget(seat, edits);
        match doubt(&self.0, &run.exit, &lab.settings.logs.join(&run.log)) {
            None => Ok(Ok(run)),
            Some(why) => declined(&run, why),
        }
    }
}

/// Why an exit is for the exact path to judge. What stands: a pass, for which every test ran; a failing
/// test; and a time-out, which is made again alone, on the exact path, before it means anything.
fn doubt(door: &Door, exit: &Exit, log: &Path) -> Option<String> {
    match (exit, door) {
        (Exit::Code(0) | Exit::TimedOut, _) => None,
        // A test that could not be loaded is a failing one to it, with the same status.
        (Exit::Code(1), Door::Unittest(_)) => None,
        // Stopping early changes pytest's status for errors while it collects.
        (Exit::Code(1), Door::Pytest(_)) => match fs::read(log) {
            Ok(text) if holds(&text, COLLECTING) => Some("an error while collecting".to_owned()),
            Ok(text) if text.len() < LONGEST_LOG => None,
            Ok(_) | Err(_) => Some("its output is not at hand in full".to_owned()),
        },
        (other, _) => Some(other.to_string()),
    }
}

fn holds(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_passes_failing_tests_and_time_outs_stand() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let [pytest, unittest] = [Door::Pytest, Door::Unittest].map(|door| door("/p".into()));
        let log = |text: &[u8]| {
            let path = folder.path().join("log");
            fs::write(&path, text).expect("a log");
            path
        };
        let (brief, long) = (b"FAILED t.py::t".to_vec(), vec![b'.'; LONGEST_LOG]);
        let collecting = b"___ ERROR collecting t.py ___".to_vec();
        for (exit, text, expected) in [
            (Exit::Code(0), &brief, None),
            (Exit::Code(1), &brief, None),
            (Exit::TimedOut, &brief, None),
            (Exit::Code(0), &long, None),
            (Exit::Code(1), &collecting, Some("an error while collecting")),
            (Exit::Code(1), &long, Some("its output is not at hand in full")),
            (Exit::Code(2), &brief, Some("exit 2")),
            (Exit::Code(5), &brief, Some("exit 5")),
            (Exit::Code(124), &brief, Some("exit 124")),
            (Exit::Signal(11), &brief, Some("ended by signal 11")),
            (Exit::OutputLimit, &brief, Some("more output than the limit")),
        ] {
            assert_eq!(doubt(&pytest, &exit, &log(text)).as_deref(), expected, "{exit:?}");
            // What it prints is not read, and it gives its statuses for the same reasons.
            let expected = expected.filter(|_| exit != Exit::Code(1));
            assert_eq!(doubt(&unittest, &exit, &log(text)).as_deref(), expected, "{exit:?}");
        }
        let gone = folder.path().join("gone");
        assert_eq!(
            doubt(&pytest, &Exit::Code(1), &gone).as_deref(),
            Some("its output is not at hand in full")
        );
    }
}
