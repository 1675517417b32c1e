//! The commands that could be generated, and what their survey says of each function.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use super::{Kind, command, survey};
use crate::run::{Exit, Run};
use crate::task::{self, Command};

/// A command that is not known to hold yet.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub(super) kind: Kind,
    pub(super) command: Command,
}

/// Where the calls of a command come from.
#[derive(Debug, Clone)]
pub(super) struct Source {
    /// The command.
    pub(super) id: String,
    /// The interpreter and its own words.
    pub(super) head: Vec<String>,
    /// The functions, as `FILE:FUNCTION`.
    pub(super) targets: Vec<String>,
    /// What stands after the targets.
    pub(super) tail: Vec<String>,
}

/// What there is to ask.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) sources: Vec<Source>,
    /// The probe of what loading does, if there is a module to load.
    pub(super) imports: Option<Candidate>,
    /// Ids that the task has already.
    pub(super) taken: Vec<String>,
}

/// What a survey says of one function.
#[derive(Debug, Deserialize)]
struct Said {
    fault: Option<String>,
    two_answers: bool,
    shapes: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Survey {
    status: i32,
    targets: BTreeMap<String, Said>,
}

/// Longest list of shapes that is put into a command.
const LONGEST: usize = 1000;

impl Source {
    fn argv(&self, kind: Kind, first: &[&str], targets: Vec<String>) -> Vec<String> {
        let first = first.iter().map(ToString::to_string).collect();
        [self.head.clone(), vec![kind.word()], first, targets, self.tail.clone()].concat()
    }

    fn candidate(&self, kind: Kind, targets: Vec<String>) -> Candidate {
        let (id, twin_of) = match kind {
            Kind::Twin => (format!("twin-{}", self.id), Some(self.id.clone())),
            Kind::Determinism => (format!("determinism-{}", self.id), None),
            Kind::TypeStrict | Kind::Imports => (format!("type-strict-{}", self.id), None),
        };
        Candidate { kind, command: command(id, self.argv(kind, &[], targets), kind, twin_of) }
    }
}

impl Found {
    /// The surveys of all sources, in order.
    pub(super) fn commands(&self) -> Vec<Candidate> {
        let one = |source: &Source| {
            let argv = source.argv(Kind::Twin, &["--survey"], source.targets.clone());
            Candidate {
                kind: Kind::Twin,
                command: command(source.id.clone(), argv, Kind::Twin, None),
            }
        };
        self.sources.iter().map(one).collect()
    }

    /// The commands for the functions whose calls can be made elsewhere, as the surveys found.
    pub(super) fn candidates(
        self,
        said: &[Run],
        logs: &Path,
        refused: &mut Vec<(String, String)>,
    ) -> Vec<Candidate> {
        let mut candidates = Vec::new();
        for (source, run) in self.sources.iter().zip(said) {
            let line = survey::last_line(logs, &run.log);
            match serde_json::from_str::<Survey>(&line) {
                Ok(survey) if survey.status == 0 && run.exit == Exit::Code(0) => {
                    of_source(source, &survey, &mut candidates, refused);
                }
                Ok(_) => refused.push((
                    source.id.clone(),
                    "fails on the right solution when its functions are called in another process"
                        .to_owned(),
                )),
                Err(_) => refused.push((
                    source.id.clone(),
                    format!("could not be surveyed ({}): {line}", run.exit),
                )),
            }
        }
        candidates.extend(self.imports);
        candidates.retain(|candidate| {
            let free = !self.taken.contains(&candidate.command.id);
            if !free {
                let why = "the task has a command of this name already".to_owned();
                refused.push((candidate.command.id.clone(), why));
            }
            free
        });
        candidates
    }
}

fn of_source(
    source: &Source,
    survey: &Survey,
    candidates: &mut Vec<Candidate>,
    refused: &mut Vec<(String, String)>,
) {
    let (mut sent, mut steady, mut typed) = (Vec::new(), Vec::new(), Vec::new());
    for target in &source.targets {
        let Some(said) = survey.targets.get(target) else { continue };
        if let Some(fault) = &said.fault {
            refused.push((format!("{target} in `{}`", source.id), fault.clone()));
            continue;
        }
        sent.push(target.clone());
        if said.two_answers {
            let why = "gives two answers to one question, so it has no probe of determinism";
            refused.push((format!("{target} in `{}`", source.id), why.to_owned()));
        } else {
            steady.push(target.clone());
        }
        let shapes = said.shapes.join(";");
        if !shapes.is_empty() && shapes.len() <= LONGEST {
            typed.push(format!("{target}={shapes}"));
        }
    }
    for (kind, targets) in
        [(Kind::Twin, sent), (Kind::Determinism, steady), (Kind::TypeStrict, typed)]
    {
        if !targets.is_empty() {
            candidates.push(source.candidate(kind, targets));
        }
    }
}

/// Whether a command is of the task's own making, not a probe or twin.
pub(super) const fn is_own(command: &task::Command) -> bool {
    command.probe.is_none() && command.in_process_twin_of.is_none()
}
