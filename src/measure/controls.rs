//! Controls: edits whose effect is known, to see that a kill means what it says.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use adequacy_mutators::Control;
use serde::{Deserialize, Serialize};

use super::MeasureError;
use crate::base::{Event, RelPath, Sink};
use crate::outcome::{self, Outcome, Terms, Verdict};
use crate::plan::compile;
use crate::plan::interpreter::Interpreter;
use crate::plan::{Plan, PlanFile};
use crate::run::{Lab, Run, Runner, Step};
use crate::task::{Solution, Task};
use crate::tree::Snapshot;

/// What the controls before the mutants found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Controls {
    /// All mutated files raise when loaded: some command must fail.
    pub load: Outcome,
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
    plan: &Plan,
    snapshot: &Snapshot,
    interpreter: Option<&Interpreter>,
    sink: &dyn Sink,
) -> Result<Controls, MeasureError> {
    let runners = &super::runners(task);
    let flaky = &lab.flaky().union(&lab.failing()).copied().collect::<BTreeSet<_>>();
    sink.tell(Event::Step {
        name: "checking that the commands test this tree".into(),
        total: Some(3),
    });
    let files = (0..plan.files.len()).filter(|&place| counts(plan, &plan.files[place]));
    let files = files.collect::<Vec<_>>();
    let mut all = BTreeMap::new();
    let mut run = |name: &'static str, control, every| {
        let edits = plan.control(control, &files, snapshot)?;
        let runs = lab.control(&format!("control-{name}"), &edits, every)?;
        all.insert(name.to_owned(), runs.clone());
        Ok::<_, MeasureError>(runs)
    };
    let terms = Terms { runners, flaky, must_build: true };
    let load = outcome::judge(&run("load", Control::RaiseAtLoad, false)?, &terms);
    match &load {
        Outcome::Killed { .. } => {}
        Outcome::Unviable => {
            let what =
                "the build loads the files and fails, so the tests were not asked".to_owned();
            return Err(Refusal::NoAnswer { name: "load", what }.into());
        }
        Outcome::Survived => {
            let hint = hint(interpreter, &task.tree);
            return Err(Refusal::NotUnderTest { files: files.len(), hint }.into());
        }
        Outcome::Undecided { why, .. } => {
            let what = format!("the command {}", why.words());
            return Err(Refusal::NoAnswer { name: "load", what }.into());
        }
    }
    let runs = run("trailing-comment", Control::TrailingComment, true)?;
    if let Some(id) =
        refusing(&runs, (runners, flaky), task, "trailing-comment")?.into_iter().next()
    {
        let log = runs.iter().find(|run| !run.passed()).map(|run| run.log.clone());
        return Err(Refusal::TextSensitive { id, log: log.unwrap_or_default() }.into());
    }
    let runs = run("comment-line", Control::CommentLine, true)?;
    let line_sensitive = refusing(&runs, (runners, flaky), task, "comment-line")?;
    for id in &line_sensitive {
        sink.tell(Event::Warning(format!(
            "line_sensitive: `{id}` fails when the lines of the sources move by one; mutants that \
             change the number of lines may be killed for that alone"
        )));
    }
    let mut rewrites = vec![
        Rewrite { name: "trailing-comment".to_owned(), refused_by: Vec::new() },
        Rewrite { name: "comment-line".to_owned(), refused_by: line_sensitive.clone() },
    ];
    let more = [
        ("blank-lines", Control::BlankLines),
        ("trailing-spaces", Control::TrailingSpaces),
        ("renamed-locals", Control::RenamedLocals),
    ];
    let has_change = matches!(task.solution, Solution::From(_) | Solution::Patch(_));
    for (name, control) in more.into_iter().filter(|_| has_change) {
        let runs = run(name, control, true)?;
        let refused_by = refusing(&runs, (runners, flaky), task, name)?;
        if !refused_by.is_empty() {
            let ids = super::observe::quoted(&refused_by);
            sink.tell(Event::Warning(format!(
                "{ids} refuse the right solution after a rewrite that changes nothing it does ({name})"
            )));
        }
        rewrites.push(Rewrite { name: name.to_owned(), refused_by });
    }
    let rewrites = if has_change { rewrites } else { Vec::new() };
    Ok(Controls { load, line_sensitive, rewrites, runs: all })
}

/// Ids of the commands that refuse the tree; of flaky ones that shows nothing.
fn refusing(
    runs: &[Run],
    (runners, flaky): (&[Option<Runner>], &BTreeSet<usize>),
    task: &Task,
    name: &'static str,
) -> Result<Vec<String>, Refusal> {
    let mut ids = Vec::new();
    for (place, runner) in runners.iter().enumerate().filter(|(place, _)| !flaky.contains(place)) {
        match outcome::verdict_of(runs, Step::Command(place), *runner) {
            Some(Verdict::Passed) => {}
            Some(Verdict::Failed(_)) => ids.push(task.commands[place].id.clone()),
            Some(Verdict::Unclear(why)) => {
                let what = format!("`{}` {}", task.commands[place].id, why.words());
                return Err(Refusal::NoAnswer { name, what });
            }
            None => {
                let what = format!("`{}` was not run", task.commands[place].id);
                return Err(Refusal::NoAnswer { name, what });
            }
        }
    }
    Ok(ids)
}

/// Names of the files none of whose mutants was killed and that no command even loads.
pub(super) fn after(
    lab: &Lab<'_>,
    plan: &Plan,
    snapshot: &Snapshot,
    runners: &[Option<Runner>],
    outcomes: &BTreeMap<usize, Outcome>,
    sink: &dyn Sink,
) -> Result<Vec<String>, MeasureError> {
    let killed =
        |place: &u32| matches!(outcomes.get(&(*place as usize)), Some(Outcome::Killed { .. }));
    let alive = |file: &PlanFile| counts(plan, file) && !file.mutants.iter().any(killed);
    let places = (0..plan.files.len()).filter(|&place| alive(&plan.files[place]));
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
