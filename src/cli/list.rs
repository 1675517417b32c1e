//! `adequacy list`: the mutants of a tree. Runs nothing.

use adequacy_mutators::Language;
use rayon::prelude::*;

use super::args::ListArgs;
use super::fault::Fault;
use super::progress::Progress;
use super::{Exit, Streams, setup};
use crate::measure::{TaskTrees, Wanted, nothing_to_do};
use crate::plan::{self, Mutant, Plan, Row};
use crate::report::{Style, text};
use crate::tree::{Snapshot, TreeError};

pub(crate) fn run(args: &ListArgs, streams: &mut Streams<'_>) -> Result<Exit, Fault> {
    if args.operators {
        return operators(streams);
    }
    let task = setup::task(&args.task, &setup::overrides(&args.task, None, &[]))?;
    let sink = Progress::new(true);
    let choice = setup::choice(&args.task);
    let scratch = setup::scratch(None, &task.tree)?;
    let wanted = Wanted { choice: &choice, output: None, scratch: &scratch, since: None };
    let trees = TaskTrees::of(&task, &wanted, &sink)?;
    let plan = plan::plan(&task, trees.for_plan())?;
    if args.diff {
        for mutant in &plan.mutants {
            // `patch` takes what stands before a header for talk.
            writeln!(streams.out, "mutant {} {}", mutant.id, mutant.operator.name)?;
            streams.out.write_all(&text::diff(&plan, mutant, &trees.base)?)?;
        }
    } else if !args.files {
        rows(&plan, &trees.base, args.json, streams)?;
    }
    if args.files {
        write!(streams.out, "{}", text::files(&plan))?;
    } else if !args.json && !args.diff {
        writeln!(streams.out, "\n{}", text::files(&plan).trim_end())?;
    }
    let files = plan.files.iter().filter(|file| !file.mutants.is_empty()).count();
    let mutants = plan.mutants.len();
    let total = format!(
        "{mutants} mutants in {files} {}; those that do not compile, or to the same code, will not count",
        if files == 1 { "file" } else { "files" }
    );
    if args.json || args.diff {
        writeln!(streams.err, "{total}")?;
    } else {
        writeln!(streams.out, "{total}")?;
    }
    streams.out.flush()?;
    if plan.mutants.is_empty() {
        let message = nothing_to_do(&plan, &trees.base);
        return Err(Fault::new(Exit::NothingToDo, message));
    }
    Ok(Exit::Done)
}

/// Mutants whose lines are made at the same time, and held until they are written.
const AT_ONCE: usize = 1 << 12;

/// One line a mutant; a source is read when its mutants are shown, and no earlier.
fn rows(
    plan: &Plan,
    snapshot: &Snapshot,
    json: bool,
    streams: &mut Streams<'_>,
) -> Result<(), Fault> {
    let style = streams.out_style;
    let runs = plan.mutants.chunk_by(|one, next| one.edit.file == next.edit.file);
    let mut waiting = Vec::new();
    let mut count = 0;
    for run in runs {
        count += run.len();
        waiting.push(run);
        if count >= AT_ONCE {
            write_lines(plan, snapshot, &waiting, json, style, streams)?;
            (waiting, count) = (Vec::new(), 0);
        }
    }
    write_lines(plan, snapshot, &waiting, json, style, streams)
}

fn write_lines(
    plan: &Plan,
    snapshot: &Snapshot,
    runs: &[&[Mutant]],
    json: bool,
    style: Style,
    streams: &mut Streams<'_>,
) -> Result<(), Fault> {
    let lines = runs.par_iter().map(|run| lines(plan, run, snapshot, json, style));
    for lines in lines.collect::<Result<Vec<_>, _>>()? {
        streams.out.write_all(lines.as_bytes())?;
    }
    Ok(())
}

/// The lines of mutants of one file.
fn lines(
    plan: &Plan,
    run: &[Mutant],
    snapshot: &Snapshot,
    json: bool,
    style: Style,
) -> Result<String, TreeError> {
    let mut lines = String::new();
    let source = plan.file(&run[0]).source(snapshot)?;
    for mutant in run {
        if json {
            let row = Row::of(plan, mutant, &source);
            lines.push_str(&serde_json::to_string(&row).expect("a row is plain values"));
        } else {
            lines.push_str(&text::line(plan, mutant, &source, style));
        }
        lines.push('\n');
    }
    Ok(lines)
}

fn operators(streams: &mut Streams<'_>) -> Result<Exit, Fault> {
    for language in Language::ALL {
        writeln!(streams.out, "{}", streams.out_style.bold(language.name()))?;
        for operator in language.operators() {
            writeln!(streams.out, "  {:<28} {}", operator.name, operator.summary)?;
        }
    }
    Ok(Exit::Done)
}
