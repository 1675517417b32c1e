//! `adequacy measure` and `adequacy estimate`.

use std::io;
use std::time::Duration;

use serde_json::json;

use super::args::{EstimateArgs, MeasureArgs};
use super::fault::Fault;
use super::progress::Progress;
use super::{Exit, Streams, setup};
use crate::measure::{self, Estimate, Measured};
use crate::report::terminal::escaped;
use crate::report::{self, RunLog, text};
use crate::task::Task;

pub(crate) fn run(args: &MeasureArgs, streams: &mut Streams<'_>) -> Result<Exit, Fault> {
    let overrides = setup::overrides(&args.task, Some(&args.run), &args.argv);
    let task = setup::task(&args.task, &overrides)?;
    let measured = measured(&task, args, "measure", streams)?;
    show(&measured, args, streams)?;
    some_mutants(&measured)?;
    Ok(failing_gate(&measured, streams)?.unwrap_or(Exit::Done))
}

/// Measures `task` and shows progress while it lasts.
pub(crate) fn measured(
    task: &Task,
    args: &MeasureArgs,
    command: &'static str,
    streams: &mut Streams<'_>,
) -> Result<Measured, Fault> {
    let mut options = setup::options(task, &args.task, &args.run, Some(&args.keep))?;
    options.act.command = command;
    if !args.keep.quiet {
        for command in &task.commands {
            writeln!(streams.err, "command `{}`: {}", escaped(&command.id), command.argv)?;
        }
    }
    let isolation = &args.run.isolation;
    let spawner = setup::spawner(task, &options, isolation, !args.keep.quiet, streams)?;
    let progress = Progress::new(args.keep.quiet);
    let measured = measure::measure(task, &options, &spawner, &progress);
    progress.finish();
    Ok(measured?)
}

/// Prints the summary and the line of totals. A reader that went away misses them, and the run goes
/// on: its exit code and what it seals do not hang on who reads.
pub(crate) fn show(
    measured: &Measured,
    args: &MeasureArgs,
    streams: &mut Streams<'_>,
) -> Result<(), Fault> {
    let totals = measured.run.totals.as_ref().expect("a finished run has totals");
    let line = text::totals(totals);
    let empty = totals.mutants == 0;
    if totals.killed == 0 && !empty && (args.keep.json || args.keep.quiet) {
        let words = "the commands killed nothing";
        writeln!(streams.err, "{}", streams.err_style.red(words))?;
    }
    let data = if args.keep.json {
        writeln!(streams.err, "{line}")?;
        format!("{}\n", serde_json::to_string_pretty(&measured.run).expect("plain values"))
    } else if args.keep.quiet || empty {
        format!("{line}\n")
    } else {
        let log = RunLog::read(measured.output.path())?;
        format!("{}{line}\n", report::summary(&log, streams.out_style))
    };
    match streams.out.write_all(data.as_bytes()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => Ok(written?),
    }
}

/// A run in which no mutant counted is no success, unless a person lets that through.
fn some_mutants(measured: &Measured) -> Result<(), Fault> {
    let allowed = measured.run.allowed.iter().any(|allowed| allowed == measure::EMPTY);
    if allowed || measured.adequacy.mutants > 0 {
        return Ok(());
    }
    let message = format!(
        "no mutant counts: none of them builds; `--allow {}` lets that through",
        measure::EMPTY
    );
    Err(Fault::new(Exit::NothingToDo, message))
}

/// How the run ends when a gate stands against it; which one goes to stderr.
pub(crate) fn failing_gate(
    measured: &Measured,
    streams: &mut Streams<'_>,
) -> Result<Option<Exit>, Fault> {
    let mut exit = None;
    for gate in measured.gates.iter().filter(|gate| !gate.pass) {
        let allowed = measured.run.allowed.iter().any(|allowed| allowed == gate.name);
        let label = streams.err_style.red("gate");
        let inputs = gate.inputs.iter().map(|(name, input)| format!("{name} {input}"));
        let inputs = inputs.collect::<Vec<_>>().join(", ");
        writeln!(
            streams.err,
            "{label} `{}` fails{}: {} ({inputs})",
            gate.name,
            if allowed { " and is allowed" } else { "" },
            gate.formula,
        )?;
        let how = if gate.name == "undecided" { Exit::Undecided } else { Exit::No };
        exit = exit.or((!allowed).then_some(how));
    }
    Ok(exit)
}

pub(crate) fn estimate(args: &EstimateArgs, streams: &mut Streams<'_>) -> Result<Exit, Fault> {
    let overrides = setup::overrides(&args.task, Some(&args.run), &args.argv);
    let task = setup::task(&args.task, &overrides)?;
    let options = setup::options(&task, &args.task, &args.run, None)?;
    let isolation = &args.run.isolation;
    let spawner = setup::spawner(&task, &options, isolation, !args.json, streams)?;
    let progress = Progress::new(args.json);
    let estimate = measure::estimate(&task, &options, &spawner, &progress);
    progress.finish();
    let Estimate { mutants, by_class, population, cpu, wall, jobs, disk, baseline } = estimate?;
    let (baseline_wall, baseline_cpu) = (baseline.0.as_secs_f64(), baseline.1.as_secs_f64());
    if args.json {
        let value = json!({
            "mutants": mutants,
            "population": population,
            "by_class": by_class,
            "cpu_s": cpu.as_secs_f64(),
            "wall_s": wall.as_secs_f64(),
            "jobs": jobs,
            "disk_bytes": disk,
            "baseline_wall_s": baseline_wall,
            "baseline_cpu_s": baseline_cpu,
        });
        writeln!(streams.out, "{value}")?;
        return Ok(Exit::Done);
    }
    let sampled = if mutants < population {
        format!(", a sample of {population} by the task's limit or budget")
    } else {
        String::new()
    };
    let classes = by_class.iter().map(|(class, count)| format!("{} {count}", class.name()));
    let classes = classes.collect::<Vec<_>>().join(", ");
    #[expect(clippy::cast_precision_loss, reason = "megabytes for people")]
    let megabytes = disk as f64 / 1e6;
    write!(
        streams.out,
        "one unmutated run: {baseline_wall:.2} s wall, {baseline_cpu:.2} s CPU\n\
         mutants: {mutants} ({classes}){sampled}\n\
         CPU time if each takes as long: {}\n\
         wall time with {jobs} workers: {}\n\
         scratch space: {megabytes:.1} MB\n",
        span(cpu),
        span(wall),
    )?;
    Ok(Exit::Done)
}

/// A time for people: seconds, minutes or hours.
fn span(time: Duration) -> String {
    match time.as_secs_f64() {
        seconds if seconds < 90.0 => format!("{seconds:.0} s"),
        seconds if seconds < 5400.0 => format!("{:.0} min", seconds / 60.0),
        seconds => format!("{:.1} h", seconds / 3600.0),
    }
}
