//! Controls: edits whose effect is known, to see that a kill means what it says.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use adequacy_mutators::Control;
use serde::{Deserialize, Serialize};

use super::{Decisions, MeasureError, Prepared, Shard};
use crate::base::{Event, RelPath, Sink};
use crate::outcome::{self, Outcome, Terms, Verdict};
use crate::plan::compile;
use crate::plan::interpreter::Interpreter;
use crate::plan::{Plan, PlanFile};
use crate::run::{Lab, Run, Runner, Step};
use crate::task::Task;
use crate::tree::Snapshot;

/// What the controls before the mutants found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Controls {
    /// All mutated files raise when loaded: some command must fail. Not asked where none of them is
    /// there, as in a change that only takes files away.
    pub load: Option<Outcome>,
    /// Ids of the commands that fail when a comment line moves the lines of the sources.
    pub line_sensitive: Vec<String>,
    /// For a task with a start tree: rewrites of the right solution that keep what it does, and the
    /// commands that refuse each.
    pub rewrites: Vec<Rewrite>,
    /// The runs of each control.
    pub runs: BTreeMap<String, Vec<Run>>,
}

/// A rewrite of the right solution that keeps what it does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rewrite {
    /// Its name.
    pub name: String,
    /// Ids of the commands that refuse it: they look at the text.
    pub refused_by: Vec<String>,
}

/// A control that shows that the kills of this run would mean nothing.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// The commands pass although none of the mutated files can be loaded.
    #[error(
        "not_under_test: every command still passes when all {files} mutated files raise as soon as \
         they are loaded; the tests run another copy, or none of these files{hint}"
    )]
    NotUnderTest {
        /// How many files raise.
        files: usize,
        /// Why that is so, where it was found, and the way out.
        hint: String,
    },
    /// A command fails on a comment after the last line.
    #[error(
        "text_sensitive: `{id}` fails when a comment is put after the last line of the mutated files \
         (see `{log}`): it looks at the text of the sources, so its kills mean nothing; drop that \
         check from it or leave the command out"
    )]
    TextSensitive {
        /// The command.
        id: String,
        /// Its output.
        log: String,
    },
    /// Mutants are decided otherwise with nobody beside them.
    #[error(
        "parallel: {} of {sampled} mutants were decided otherwise alone than beside other workers: {}; \
         the commands share something, such as a port or a database (`ADEQUACY_WORKER` is each worker's \
         number), or run them with `-j 1`", ids.len(), ids.join(", ")
    )]
    Parallel {
        /// The mutants.
        ids: Vec<String>,
        /// How many were run alone.
        sampled: u64,
    },
    /// A control gave no answer.
    #[error("the control `{name}` gave no answer: {what}")]
    NoAnswer {
        /// Which one.
        name: &'static str,
        /// What happened.
        what: String,
    },
}

/// Runs the controls that come before the mutants.
pub(super) fn before(
    lab: &Lab<'_>,
    task: &Task,
    prepared: &Prepared,
    sink: &dyn Sink,
) -> Result<Controls, MeasureError> {
    let (plan, snapshot) = (&prepared.plan, &prepared.trees.base);
    let interpreter = prepared.interpreter.as_ref().map(|(found, _)| found);
    let rewrites = if task.solution.is_change() { REWRITES } else { &[] };
    let total = Some(3 + rewrites.len() as u64);
    sink.tell(Event::Step { name: "checking that the commands test this tree".into(), total });
    let files = (0..plan.files.len()).filter(|&place| counts(plan, &plan.files[place]));
    let mut asked = Asked {
        lab,
        task,
        plan,
        snapshot,
        files: files.collect(),
        runners: super::runners(task),
        silent: lab.flaky().union(&lab.failing()).copied().collect(),
        runs: BTreeMap::new(),
    };
    let load = match asked.files.is_empty() {
        true => None,
        false => Some(asked.load(interpreter)?),
    };
    asked.trailing_comment()?;
    let line_sensitive = asked.refusing("comment-line", Control::CommentLine)?;
    for id in &line_sensitive {
        sink.tell(Event::Warning(format!(
            "line_sensitive: `{id}` fails when the lines of the sources move by one; mutants that \
             change the number of lines may be killed for that alone"
        )));
    }
    let rewrites = asked.rewrites(rewrites, &line_sensitive, sink)?;
    Ok(Controls { load, line_sensitive, rewrites, runs: asked.runs })
}

/// Rewrites beyond the two comments, which every tree is asked about.
const REWRITES: &[(&str, Control)] = &[
    ("blank-lines", Control::BlankLines),
    ("trailing-spaces", Control::TrailingSpaces),
    ("renamed-locals", Control::RenamedLocals),
];

/// What the commands are asked with, and what they did.
struct Asked<'a> {
    lab: &'a Lab<'a>,
    task: &'a Task,
    plan: &'a Plan,
    snapshot: &'a Snapshot,
    /// The files whose mutants count.
    files: Vec<usize>,
    runners: Vec<Option<Runner>>,
    /// Commands whose failures show nothing: flaky ones, and those that fail on the unmutated tree.
    silent: BTreeSet<usize>,
    runs: BTreeMap<String, Vec<Run>>,
}

impl Asked<'_> {
    fn run(
        &mut self,
        name: &'static str,
        control: Control,
        all: bool,
    ) -> Result<Vec<Run>, MeasureError> {
        let edits = self.plan.control(control, &self.files, self.snapshot)?;
        let runs = self.lab.control(&format!("control-{name}"), &edits, all)?;
        self.runs.insert(name.to_owned(), runs.clone());
        Ok(runs)
    }

    /// No command may pass when all files raise.
    fn load(&mut self, interpreter: Option<&Interpreter>) -> Result<Outcome, MeasureError> {
        // Beside files that are compiled, those that are not would never be loaded.
        let all = self.files.clone();
        if !self.is_compiled(&all) {
            self.files.retain(|place| !self.plan.files[*place].language.is_compiled());
        }
        let runs = self.run("load", Control::RaiseAtLoad, false)?;
        self.files = all;
        let terms = Terms { runners: &self.runners, flaky: &self.lab.flaky(), must_build: true };
        let load = outcome::judge(&runs, &terms);
        let what = match load {
            Outcome::Killed { .. } => return Ok(load),
            // Files that a compiler reads make the build fail: the product is made of them.
            Outcome::Unviable if self.is_compiled(&self.files) => return Ok(load),
            Outcome::Survived => {
                let hint = hint(interpreter, &self.task.tree);
                return Err(Refusal::NotUnderTest { files: self.files.len(), hint }.into());
            }
            Outcome::Unviable => {
                "the build loads the files and fails, so the tests were not asked".to_owned()
            }
            Outcome::Undecided { why, .. } => format!("the command {}", why.words()),
            Outcome::NotBuilt => unreachable!("commands were run"),
        };
        Err(Refusal::NoAnswer { name: "load", what }.into())
    }

    /// Whether all of these files are read by a compiler.
    fn is_compiled(&self, files: &[usize]) -> bool {
        files.iter().all(|place| self.plan.files[*place].language.is_compiled())
    }

    /// No command may fail for a comment that moves no line.
    fn trailing_comment(&mut self) -> Result<(), MeasureError> {
        let ids = self.refusing("trailing-comment", Control::TrailingComment)?;
        let Some(id) = ids.into_iter().next() else { return Ok(()) };
        let failed = self.runs["trailing-comment"].iter().find(|run| !run.passed());
        let log = failed.map(|run| run.log.clone()).unwrap_or_default();
        Err(Refusal::TextSensitive { id, log }.into())
    }

    /// What the commands make of rewrites that keep what the solution does.
    fn rewrites(
        &mut self,
        more: &[(&'static str, Control)],
        line_sensitive: &[String],
        sink: &dyn Sink,
    ) -> Result<Vec<Rewrite>, MeasureError> {
        if more.is_empty() {
            return Ok(Vec::new());
        }
        let named = |name: &str, refused_by| Rewrite { name: name.to_owned(), refused_by };
        let mut rewrites = vec![
            named("trailing-comment", Vec::new()),
            named("comment-line", line_sensitive.to_vec()),
        ];
        for &(name, control) in more {
            let refused_by = self.refusing(name, control)?;
            if !refused_by.is_empty() {
                sink.tell(Event::Warning(format!(
                    "{} refuse the right solution after a rewrite that keeps what it does ({name})",
                    super::observe::quoted(&refused_by)
                )));
            }
            rewrites.push(named(name, refused_by));
        }
        Ok(rewrites)
    }

    /// Ids of the commands that refuse the tree with this control's edits.
    fn refusing(
        &mut self,
        name: &'static str,
        control: Control,
    ) -> Result<Vec<String>, MeasureError> {
        let runs = self.run(name, control, true)?;
        let mut ids = Vec::new();
        for (place, runner) in self.runners.iter().enumerate() {
            let id = &self.task.commands[place].id;
            let what = match outcome::verdict_of(&runs, Step::Command(place), *runner) {
                _ if self.silent.contains(&place) => continue,
                Some(Verdict::Passed) => continue,
                Some(Verdict::Failed(_)) => {
                    ids.push(id.clone());
                    continue;
                }
                Some(Verdict::Unclear(why)) => format!("`{id}` {}", why.words()),
                None => format!("`{id}` was not run"),
            };
            return Err(Refusal::NoAnswer { name, what }.into());
        }
        Ok(ids)
    }
}

/// Names of the files none of whose mutants was killed and that no command even loads; of a shard, of
/// those files that are its own to ask about, whose mutants another shard may have killed.
pub(super) fn after(
    lab: &Lab<'_>,
    plan: &Plan,
    snapshot: &Snapshot,
    runners: &[Option<Runner>],
    shard: Option<Shard>,
    decided: &Decisions,
    sink: &dyn Sink,
) -> Result<Vec<String>, MeasureError> {
    let killed =
        |place: &u32| matches!(decided.outcome(*place as usize), Some(Outcome::Killed { .. }));
    // Whether a compiler reads a file was asked before the mutants.
    let alive = |file: &PlanFile| {
        counts(plan, file) && !file.language.is_compiled() && !file.mutants.iter().any(killed)
    };
    let ours = |place: &usize| shard.is_none_or(|shard| shard.holds(*place));
    let places = (0..plan.files.len()).filter(ours).filter(|&place| alive(&plan.files[place]));
    let places = places.collect::<Vec<_>>();
    if !places.is_empty() {
        let total = Some(places.len() as u64);
        sink.tell(Event::Step {
            name: "checking that files without a kill are loaded".into(),
            total,
        });
    }
    let mut not_reached = Vec::new();
    for (number, place) in places.into_iter().enumerate() {
        let edits: Vec<(RelPath, Vec<u8>)> =
            plan.control(Control::RaiseAtLoad, &[place], snapshot)?;
        let runs = lab.control(&format!("control-load-{number}"), &edits, false)?;
        let terms = Terms { runners, flaky: &lab.flaky(), must_build: true };
        if outcome::judge(&runs, &terms) == Outcome::Survived {
            not_reached.push(plan.files[place].name.clone());
        }
    }
    Ok(not_reached)
}

/// Whether a file is there and has a mutant that counts.
fn counts(plan: &Plan, file: &PlanFile) -> bool {
    let counted = |place: &u32| plan.mutants[*place as usize].fate == crate::plan::Fate::Counted;
    !file.is_absent && file.mutants.iter().any(counted)
}

/// Where an installation points the interpreter at the original tree, and the way out.
fn hint(interpreter: Option<&Interpreter>, root: &Path) -> String {
    let found = interpreter.map(|interpreter| compile::editable_installs(interpreter, root));
    let found = found.unwrap_or_default();
    if found.is_empty() {
        return String::new();
    }
    format!(
        ".\nhint: the original tree is installed in this interpreter by {}: install it without \
         `--editable`, or put the copy first: `[env] set = {{ PYTHONPATH = \".\" }}` (or \"src\")",
        found.iter().map(|file| format!("`{}`", file.display())).collect::<Vec<_>>().join(", ")
    )
}
