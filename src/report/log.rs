//! One run directory, read once: what every report is made of.
//!
//! Everything that a file claims of another is checked: digests of the plan and of the sources, the
//! run that the verdicts belong to, the totals against a second count. What is missing is named.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::count::Count;
use super::entry::Entry;
use super::place::{Place, Region, Source};
use super::row::{Row, Shared};
use super::triage::{Judgement, Triage, TriageFile};
use crate::base::{Digesting, Sha256};
use crate::measure::{LedgerError, Line, OutputDir, OutputError, RunFile, State};
use crate::outcome::Outcome;
use crate::run::Reach;

/// A run as its directory tells it.
#[derive(Debug)]
pub struct RunLog {
    /// `run.json`.
    pub run: RunFile,
    /// The mutants of the plan, in its order, each with what was decided.
    pub entries: Vec<Entry>,
    /// The bytes of the mutated files, by path.
    pub sources: BTreeMap<String, Source>,
    /// Which tests enter which functions, by id of the command, as far as that was seen.
    pub tests: BTreeMap<String, Reach>,
    /// Mutated files whose bytes the run directory does not hold.
    pub missing: BTreeSet<String>,
    /// Whether `outcomes.jsonl` ends in half a line, which was left out.
    pub torn: bool,
    /// The numbers, counted from the verdicts.
    pub count: Count,
    /// What people say of the survivors, where a file of theirs was given.
    pub triage: Option<Triage>,
    /// What else a reader must know before the numbers; one sentence each.
    pub remarks: Vec<String>,
}

/// Why a run cannot be reported.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The directory holds none.
    #[error("`{}` is not a run directory of this program; give the directory that `measure` or `seal` wrote", .0.display())]
    NoRun(PathBuf),
    /// The run was broken off before it had a plan.
    #[error("the run in `{}` has no plan yet: it was broken off before its first mutant; measure again", .0.display())]
    NoPlan(PathBuf),
    /// `run.json` cannot be read.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// `outcomes.jsonl` cannot be used.
    #[error("`{}` cannot be used: {message}", path.display())]
    Ledger {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
    /// A file cannot be read.
    #[error("cannot read `{}`: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// A file does not hold what the others say it holds.
    #[error("`{}` is damaged: {message}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
}

impl From<LedgerError> for ReportError {
    fn from(error: LedgerError) -> Self {
        match error {
            LedgerError::Io { path, error } => Self::Io { path, error },
            LedgerError::OtherRun(path) => Self::Ledger {
                path,
                message: "it belongs to another run than run.json, or to another version".into(),
            },
            LedgerError::Line { path, line, message } => {
                Self::Damaged { path, message: format!("line {line}: {message}") }
            }
        }
    }
}

impl RunLog {
    /// Reads the run directory at `path`.
    ///
    /// # Errors
    /// [`ReportError`] when it is none, or a file of it is missing, damaged or of another run.
    pub fn read(path: &Path) -> Result<Self, ReportError> {
        let folder = OutputDir::existing(path).map_err(|error| match error {
            OutputError::NotOurs(path) => ReportError::NoRun(path),
            other => other.into(),
        })?;
        let run = folder.read_run()?;
        if !run.is_planned() {
            return Err(ReportError::NoPlan(path.to_owned()));
        }
        let mut shared = Shared::default();
        let mut entries = entries(&folder, &run, &mut shared)?;
        let mut by_id = (0..entries.len()).collect::<Vec<_>>();
        by_id.sort_unstable_by(|&one, &other| entries[one].row.id.cmp(&entries[other].row.id));
        let damaged = |message| ReportError::Damaged { path: folder.outcomes(), message };
        let mut decide = |line: Line| {
            let at = by_id.binary_search_by(|&place| (*entries[place].row.id).cmp(&line.id));
            match at {
                Ok(at) => entries[by_id[at]].decide(line, &run, &mut shared),
                Err(_) => Err(format!("no mutant `{}`", line.id)),
            }
        };
        let mut decided = Ok(());
        // One at a time: every run of every mutant would fill the memory.
        let torn = folder.each_outcome(&run, |line| {
            if decided.is_ok() {
                decided = decide(line);
            }
        })?;
        decided.map_err(damaged)?;
        let count = Count::of(&entries, &run);
        let counted = count.totals();
        if run.totals.as_ref().is_some_and(|said| *said != counted) {
            let message = "its totals are not those of the verdicts in outcomes.jsonl".to_owned();
            return Err(ReportError::Damaged { path: path.join("run.json"), message });
        }
        let tests = folder.read_tests(&run)?;
        let (sources, missing, remarks) = Default::default();
        let mut log =
            Self { run, entries, sources, tests, missing, torn, count, triage: None, remarks };
        if !super::executors::fits(&log) {
            let message =
                "its executors are not those of the verdicts in outcomes.jsonl".to_owned();
            return Err(ReportError::Damaged { path: path.join("run.json"), message });
        }
        log.read_sources(&folder)?;
        log.check_rows(&folder)?;
        Ok(log)
    }

    fn read_sources(&mut self, folder: &OutputDir) -> Result<(), ReportError> {
        let paths = self.entries.iter().map(|entry| &*entry.row.path);
        for name in paths.collect::<BTreeSet<_>>() {
            let Some(digest) = self.run.sources.get(name) else {
                self.missing.insert(name.to_owned());
                continue;
            };
            let path = folder.sources().join(digest.to_string());
            match fs::read(&path) {
                Ok(bytes) if Sha256::of(&bytes) == *digest => {
                    self.sources.insert(name.to_owned(), Source::new(bytes));
                }
                Ok(_) => {
                    let message = "its bytes are not those of its name".to_owned();
                    return Err(ReportError::Damaged { path, message });
                }
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                    self.missing.insert(name.to_owned());
                }
                Err(error) => return Err(ReportError::Io { path, error }),
            }
        }
        Ok(())
    }

    /// Every mutant replaces what its row says it replaces.
    fn check_rows(&self, folder: &OutputDir) -> Result<(), ReportError> {
        let fits = |entry: &&Entry| match self.sources.get(&*entry.row.path) {
            Some(source) => entry.row.fits(source),
            None => true,
        };
        match self.entries.iter().find(|entry| !fits(entry)) {
            None => Ok(()),
            Some(entry) => Err(ReportError::Damaged {
                path: folder.plan(),
                message: format!("mutant `{}` does not fit its source", entry.row.id),
            }),
        }
    }

    /// The bytes of an entry's own file, where the run directory holds them.
    #[must_use]
    pub fn source(&self, entry: &Entry) -> Option<&Source> {
        self.sources.get(&*entry.row.path)
    }

    /// Where an entry's edit stands: the line alone where the source is not at hand, the first place
    /// of its file where it has no one place.
    #[must_use]
    pub fn region(&self, entry: &Entry) -> Region {
        let bare = Place { line: entry.row.shown_line() as usize, column: 1 };
        match self.source(entry) {
            Some(source) if entry.row.line > 0 => source.region(entry.row.span),
            _ => Region { start: bare, end: bare },
        }
    }

    /// CPU time of the runs that are kept: of the mutants, of the unmutated tree before them, of the
    /// start tree and of other solutions.
    #[must_use]
    pub fn cpu(&self) -> Duration {
        let run = &self.run;
        let start = run.start.iter().flat_map(|start| &start.rounds);
        let others = run.variants.iter().map(|variant| &variant.runs);
        let kept = run.baselines.iter().chain(start).chain(others).flatten().map(|run| run.cpu);
        kept.chain(self.entries.iter().map(|entry| entry.cpu)).sum()
    }

    /// Takes over what people say of its survivors.
    pub fn judged_by(&mut self, file: &TriageFile) {
        self.triage = Some(Triage::of(file, self));
    }

    /// What people say of this mutant, where they do.
    #[must_use]
    pub fn judgement(&self, entry: &Entry) -> Option<&Judgement> {
        self.triage.as_ref().and_then(|triage| triage.judgement(entry))
    }

    /// What people say of the survivors, beside the numbers; one sentence each.
    #[must_use]
    pub fn triage_words(&self) -> Vec<String> {
        self.triage.as_ref().map(|triage| triage.words(self)).unwrap_or_default()
    }

    /// Whether every mutant is decided and the verdicts can be trusted.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.run.state == State::Finished
    }

    /// Whether reports of it show a solution that somebody else is to find.
    #[must_use]
    pub fn reveals_solution(&self) -> bool {
        self.run.task.solution.is_change()
    }

    /// The mutants that every command accepted, in plan order.
    pub fn survivors(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| entry.is_survivor())
    }

    /// The mutants that nobody could decide, in plan order.
    pub fn undecided(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|it| matches!(it.outcome, Some(Outcome::Undecided { .. })))
    }

    fn of_a_shard(&self) -> String {
        let all = self.count.totals().mutants + self.count.pending;
        let shard = self.run.conduct.shard.map(|shard| format!(" {shard}")).unwrap_or_default();
        format!(
            "This is shard{shard} of a run: {} of its {all} mutants are of other shards; only `adequacy \
             merge` of all shards has the numbers of the whole.",
            self.count.pending
        )
    }

    /// What a reader must know before the numbers; one sentence each.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let mut notes = self.remarks.clone();
        match self.run.state {
            State::Finished => {}
            State::Begun => notes.push(format!(
                "This run is not finished: {} of its mutants are not decided; its numbers are not those of the whole.",
                self.count.pending
            )),
            State::Shard => notes.push(self.of_a_shard()),
            State::Spoiled => notes.push(
                "This run is spoiled: its tree changed meanwhile, or processes outlived it; its verdicts cannot be trusted.".to_owned(),
            ),
        }
        if let Some(since) = &self.run.since {
            notes.push(since.sentence());
        }
        if let Some(reuse) = self.run.reuse.as_ref().filter(|reuse| reuse.verdicts > 0) {
            notes.push(format!(
                "{} verdicts are those of an earlier run, with all that they rest on the same; their times \
                 are not counted.",
                reuse.verdicts
            ));
        }
        if self.torn {
            notes.push("The last line of outcomes.jsonl is torn and was left out.".to_owned());
        }
        for path in &self.missing {
            notes.push(format!("The run directory does not hold the source of `{path}`."));
        }
        notes
    }
}

/// The mutants of `mutants.jsonl`, which must be those that `run` names.
fn entries(
    folder: &OutputDir,
    run: &RunFile,
    shared: &mut Shared,
) -> Result<Vec<Entry>, ReportError> {
    let path = folder.plan();
    let fault = |error| ReportError::Io { path: path.clone(), error };
    let damaged = |message| ReportError::Damaged { path: path.clone(), message };
    let mut file = BufReader::new(File::open(&path).map_err(fault)?);
    let (mut digest, mut entries, mut line) = (Digesting::default(), Ok(Vec::new()), Vec::new());
    for number in 1.. {
        line.clear();
        if file.read_until(b'\n', &mut line).map_err(fault)? == 0 {
            break;
        }
        digest.add(&line);
        if let Ok(good) = &mut entries {
            match serde_json::from_slice(&line) {
                Ok(line) => good.push(Entry::of(Row::of(line, shared))),
                Err(error) => entries = Err(damaged(format!("line {number}: {error}"))),
            }
        }
    }
    if digest.done() != run.plan_sha256 {
        return Err(damaged("it is not the plan that run.json names".to_owned()));
    }
    entries
}
