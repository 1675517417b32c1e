//! `outcomes.jsonl`: a header, then one line a decided mutant, flushed as it is decided.
//!
//! Append-only. A torn last line, as a killed engine leaves it, is ignored and its mutant run again.

use std::cell::LazyCell;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use serde::{Deserialize, Serialize};

use super::OutputDir;
use super::decisions::Decisions;
use super::executors::Decided;
use crate::base::Sha256;
use crate::outcome::Outcome;
use crate::plan::{Mutant, Plan};
use crate::run::{Run, Tier};

/// What the header's `format` says.
const FORMAT: &str = "adequacy-outcomes/2";

#[derive(Debug, Serialize, Deserialize)]
struct Header {
    format: String,
    /// What makes two runs the same run: see `RunFile::key`.
    run: Sha256,
}

/// A decided mutant.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Line {
    /// Its name.
    pub id: String,
    /// What its runs mean.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// What gave the verdict: `exact` is the real command in a fresh process on a real file.
    pub executor: Tier,
    /// What a survivor rests on: `ran`, every command ran whole.
    pub basis: String,
    /// Digest of the receipt of the earlier run that decided it, where it is not this one.
    #[serde(default, rename = "reused_from", skip_serializing_if = "Option::is_none")]
    pub reused: Option<Sha256>,
    /// Every run, in the order made, with its exit, times and log.
    pub runs: Vec<Run>,
}

/// The open file.
#[derive(Debug)]
pub struct Ledger {
    path: PathBuf,
    file: Mutex<File>,
}

/// Why the ledger cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// It cannot be read or written.
    #[error("cannot use `{}`: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// It belongs to another run.
    #[error("`{}` is of another run, or of another version of this program; run without --resume", .0.display())]
    OtherRun(PathBuf),
    /// A line in its middle cannot be read.
    #[error("`{}`, line {line}: {message}; run without --resume", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Its number, from 1.
        line: usize,
        /// What is wrong.
        message: String,
    },
}

impl Ledger {
    /// Opens the ledger of `output`, and gives what it already holds, by place in `plan`.
    ///
    /// # Errors
    /// [`LedgerError`] when it is not of this run, or damaged before its last line.
    pub(super) fn open(
        output: &OutputDir,
        run: &Sha256,
        plan: &Plan,
    ) -> Result<(Self, Decisions), LedgerError> {
        let path = output.outcomes();
        let fault = |error| LedgerError::Io { path: path.clone(), error };
        let places = LazyCell::new(|| plan.places());
        let mut decided = Decisions::none_of(plan.mutants.len());
        let End { whole, .. } = read(&path, run, |line| {
            let place = places.get(&line.id).ok_or_else(|| format!("no mutant `{}`", line.id))?;
            decided.insert(place, Decided::of(line.outcome, &line.runs));
            Ok(())
        })?;
        let mut file = OpenOptions::new().create(true).append(true).open(&path).map_err(fault)?;
        file.set_len(whole).map_err(fault)?;
        let ledger = |file| Self { path: path.clone(), file: Mutex::new(file) };
        if whole == 0 {
            let header = Header { format: FORMAT.to_owned(), run: *run };
            write_line(&mut file, &header).map_err(fault)?;
        }
        Ok((ledger(file), decided))
    }

    /// Adds a decided mutant.
    ///
    /// # Errors
    /// [`LedgerError::Io`] when the line cannot be written.
    pub fn append(
        &self,
        mutant: &Mutant,
        decided: &Decided,
        runs: &[Run],
    ) -> Result<(), LedgerError> {
        self.add(&Line {
            id: mutant.id.to_string(),
            outcome: decided.outcome,
            executor: decided.executor,
            basis: decided.basis().to_owned(),
            reused: None,
            runs: runs.to_vec(),
        })
    }

    /// Adds a line as it is.
    ///
    /// # Errors
    /// [`LedgerError::Io`] when it cannot be written.
    pub(super) fn add(&self, line: &Line) -> Result<(), LedgerError> {
        let mut file = self.file.lock().expect("no worker panics with it");
        let fault = |error| LedgerError::Io { path: self.path.clone(), error };
        let whole = file.metadata().map_err(fault)?.len();
        write_line(&mut *file, line).map_err(|error| {
            // Half a line must not stand before another's: that would spoil the file.
            let _ = file.set_len(whole);
            fault(error)
        })
    }
}

/// The decided mutants of a finished or interrupted run, and whether the last line is torn.
///
/// # Errors
/// [`LedgerError`] when the file cannot be read, is not of `run`, or is damaged before its last line.
pub(super) fn lines(path: &Path, run: &Sha256) -> Result<(Vec<Line>, bool), LedgerError> {
    let mut lines = Vec::new();
    let torn = each(path, run, |line| lines.push(line))?;
    Ok((lines, torn))
}

/// The text of a ledger that holds these lines.
pub(super) fn text(run: &Sha256, lines: &[Line]) -> Vec<u8> {
    let mut text = Vec::new();
    let known = "memory takes it, and a line is plain values";
    write_line(&mut text, &Header { format: FORMAT.to_owned(), run: *run }).expect(known);
    lines.iter().for_each(|line| write_line(&mut text, line).expect(known));
    text
}

/// Hands over the decided mutants one at a time, so that memory does not grow with their number; a
/// torn last line is left out, and told of.
///
/// # Errors
/// As [`lines`].
pub(super) fn each(
    path: &Path,
    run: &Sha256,
    mut take: impl FnMut(Line),
) -> Result<bool, LedgerError> {
    let end = read(path, run, |line| {
        take(line);
        Ok(())
    })?;
    Ok(end.torn)
}

/// How the file of a ledger ends.
#[derive(Default)]
struct End {
    /// The bytes of its whole lines; 0 where there is no file.
    whole: u64,
    /// Whether a part of a line stands behind them.
    torn: bool,
}

/// Reads the decided mutants one at a time; `take` says what is wrong with one.
fn read(
    path: &Path,
    run: &Sha256,
    mut take: impl FnMut(Line) -> Result<(), String>,
) -> Result<End, LedgerError> {
    let fault = |error| LedgerError::Io { path: path.to_owned(), error };
    let mut reader = match File::open(path) {
        Ok(file) => BufReader::new(file),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(End::default()),
        Err(error) => return Err(fault(error)),
    };
    let (mut text, mut end) = (Vec::new(), End::default());
    for line in 1.. {
        text.clear();
        let count = reader.read_until(b'\n', &mut text).map_err(fault)?;
        if text.pop_if(|last| *last == b'\n').is_none() {
            break;
        }
        end.whole += count as u64;
        if line == 1 {
            let header = serde_json::from_slice::<Header>(&text);
            if !header.is_ok_and(|header| header.format == FORMAT && header.run == *run) {
                return Err(LedgerError::OtherRun(path.to_owned()));
            }
            continue;
        }
        let decided = serde_json::from_slice(&text).map_err(|error| error.to_string());
        let bad = |message| LedgerError::Line { path: path.to_owned(), line, message };
        decided.and_then(&mut take).map_err(bad)?;
    }
    end.torn = !text.is_empty();
    Ok(end)
}

fn write_line(file: &mut impl io::Write, value: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    file.write_all(&line)
}

impl LedgerError {
    pub(super) fn path(&self) -> &Path {
        match self {
            Self::Io { path, .. } | Self::OtherRun(path) | Self::Line { path, .. } => path,
        }
    }

    pub(super) fn into_io(self) -> io::Error {
        match self {
            Self::Io { error, .. } => error,
            other => io::Error::other(other.to_string()),
        }
    }
}
