//! `adequacy replay`: one mutant of an earlier run again, with its diff and the commands' output.

use std::fs;

use super::args::ReplayArgs;
use super::fault::Fault;
use super::progress::Progress;
use super::{Exit, Streams, setup};
use crate::measure::{self, Options, OutputDir, Prepared, RunFile};
use crate::outcome::{self, Outcome, Terms};
use crate::plan::MutantId;
use crate::report::terminal::escaped;
use crate::report::text;
use crate::run::{Run, Step};
use crate::task::{CargoBuild, Task};

pub(crate) fn run(args: &ReplayArgs, streams: &mut Streams<'_>) -> Result<Exit, Fault> {
    let output = OutputDir::existing(&args.output)?;
    let run = output.read_run()?;
    let task = run.task.clone();
    let options = options(args, &task, &run)?;
    let quiet = Progress::new(true);
    let prepared = measure::prepare(&task, &options.wanted(), &quiet)?;
    let place = find(&prepared, &args.id)?;
    let Prepared { trees, plan, .. } = &prepared;
    let mutant = &plan.mutants[place];
    if trees.digest() != run.tree_sha256 {
        writeln!(streams.err, "warning: the tree has changed since that run")?;
    }
    let source = plan.file(mutant).source(&trees.base)?;
    let shown = text::line(plan, mutant, &source, streams.out_style);
    writeln!(streams.out, "{shown}")?;
    let diff = text::diff(plan, mutant, &trees.base)?;
    writeln!(streams.out, "{}", text::output(&diff))?;
    let isolation = args.isolation.clone().or_allow(&run.isolation.allow_write);
    let spawner = setup::spawner(&task, &options, &isolation, true, streams)?;
    let logs = tempfile::tempdir_in(&options.scratch).map_err(|error| {
        let shown = options.scratch.display();
        Fault::new(Exit::Resources, format!("cannot write in `{shown}`: {error}"))
    })?;
    let flaky = run.flaky_places();
    let mutant = (place, &flaky);
    let runs = measure::replay(&task, &options, &prepared, mutant, logs.path(), &spawner, &quiet)?;
    for run in &runs {
        show(run, &task, logs.path(), streams)?;
    }
    let must_build = !prepared.plan.mutants[place].class.is_never_unviable();
    let terms = Terms { runners: &measure::runners(&task), flaky: &flaky, must_build };
    let outcome = outcome::judge(&runs, &terms);
    writeln!(streams.out, "{}", word(&outcome, &task))?;
    Ok(Exit::Done)
}

fn options(args: &ReplayArgs, task: &Task, run: &RunFile) -> Result<Options, Fault> {
    let scratch = setup::scratch(args.scratch.as_deref(), &task.tree)?;
    Ok(Options {
        choice: run.choice.clone(),
        output_limit: run.output_limit,
        limits: run.limits,
        full_matrix: true,
        ..Options::plain(setup::helper()?, scratch, args.output.clone())
    })
}

fn find(prepared: &Prepared, id: &str) -> Result<usize, Fault> {
    let named = |given: &MutantId| given.to_string().starts_with(id);
    let mutants = prepared.plan.mutants.iter().enumerate();
    let places = mutants.filter(|(_, mutant)| named(&mutant.id)).map(|(place, _)| place);
    match places.collect::<Vec<_>>()[..] {
        [place] => Ok(place),
        [] => Err(Fault::new(Exit::Usage, format!("no mutant of this tree is named `{id}`"))),
        _ => Err(Fault::new(
            Exit::Usage,
            format!("several mutants begin with `{id}`; give more digits"),
        )),
    }
}

fn show(
    run: &Run,
    task: &Task,
    logs: &std::path::Path,
    streams: &mut Streams<'_>,
) -> Result<(), Fault> {
    let command = |place: usize| (task.commands[place].id.as_str(), &task.commands[place].argv);
    let build = |place: usize| CargoBuild::of(command(place).1);
    let products = task.products();
    let tests = if let Step::Tests(place) = run.step { build(place) } else { None };
    let (id, argv) = match run.step {
        Step::Command(place) => (command(place).0, Some(command(place).1)),
        Step::Product(place) => ("product", products.get(place)),
        Step::Tests(_) => ("tests", tests.as_ref().and_then(|build| build.tests.as_ref())),
        Step::Build => ("build", task.build.as_ref().map(|step| &step.argv)),
        Step::Setup => ("setup", task.setup.as_ref().map(|step| &step.argv)),
    };
    let argv = argv.map(ToString::to_string).unwrap_or_default();
    writeln!(streams.out, "{} {argv}", streams.out_style.bold(format_args!("{}:", escaped(id))))?;
    let output = fs::read(logs.join(&run.log)).unwrap_or_default();
    for line in text::output(&output).lines() {
        writeln!(streams.out, "  {line}")?;
    }
    writeln!(streams.out, "  {} after {:.2} s\n", run.exit, run.wall.as_secs_f64())?;
    Ok(())
}

fn word(outcome: &Outcome, task: &Task) -> String {
    let id = |place: usize| escaped(&task.commands[place].id);
    match outcome {
        Outcome::Killed { reason, command } => {
            format!("killed by `{}` ({})", id(*command), reason.word())
        }
        Outcome::Survived => "survived".to_owned(),
        Outcome::Undecided { why, command } => {
            format!("undecided: `{}` {}", id(*command), why.words())
        }
        Outcome::Unviable => "unviable: the build fails".to_owned(),
        Outcome::NotBuilt => "not built: no command builds this code".to_owned(),
    }
}
