//! `--mutate-change`: mutants of the change that the final tree makes to the start tree, before the
//! same commands. How well these pin down this solution; whether it is right is asked elsewhere.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::answer::{CommandPart, Verdict};
use super::commands;
use super::restore::Fresh;
use super::{CheckError, Options};
use crate::adequacy::Adequacy;
use crate::base::{RelPath, Sink};
use crate::bundle::{Bundle, HELDOUT};
use crate::contract::{Equivalence, Kind, ProtectedPath};
use crate::measure::{self, MeasureError, Rerun};
use crate::outcome::Outcome;
use crate::plan::Row;
use crate::run::Spawner;
use crate::task::{Mutate, Protected, ProtectedKind, Solution, Task};
use crate::tree::{Choice, Snapshot};

/// How well the commands tell the final tree's change from mutants of it.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize)]
pub struct ChangePart {
    /// Why there are no numbers.
    pub why_not: Option<String>,
    /// Ids of the commands that were asked: those that pass.
    pub commands: Vec<String>,
    /// Mutants that count.
    pub mutants: u64,
    /// Those that a command killed.
    pub killed: u64,
    /// Those that nobody could decide.
    pub undecided: u64,
    /// The same by class, in sealed order of the classes.
    pub by_class: Vec<ClassPart>,
    /// What every command accepts in place of the change, in plan order.
    pub survivors: Vec<Survivor>,
}

/// The mutants of one class.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClassPart {
    /// Its name.
    pub class: &'static str,
    /// Those that count.
    pub mutants: u64,
    /// Those that a command killed.
    pub killed: u64,
}

/// A mutant that no command told from the final tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Survivor {
    /// Its name.
    pub id: String,
    /// The name of its class.
    pub class: &'static str,
    /// What made it.
    pub operator: &'static str,
    /// Its file.
    pub path: String,
    /// Line of the mutated node, from 1; 0 where it has no one place.
    pub line: u32,
    /// What is replaced.
    pub before: String,
    /// What stands there instead.
    pub after: String,
}

/// Makes the mutants of the change and runs the commands that pass on each; `links` is the tree whose
/// left-out directories the copies link to.
pub(super) fn measure(
    (bundle, fresh): (&Bundle, Option<&Fresh>),
    passed: &[CommandPart],
    links: Option<Snapshot>,
    options: &Options,
    how: &measure::Options,
    (spawner, sink): (&Spawner, &dyn Sink),
) -> Result<ChangePart, CheckError> {
    let none = |why: &str| Ok(ChangePart { why_not: Some(why.to_owned()), ..Default::default() });
    let (Some(start), Some(tree)) =
        (bundle.workspace(), fresh.and_then(|fresh| fresh.tree.as_ref()))
    else {
        return none("there is no start tree, or nothing ran on the final one");
    };
    if passed.iter().any(|part| part.verdict == Verdict::Fail) {
        return none("a command fails on the final tree, so its failing on a mutant says nothing");
    }
    let places = passed.iter().enumerate().filter(|(_, part)| part.verdict == Verdict::Pass);
    let places = places.map(|(place, _)| place).collect::<Vec<_>>();
    if places.is_empty() {
        return none("no command passes on the final tree");
    }
    let heldout = bundle.root.join(HELDOUT);
    let task = Task {
        solution: Solution::From(start),
        heldout: Some(heldout).filter(|root| bundle.compile.is_some() && root.is_dir()),
        protected: bundle.record.protected_paths.iter().map(protected).collect(),
        // Of the change itself: what a limit samples lies beside it.
        mutate: Mutate { limit: Some(0), ..Mutate::default() },
        ..commands::task(bundle, tree, &places, options.timeout, &options.env)
    };
    let compile = bundle.compile.as_ref();
    let output_limit = compile.map_or(how.output_limit, |compile| compile.output_limit);
    let how = measure::Options { output_limit, ..how.clone() };
    let known = |id: &String| compile.is_some_and(|compile| compile.flaky.contains(id));
    let commands = task.commands.iter().enumerate();
    let flaky =
        commands.filter(|(_, command)| known(&command.id)).map(|(place, _)| place).collect();
    let asked = task.commands.iter().map(|command| command.id.clone()).collect();
    match outcomes(&task, &flaky, links, &how, spawner, sink) {
        Ok(found) => Ok(ChangePart { commands: asked, ..found }),
        Err(error) if is_the_machines(&error) => Err(CheckError::Change(Box::new(error))),
        Err(error) => none(&error.to_string()),
    }
}

/// Whether the machine is at fault, and not the final tree.
fn is_the_machines(error: &MeasureError) -> bool {
    use crate::run::RunError::{NoAnswer, NotStarted, NothingExecuted, Red};
    match error {
        MeasureError::Run(error) => {
            !matches!(error, Red(_) | NotStarted { .. } | NoAnswer { .. } | NothingExecuted { .. })
        }
        MeasureError::Tree(_) | MeasureError::Survivors(_) => true,
        _ => false,
    }
}

fn outcomes(
    task: &Task,
    flaky: &BTreeSet<usize>,
    links: Option<Snapshot>,
    how: &measure::Options,
    spawner: &Spawner,
    sink: &dyn Sink,
) -> Result<ChangePart, MeasureError> {
    let choice = Choice { all: true, ..Choice::default() };
    let how = measure::Options { choice, baselines: 1, ..how.clone() };
    let prepared = measure::prepare_linked(task, &how.wanted(), links, sink)?;
    let places = prepared.plan.counted().collect::<Vec<_>>();
    let again = Rerun { places: &places, flaky, at_sealed_places: true };
    let outcomes = measure::judged_again(task, &how, &prepared, again, spawner, sink)?;
    let adequacy = Adequacy::of(&prepared.plan, |place| outcomes.get(&place).copied());
    let adequacy = adequacy.expect("the pool hands over every mutant or fails");
    let by_class = adequacy.by_class.iter().map(|(class, tally)| ClassPart {
        class: class.name(),
        mutants: tally.mutants,
        killed: tally.killed,
    });
    Ok(ChangePart {
        mutants: adequacy.mutants,
        killed: adequacy.killed,
        undecided: adequacy.undecided_count(),
        by_class: by_class.collect(),
        survivors: survivors(&prepared, &outcomes)?,
        ..ChangePart::default()
    })
}

fn survivors(
    prepared: &measure::Prepared,
    outcomes: &BTreeMap<usize, Outcome>,
) -> Result<Vec<Survivor>, MeasureError> {
    let (plan, base) = (&prepared.plan, &prepared.trees.base);
    let alive = outcomes.iter().filter(|(_, outcome)| **outcome == Outcome::Survived);
    let survivor = |place: usize| -> Result<Survivor, MeasureError> {
        let mutant = &plan.mutants[place];
        let source = plan.file(mutant).source(base)?;
        let row = Row::of(plan, mutant, &source);
        Ok(Survivor {
            id: row.id.to_string(),
            class: row.class.name(),
            operator: row.operator,
            path: row.path.to_owned(),
            line: row.line,
            before: row.before,
            after: row.after,
        })
    };
    alive.map(|(place, _)| survivor(*place)).collect()
}

fn protected(entry: &ProtectedPath) -> Protected {
    Protected {
        path: RelPath::new(entry.path.as_bytes()).expect("the record's rules"),
        kind: match entry.kind {
            Kind::File => ProtectedKind::File,
            Kind::Directory => ProtectedKind::Directory,
        },
        exclude: entry.exclude.clone(),
        equivalence: entry.equivalence.map(|Equivalence::PythonAst| "python_ast".to_owned()),
    }
}
