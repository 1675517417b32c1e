//! The commands that can be done for many, each as its own command does it for one.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use serde_json::{Value, json};

use super::super::args::{
    EstimateArgs, KeepArgs, MeasureArgs, MeasureOrShardArgs, RunArgs, SealArgs, TaskArgs,
};
use super::super::fault::Fault;
use super::super::{Exit, Streams, audit as audit_one, check as check_one, measure as measure_one};
use super::super::{receipt_file, seal as seal_one, setup};
use super::find::{self, Item, OUTPUT};
use super::rows::Row;
use super::{Found, How, ManyArgs, Work, inputs, run};
use crate::audit::FORMAT;
use crate::base::Sha256;
use crate::bundle::CONTRACT;
use crate::measure::{OutputDir, State};

/// `adequacy seal --all`.
pub(crate) fn seal(args: &SealArgs, streams: &mut Streams<'_>) -> Result<Exit, Fault> {
    if args.out.is_some() || args.contract_id.is_some() {
        let words =
            "`--out` and `--contract-id` are for one task; `--all` seals into each run directory";
        return Err(Fault::new(Exit::Usage, words));
    }
    runs(&Runs { measure: &args.measure, seal: Some(args) }, streams)
}

/// `adequacy measure --all`.
pub(crate) fn measure(args: &MeasureArgs, streams: &mut Streams<'_>) -> Result<Exit, Fault> {
    runs(&Runs { measure: args, seal: None }, streams)
}

fn runs(runs: &Runs<'_>, streams: &mut Streams<'_>) -> Result<Exit, Fault> {
    let MeasureArgs { task, run: how, keep, many, .. } = runs.measure;
    if keep.resume {
        let words =
            "`--all` goes on by itself where an earlier call was broken off; leave out `--resume`";
        return Err(Fault::new(Exit::Usage, words));
    }
    let items = find::tasks(&task.path)?;
    let folder = if in_tasks(keep) { &task.path } else { &keep.output };
    fs::create_dir_all(folder).map_err(|error| {
        Fault::new(Exit::Output, format!("cannot make `{}`: {error}", folder.display()))
    })?;
    let (quiet, json) = (keep.quiet, keep.json);
    let how = How { many, folder, jobs: jobs(how.jobs), quiet, json };
    run(runs, &items, &how, streams)
}

/// Whether each run directory stands in its task.
fn in_tasks(keep: &KeepArgs) -> bool {
    keep.output == Path::new(OUTPUT)
}

fn jobs(asked: Option<u16>) -> usize {
    asked.map_or_else(|| thread::available_parallelism().map_or(1, usize::from), usize::from)
}

/// `measure`, and `seal` where there is something to seal with.
struct Runs<'a> {
    measure: &'a MeasureArgs,
    seal: Option<&'a SealArgs>,
}

impl Runs<'_> {
    fn output(&self, item: &Item) -> PathBuf {
        let keep = &self.measure.keep;
        if in_tasks(keep) { item.path.join(OUTPUT) } else { keep.output.join(&item.below) }
    }

    fn of_one(&self, item: &Item, resume: bool) -> MeasureArgs {
        let mut args = self.measure.clone();
        args.task.path.clone_from(&item.path);
        let (output, quiet, json) = (self.output(item), true, false);
        args.keep = KeepArgs { output, resume, quiet, json, ..args.keep };
        args.many = ManyArgs::default();
        args
    }

    /// The run directory's state; `None` where there is none that this program can read.
    fn state(&self, item: &Item) -> Option<State> {
        let folder = OutputDir::existing(&self.output(item)).ok()?;
        folder.read_run().ok().map(|run| run.state)
    }

    fn contract(&self, item: &Item) -> Option<String> {
        let folder = OutputDir::existing(&self.output(item)).ok()?;
        let bytes = fs::read(folder.sealed().join(CONTRACT)).ok()?;
        Some(Sha256::of(&bytes).to_string())
    }
}

impl Work for Runs<'_> {
    fn name(&self) -> &'static str {
        if self.seal.is_some() { "seal" } else { "measure" }
    }

    fn inputs(&self, item: &Item) -> Result<Sha256, Fault> {
        let mut args = self.of_one(item, false);
        let mut overrides = setup::overrides(&args.task, Some(&args.run), &args.argv);
        overrides.seal = self.seal.is_some();
        let task = setup::task(&args.task, &overrides)?;
        let output = std::path::absolute(&args.keep.output).ok();
        let scratch = args.run.scratch.as_deref();
        let choice = setup::choice(&args.task);
        let mut parts = inputs::task(&task, &choice, output.as_deref(), scratch)?;
        if let Some(key) = self.seal.and_then(|seal| seal.key.as_ref()) {
            parts.push(inputs::whole(key)?.to_string());
        }
        args.keep.output = PathBuf::new();
        without_place(&mut args.task, &mut args.run);
        let seal = self.seal.map(|seal| SealArgs { measure: args.clone(), ..seal.clone() });
        Ok(inputs::digest(&(&args, seal), &parts))
    }

    fn stands(&self, item: &Item, row: &Row) -> bool {
        let sealed = || {
            let contract = self.contract(item);
            contract.is_some() && row.answer["contract_sha256"].as_str() == contract.as_deref()
        };
        self.state(item) == Some(State::Finished) && (self.seal.is_none() || sealed())
    }

    fn run(&self, item: &Item, resume: bool, streams: &mut Streams<'_>) -> Result<Exit, Fault> {
        // What was broken off before it began, or after its last mutant, begins again.
        let resume = resume && self.state(item) == Some(State::Begun);
        let measure = self.of_one(item, resume);
        if let Some(above) = measure.keep.output.parent() {
            fs::create_dir_all(above).map_err(|error| {
                Fault::new(Exit::Output, format!("cannot make `{}`: {error}", above.display()))
            })?;
        }
        match self.seal {
            Some(seal) => seal_one::run(&SealArgs { measure, ..seal.clone() }, streams),
            None => {
                let whole = MeasureOrShardArgs { measure, shard: None, since: None, reuse: None };
                measure_one::run(&whole, streams)
            }
        }
    }

    fn found(&self, item: &Item, _out: &str) -> Found {
        let contract = self.seal.and_then(|_| self.contract(item));
        let answer = contract.map_or(Value::Null, |sha256| json!({"contract_sha256": sha256}));
        Found { answer, message: None }
    }
}

/// Takes out of the words what changes no answer.
fn without_place(task: &mut TaskArgs, run: &mut RunArgs) {
    task.path = PathBuf::new();
    (run.jobs, run.scratch) = (None, None);
}

/// `adequacy estimate --all`.
pub(crate) fn estimate(args: &EstimateArgs, streams: &mut Streams<'_>) -> Result<Exit, Fault> {
    let items = find::tasks(&args.task.path)?;
    let (folder, jobs) = (&args.task.path, jobs(args.run.jobs));
    let how = How { many: &args.many, folder, jobs, quiet: false, json: args.json };
    run(&Estimates(args), &items, &how, streams)
}

struct Estimates<'a>(&'a EstimateArgs);

impl Estimates<'_> {
    fn of_one(&self, item: &Item) -> EstimateArgs {
        let mut args = EstimateArgs { json: true, many: ManyArgs::default(), ..self.0.clone() };
        args.task.path.clone_from(&item.path);
        args
    }
}

impl Work for Estimates<'_> {
    fn name(&self) -> &'static str {
        "estimate"
    }

    fn inputs(&self, item: &Item) -> Result<Sha256, Fault> {
        let mut args = self.of_one(item);
        let overrides = setup::overrides(&args.task, Some(&args.run), &args.argv);
        let task = setup::task(&args.task, &overrides)?;
        let (choice, scratch) = (setup::choice(&args.task), args.run.scratch.clone());
        let parts = inputs::task(&task, &choice, None, scratch.as_deref())?;
        // The workers are a part of this answer.
        let jobs = args.run.jobs;
        without_place(&mut args.task, &mut args.run);
        args.run.jobs = jobs;
        Ok(inputs::digest(&args, &parts))
    }

    fn run(&self, item: &Item, _: bool, streams: &mut Streams<'_>) -> Result<Exit, Fault> {
        measure_one::estimate(&self.of_one(item), streams)
    }

    fn found(&self, _: &Item, out: &str) -> Found {
        let answer = serde_json::from_str::<Value>(out).unwrap_or_default();
        let message = answer["cpu_s"].as_f64().map(|cpu| {
            format!("{} mutants, {} of CPU time", answer["mutants"], measure_one::span_of(cpu))
        });
        Found { answer, message }
    }

    fn totals(&self, rows: &[&Row]) -> Option<String> {
        let sum = |name: &str| rows.iter().filter_map(|row| row.answer[name].as_f64()).sum::<f64>();
        let (mutants, cpu) = (sum("mutants"), measure_one::span_of(sum("cpu_s")));
        Some(format!("to be run: {mutants} mutants, {cpu} of CPU time"))
    }
}

/// `adequacy check --all`.
pub(crate) fn check(args: &check_one::Args, streams: &mut Streams<'_>) -> Result<Exit, Fault> {
    let items = find::bundles(&args.subject)?;
    let how = How {
        many: &args.many,
        folder: &args.final_tree,
        jobs: jobs(args.jobs),
        quiet: false,
        json: args.json,
    };
    run(&Checks(args), &items, &how, streams)
}

struct Checks<'a>(&'a check_one::Args);

impl Checks<'_> {
    fn of_one(&self, item: &Item) -> check_one::Args {
        let mut args = self.0.clone();
        args.subject.clone_from(&item.path);
        args.final_tree = self.0.final_tree.join(&item.below);
        args.receipt = args.receipt.of_one(&item.below);
        (args.json, args.many) = (true, ManyArgs::default());
        args.jobs = args.jobs.filter(|_| args.mutate_change);
        args
    }
}

impl Work for Checks<'_> {
    fn name(&self) -> &'static str {
        "check"
    }

    fn inputs(&self, item: &Item) -> Result<Sha256, Fault> {
        let mut asked = self.of_one(item);
        let bundle = inputs::whole(&asked.subject)?.to_string();
        let tree = inputs::whole(&asked.final_tree)?.to_string();
        (asked.subject, asked.final_tree) = (PathBuf::new(), PathBuf::new());
        (asked.scratch, asked.jobs) = (None, None);
        asked.receipt = asked.receipt.without_place();
        Ok(inputs::digest(&asked, &[bundle, tree]))
    }

    fn is_kept(&self, item: &Item) -> bool {
        self.of_one(item).receipt.is_kept()
    }

    fn run(&self, item: &Item, _: bool, streams: &mut Streams<'_>) -> Result<Exit, Fault> {
        let args = self.of_one(item);
        args.receipt.make_above()?;
        check_one::run(&args, streams)
    }

    fn found(&self, _: &Item, out: &str) -> Found {
        word(out, |answer| answer["why"][0].as_str())
    }
}

/// `adequacy audit --all`.
pub(crate) fn audit(args: &audit_one::Args, streams: &mut Streams<'_>) -> Result<Exit, Fault> {
    let items = find::bundles(&args.bundle)?;
    let (folder, jobs) = (&args.bundle, jobs(args.jobs));
    let how = How { many: &args.many, folder, jobs, quiet: false, json: args.json };
    run(&Audits(args), &items, &how, streams)
}

struct Audits<'a>(&'a audit_one::Args);

impl Audits<'_> {
    fn of_one(&self, item: &Item) -> audit_one::Args {
        let mut args = self.0.clone();
        args.bundle.clone_from(&item.path);
        args.receipt = args.receipt.of_one(&item.below);
        args.output = args.output.map(|folder| receipt_file::file_in(&folder, &item.below));
        (args.json, args.many) = (true, ManyArgs::default());
        args
    }
}

impl Work for Audits<'_> {
    fn name(&self) -> &'static str {
        "audit"
    }

    fn inputs(&self, item: &Item) -> Result<Sha256, Fault> {
        let bundle = inputs::whole(&item.path)?.to_string();
        let mut asked = self.of_one(item);
        asked.bundle = PathBuf::new();
        (asked.scratch, asked.jobs) = (None, None);
        (asked.receipt, asked.output) = (asked.receipt.without_place(), None);
        Ok(inputs::digest(&asked, &[bundle]))
    }

    fn is_kept(&self, item: &Item) -> bool {
        let args = self.of_one(item);
        args.receipt.is_kept() && args.output.is_none_or(|record| record.exists())
    }

    fn run(&self, item: &Item, _: bool, streams: &mut Streams<'_>) -> Result<Exit, Fault> {
        let args = self.of_one(item);
        args.receipt.make_above()?;
        if let Some(record) = &args.output {
            receipt_file::make_above(record)?;
            // One of an earlier call, before the inputs changed.
            if receipt_file::holds(record, "format", FORMAT) {
                fs::remove_file(record).map_err(|error| {
                    let message = format!("cannot replace `{}`: {error}", record.display());
                    Fault::new(Exit::Output, message)
                })?;
            }
        }
        audit_one::run(&args, streams)
    }

    fn found(&self, _: &Item, out: &str) -> Found {
        word(out, |answer| answer["why"].as_str())
    }
}

/// The word of an answer, and the first reason for it.
fn word(out: &str, why: impl Fn(&Value) -> Option<&str>) -> Found {
    let answer = serde_json::from_str::<Value>(out).unwrap_or_default();
    let message = answer["word"].as_str().map(|word| match why(&answer) {
        Some(why) => format!("{word}: {why}"),
        None => word.to_owned(),
    });
    Found { answer, message }
}
