//! What the commands do on trees other than the one that is mutated: the start, and other solutions.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::tamper::{self, TamperRecord};
use super::{FLAKY, MeasureError, Options, TaskTrees, flaky_ids, history, protect, runners, trees};
use crate::base::{Event, RelPath, Sink};
use crate::outcome::{self, Reason, Verdict};
use crate::run::workspace::{Bytecode, Sources};
use crate::run::{Exit, Lab, Run, Settings, Spawner, Step};
use crate::task::{Prepatch, Solution, Task, Variant};
use crate::tree::Snapshot;

/// What the commands do on the start tree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StartRecord {
    /// Each command, in sealed order.
    pub commands: Vec<OnStart>,
    /// Ids of the commands that did not end the same way each time and were let through.
    pub flaky: Vec<String>,
    /// Of those whose tests are named one by one: the tests that gave two answers.
    #[serde(default)]
    pub flaky_ids: BTreeMap<String, Vec<String>>,
    /// The runs of each round.
    pub rounds: Vec<Vec<Run>>,
    /// Ways to tamper with the start tree; none where the commands accept it as it is.
    pub tampered: Vec<TamperRecord>,
}

impl StartRecord {
    /// Whether every command passes on the start tree.
    #[must_use]
    pub fn accepts_all(&self) -> bool {
        self.commands.iter().all(|command| command.passes)
    }
}

/// What one command does on the start tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OnStart {
    /// Its id.
    pub id: String,
    /// What it must do there.
    pub expected: Prepatch,
    /// Whether it passes, every time.
    pub passes: bool,
    /// How it fails, where it does.
    pub reason: Option<Reason>,
}

impl OnStart {
    /// Whether it does what the task says. A runner that cannot run its tests has not failed one.
    #[must_use]
    pub fn is_as_stated(&self) -> bool {
        let no_test = matches!(self.reason, Some(Reason::NoTests | Reason::Harness));
        match self.expected {
            Prepatch::Pass => self.passes,
            Prepatch::Fail => !self.passes && !no_test,
        }
    }
}

/// What the commands make of another solution.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VariantRecord {
    /// As the task names it.
    pub name: String,
    /// Whether the commands must accept it; else one must refuse it.
    pub must_pass: bool,
    /// Whether every command passes.
    pub accepted: bool,
    /// Ids of the commands that refuse it.
    pub refused_by: Vec<String>,
    /// Ids of the commands that gave no answer.
    pub unclear: Vec<String>,
    /// The runs.
    pub runs: Vec<Run>,
}

impl VariantRecord {
    /// Whether the commands do with it what they must.
    #[must_use]
    pub fn is_right(&self) -> bool {
        if self.must_pass { self.accepted } else { !self.refused_by.is_empty() }
    }
}

/// Runs the commands on the start tree, where there is one, and on the other solutions, after those on
/// the right one in `lab`.
///
/// # Errors
/// [`MeasureError::FlakyStart`] when a command ends differently from one time to the other on the
/// start tree and `flaky` is not allowed; else as [`measure`](super::measure()).
pub(super) fn others(
    (task, lab): (&Task, &Lab<'_>),
    trees: &TaskTrees,
    links: &[Link],
    options: &Options,
    spawner: &Spawner,
    sink: &dyn Sink,
) -> Result<(Option<StartRecord>, Vec<VariantRecord>), MeasureError> {
    history::look(task, trees, sink);
    let settings = Options { jobs: 1, ..options.clone() }.settings(options.logs(), BTreeSet::new());
    let given = Given { links, bytecode: &lab.bytecode_of_outside(), limits: lab.limits() };
    let beside = Beside { task, trees, given, options, settings, spawner, sink };
    let on_start = trees.start.as_ref().map(|tree| start(&beside, tree)).transpose()?;
    Ok((on_start, variants(&beside)?))
}

/// What a tree beside the one that is mutated is run with: one worker.
struct Beside<'a> {
    task: &'a Task,
    trees: &'a TaskTrees,
    given: Given<'a>,
    options: &'a Options,
    settings: Settings,
    spawner: &'a Spawner,
    sink: &'a dyn Sink,
}

impl Beside<'_> {
    /// Copies `tree` and looks at what the commands do there.
    fn look<T>(
        &self,
        tree: &Snapshot,
        with: impl FnOnce(&Lab<'_>) -> Result<T, MeasureError>,
    ) -> Result<T, MeasureError> {
        let Given { links, bytecode, limits } = self.given;
        let links = fitting(links, tree);
        let sources = Sources { tree, bytecode: Some(bytecode), ..self.trees.sources(&links) };
        let lab = Lab::open(self.task, sources, &self.settings, self.spawner, self.sink)?;
        // A wrong tree may hang: it gets the time of the right one, not that of a first run.
        with(&lab.with_limits(limits))
    }
}

/// Runs the commands on the start tree as often as on the right solution.
fn start(beside: &Beside<'_>, start: &Snapshot) -> Result<StartRecord, MeasureError> {
    let Beside { task, trees, options, sink, .. } = *beside;
    sink.tell(Event::Step {
        name: "running the start tree".into(),
        total: Some(u64::from(options.baselines)),
    });
    beside.look(start, |lab| {
        let rounds = lab.observe("start", options.baselines)?;
        let (commands, flaky) = on_start(task, &rounds)?;
        let places = (0..task.commands.len()).filter(|&at| flaky.contains(&task.commands[at].id));
        let flaky_ids = flaky_ids::find(lab, &task.commands, places, sink)?;
        if !flaky.is_empty() && !options.allow.contains(FLAKY) {
            return Err(MeasureError::FlakyStart(flaky));
        }
        tell(&commands, sink);
        let tampered = if commands.iter().all(|command| command.passes) {
            Vec::new()
        } else {
            let (protected, changed) = (protect::protected(task, trees), trees.changed_files());
            tamper::answers(lab, task, start, &protected, &changed, sink)?
        };
        Ok(StartRecord { commands, flaky, flaky_ids, rounds, tampered })
    })
}

/// What each command does there, and the ids of those that did not end the same way each time.
fn on_start(task: &Task, rounds: &[Vec<Run>]) -> Result<(Vec<OnStart>, Vec<String>), MeasureError> {
    let known = runners(task);
    let (mut commands, mut flaky) = (Vec::new(), Vec::new());
    for (place, command) in task.commands.iter().enumerate() {
        let step = Step::Command(place);
        let last = |round: &Vec<Run>| {
            round.iter().rfind(|run| run.step == step).map(|run| run.exit.clone())
        };
        let exits = rounds.iter().map(last).collect::<Vec<Option<Exit>>>();
        let verdict = outcome::verdict_of(&rounds[0], step, known[place]);
        if let None | Some(Verdict::Unclear(_)) = verdict {
            return Err(MeasureError::NoAnswerOnStart(command.id.clone()));
        }
        if exits.iter().any(|exit| *exit != exits[0]) {
            flaky.push(command.id.clone());
        }
        let reason = match verdict {
            Some(Verdict::Failed(reason)) => Some(reason),
            _ => None,
        };
        let passes = verdict == Some(Verdict::Passed);
        let (id, expected) = (command.id.clone(), command.prepatch);
        commands.push(OnStart { id, expected, passes, reason });
    }
    Ok((commands, flaky))
}

/// What a person must know of the start tree.
fn tell(commands: &[OnStart], sink: &dyn Sink) {
    let warn = |text: String| sink.tell(Event::Warning(text));
    if commands.iter().all(|command| command.passes) {
        warn(
            "every command passes on the start tree: an agent that does nothing is accepted"
                .to_owned(),
        );
        return;
    }
    for OnStart { id, expected, passes, reason } in commands {
        match (expected, passes, reason) {
            (Prepatch::Fail, true, _) => warn(format!(
                "`{id}` passes on the start tree, so it does not test the change; say `prepatch = \
                 \"pass\"` if that is meant"
            )),
            (Prepatch::Pass, false, _) => {
                warn(format!("`{id}` is to pass on the start tree (`prepatch`), and fails there"));
            }
            (Prepatch::Fail, false, Some(Reason::NoTests | Reason::Harness)) => warn(format!(
                "`{id}` fails on the start tree because it cannot run its tests there, not because one \
                 of them fails"
            )),
            _ => {}
        }
    }
}

/// Runs the commands once on each other solution that the task names.
fn variants(beside: &Beside<'_>) -> Result<Vec<VariantRecord>, MeasureError> {
    let Beside { task, sink, .. } = *beside;
    let known = task.must_pass.iter().map(|variant| (variant, true));
    let all = known.chain(task.known_wrong.iter().map(|variant| (variant, false)));
    let all = all.collect::<Vec<_>>();
    if !all.is_empty() {
        sink.tell(Event::Step {
            name: "running the other solutions".into(),
            total: Some(all.len() as u64),
        });
    }
    let records = all.into_iter().enumerate();
    records.map(|(at, (variant, must_pass))| one(beside, at + 1, variant, must_pass)).collect()
}

fn one(
    beside: &Beside<'_>,
    number: usize,
    variant: &Variant,
    must_pass: bool,
) -> Result<VariantRecord, MeasureError> {
    let Beside { task, trees, options, sink, .. } = *beside;
    let start = trees.start.as_ref().unwrap_or(&trees.base);
    let tree = trees::variant(variant, task, start, &options.wanted(), sink)?;
    let same = |other: &Snapshot| tree.snapshot.first_difference(other).is_none();
    let twin = if must_pass { trees.start.as_ref() } else { Some(&trees.base) };
    if task.solution != Solution::None && twin.is_some_and(same) {
        return Err(MeasureError::SameVariant { name: variant.name.clone(), must_pass });
    }
    let rounds =
        beside.look(&tree.snapshot, |lab| Ok(lab.observe(&format!("variant-{number}"), 1)?))?;
    let runs = rounds.into_iter().next().expect("one round was asked for");
    let record = record(task, variant, must_pass, runs);
    if !record.is_right() {
        let what = match (must_pass, record.refused_by.as_slice()) {
            (true, []) => "must be accepted, and a command gave no answer for it".to_owned(),
            (true, ids) => format!("must be accepted, and is refused by {}", quoted(ids)),
            (false, _) => "is known to be wrong, and every command accepts it".to_owned(),
        };
        sink.tell(Event::Warning(format!("`{}` {what}", variant.name)));
    }
    Ok(record)
}

/// A directory that copies link to: its path in them, and where it is.
pub(super) type Link = (RelPath, PathBuf);

/// What other trees have of the right solution.
#[derive(Clone, Copy)]
struct Given<'a> {
    links: &'a [Link],
    /// Of what stands outside of its copies.
    bytecode: &'a Bytecode,
    /// In command order.
    limits: &'a [Duration],
}

/// The links that have a place in this tree.
pub(super) fn fitting(links: &[Link], tree: &Snapshot) -> Vec<Link> {
    let fits = |(path, _): &&Link| tree.get(path).is_none() && tree.can_hold_file(path);
    links.iter().filter(fits).cloned().collect()
}

fn record(task: &Task, variant: &Variant, must_pass: bool, runs: Vec<Run>) -> VariantRecord {
    let verdicts = runners(task).into_iter().enumerate().map(|(place, runner)| {
        (task.commands[place].id.clone(), outcome::verdict_of(&runs, Step::Command(place), runner))
    });
    let verdicts = verdicts.collect::<Vec<_>>();
    let ids = |wanted: &dyn Fn(&Option<Verdict>) -> bool| {
        let chosen = verdicts.iter().filter(|(_, verdict)| wanted(verdict));
        chosen.map(|(id, _)| id.clone()).collect::<Vec<_>>()
    };
    VariantRecord {
        name: variant.name.clone(),
        must_pass,
        accepted: verdicts.iter().all(|(_, verdict)| *verdict == Some(Verdict::Passed)),
        refused_by: ids(&|verdict| matches!(verdict, Some(Verdict::Failed(_)))),
        unclear: ids(&|verdict| matches!(verdict, None | Some(Verdict::Unclear(_)))),
        runs,
    }
}

/// Ids for a sentence.
pub(super) fn quoted(ids: &[String]) -> String {
    ids.iter().map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", ")
}
