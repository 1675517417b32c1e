//! `adequacy check`: does a final tree do what a contract asks for?

use std::path::PathBuf;
use std::time::Duration;

use super::fault::Fault;
use super::isolation::{IsolationArgs, Kept, LimitArgs};
use super::progress::Progress;
use super::{Exit, Streams, args, setup, verify};
use crate::check::{self, Answer, Change, CheckError, Options, Verdict, Word};
use crate::report::terminal::escaped;
use crate::run::spawn::OUTPUT_LIMIT;

/// Check a final tree against a bundle, or against a contract alone; the tree's maker is asked nothing
///
/// The last line says supported, contradicted, not established or refused.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A bundle, or a contract.json with its Statement beside it
    subject: PathBuf,
    /// The tree that is said to be done
    final_tree: PathBuf,
    /// Time limit in seconds of a command for which the bundle states none
    #[arg(long, value_name = "SECONDS", default_value = "900", value_parser = args::seconds)]
    timeout: Duration,
    /// Pass this variable of yours to the commands (repeatable)
    #[arg(long, value_name = "NAME", value_parser = args::variable)]
    env: Vec<String>,
    /// Public key of the sealer, 64 hex digits or a file that holds them
    #[arg(long, visible_alias = "pin", value_name = "KEY")]
    key: Option<String>,
    /// Print the parts as one JSON object
    #[arg(long)]
    json: bool,
    /// Where copies are made [default: the system's temporary directory]
    #[arg(long, value_name = "DIR")]
    scratch: Option<PathBuf>,
    /// Bytes of output at which a command is stopped, where no bundle says
    #[arg(long, value_name = "BYTES", default_value_t = OUTPUT_LIMIT)]
    max_output: u64,
    #[command(flatten)]
    isolation: IsolationArgs,
    #[command(flatten)]
    limits: LimitArgs,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> Result<Exit, Fault> {
    let key = args.key.as_deref().map(verify::read_key).transpose();
    let root = args.final_tree.canonicalize().unwrap_or_else(|_| args.final_tree.clone());
    let options = Options {
        timeout: args.timeout,
        env: args.env.clone(),
        scratch: setup::scratch(args.scratch.as_deref(), &root)?,
        output_limit: args.max_output,
        key: key.map_err(|message| Fault::new(Exit::Usage, message))?,
    };
    let kept = Kept { tree: &root, scratch: &options.scratch, output: &args.subject };
    let (limits, helper) = (args.limits.limits(), setup::helper()?);
    let spawner = setup::spawner_for(&kept, limits, &helper, &args.isolation, !args.json, streams)?;
    let progress = Progress::new(true);
    let answer = check::check(&args.subject, &args.final_tree, &options, &spawner, &progress);
    progress.finish();
    let answer = answer?;
    if args.json {
        let text = serde_json::to_string_pretty(&answer).expect("plain values");
        writeln!(streams.out, "{text}")?;
    } else {
        show(&answer, streams)?;
    }
    Ok(exit_of(answer.word))
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
            true => "on a fresh copy, the sealed files put back",
            false => "on a fresh copy; nothing was put back, for there is no bundle",
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
    answer.why.iter().for_each(|why| line("why", why));
    answer.does_not_show.iter().for_each(|what| line("not shown", what));
    writeln!(streams.out, "{}{}", escaped(&text), answer.word.text())?;
    Ok(())
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
            CheckError::NoTree(_) => Exit::Usage,
            CheckError::Protected(_) => Exit::Refused,
            CheckError::Changed(_) | CheckError::Survivors(_) => Exit::Resources,
        };
        Self::new(exit, error.to_string())
    }
}
