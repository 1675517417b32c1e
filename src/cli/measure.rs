//! `adequacy measure` and `adequacy estimate`.

use std::io;
use std::path::Path;
use std::time::Duration;

use serde_json::json;

use super::args::{DoubtArgs, EstimateArgs, KeepArgs, MeasureArgs, MeasureOrShardArgs};
use super::fault::Fault;
use super::progress::Progress;
use super::{Exit, Streams, many, receipt, setup};
use crate::adequacy::Gate;
use crate::base::Sha256;
use crate::measure::{self, Estimate, Measured, Options, OutputDir, Reuse, RunFile, Shard, Since};
use crate::recheck::recheck;
use crate::report::terminal::escaped;
use crate::report::{self, RunLog, text};
use crate::task::{Solution, Task};

pub(crate) fn run(args: &MeasureOrShardArgs, streams: &mut Streams<'_>) -> Result<Exit, Fault> {
    let MeasureOrShardArgs { measure: args, shard, since, reuse } = args;
    if args.many.all {
        return many::measure(args, streams);
    }
    let overrides = setup::overrides(&args.task, Some(&args.run), &args.argv);
    let mut task = setup::task(&args.task, &overrides)?;
    if shard.is_some() {
        fix_number(&mut task, args)?;
    }
    let since = since.as_deref().map(|revision| compared(&task, revision)).transpose()?;
    let reuse = reuse.as_deref().map(earlier).transpose()?;
    let part = Part { shard: *shard, since, reuse };
    let measured = measured(&task, args, "measure", &part, streams)?;
    show(&measured, &args.keep, streams)?;
    if shard.is_some() {
        return Ok(Exit::Done);
    }
    some_mutants(&measured)?;
    Ok(failing_gate(&measured.gates, &measured.run, streams)?.unwrap_or(Exit::Done))
}

/// The state that a tree's lines are compared with. A task with a start tree says itself what changed.
fn compared(task: &Task, revision: &str) -> Result<Since, Fault> {
    if task.solution != Solution::Tree {
        let message = "`--since` is for a tree alone: this task has a start tree, which already says what \
                       the change is";
        return Err(Fault::new(Exit::Usage, message));
    }
    Ok(Since::open(&task.tree, revision)?)
}

/// The run whose verdicts may stand; one that is there must hold in all that it claims.
fn earlier(path: &Path) -> Result<Reuse, Fault> {
    let shown = path.display();
    let path = std::path::absolute(path)
        .map_err(|error| Fault::new(Exit::Output, format!("cannot use `{shown}`: {error}")))?;
    if !path.exists() {
        return Ok(Reuse { path, receipt: None });
    }
    let faults = recheck(&path, None)?;
    if let Some(fault) = faults.first() {
        let message = format!(
            "no verdict of `{shown}` can be reused: {fault} ({} such; `adequacy evidence verify` names them \
             all); measure without `--reuse`",
            faults.len()
        );
        return Err(Fault::new(Exit::Refused, message));
    }
    let receipt = Sha256::of(&receipt::read(&path.join("receipt.json"))?);
    Ok(Reuse { path, receipt: Some(receipt) })
}

/// What of a task is measured, where that is not all of it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Part {
    /// Every n-th mutant.
    pub(crate) shard: Option<Shard>,
    /// The mutants at lines that differ from this.
    pub(crate) since: Option<Since>,
    /// None whose verdict in this run still stands.
    pub(crate) reuse: Option<Reuse>,
}

/// All shards of a run choose the same mutants: none may do so by how fast its own machine is.
fn fix_number(task: &mut Task, args: &MeasureArgs) -> Result<(), Fault> {
    if task.mutate.budget.is_some() && args.task.limit.is_none() {
        let message = "a budget is made a number of mutants by the time of this machine's own runs, so \
                       shards would choose different ones; give the number itself with `--limit` \
                       (`adequacy estimate` says it)";
        return Err(Fault::new(Exit::Usage, message));
    }
    task.mutate.budget = None;
    Ok(())
}

/// Measures `task`, or a part of it, and shows progress while it lasts.
pub(crate) fn measured(
    task: &Task,
    args: &MeasureArgs,
    command: &'static str,
    part: &Part,
    streams: &mut Streams<'_>,
) -> Result<Measured, Fault> {
    let mut options = setup::options(task, &args.task, &args.run, Some(&args.keep))?;
    options.act.command = command;
    let Part { shard, since, reuse } = part.clone();
    let DoubtArgs { confirm, check_parallel } = args.doubt;
    let options = Options { shard, since, reuse, confirm, check_parallel, ..options };
    if check_parallel && options.jobs < 2 {
        let message = "`--check-parallel` holds workers beside each other against one alone: it needs \
                       two or more (`-j 2`)";
        return Err(Fault::new(Exit::Usage, message));
    }
    if !args.keep.quiet {
        for command in &task.commands {
            writeln!(streams.err, "command `{}`: {}", escaped(&command.id), command.argv)?;
        }
    }
    let isolation = &args.run.isolation;
    let spawner = setup::spawner(task, &options, isolation, !args.keep.quiet, streams)?;
    let progress = Progress::of(streams, args.keep.quiet);
    let measured = measure::measure(task, &options, &spawner, &progress);
    progress.finish();
    Ok(measured?)
}

/// Prints the summary and the line of totals. A reader that went away misses them, and the run goes
/// on: its exit code and what it seals do not hang on who reads.
pub(crate) fn show(
    measured: &Measured,
    args: &KeepArgs,
    streams: &mut Streams<'_>,
) -> Result<(), Fault> {
    show_run(&measured.run, &measured.output, (args.quiet, args.json), streams)
}

/// The same of a run that was not made just now.
pub(crate) fn show_run(
    run: &RunFile,
    output: &OutputDir,
    (quiet, json): (bool, bool),
    streams: &mut Streams<'_>,
) -> Result<(), Fault> {
    let totals = run.totals.as_ref().expect("a finished run has totals");
    let line = text::totals(totals);
    let empty = totals.mutants == 0;
    let shard = run.conduct.shard;
    if let Some(shard) = shard.filter(|_| json || quiet || empty) {
        let words = "a part of a run: `adequacy merge` puts all of them together";
        writeln!(streams.err, "note: shard {shard}, {words}")?;
    }
    if totals.killed == 0 && !empty && shard.is_none() && (json || quiet) {
        let words = "the commands killed nothing";
        writeln!(streams.err, "{}", streams.err_style.red(words))?;
    }
    let data = if json {
        writeln!(streams.err, "{line}")?;
        format!("{}\n", serde_json::to_string_pretty(run).expect("plain values"))
    } else if quiet || empty {
        // The total of a task never stands alone.
        format!("{}{line}\n", report::headline(run, streams.out_style))
    } else {
        let log = RunLog::read(output.path())?;
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
    gates: &[Gate],
    run: &RunFile,
    streams: &mut Streams<'_>,
) -> Result<Option<Exit>, Fault> {
    let mut exit = None;
    for gate in gates.iter().filter(|gate| !gate.pass) {
        let allowed = run.allowed.iter().any(|allowed| allowed == gate.name);
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
    if args.many.all {
        return many::estimate(args, streams);
    }
    let overrides = setup::overrides(&args.task, Some(&args.run), &args.argv);
    let task = setup::task(&args.task, &overrides)?;
    let options = setup::options(&task, &args.task, &args.run, None)?;
    let isolation = &args.run.isolation;
    let spawner = setup::spawner(&task, &options, isolation, !args.json, streams)?;
    let progress = Progress::of(streams, args.json);
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

/// Seconds as a time for people.
pub(super) fn span_of(seconds: f64) -> String {
    span(Duration::try_from_secs_f64(seconds).unwrap_or_default())
}

/// A time for people: seconds, minutes or hours.
fn span(time: Duration) -> String {
    match time.as_secs_f64() {
        seconds if seconds < 90.0 => format!("{seconds:.0} s"),
        seconds if seconds < 5400.0 => format!("{:.0} min", seconds / 60.0),
        seconds => format!("{:.1} h", seconds / 3600.0),
    }
}
