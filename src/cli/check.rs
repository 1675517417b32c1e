//! `adequacy check`: does a final tree do what a contract asks for?

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::fault::Fault;
use super::isolation::{IsolationArgs, Kept, LimitArgs};
use super::many::{self, ManyArgs};
use super::progress::Progress;
use super::receipt_file::{self, ReceiptArgs};
use super::{Exit, Streams, args, setup, verify};
use crate::check::{
    self, Answer, Change, ChangePart, CheckError, Options, Survivor, Verdict, Word,
};
use crate::measure;
use crate::report::terminal::escaped;
use crate::run::spawn::OUTPUT_LIMIT;

/// Check a final tree against a bundle, or against a contract alone; the tree's maker is asked nothing
///
/// The last line says supported, contradicted, not established or refused.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Args {
    /// A bundle, or a contract.json with its Statement beside it; with --all a folder of bundles
    pub(super) subject: PathBuf,
    /// The tree that is said to be done; with --all the folder of such trees, by the bundles' names
    pub(super) final_tree: PathBuf,
    /// Time limit in seconds of a command for which the bundle states none
    #[arg(long, value_name = "SECONDS", default_value = "900", value_parser = args::seconds)]
    timeout: Duration,
    /// Pass this variable of yours to the commands (repeatable)
    #[arg(long, value_name = "NAME", value_parser = args::variable)]
    env: Vec<String>,
    /// Public key of the sealer, 64 hex digits or a file that holds them
    #[arg(long, visible_alias = "pin", value_name = "KEY")]
    key: Option<String>,
    /// Run no command: look at the contract, the protected paths and what decides over tests alone
    #[arg(long, conflicts_with = "mutate_change")]
    no_commands: bool,
    /// Print the parts as one JSON object
    #[arg(long)]
    pub(super) json: bool,
    /// Also run the commands on mutants of the change that the final tree makes: how well they pin it down
    #[arg(long)]
    pub(super) mutate_change: bool,
    /// A checkout of the commit that a bundle by reference names
    #[arg(long, value_name = "DIR")]
    checkout: Option<PathBuf>,
    /// A tree of yours that has what is left out of copies (.venv, node_modules): copies link to it, not
    /// to the final tree's own
    #[arg(long, value_name = "DIR")]
    links_from: Option<PathBuf>,
    /// Where copies are made [default: the system's temporary directory]
    #[arg(long, value_name = "DIR")]
    pub(super) scratch: Option<PathBuf>,
    /// Bytes of output at which a command is stopped, where no bundle says
    #[arg(long, value_name = "BYTES", default_value_t = OUTPUT_LIMIT)]
    max_output: u64,
    #[command(flatten)]
    isolation: IsolationArgs,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    pub(super) receipt: ReceiptArgs,
    #[command(flatten)]
    pub(super) many: ManyArgs,
    /// With --all or --mutate-change: workers [default: the number of processors]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(super) jobs: Option<u16>,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> Result<Exit, Fault> {
    if args.many.all {
        return many::check(args, streams);
    }
    if args.jobs.is_some() && !args.mutate_change {
        let message =
            "`--jobs` is for `--all` and `--mutate-change`: a check runs one command at a time";
        return Err(Fault::new(Exit::Usage, message));
    }
    let key = args.key.as_deref().map(verify::read_key).transpose();
    let root = args.final_tree.canonicalize().unwrap_or_else(|_| args.final_tree.clone());
    let scratch = setup::scratch(args.scratch.as_deref(), &root)?;
    let options = Options {
        timeout: args.timeout,
        env: args.env.clone(),
        scratch: scratch.clone(),
        output_limit: args.max_output,
        no_commands: args.no_commands,
        workspace: args.checkout.as_ref().map(setup::directory).transpose()?,
        mutate_change: args.mutate_change.then(|| change_options(args, &scratch)).transpose()?,
        links_from: args.links_from.as_ref().map(setup::directory).transpose()?,
        key: key.map_err(|message| Fault::new(Exit::Usage, message))?,
    };
    let kept = Kept { tree: &root, scratch: &options.scratch, output: &args.subject };
    let (limits, helper) = (args.limits.limits(), setup::helper()?);
    let spawner = setup::spawner_for(&kept, limits, &helper, &args.isolation, !args.json, streams)?;
    let draft = receipt_file::draft(
        "check",
        &(&args.subject, &args.final_tree, args.no_commands),
        "hold a final tree against its contract",
    );
    let subject = args.subject.canonicalize().unwrap_or_else(|_| args.subject.clone());
    args.receipt.begin(&draft, &[root.as_path(), subject.as_path()])?;
    let progress = Progress::of(streams, true);
    let answer = check::check(&args.subject, &args.final_tree, &options, &spawner, &progress);
    progress.finish();
    let answer = answer?;
    let text = serde_json::to_string_pretty(&answer).expect("plain values");
    let text = format!("{text}\n");
    if args.json {
        write!(streams.out, "{text}")?;
    } else {
        show(&answer, streams)?;
    }
    args.receipt.end(|durable| answer.receipt(&draft, &text, durable))?;
    Ok(exit_of(answer.word))
}

fn change_options(args: &Args, scratch: &Path) -> Result<measure::Options, Fault> {
    let output = scratch.join("adequacy.out");
    Ok(measure::Options {
        jobs: args.jobs.map_or_else(setup::processors, usize::from),
        output_limit: args.max_output,
        limits: args.limits.limits(),
        ..measure::Options::plain(setup::helper()?, scratch.to_owned(), output)
    })
}

fn show(answer: &Answer, streams: &mut Streams<'_>) -> Result<(), Fault> {
    let mut text = String::new();
    let mut line = |label: &str, words: &str| text.push_str(&format!("{label:<11}{words}\n"));
    let contract = &answer.contract;
    let verdict = match (&contract.code, &contract.id, &contract.sha256) {
        (None, Some(id), Some(sha256)) => format!("valid: {id} (sha256 {sha256})"),
        (code, ..) => format!("refused: {}", code.as_deref().unwrap_or_default()),
    };
    line("contract", &verdict);
    if let Some(protected) = &answer.protected {
        let (changes, unjudged) = (&protected.changes, &protected.unjudged);
        match (changes.is_empty(), unjudged.is_empty()) {
            (true, true) if protected.entries == 0 => {
                line("protected", "the contract protects no path");
            }
            (true, true) => line("protected", &format!("unchanged: {} entries", protected.entries)),
            (true, false) => line("protected", "not judged"),
            (false, _) => line("protected", "changed"),
        }
        changes.iter().chain(unjudged).for_each(|change| line("", &said(change)));
        for path in &protected.equivalent {
            line("", &format!("`{path}` has other bytes and the same syntax tree"));
        }
        let restored = match answer.restored {
            Some(true) => "on a fresh copy, the sealed files put back",
            Some(false) => "on a fresh copy; nothing was put back, for there is no bundle",
            None => "none was run",
        };
        line("commands", restored);
    }
    for command in &answer.commands {
        let probe = command.probe.map(|probe| format!(" (probe: {probe})")).unwrap_or_default();
        let verdict = command.verdict.text();
        line("", &format!("{verdict:<8}{}{probe}: {}", command.id, command.evidence));
        if command.verdict != Verdict::Pass {
            command.output.lines().for_each(|output| line("", &format!("        | {output}")));
        }
    }
    if let Some(adequacy) = &answer.adequacy {
        line("adequacy", &format!("{} of {} mutants killed", adequacy.killed, adequacy.mutants));
        for why in &adequacy.cannot_support {
            line("", &format!("cannot support done: {why}"));
        }
    }
    if let Some(collection) = &answer.collection {
        match (collection.changes.is_empty(), collection.compared) {
            (true, _) => line("collection", "nothing outside the protected paths changes it"),
            (false, true) => line("collection", "changed outside the protected paths"),
            (false, false) => line("collection", "not compared"),
        }
        collection.changes.iter().for_each(|change| line("", &said(change)));
    }
    if let Some(change) = &answer.change {
        show_change(change, &mut line);
    }
    answer.why.iter().for_each(|why| line("why", why));
    answer.does_not_show.iter().for_each(|what| line("not shown", what));
    writeln!(streams.out, "{}{}", escaped(&text), answer.word.text())?;
    Ok(())
}

/// The part that `--mutate-change` asks for.
fn show_change(change: &ChangePart, line: &mut impl FnMut(&str, &str)) {
    if let Some(why) = &change.why_not {
        return line("change", &format!("not measured: {why}"));
    }
    let ChangePart { killed, mutants, undecided, .. } = change;
    let beside = if *undecided > 0 { format!(", {undecided} undecided") } else { String::new() };
    let commands = change.commands.join("`, `");
    line("change", &format!("{killed} of {mutants} of its mutants killed by `{commands}`{beside}"));
    for one in &change.by_class {
        line("", &format!("{} {} of {}", one.class, one.killed, one.mutants));
    }
    for one in &change.survivors {
        let Survivor { path, line: number, operator, class, .. } = one;
        line("", &format!("accepted: {path}:{number} {operator} ({class})"));
    }
}

fn said(change: &Change) -> String {
    format!("`{}` {}", change.path, change.what)
}

/// How the program ends when this is what follows.
pub(super) const fn exit_of(word: Word) -> Exit {
    match word {
        Word::Supported => Exit::Done,
        Word::Contradicted => Exit::No,
        Word::NotEstablished => Exit::NotEstablished,
        Word::Refused => Exit::Refused,
    }
}

impl From<CheckError> for Fault {
    fn from(error: CheckError) -> Self {
        let exit = match error {
            CheckError::Tree(error) => return error.into(),
            CheckError::Bundle(error) => return error.into(),
            CheckError::Run(error) => return error.into(),
            CheckError::Change(error) => return (*error).into(),
            CheckError::NoTree(_) => Exit::Usage,
            CheckError::Protected(_) => Exit::Refused,
            CheckError::Changed(_) | CheckError::Survivors(_) => Exit::Resources,
        };
        Self::new(exit, error.to_string())
    }
}
