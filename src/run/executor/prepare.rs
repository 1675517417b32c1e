//! Which commands get which executors, asked once, after the baseline.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::sharpened::Sharpened;
use super::worker::Worker;
use super::{Door, Executor as _, Lab, RunError, Tier, one_build, probe};
use crate::base::Event;
use crate::plan::Plan;
use crate::run::python;
use crate::run::reach::Reach;
use crate::run::{Baseline, Run, Runner};
use crate::task::CargoBuild;

/// Mutants to run below which no faster executor is asked: finding out whether one may be used, and
/// checking what it said, would cost more than it saves.
const FEWEST: usize = 50;

/// Why a command of cargo is not run on one build of all mutants.
const UNUSUAL: &str = "its words change how cargo builds or what it says of that";

/// An executor that was asked for a command, and what it answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offered {
    /// Id of the command.
    pub command: String,
    /// Which executor.
    pub executor: Tier,
    /// Why it steps aside; `None` where it was used.
    pub steps_aside: Option<String>,
}

impl Lab<'_> {
    /// Gives each command that has one its faster executor, for the mutants at the places `todo` of
    /// `plan`, but for the commands at the places `caught`, whose executors gave a wrong verdict before.
    /// No other worker is active.
    ///
    /// # Errors
    /// [`RunError`] when the run itself cannot go on.
    pub fn offer(
        &self,
        plan: &Plan,
        baseline: &Baseline,
        todo: &[usize],
        caught: &BTreeSet<usize>,
    ) -> Result<Vec<Offered>, RunError> {
        let mut offered = Vec::new();
        let mut cargo = Vec::new();
        for (place, command) in self.task.commands.iter().enumerate() {
            let why_not = |fewest| self.why_not(baseline, place, todo.len() < fewest, caught);
            let runner = Runner::of(command.argv.words());
            let answered = if let Some(door) = Door::of(runner, python::folder(self.scratch.path()))
            {
                if !todo.is_empty() && self.passes(baseline, place) {
                    self.note_reach(plan, place)?;
                }
                let run = baseline.of(place).next();
                let executed = run.and_then(|run| self.executed(place, &run.log));
                self.offer_python(place, &door, why_not(FEWEST), executed)?
            } else if let Some(build) = CargoBuild::of(&command.argv) {
                let why = why_not(one_build::FEWEST);
                let why = why.or_else(|| build.messages.is_none().then_some(UNUSUAL));
                if why.is_none() {
                    cargo.push(place);
                }
                vec![(Tier::OneBuild, why.map(str::to_owned))]
            } else {
                continue;
            };
            offered.extend(answered.into_iter().map(|(executor, steps_aside)| Offered {
                command: command.id.clone(),
                executor,
                steps_aside,
            }));
        }
        if !cargo.is_empty()
            && let Err(why) = one_build::offer(self, plan, todo, &cargo)?
        {
            self.sink.tell(Event::Note(format!("each mutant is built alone: {why}")));
            for place in cargo {
                let id = &self.task.commands[place].id;
                let of = |one: &&mut Offered| one.command == *id && one.executor == Tier::OneBuild;
                offered.iter_mut().filter(of).for_each(|one| one.steps_aside = Some(why.clone()));
            }
        }
        Ok(offered)
    }

    /// Who may judge what a command of pytest or unittest does, and why another steps aside; `executed` is
    /// how many tests it runs, where that is known.
    fn offer_python(
        &self,
        place: usize,
        door: &Door,
        why_not: Option<&str>,
        executed: Option<u64>,
    ) -> Result<Vec<(Tier, Option<String>)>, RunError> {
        let steps_aside = match why_not {
            Some(why) => Some(why.to_owned()),
            None => self.sharpen(place, door, executed)?.err(),
        };
        let is_sharp = steps_aside.is_none();
        let mut answered = vec![(Tier::Sharpened, steps_aside)];
        if is_sharp {
            for tier in [Tier::Hot, Tier::Warm] {
                let reach = self.reach().remove(&place).filter(|_| tier == Tier::Hot);
                let first = Worker::new(tier, door.clone(), executed, reach);
                answered.push((tier, self.employ(place, first)?.err()));
            }
        }
        Ok(answered)
    }

    /// Whether the command passed whenever it ran on the unmutated tree.
    fn passes(&self, baseline: &Baseline, place: usize) -> bool {
        !self.flaky().contains(&place) && baseline.of(place).all(Run::passed)
    }

    /// Why no faster executor is asked at all.
    fn why_not(
        &self,
        baseline: &Baseline,
        place: usize,
        is_few: bool,
        caught: &BTreeSet<usize>,
    ) -> Option<&'static str> {
        if caught.contains(&place) {
            Some("it gave a verdict that the exact path does not give")
        } else if is_few {
            Some("too few mutants to gain by it")
        } else if !self.passes(baseline, place) {
            Some("the command does not pass each time on the unmutated tree")
        } else {
            None
        }
    }

    /// Puts a sharpened executor into every seat, or says why it steps aside.
    fn sharpen(
        &self,
        place: usize,
        door: &Door,
        executed: Option<u64>,
    ) -> Result<Result<(), String>, RunError> {
        let id = &self.task.commands[place].id;
        let name = format!("asking whether `{id}` may stop at its first failing test");
        self.sink.tell(Event::Step { name: name.into(), total: None });
        let asked = match python::install(self.scratch.path()) {
            Ok(()) => probe::ask(self, place, door, executed)?,
            Err(why) => Err(why),
        };
        if let Err(why) = asked {
            let what = format!("`{id}` runs to its end on every mutant: {why}");
            self.sink.tell(Event::Note(what));
            return Ok(Err(why));
        }
        for worker in 0..self.seats.len() {
            self.seat(worker).ladders[place].push(Box::new(Sharpened(door.clone())));
        }
        Ok(Ok(()))
    }

    /// Gives every seat a worker, the first of them ready, or says why there can be none.
    fn employ(&self, place: usize, mut first: Worker) -> Result<Result<(), String>, RunError> {
        let (id, kind) = (&self.task.commands[place].id, first.tier().word());
        let name = format!("asking whether `{id}` can be served by a {kind} worker");
        self.sink.tell(Event::Step { name: name.into(), total: None });
        let ready = match Worker::objection(self, place) {
            Some(why) => Err(why.to_owned()),
            None => first.ready(self, &mut self.seat(0), place)?,
        };
        if let Err(why) = ready {
            self.sink.tell(Event::Note(format!("`{id}` has no {kind} worker: {why}")));
            return Ok(Err(why));
        }
        for worker in 1..self.seats.len() {
            let another = Box::new(first.another());
            self.seat(worker).ladders[place].push(another);
        }
        self.seat(0).ladders[place].push(Box::new(first));
        for worker in 0..self.seats.len() {
            self.seat(worker).ladders[place].sort_by_key(|rung| rung.tier());
        }
        Ok(Ok(()))
    }

    /// Notes which functions the tests of a command enter, for hot workers and for the reports.
    fn note_reach(&self, plan: &Plan, place: usize) -> Result<(), RunError> {
        let id = &self.task.commands[place].id;
        let name = format!("noting which functions the tests of `{id}` enter");
        self.sink.tell(Event::Step { name: name.into(), total: None });
        let is_mutated = |path: &str| plan.files.iter().any(|file| file.name == path);
        match self.note_tests(place, None, is_mutated)? {
            Ok(reach) => {
                let mut known = self.reach.lock().expect("no worker panics with it");
                known.insert(place, Arc::new(reach));
            }
            Err(why) => {
                let what =
                    format!("it is not known which functions the tests of `{id}` enter: {why}");
                self.sink.tell(Event::Note(what));
            }
        }
        Ok(())
    }

    /// What the tests of the commands enter, by place, where that was seen.
    #[must_use]
    pub fn reach(&self) -> BTreeMap<usize, Arc<Reach>> {
        self.reach.lock().expect("no worker panics with it").clone()
    }

    /// Puts mutants in the order in which workers get to them: by the first test that enters what they
    /// change, of the first command of which that is known.
    pub fn put_in_order(&self, plan: &Plan, todo: &mut [usize]) {
        let Some((_, reach)) = self.reach().into_iter().next() else { return };
        todo.sort_by_cached_key(|&place| {
            let mutant = &plan.mutants[place];
            reach.first_test(&plan.files[mutant.edit.file as usize].name, mutant.line)
        });
    }
}
