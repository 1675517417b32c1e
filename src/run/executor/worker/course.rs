//! Where a hot worker stands among the tests. What the tests do that run before any that enters a changed
//! function is the same with the change and without: a child of the worker runs them once, unmutated, and
//! serves there in its place (`src/run/python/adequacy_worker/course.py`). The order of the tests stays what it is.
//!
//! Nothing is believed of the run that showed which tests enter what: the process that serves has seen
//! what ran in it, and refuses what did. Of other programs that tests started it saw nothing: where there were any, it
//! serves for no source that anyone opened meanwhile. Before a failure of a child of its is believed, an unmutated one
//! must pass up to that test.

use std::io;
use std::sync::Arc;

use super::opened::{Opened, Openings};
use super::process::{Answer, STARTS, Sent};
use super::{Asked, Certificate, Down, Lab, RunError, Seat, Step, Worker, judge, reset};
use crate::base::Event;
use crate::run::Exit;
use crate::run::reach::{Reach, changed_line};
use crate::run::trial::Edits;
use crate::run::workspace::Stand;

/// Why a process in the middle of the tests is not to serve.
const UNMUTATED: &str = "an unmutated child does not pass there";

const UNFIT: &str = "the tests before leave temporary files that cannot be made again, or too many";

/// The process that serves, among the tests.
#[derive(Default)]
pub(super) struct Course {
    reach: Option<Arc<Reach>>,
    /// Before which tests it may stand, ascending.
    stops: Vec<usize>,
    /// Before which it stands.
    at: usize,
    /// The tests before this one pass in an unmutated child of its.
    vouched: usize,
    /// What the tests before left in private places, where anything of theirs can lie.
    stand: Option<Stand>,
    /// What was opened while other programs ran after these stops.
    opened: Vec<(usize, Opened)>,
}

impl Course {
    pub(super) fn new(reach: Option<Arc<Reach>>) -> Self {
        let stops = reach.as_ref().map(|reach| reach.stops()).unwrap_or_default();
        Self { reach, stops, ..Self::default() }
    }

    pub(super) fn another(&self) -> Self {
        let (reach, stops) = (self.reach.clone(), self.stops.clone());
        Self { reach, stops, ..Self::default() }
    }

    /// The worker itself serves.
    pub(super) fn begin_again(&mut self) {
        (self.at, self.vouched, self.stand) = (0, 0, None);
    }

    /// Puts in place what who serves has left there.
    pub(super) fn put(&mut self, seat: &mut Seat) -> Result<(), RunError> {
        let Some(stand) = &mut self.stand else { return Ok(()) };
        Ok(seat.workspace.put(stand)?)
    }

    /// It stands before the test of this number now.
    fn stand(&mut self, to: usize, stand: Stand, opened: Option<Opened>) {
        self.opened.extend(opened.map(|opened| (self.at, opened)));
        (self.at, self.vouched, self.stand) = (to, to, Some(stand));
    }

    /// The number of the test that children of who serves begin with.
    pub(super) const fn from(&self) -> usize {
        self.at
    }

    /// Whether no test is left for them.
    pub(super) fn is_at_end(&self) -> bool {
        self.reach.as_ref().is_some_and(|reach| self.at > 0 && self.at == reach.tests.len())
    }

    /// The first test that enters what the edits change, where that is known.
    fn first_test(&self, lab: &Lab<'_>, edits: &Edits) -> Option<usize> {
        let [(path, text)] = edits else { return None };
        let before = lab.snapshot.read(path).ok()?;
        Some(self.reach.as_ref()?.first_test(path.as_str()?, changed_line(&before, text)))
    }

    /// The last stop before that test, and before any that starts a program that may have run what the edits change.
    fn stop(&self, edits: &Edits, first: Option<usize>) -> usize {
        let ([(path, _)], Some(first)) = (edits, first) else { return 0 };
        let opened = self.opened.iter().filter(|(_, opened)| opened.may_hold(path));
        let last = opened.map(|(at, _)| *at).fold(first, usize::min);
        self.stops.iter().rev().find(|&&stop| stop <= last).copied().unwrap_or(0)
    }
}

impl Worker {
    /// Has a child made on the tree with these edits where the tests that matter to them begin; where it
    /// cannot be judged there, before the first test.
    pub(super) fn ask_on_course(
        &mut self,
        lab: &Lab<'_>,
        seat: &mut Seat,
        asked: Asked<'_>,
    ) -> Result<Result<(Answer, String), Down>, RunError> {
        // The unmutated tree speaks for who served last.
        if !asked.edits.is_empty() {
            let first = self.course.first_test(lab, asked.edits);
            self.go_to(lab, seat, asked.command, self.course.stop(asked.edits, first))?;
            // On the way there it may have shown that this is too far.
            let stop = self.course.stop(asked.edits, first);
            if stop < self.course.at {
                self.go_to(lab, seat, asked.command, stop)?;
            }
            if let Err(why) = self.ready(lab, seat, asked.command)? {
                return Ok(Err(Down::to_next(why)));
            }
        }
        let answered = self.ask(lab, seat, asked, None)?;
        if self.course.at > 0
            && let Ok((answer, _)) = &answered
            && self.is_doubtful(lab, seat, asked, answer)?
        {
            self.go_to(lab, seat, asked.command, 0)?;
            if let Err(why) = self.ready(lab, seat, asked.command)? {
                return Ok(Err(Down::to_next(why)));
            }
            return self.ask(lab, seat, asked, None);
        }
        Ok(answered)
    }

    /// Whether what a child of a process in the middle of the tests did is for the worker itself to judge.
    fn is_doubtful(
        &mut self,
        lab: &Lab<'_>,
        seat: &mut Seat,
        asked: Asked<'_>,
        answer: &Answer,
    ) -> Result<bool, RunError> {
        let passed = |answer: &Answer| judge(answer).is_ok_and(|exit| exit == Exit::Code(0));
        if asked.edits.is_empty() {
            let is_doubtful = !passed(answer);
            if is_doubtful {
                self.keep_before(lab, asked.command, self.course.at, UNMUTATED);
            }
            return Ok(is_doubtful);
        }
        if answer.late == Some(true) {
            return Ok(true);
        }
        let failed = answer.failed_at.and_then(|number| usize::try_from(number).ok());
        let Some(failed) = failed.filter(|&failed| failed >= self.course.vouched) else {
            return Ok(false);
        };
        let name = format!("w{}-until", seat.worker);
        let at = self.course.at;
        // First further than that, so that not every later failure asks for one more.
        for until in [failed + failed.saturating_sub(at), failed] {
            let control = Asked { name: (&name, until), edits: &[], ..asked };
            let Ok((control, _)) = self.ask(lab, seat, control, Some(until))? else { continue };
            if passed(&control) {
                self.course.vouched = until + 1;
                return Ok(false);
            }
        }
        self.keep_before(lab, asked.command, at, UNMUTATED);
        Ok(true)
    }

    /// Has who serves stand before test number `to`, or where that cannot be, before the first.
    fn go_to(
        &mut self,
        lab: &Lab<'_>,
        seat: &mut Seat,
        command: usize,
        to: usize,
    ) -> Result<(), RunError> {
        if to < self.course.at {
            self.call_back(lab, seat)?;
        }
        let Some(process) = self.process.as_mut().filter(|_| to > self.course.at) else {
            return Ok(());
        };
        let log =
            lab.log_name(&format!("w{}-to-{to}", seat.worker), Step::Command(command), ".hot");
        let log = (lab.settings.logs.join(log), lab.settings.output_limit);
        self.course.put(seat)?;
        let openings = Openings::listen(seat.workspace.path());
        let sent = process.send_on(to, self.limit.min(lab.limit(command)), (&log.0, log.1));
        let why = match sent {
            Ok(Sent::Serves { cpu_s, starts }) => {
                self.spent_s += cpu_s;
                let opened = starts.then(|| openings.and_then(Openings::end)).transpose();
                match self.arrive(lab, seat, to, opened)? {
                    Ok(()) => return Ok(()),
                    Err(why) => why,
                }
            }
            Ok(Sent::Objects(hazard)) => hazard,
            Ok(Sent::Ended(answer)) => {
                self.settle(lab, seat, Some(&answer))?;
                self.keep_before(lab, command, to, "the tests before do not pass there");
                return Ok(());
            }
            Err(why) => {
                self.end(lab, seat)?;
                self.keep_before(lab, command, to, &why);
                return Ok(());
            }
        };
        self.keep_before(lab, command, to, &why);
        self.call_back(lab, seat)
    }

    /// Sees whether one that serves before test number `to` now may stay there, and why not.
    fn arrive(
        &mut self,
        lab: &Lab<'_>,
        seat: &mut Seat,
        to: usize,
        opened: io::Result<Option<Opened>>,
    ) -> Result<Result<(), String>, RunError> {
        let opened = match opened {
            Ok(opened) => opened,
            Err(error) => {
                return Ok(Err(format!("{STARTS}, and what that opens is not known: {error}")));
            }
        };
        // It waits for us, and the kernel said that nothing else of it lives.
        let stand = match seat.workspace.stand(&Certificate::new()) {
            Ok(Some(stand)) => stand,
            Ok(None) => return Ok(Err(UNFIT.to_owned())),
            Err(error) => return Ok(Err(error.to_string())),
        };
        if let Some(place) = seat.workspace.differing(Some(&stand)) {
            return Ok(Err(format!("the tests before leave `{}`", place.display())));
        }
        self.course.stand(to, stand, opened);
        reset(lab, seat)?;
        Ok(Ok(()))
    }

    /// Has the worker itself serve again.
    fn call_back(&mut self, lab: &Lab<'_>, seat: &mut Seat) -> Result<(), RunError> {
        let Some(process) = &mut self.process else { return Ok(()) };
        let answer = process.call_back();
        self.settle(lab, seat, answer.as_ref().ok())
    }

    /// From now on it stands before no test from number `to` on.
    fn keep_before(&mut self, lab: &Lab<'_>, command: usize, to: usize, why: &str) {
        self.course.stops.retain(|&stop| stop < to);
        let test = self.course.reach.as_ref().and_then(|reach| reach.tests.get(to));
        let test = test.map_or("", |(test, _)| test.as_str());
        let id = &lab.task.commands[command].id;
        let what = format!("`{id}`: a hot worker begins no mutant at `{test}` or later: {why}");
        lab.sink.tell(Event::Note(what));
    }
}
