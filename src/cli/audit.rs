//! `adequacy audit`: a part of a bundle's claims, tried again by somebody else.

use std::fs::File;
use std::io::Write as _;
use std::path::PathBuf;

use super::fault::Fault;
use super::isolation::{IsolationArgs, Kept, LimitArgs};
use super::many::{self, ManyArgs};
use super::progress::Progress;
use super::receipt_file::{self, ReceiptArgs};
use super::{Exit, Streams, setup};
use crate::audit::{self, Agreement, Audit, AuditWord, Draw};
use crate::bundle;
use crate::measure::Options;
use crate::report::terminal::escaped;

/// Make a bundle's mutants again, run a sample of them, and compare with what it claims
///
/// Runs the null patch, every hunk revert and a random sample. The last line says agrees, differs or
/// cannot rebuild.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Args {
    /// The bundle, with the verifier's part; with --all a folder of bundles
    pub(super) bundle: PathBuf,
    /// Mutants in the random sample, half of them claimed kills, half claimed survivors
    #[arg(long, value_name = "N", default_value_t = 30)]
    sample: usize,
    /// Seed of the sample; one that the sealer could not know
    #[arg(long, value_name = "N")]
    seed: u64,
    /// Workers [default: the number of processors]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(super) jobs: Option<u16>,
    /// Write what was found to this file, which must be new: the audit record; with --all to NAME.json in
    /// this directory
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
    /// A checkout of the commit that a bundle by reference names
    #[arg(long, value_name = "DIR")]
    checkout: Option<PathBuf>,
    /// A tree of yours that has what is left out of the bundle's (.venv, node_modules): copies link to it
    #[arg(long, value_name = "DIR")]
    links_from: Option<PathBuf>,
    /// Print the audit record
    #[arg(long)]
    pub(super) json: bool,
    /// Where copies are made [default: the system's temporary directory]
    #[arg(long, value_name = "DIR")]
    pub(super) scratch: Option<PathBuf>,
    #[command(flatten)]
    isolation: IsolationArgs,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    pub(super) receipt: ReceiptArgs,
    #[command(flatten)]
    pub(super) many: ManyArgs,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> Result<Exit, Fault> {
    if args.many.all {
        return many::audit(args, streams);
    }
    // Before anything runs for long.
    if let Some(place) = args.output.as_deref().filter(|place| place.exists()) {
        let message = format!("`{}` is there already; name a new file", place.display());
        return Err(Fault::new(Exit::Output, message));
    }
    let place = args.bundle.canonicalize().unwrap_or_else(|_| args.bundle.clone());
    let scratch = setup::scratch(args.scratch.as_deref(), &place)?;
    let mut bundle = bundle::open(&args.bundle, &scratch)?;
    if let Some(checkout) = &args.checkout {
        bundle.fill(&setup::directory(checkout)?, &scratch)?;
    }
    let compile = bundle.compile.as_ref().ok_or_else(|| {
        let message = "the verifier's part of the bundle is not here, so there is no claim to try";
        Fault::new(Exit::Refused, message)
    })?;
    let output = scratch.join("adequacy.out");
    let options = Options {
        jobs: args.jobs.map_or_else(setup::processors, usize::from),
        limits: args.limits.limits(),
        ..Options::plain(setup::helper()?, scratch, output)
    };
    let kept = Kept { tree: &place, scratch: &options.scratch, output: &options.output };
    let (limits, helper) = (options.limits, &options.helper);
    let spawner = setup::spawner_for(&kept, limits, helper, &args.isolation, !args.json, streams)?;
    let asked = (&args.bundle, args.sample, args.seed);
    let draft = receipt_file::draft("audit", &asked, "try a sample of a bundle's claims again");
    args.receipt.begin(&draft, &[place.as_path()])?;
    let progress = Progress::of(streams, args.json);
    let draw = Draw { size: args.sample, seed: args.seed };
    let links_from = args.links_from.as_ref().map(setup::directory).transpose()?;
    let links = links_from.as_deref();
    let audit = audit::audit(&bundle, compile, draw, links, &options, &spawner, &progress);
    progress.finish();
    let audit = audit?;
    let text = serde_json::to_string_pretty(&audit).expect("plain values");
    let text = format!("{text}\n");
    if let Some(place) = &args.output {
        let written = File::create_new(place).and_then(|mut file| write!(file, "{text}"));
        written.map_err(|error| {
            let message = format!("cannot write `{}`: {error}", place.display());
            Fault::new(Exit::Output, message)
        })?;
    }
    if args.json {
        write!(streams.out, "{text}")?;
    } else {
        show(&audit, streams)?;
    }
    args.receipt.end(|durable| audit.receipt(&draft, &text, durable))?;
    Ok(exit_of(audit.word))
}

/// How the program ends when this is what follows.
pub(super) const fn exit_of(word: AuditWord) -> Exit {
    match word {
        AuditWord::Agrees => Exit::Done,
        AuditWord::Differs => Exit::No,
        AuditWord::CannotRebuild => Exit::NotEstablished,
    }
}

fn show(audit: &Audit, streams: &mut Streams<'_>) -> Result<(), Fault> {
    let mut text = format!("contract   {}\n", audit.contract_sha256);
    if let Some(why) = &audit.why {
        text.push_str(&format!("why        {why}\n"));
    } else {
        add(&mut text, "always", "null patch and hunk reverts", &audit.always);
        let what = format!("random sample, seed {}", audit.seed);
        add(&mut text, "sample", &what, &audit.sample);
        let bound = audit.bound * 100.0;
        text.push_str(&format!(
            "bound      at most {bound:.1} % of claims drawn like these are wrong, with 95 % confidence\n"
        ));
    }
    writeln!(streams.out, "{}{}", escaped(&text), audit.word.text())?;
    Ok(())
}

fn add(text: &mut String, label: &str, what: &str, found: &Agreement) {
    let agree = found.compared - found.differing.len();
    text.push_str(&format!("{label:<11}{agree} of {} claims agree ({what})\n", found.compared));
    for one in &found.differing {
        let (id, class) = (&one.id, one.class.name());
        text.push_str(&format!(
            "           {id} {class}: claimed {}, found {}\n",
            one.claimed, one.found
        ));
    }
    for id in &found.unanswered {
        text.push_str(&format!("           {id}: no answer this time\n"));
    }
}
