//! `adequacy gate`: whether an earlier run, or a sealed contract, holds what is asked of it.

mod contract;

use std::path::{Path, PathBuf};

use clap::Args as Arguments;

use super::fault::Fault;
use super::receipt::{self, NO_RECEIPT};
use super::{Exit, Streams, triage};
use crate::measure::{ClassTotals, Totals};
use crate::report::terminal::escaped;
use crate::report::{Entry, RunLog, TRIAGE_FILE, Triage, new_survivors, share};

/// Say whether an earlier run, or a sealed contract, holds the gates given; one line a gate
#[derive(Debug, Arguments)]
pub(crate) struct Args {
    /// The run directory, or the file of a sealed contract, whose own gates are then judged too
    #[arg(default_value = "adequacy.out")]
    run: PathBuf,
    /// At least this share of the mutants is killed, such as 0.9
    #[arg(long, value_name = "RATIO", value_parser = ratio)]
    min_ratio: Option<f64>,
    /// At least this share of the mutants of a class is killed, such as change=1 (repeatable)
    #[arg(long, value_name = "CLASS=RATIO", value_parser = class_ratio)]
    min_class: Vec<(String, f64)>,
    /// At least this share of the mutants of each file is killed
    #[arg(long, value_name = "RATIO", value_parser = ratio)]
    min_file: Option<f64>,
    /// At most this many mutants survive
    #[arg(long, value_name = "N")]
    max_survivors: Option<u64>,
    /// At most this many mutants are undecided
    #[arg(long, value_name = "N")]
    max_undecided: Option<u64>,
    /// Some mutant is killed
    #[arg(long)]
    no_zero_kill: bool,
    /// No mutant survives that did not survive in this earlier run, wherever its lines moved
    #[arg(long, value_name = "RUN")]
    against: Option<PathBuf>,
    /// Every survivor is judged in survivors.toml (see `triage`)
    #[arg(long)]
    require_triaged: bool,
    /// The file of --require-triaged
    #[arg(long, value_name = "FILE", default_value = TRIAGE_FILE, requires = "require_triaged")]
    triage: PathBuf,
    /// Judge a run that has no valid receipt, and say so
    #[arg(long, value_name = "DEFECT", value_parser = [NO_RECEIPT])]
    allow: Vec<String>,
}

/// A gate: its name, whether it holds, what was found.
struct Gate {
    name: String,
    holds: bool,
    found: String,
    exit: Exit,
}

impl Gate {
    fn new(name: impl Into<String>, holds: bool, found: impl Into<String>) -> Self {
        Self { name: name.into(), holds, found: found.into(), exit: Exit::No }
    }
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> Result<Exit, Fault> {
    let gates = if args.run.is_file() { contract::gates(args)? } else { of_run(args, streams)? };
    if gates.is_empty() {
        let message = "no gate is given; such as `--min-ratio 0.9` or `--no-zero-kill`";
        return Err(Fault::new(Exit::Usage, message));
    }
    let mut exit = Exit::Done;
    for Gate { name, holds, found, exit: how } in &gates {
        let style = streams.out_style;
        let word = if *holds { style.green("holds") } else { style.red("fails") };
        writeln!(streams.out, "{word} {}: {}", escaped(name), escaped(found))?;
        if !holds && exit == Exit::Done {
            exit = *how;
        }
    }
    Ok(exit)
}

/// The gates on a run directory. What a gate stumbles over is named before its line.
fn of_run(args: &Args, streams: &mut Streams<'_>) -> Result<Vec<Gate>, Fault> {
    let mut log = whole(&args.run, &args.allow, streams)?;
    let totals = log.count.totals();
    let mut gates = counts(args, &totals);
    gates.extend(ratios(args, &log, &totals));
    if let Some(path) = &args.against {
        let before = whole(path, &args.allow, streams)?;
        let new = new_survivors(&log, &before);
        name("new", &new, streams)?;
        let found = format!("{} new survivors", new.len());
        gates.push(Gate::new(format!("against {}", path.display()), new.is_empty(), found));
    }
    if args.require_triaged {
        triage::judge(&mut log, Some(&args.triage))?;
        let judged = log.triage.as_ref().expect("just judged");
        let open = judged.open(&log).collect::<Vec<_>>();
        name("not judged", &open, streams)?;
        gates.push(triaged(judged, open.len()));
    }
    Ok(gates)
}

fn triaged(judged: &Triage, open: usize) -> Gate {
    let stale = judged.stale.len();
    let stale = if stale > 0 { format!("; {stale} entries are stale") } else { String::new() };
    let incomplete = judged.incomplete.iter().map(|(it, what)| format!("; {it} {what}"));
    let incomplete = incomplete.collect::<String>();
    let found = format!("{open} survivors are not judged{incomplete}{stale}");
    Gate::new(format!("require-triaged {}", judged.name), open == 0, found)
}

/// One line a mutant.
fn name(label: &str, entries: &[&Entry], streams: &mut Streams<'_>) -> Result<(), Fault> {
    for entry in entries {
        let row = &entry.row;
        let (id, path, operator) = (escaped(&row.id), escaped(&row.path), escaped(&row.operator));
        writeln!(streams.out, "{label}: {id} {path}:{} {operator}", row.line)?;
    }
    Ok(())
}

/// The run at `path`, which must be finished: a gate on half of a run says nothing.
pub(super) fn whole(
    path: &Path,
    allow: &[String],
    streams: &mut Streams<'_>,
) -> Result<RunLog, Fault> {
    if let Some(remark) = receipt::demanded(path, allow)? {
        let label = streams.err_style.red("warning:");
        writeln!(streams.err, "{label} {}", escaped(&remark))?;
    }
    let log = RunLog::read(path)?;
    if log.is_finished() {
        return Ok(log);
    }
    let why = log.notes().into_iter().next().unwrap_or_default();
    Err(Fault::new(Exit::NotEstablished, format!("`{}`: {why}", path.display())))
}

fn counts(args: &Args, totals: &Totals) -> Vec<Gate> {
    let mut gates = Vec::new();
    let Totals { mutants, killed, survived, undecided, .. } = totals;
    if args.no_zero_kill {
        gates.push(Gate::new("no-zero-kill", *killed > 0, format!("{killed} of {mutants} killed")));
    }
    if let Some(most) = args.max_survivors {
        let found = format!("{survived} survived");
        gates.push(Gate::new(format!("max-survivors {most}"), *survived <= most, found));
    }
    if let Some(most) = args.max_undecided {
        let found = format!("{undecided} undecided");
        let gate = Gate::new(format!("max-undecided {most}"), *undecided <= most, found);
        gates.push(Gate { exit: Exit::Undecided, ..gate });
    }
    gates
}

fn ratios(args: &Args, log: &RunLog, totals: &Totals) -> Vec<Gate> {
    let all =
        ClassTotals { mutants: totals.mutants, killed: totals.killed, undecided: totals.undecided };
    let mut gates = Vec::new();
    gates.extend(args.min_ratio.map(|least| at_least(format!("min-ratio {least}"), all, least)));
    for (name, least) in &args.min_class {
        let mut classes = log.count.by_class.iter();
        let tally = classes.find(|(class, _)| class.name() == name).map(|(_, tally)| *tally);
        let none = ClassTotals { mutants: 0, killed: 0, undecided: 0 };
        let label = format!("min-class {name}={least}");
        gates.push(at_least(label, tally.unwrap_or(none), *least));
    }
    if let Some(least) = args.min_file {
        let files = log.count.by_file.iter();
        gates
            .extend(files.map(|(path, tally)| at_least(format!("min-file {path}"), *tally, least)));
    }
    gates
}

/// Of no mutants no share is killed: such a gate fails.
fn at_least(name: String, tally: ClassTotals, least: f64) -> Gate {
    let ClassTotals { mutants, killed, .. } = tally;
    let holds = reaches(killed, mutants, least);
    Gate::new(name, holds, format!("{killed} of {mutants} killed ({})", share(killed, mutants)))
}

fn reaches(killed: u64, mutants: u64, least: f64) -> bool {
    #[expect(clippy::cast_precision_loss, reason = "counts far below 2^52")]
    let ratio = killed as f64 / mutants as f64;
    mutants > 0 && ratio >= least
}

fn ratio(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|ratio| (0.0..=1.0).contains(ratio));
    number.ok_or_else(|| "must be a number from 0 to 1".to_owned())
}

fn class_ratio(text: &str) -> Result<(String, f64), String> {
    let (class, number) = text.split_once('=').ok_or("must be CLASS=RATIO, such as change=1")?;
    let known = crate::plan::Class::ALL.iter().any(|known| known.name() == class);
    if !known {
        return Err(format!("there is no class `{class}`"));
    }
    Ok((class.to_owned(), ratio(number)?))
}
