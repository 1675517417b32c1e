//! What is known before a command of the task runs: the listing, the plan, the interpreter.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use adequacy_mutators::Language;

use super::{MeasureError, SinceRecord, TaskTrees, UNPARSED, Wanted, cargo, links};
use crate::base::{Event, RelPath, Sink};
use crate::plan::cargo::SETTINGS;
use crate::plan::compile::{self, Judge};
use crate::plan::interpreter::{self, Found, Interpreter};
use crate::plan::{Fate, Plan, duplicate};
use crate::task::Task;
use crate::tree::Snapshot;

/// What is known before a command runs.
pub struct Prepared {
    /// What the task's trees hold.
    pub trees: TaskTrees,
    /// Its mutants, judged and sampled.
    pub plan: Plan,
    /// The interpreter and what it says of itself.
    pub interpreter: Option<(Interpreter, Judge)>,
    /// The tree whose left-out directories the copies link to; the task's own when `None`.
    pub links_from: Option<Snapshot>,
    /// What the mutated lines differ from, where that was asked for.
    pub since: Option<SinceRecord>,
}

impl Prepared {
    /// # Errors
    /// [`MeasureError::NoMutants`] when none is to be run.
    pub(super) fn some_mutants(&self) -> Result<(), MeasureError> {
        match self.plan.counted().next() {
            Some(_) => Ok(()),
            None if self.since.is_some() && self.plan.mutants.is_empty() => {
                let since = self.since.as_ref().map(SinceRecord::words).unwrap_or_default();
                Err(MeasureError::NoMutants(format!(
                    "no mutants to run: no line of a mutated file differs from {since} in a way that can be \
                     mutated, and no changed test is known to run one that can; `--allow empty` makes that a \
                     success"
                )))
            }
            None => Err(MeasureError::NoMutants(nothing_to_do(&self.plan, &self.trees.base))),
        }
    }

    /// What the copies link to, told to `sink` with the reason.
    pub(super) fn links(&self, task: &Task, sink: &dyn Sink) -> Vec<(RelPath, PathBuf)> {
        let found = self.interpreter.as_ref().map(|(found, _)| found);
        let from = self.links_from.as_ref().unwrap_or_else(|| self.trees.named());
        let links = links::needed(task, from, found);
        for link in &links {
            sink.tell(Event::Note(format!(
                "the copies link to `{}` of your tree and do not copy it: {}; a command that writes \
                 there fails, or where nothing holds it spoils the run",
                link.path, link.why
            )));
        }
        links.into_iter().map(|link| (link.path, link.target)).collect()
    }
}

/// Lists the trees and plans, judges and samples the mutants; runs none of the task's commands.
///
/// # Errors
/// [`MeasureError`] when a tree cannot be read, a patch does not apply, a pattern fits nothing, or no
/// mutant is left.
pub fn prepare(
    task: &Task,
    wanted: &Wanted<'_>,
    sink: &dyn Sink,
) -> Result<Prepared, MeasureError> {
    prepare_linked(task, wanted, None, sink)
}

/// The same for a task whose trees lack what was left out of them, such as those of a bundle: links go
/// to the directories left out of `links_from` instead.
///
/// # Errors
/// As [`prepare`].
pub fn prepare_linked(
    task: &Task,
    wanted: &Wanted<'_>,
    links_from: Option<Snapshot>,
    sink: &dyn Sink,
) -> Result<Prepared, MeasureError> {
    let prepared = planned_linked(task, wanted, links_from, sink)?;
    prepared.some_mutants()?;
    Ok(prepared)
}

/// The same, where perhaps no mutant is left.
pub(super) fn planned(
    task: &Task,
    wanted: &Wanted<'_>,
    sink: &dyn Sink,
) -> Result<Prepared, MeasureError> {
    planned_linked(task, wanted, None, sink)
}

fn planned_linked(
    task: &Task,
    wanted: &Wanted<'_>,
    links_from: Option<Snapshot>,
    sink: &dyn Sink,
) -> Result<Prepared, MeasureError> {
    sink.tell(Event::Step { name: "listing the tree".into(), total: None });
    let trees = TaskTrees::of(task, wanted, sink)?;
    cargo::check(task, &trees.base, sink)?;
    let mut plan = crate::plan::plan(task, trees.for_plan())?;
    let kept = wanted.since.map(|since| since.kept(&plan)).transpose()?;
    if let Some(kept) = &kept {
        plan.keep_changed_files(kept, &trees.base)?;
    }
    tell(task, &plan, sink);
    sink.tell(Event::Step {
        name: "asking the interpreter which mutants compile".into(),
        total: None,
    });
    let roots = [Some(task.tree.as_path()), links_from.as_ref().map(Snapshot::root)];
    let interpreter = judge(task, &roots, &mut plan, &trees.base)?;
    if let Some((found, judge)) = &interpreter
        && found.found == Found::Assumed
    {
        sink.tell(Event::Warning(format!(
            "nothing in the command names its Python; `{}` (Python {}) judges which mutants compile",
            found.program.display(),
            judge.version.split(' ').next().unwrap_or_default()
        )));
    }
    if let Some(kept) = &kept {
        plan.leave_unchanged(kept, &trees.base)?;
    }
    tell_unparsed(task, &plan, sink);
    if let Some(limit) = task.mutate.limit {
        plan.sample(limit as usize, task.mutate.seed);
    }
    let since = wanted.since.map(|since| since.record.clone());
    Ok(Prepared { trees, plan, interpreter, links_from, since })
}

/// Says what was chosen and what was not, so that nobody has to guess.
fn tell(task: &Task, plan: &Plan, sink: &dyn Sink) {
    let note = |text: String| sink.tell(Event::Note(text));
    note(match &task.file {
        Some(file) => format!("task file `{}`", file.display()),
        None => format!("no task file: bare tree `{}`", task.tree.display()),
    });
    let files = plan.files.iter().filter(|file| !file.mutants.is_empty());
    let files = files.map(|file| format!("`{}` ({})", file.path, file.mutants.len()));
    note(format!("mutants: {}", few(files, IN_RUN_FILE)));
    let ignored = plan.ignored.iter().map(|file| format!("`{}` ({})", file.path, file.why));
    if !plan.ignored.is_empty() {
        note(format!("not mutated: {}", few(ignored, IN_RUN_FILE)));
    }
    let left_out = plan.files.iter().map(|file| file.left_out).sum::<u32>();
    if left_out > 0 {
        note(format!("{left_out} mutants are left out by `{SETTINGS}`"));
    }
    for file in &plan.files {
        let path = &file.path;
        if file.too_long > 0 {
            let count = file.too_long;
            let text =
                format!("`{path}`: {count} mutants are not made, the source is too long there");
            sink.tell(Event::Warning(text));
        }
        if let Some((count, line)) = file.unreadable {
            sink.tell(Event::Warning(format!(
                "`{path}`, line {line}: the grammar cannot read this; {count} mutants there are refused"
            )));
        }
    }
}

/// Says which files could not be read whole, and what that means for a change.
fn tell_unparsed(task: &Task, plan: &Plan, sink: &dyn Sink) {
    let warn = |text: String| sink.tell(Event::Warning(text));
    for file in &plan.files {
        let path = &file.name;
        if let Some(words) = &file.refused {
            warn(format!("`{path}` does not compile, so none of its mutants counts: {words}"));
        }
        if task.solution.is_change() && file.unparsed().is_some() {
            warn(format!(
                "the change to `{path}` is not measured whole, and the gate `{UNPARSED}` fails; mend the \
                 file, leave it out by `exclude` below `[mutate]`, or let it through with `--allow {UNPARSED}`"
            ));
        }
        if let Some(words) = &file.refused_before {
            warn(format!(
                "`{path}` does not parse in the start tree, so a command that only loads it refuses the \
                 null patch; whether the commands ask for more is told by the stubs and the patch region: {words}"
            ));
        }
    }
}

/// Where a note says that the rest of a list is.
const IN_RUN_FILE: &str = " (run.json names them all)";

/// The first few of a list, and how many more there are and where.
fn few(all: impl Iterator<Item = String>, elsewhere: &str) -> String {
    const SHOWN: usize = 8;
    let all = all.collect::<Vec<_>>();
    let more = all.len().saturating_sub(SHOWN);
    let shown = all[..all.len() - more].join(", ");
    if more > 0 { format!("{shown} and {more} more{elsewhere}") } else { shown }
}

fn judge(
    task: &Task,
    roots: &[Option<&Path>],
    plan: &mut Plan,
    snapshot: &Snapshot,
) -> Result<Option<(Interpreter, Judge)>, MeasureError> {
    duplicate::mark(plan, snapshot)?;
    let python = |file: &crate::plan::PlanFile| {
        file.language == Language::Python && !file.mutants.is_empty()
    };
    if !plan.files.iter().any(python) {
        return Ok(None);
    }
    let mut interpreters = interpreters(task, roots)?.into_iter();
    let first = interpreters.next().ok_or(MeasureError::NoInterpreter)?;
    let judge = compile::judge(plan, snapshot, &first)?;
    for other in interpreters {
        let before = Answers::taken(plan);
        compile::judge(plan, snapshot, &other)?;
        before.kept_where_all_refuse(plan);
    }
    Ok(Some((first, judge)))
}

/// What earlier interpreters said of a plan.
struct Answers {
    fates: Vec<Fate>,
    /// Why the files that interpreters read do not compile, and did not before the change.
    files: Vec<[Option<String>; 2]>,
}

impl Answers {
    /// Takes them out of the plan. What the next one is not asked about keeps its fate.
    fn taken(plan: &mut Plan) -> Self {
        let fates = plan.mutants.iter().map(|mutant| mutant.fate.clone()).collect();
        let asked = plan.files.iter_mut().filter(|file| !file.language.is_compiled());
        let files = asked.map(|file| [file.refused.take(), file.refused_before.take()]).collect();
        Self { fates, files }
    }

    /// What counts for one interpreter counts; of what counts for none, the first one's words are kept.
    fn kept_where_all_refuse(self, plan: &mut Plan) {
        for (mutant, earlier) in plan.mutants.iter_mut().zip(self.fates) {
            if mutant.fate != Fate::Counted {
                mutant.fate = earlier;
            }
        }
        let asked = plan.files.iter_mut().filter(|file| !file.language.is_compiled());
        for (file, [now, before]) in asked.zip(self.files) {
            file.refused = file.refused.take().and(now);
            file.refused_before = file.refused_before.take().and(before);
        }
    }
}

/// The interpreters of the commands, each once; looked for in the first of the trees that has it.
pub(super) fn interpreters(
    task: &Task,
    roots: &[Option<&Path>],
) -> Result<Vec<Interpreter>, MeasureError> {
    // As the commands will find them.
    let path = task.env_set.get("PATH").map(OsString::from);
    let path = path.or_else(|| std::env::var_os("PATH")).unwrap_or_else(|| "/usr/bin:/bin".into());
    let mut known = Vec::<Interpreter>::new();
    for command in task.some_commands()? {
        let roots = roots.iter().flatten();
        let found = roots.filter_map(|root| interpreter::python(&command.argv, root, &path));
        let found = found.min_by_key(|found| found.found == Found::Assumed);
        let found = found.ok_or(MeasureError::NoInterpreter)?;
        if known.iter().all(|known| known.program != found.program) {
            known.push(found);
        }
    }
    Ok(known)
}

/// Why a plan has no mutant to run: what was looked for, what was found, what to do.
#[must_use]
pub fn nothing_to_do(plan: &Plan, snapshot: &Snapshot) -> String {
    let reason = if plan.files.is_empty() && plan.ignored.is_empty() {
        let left_out = snapshot.left_out().iter().map(ToString::to_string).collect::<Vec<_>>();
        let left_out = match left_out.is_empty() {
            true => String::new(),
            false => format!(" and leaves out {}", few(left_out.into_iter(), "")),
        };
        format!(
            "looked in `{}` for sources of a known language (Python: *.py, Rust: *.rs); it holds {} other files{left_out}; \
             give the directory that holds your sources as the path",
            snapshot.root().display(),
            snapshot.files().count(),
        )
    } else if plan.files.is_empty() {
        let named = plan.ignored.iter().map(|file| format!("`{}` is {}", file.path, file.why));
        format!("no source file is left: {}; see `--include` and `--exclude`", few(named, ""))
    } else {
        let files = plan.files.iter().map(|file| format!("`{}`", file.path));
        format!(
            "nothing in {} can be mutated to something that compiles; `adequacy list --files` says more",
            few(files, "")
        )
    };
    format!("no mutants to run: {reason}")
}
