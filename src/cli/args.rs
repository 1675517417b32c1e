//! The arguments, as typed.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};

use super::isolation::{IsolationArgs, LimitArgs};
use super::many::ManyArgs;
use crate::base::RelPath;
use crate::measure::{Confirm, Shard};

/// Measures how well acceptance commands tell a right solution from a wrong one, and seals the answer
#[derive(Debug, Parser)]
#[command(name = "adequacy", version, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the mutants of a tree; runs nothing
    #[command(after_help = "Example:\n  adequacy list . --include src/ --diff")]
    List(ListArgs),
    /// Run the acceptance commands on every mutant and count the kills
    #[command(
        after_help = "Examples:\n  adequacy measure . -- python3 -m pytest -q\n  adequacy measure . --since origin/main -- python3 -m pytest -q\n  adequacy measure . --reuse adequacy.out -- python3 -m pytest -q\n  adequacy measure . --shard 2/8 -o shard-2\n  adequacy measure --all tasks -o runs"
    )]
    Measure(MeasureOrShardArgs),
    /// Measure, then write the contract and its Statement
    #[command(
        after_help = "Examples:\n  adequacy seal examples/slugs\n  adequacy seal examples/slugs --run merged\n  adequacy seal --all tasks -o runs"
    )]
    Seal(SealArgs),
    #[command(
        after_help = "Example:\n  adequacy merge shard-1 shard-2 shard-3 -o merged && adequacy seal --run merged"
    )]
    Merge(super::merge::Args),
    #[command(after_help = "Example:\n  adequacy clean --scratch /var/tmp")]
    Clean(super::clean::Args),
    /// Write a commented task file that fits the tree it stands in
    #[command(after_help = "Example:\n  adequacy init .")]
    Init(InitArgs),
    Import(super::import::Args),
    #[command(after_help = "Example:\n  adequacy probes task && adequacy seal task")]
    Probes(super::probes::Args),
    #[command(
        after_help = "Example:\n  adequacy bundle . -o task.bundle && adequacy bundle verify task.bundle"
    )]
    Bundle(super::bundle::Args),
    #[command(
        after_help = "Examples:\n  adequacy check task.bundle path/to/final/tree\n  adequacy check --all bundles finals"
    )]
    Check(super::check::Args),
    #[command(
        after_help = "Examples:\n  adequacy audit task.bundle --sample 30 --seed 20260101\n  adequacy audit --all bundles --seed 20260101"
    )]
    Audit(super::audit::Args),
    /// Run one mutant again, with its diff and the commands' output
    #[command(after_help = "Example:\n  adequacy replay 1f2e3d4c5b6a")]
    Replay(ReplayArgs),
    #[command(
        after_help = "Examples:\n  adequacy report --format html -o report.html\n  adequacy report adequacy.out --format github"
    )]
    Report(super::report::Args),
    #[command(
        after_help = "Examples:\n  adequacy summary runs --format card\n  adequacy summary runs -o published\n  adequacy summary diff published/summary.jsonl runs"
    )]
    Summary(super::summary::Args),
    #[command(
        after_help = "Examples:\n  adequacy gate --min-ratio 0.9 --max-undecided 0\n  adequacy gate adequacy.out --against main.out"
    )]
    Gate(super::gate::Args),
    #[command(after_help = "Example:\n  adequacy show 1f2e3d4c5b6a")]
    Show(super::show::Args),
    #[command(
        after_help = "Examples:\n  adequacy triage\n  adequacy triage --audit 10 --seed 20260101"
    )]
    Triage(super::triage::Args),
    #[command(after_help = "Example:\n  adequacy explain adequacy.out/sealed/contract.json")]
    Explain(super::explain::Args),
    #[command(
        after_help = "Examples:\n  adequacy receipt validate adequacy.out/receipt.json\n  adequacy receipt schema --tool"
    )]
    Receipt(super::receipt::Args),
    #[command(
        after_help = "Examples:\n  adequacy evidence verify adequacy.out --tree .\n  adequacy evidence budget budget.json start/ final/"
    )]
    Evidence(super::evidence::Args),
    /// Run the unmutated tree once and say what a full run would cost
    #[command(
        after_help = "Examples:\n  adequacy estimate . -j 8 -- python3 -m pytest -q\n  adequacy estimate --all tasks"
    )]
    Estimate(EstimateArgs),
    #[command(
        after_help = "Example:\n  adequacy verify adequacy.out/sealed/contract.statement.json adequacy.out/sealed/contract.json"
    )]
    Verify(super::verify::Args),
    #[command(after_help = "Example:\n  adequacy vectors check vectors-done-contract")]
    Vectors(super::vectors::Args),
    #[command(after_help = "Example:\n  adequacy keygen sealer.seed > sealer.pub")]
    Keygen(super::keygen::Args),
    #[command(
        after_help = "Example:\n  adequacy completions bash > ~/.local/share/bash-completion/completions/adequacy"
    )]
    Completions(super::shell::Completions),
    #[command(
        after_help = "Examples:\n  adequacy man > adequacy.1\n  adequacy man import swe | man -l -"
    )]
    Man(super::shell::Manual),
}

/// Which task, and what of it.
#[derive(Debug, Clone, Args)]
pub(crate) struct TaskArgs {
    /// A task file, a directory that holds adequacy.toml, or any other directory as a bare tree
    #[arg(default_value = ".")]
    pub(crate) path: PathBuf,
    /// Mutate only files that match this gitignore-style glob (repeatable)
    #[arg(long, value_name = "GLOB")]
    pub(crate) include: Vec<String>,
    /// Do not mutate files that match this gitignore-style glob (repeatable)
    #[arg(long, value_name = "GLOB")]
    pub(crate) exclude: Vec<String>,
    /// Use only this operator (repeatable)
    #[arg(long, value_name = "NAME")]
    pub(crate) operator: Vec<String>,
    /// Run at most this many mutants, sampled from those that compile; `list` shows them all
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) limit: Option<u32>,
    /// Seed of the sample
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Copy this name or path although it is left out by default, such as .git (repeatable)
    #[arg(long, value_name = "NAME", value_parser = rel_path)]
    pub(crate) keep: Vec<RelPath>,
    /// Leave this name or path out of the copies (repeatable)
    #[arg(long, value_name = "NAME", value_parser = rel_path)]
    pub(crate) leave_out: Vec<RelPath>,
}

#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    pub(crate) task: TaskArgs,
    /// Print one JSON object a mutant, with the members of mutants.jsonl
    #[arg(long, conflicts_with_all = ["diff", "files"])]
    pub(crate) json: bool,
    /// Print each mutant as a unified diff
    #[arg(long, conflicts_with = "files")]
    pub(crate) diff: bool,
    /// Print only the number of mutants of each file, and the files with none and why
    #[arg(long)]
    pub(crate) files: bool,
    /// Print the operators and what they change, and nothing else
    #[arg(long)]
    pub(crate) operators: bool,
}

/// How the commands are run.
#[derive(Debug, Clone, Args)]
pub(crate) struct RunArgs {
    /// Workers, each with a private copy of the tree [default: the number of processors]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) jobs: Option<u16>,
    /// Time limit of every command in seconds, such as 90 or 1.5
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) timeout: Option<Duration>,
    /// Pass this variable of yours to the commands (repeatable)
    #[arg(long, value_name = "NAME", value_parser = variable)]
    pub(crate) env: Vec<String>,
    /// Runs of the unmutated tree before the mutants
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) baselines: u32,
    /// Where the copies are made [default: the system's temporary directory]
    #[arg(long, value_name = "DIR")]
    pub(crate) scratch: Option<PathBuf>,
    /// Run every command on every mutant, not only up to the first kill
    #[arg(long)]
    pub(crate) full_matrix: bool,
    /// Run the commands on the exact path alone, without faster executors (docs/executors.md)
    #[arg(long)]
    pub(crate) exact: bool,
    /// Bytes of output at which a command is stopped
    #[arg(long, value_name = "BYTES", default_value_t = crate::run::spawn::OUTPUT_LIMIT)]
    pub(crate) max_output: u64,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    #[command(flatten)]
    pub(crate) isolation: IsolationArgs,
}

/// What is run once more, to see whether it gives the same.
#[derive(Debug, Clone, Args)]
pub(crate) struct DoubtArgs {
    /// Mutants that must give the same answer twice, each time from a clean start. auto: those of the
    /// change and its cheats, kills in which no test failed, and a twentieth of the rest; all; off
    #[arg(long, value_name = "WHICH", default_value = "auto", value_parser = confirm)]
    pub(crate) confirm: Confirm,
    /// Also run a sample of the mutants with no other worker active: it must give the same
    #[arg(long)]
    pub(crate) check_parallel: bool,
}

/// Where a run is kept, and what it may let through.
#[derive(Debug, Clone, Args)]
pub(crate) struct KeepArgs {
    /// The run directory
    #[arg(short, long, value_name = "DIR", default_value = "adequacy.out")]
    pub(crate) output: PathBuf,
    /// Go on in the run directory where an interrupted run stopped
    #[arg(long)]
    pub(crate) resume: bool,
    /// Let a known defect through, and record it (repeatable)
    #[arg(long, value_name = "DEFECT", value_parser = DEFECTS)]
    pub(crate) allow: Vec<String>,
    /// Most undecided mutants
    #[arg(long, value_name = "N")]
    pub(crate) max_undecided: Option<u64>,
    /// Only the line of totals, below the headline where there is a start tree, and what is wrong
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// Print run.json on stdout, and the line of totals on stderr
    #[arg(long)]
    pub(crate) json: bool,
    /// Where you keep the run directory so that it outlives this machine; its receipt then says so
    #[arg(long, value_name = "REF", value_parser = durable)]
    pub(crate) durable: Option<String>,
}

/// What `--allow` takes.
const DEFECTS: [&str; 12] = [
    "zero-kill",
    crate::measure::EMPTY,
    crate::measure::FLAKY,
    crate::measure::PREPATCH,
    crate::measure::UNPARSED,
    "undecided",
    "timeout_share",
    "kill_ratio",
    "null_patch_survived",
    "change_floor_unmet",
    "hunk_revert_survived",
    "cheat_class_survived",
];

#[derive(Debug, Clone, Args)]
pub(crate) struct MeasureArgs {
    #[command(flatten)]
    pub(crate) task: TaskArgs,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    #[command(flatten)]
    pub(crate) doubt: DoubtArgs,
    #[command(flatten)]
    pub(crate) keep: KeepArgs,
    #[command(flatten)]
    pub(crate) many: ManyArgs,
    /// The acceptance command, instead of those of the task file; `seal` takes it for bare trees only
    #[arg(last = true, value_name = "ARGV")]
    pub(crate) argv: Vec<String>,
}

/// What `measure` takes and `seal` does not, which seals nothing but whole runs.
#[derive(Debug, Args)]
pub(crate) struct MeasureOrShardArgs {
    #[command(flatten)]
    pub(crate) measure: MeasureArgs,
    /// Run part K of N of the mutants; `adequacy merge` puts the parts together
    #[arg(long, value_name = "K/N", value_parser = shard, conflicts_with = "all")]
    pub(crate) shard: Option<Shard>,
    /// Mutate only lines that differ from where this git revision and HEAD meet, such as origin/main, and
    /// the functions that changed tests run
    #[arg(long, value_name = "REV", conflicts_with = "shard")]
    pub(crate) since: Option<String>,
    /// Let verdicts of this earlier run stand where all that they rest on is the same (docs/reuse.md);
    /// such a run is never sealed
    #[arg(long, value_name = "RUN", conflicts_with_all = ["shard", "resume", "all"])]
    pub(crate) reuse: Option<PathBuf>,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct SealArgs {
    #[command(flatten)]
    pub(crate) measure: MeasureArgs,
    /// Seal this finished or merged run and measure nothing; task, trees and interpreter must be those
    /// of the run
    #[arg(long, value_name = "DIR", conflicts_with_all = MEASURING)]
    pub(crate) run: Option<PathBuf>,
    /// Where contract.json and contract.statement.json go [default: sealed/ in the run directory]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// The contract's id, instead of the task file's
    #[arg(long, value_name = "ID")]
    pub(crate) contract_id: Option<String>,
    /// Leave out of the contract what names the solution: the files that it changes
    #[arg(long)]
    pub(crate) blind: bool,
    /// Refused in words: nobody has to find out why it is no flag here.
    #[arg(long, value_name = "RUN", hide = true, value_parser = never_reused)]
    pub(crate) reuse: Option<PathBuf>,
    /// Also write contract.dsse.json, signed with the key of this seed file (see `keygen`)
    #[arg(long, value_name = "SEED_FILE")]
    pub(crate) key: Option<PathBuf>,
}

/// Flags that say something of a measurement, which `seal --run` does not make.
const MEASURING: [&str; 26] = [
    "all",
    "include",
    "exclude",
    "operator",
    "limit",
    "seed",
    "keep",
    "leave_out",
    "jobs",
    "timeout",
    "env",
    "baselines",
    "full_matrix",
    "confirm",
    "check_parallel",
    "max_output",
    "max_file_size",
    "memory",
    "processes",
    "isolation",
    "net",
    "allow_write",
    "require_sandbox",
    "output",
    "resume",
    "argv",
];

#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// The tree
    #[arg(default_value = ".")]
    pub(crate) path: PathBuf,
    /// Print the file instead of writing it
    #[arg(long)]
    pub(crate) stdout: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// The mutant, as reports name it; the first digits are enough where they are unique
    pub(crate) id: String,
    /// The run directory it comes from
    #[arg(short, long, value_name = "DIR", default_value = "adequacy.out")]
    pub(crate) output: PathBuf,
    /// Where the copy is made [default: the system's temporary directory]
    #[arg(long, value_name = "DIR")]
    pub(crate) scratch: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) isolation: IsolationArgs,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct EstimateArgs {
    #[command(flatten)]
    pub(crate) task: TaskArgs,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    /// Print the numbers as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) many: ManyArgs,
    /// The acceptance command, instead of those of the task file
    #[arg(last = true, value_name = "ARGV")]
    pub(crate) argv: Vec<String>,
}

fn never_reused(_: &str) -> Result<PathBuf, String> {
    Err("verdicts of an earlier run are never sealed: a contract is about what ran now".to_owned())
}

pub(super) fn durable(text: &str) -> Result<String, String> {
    if crate::receipt::is_durable(text) {
        return Ok(text.to_owned());
    }
    Err("a local path outlives no machine; name where you keep the run, such as git:refs/runs/1"
        .into())
}

fn confirm(text: &str) -> Result<Confirm, String> {
    text.parse().map_err(str::to_owned)
}

fn shard(text: &str) -> Result<Shard, String> {
    text.parse().map_err(str::to_owned)
}

fn rel_path(text: &str) -> Result<RelPath, String> {
    let text = text.trim_end_matches('/');
    RelPath::new(text.as_bytes()).map_err(|error| format!("a path below the tree {error}"))
}

pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok().and_then(|s| Duration::try_from_secs_f64(s).ok());
    seconds
        .filter(|limit| !limit.is_zero())
        .ok_or_else(|| "must be a number of seconds above 0".to_owned())
}

pub(super) fn variable(text: &str) -> Result<String, String> {
    if text.is_empty() || text.contains('=') {
        let message = "must be a variable's name, without `=`; its value is taken from yours";
        return Err(message.to_owned());
    }
    Ok(text.to_owned())
}
