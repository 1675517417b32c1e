//! `adequacy triage`: the survivors of a run for people to judge, and a few of the judgements for a
//! second person.

use std::path::{Path, PathBuf};

use clap::Args as Arguments;

use super::fault::Fault;
use super::receipt::NO_RECEIPT;
use super::{Exit, Streams, gate};
use crate::report::terminal::escaped;
use crate::report::{self, RunLog, TRIAGE_FILE, Triage, TriageFile};

/// Write the survivors of a run into survivors.toml, for people to judge; what they wrote stays
#[derive(Debug, Arguments)]
pub(crate) struct Args {
    /// The run directory
    #[arg(default_value = "adequacy.out")]
    run: PathBuf,
    /// The file
    #[arg(long, value_name = "FILE", default_value = TRIAGE_FILE)]
    file: PathBuf,
    /// Take out entries of mutants that no longer survive or are not there any more
    #[arg(long)]
    prune: bool,
    /// Write nothing; show at most this many judged survivors, drawn by the seed, to a second person
    #[arg(long, value_name = "N", conflicts_with = "prune", value_parser = clap::value_parser!(u32).range(1..))]
    audit: Option<u32>,
    /// Seed of the draw
    #[arg(long, value_name = "N", default_value_t = 0, requires = "audit")]
    seed: u64,
    /// Take a run that has no valid receipt, and say so
    #[arg(long, value_name = "DEFECT", value_parser = [NO_RECEIPT])]
    allow: Vec<String>,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> Result<Exit, Fault> {
    let log = gate::whole(&args.run, &args.allow, streams)?;
    let file = TriageFile::read(&args.file)?;
    if let Some(count) = args.audit {
        return audit(&log, &file, (count, args.seed), streams);
    }
    let edited = file.update(&log, args.prune)?;
    let triage = Triage::of(&TriageFile::read(&args.file)?, &log);
    let shown = escaped(&args.file.display().to_string());
    writeln!(streams.out, "{} added to `{shown}`, {} taken out", edited.added, edited.removed)?;
    for words in triage.words(&log) {
        writeln!(streams.out, "{}", escaped(&words))?;
    }
    if !triage.stale.is_empty() {
        writeln!(streams.err, "`adequacy triage --prune` takes the stale entries out")?;
    }
    if log.reveals_solution() && edited.added > 0 {
        let label = streams.err_style.red("warning:");
        writeln!(streams.err, "{label} `{shown}` shows the right solution of the task")?;
    }
    Ok(Exit::Done)
}

fn audit(
    log: &RunLog,
    file: &TriageFile,
    (count, seed): (u32, u64),
    streams: &mut Streams<'_>,
) -> Result<Exit, Fault> {
    let triage = Triage::of(file, log);
    let drawn = report::drawn(&triage, log, count as usize, seed);
    if drawn.is_empty() {
        let shown = file.path.display();
        let message =
            format!("`{shown}` judges no survivor of this run: there is nothing to audit");
        return Err(Fault::new(Exit::NothingToDo, message));
    }
    for (entry, judgement) in &drawn {
        let date = judgement.date.map(|date| format!(", {date}")).unwrap_or_default();
        let word = streams.out_style.bold(judgement.classification.word());
        write!(streams.out, "{}", report::brief(log, entry, streams.out_style))?;
        let (reason, by) = (escaped(&judgement.reason), escaped(&judgement.by));
        let by = if by.is_empty() { "nobody by name".to_owned() } else { by };
        writeln!(streams.out, "      {word}: {reason} ({by}{date})\n")?;
    }
    let (shown, all) = (drawn.len(), log.survivors().count() - triage.open(log).count());
    writeln!(streams.out, "{shown} of {all} judgements, drawn by the seed {seed}")?;
    Ok(Exit::Done)
}

/// Gives `log` what people say of its survivors: in `file`, which must be there, or else in
/// `survivors.toml` of the current directory where it is there.
pub(crate) fn judge(log: &mut RunLog, file: Option<&Path>) -> Result<(), Fault> {
    let usual = Path::new(TRIAGE_FILE);
    let path = match file {
        Some(path) if !path.exists() => {
            let message = format!("`{}` is not there; `adequacy triage` writes it", path.display());
            return Err(Fault::new(Exit::Usage, message));
        }
        Some(path) => path,
        None if usual.exists() => usual,
        None => return Ok(()),
    };
    log.judged_by(&TriageFile::read(path)?);
    Ok(())
}
