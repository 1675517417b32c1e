//! The run directory: recognised by its `run.json`, never another's.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{FlockOperation, flock};
use tempfile::NamedTempFile;

use super::ledger::{self, Line};
use super::run_file::{FAMILY, FORMAT};
use super::{RunFile, State};
use crate::base::{Digesting, RelPath, Sha256};
use crate::plan::{Plan, Row};
use crate::tree::{Snapshot, TreeError};

/// The directory a run writes.
#[derive(Debug, Clone)]
pub struct OutputDir {
    path: PathBuf,
    /// Held for life by the run that writes here, so that no other does; moves with the directory.
    _lock: Option<Arc<File>>,
}

/// Why the run directory cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// It holds something else.
    #[error("`{}` is not a run directory of this program (no run.json that says so); name another with `-o`", .0.display())]
    NotOurs(PathBuf),
    /// Another run writes there now.
    #[error("another run is writing to `{}`; wait for it, or name another directory with `-o`", .0.display())]
    Busy(PathBuf),
    /// An earlier run that is needed would be removed.
    #[error("the run in `{}` would be removed, for the earlier run of the run directory is moved there; name another directory with `-o`", .0.display())]
    InTheWay(PathBuf),
    /// There is nothing to go on in.
    #[error("`{}` holds no run to resume", .0.display())]
    NothingToResume(PathBuf),
    /// The run to resume cannot be trusted.
    #[error("the run in `{}` is spoiled: its tree changed meanwhile, or processes outlived it; run without --resume", .0.display())]
    Spoiled(PathBuf),
    /// The run was written by another version of this program.
    #[error("the run in `{}` is in the format `{found}`, and this version reads `{FORMAT}`; measure again (without --resume)", path.display())]
    OtherFormat {
        /// The run directory.
        path: PathBuf,
        /// Its format.
        found: String,
    },
    /// The run to resume is another one.
    #[error("the run in `{}` cannot be resumed: {what} differs; run without --resume", path.display())]
    OtherRun {
        /// The run directory.
        path: PathBuf,
        /// What differs.
        what: &'static str,
    },
    /// A file of it cannot be read or written.
    #[error("cannot use `{}`: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A file of it does not hold what it should.
    #[error("`{}` is damaged: {message}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
    /// A source of the plan could not be read.
    #[error(transparent)]
    Tree(#[from] TreeError),
}

impl OutputDir {
    /// Opens the run directory at `path`: a new one, with an earlier run's moved to `PATH.old`, or
    /// with `resume` the one that is there.
    ///
    /// # Errors
    /// [`OutputError`] when the directory is not ours, or there is nothing to resume.
    pub fn open(path: &Path, resume: bool) -> Result<Self, OutputError> {
        let fault = |error| OutputError::Io { path: path.to_owned(), error };
        match (is_ours(path).map_err(fault)?, resume) {
            (Some(true), true) => return Self::locked(path),
            (_, true) => return Err(OutputError::NothingToResume(path.to_owned())),
            (Some(false), false) => return Err(OutputError::NotOurs(path.to_owned())),
            (Some(true), false) => {
                let _lock = lock(path)?;
                let old = Self::old(path);
                match is_ours(&old).map_err(fault)? {
                    Some(false) => return Err(OutputError::NotOurs(old)),
                    Some(true) => fs::remove_dir_all(&old)
                        .map_err(|error| OutputError::Io { path: old.clone(), error })?,
                    None => {}
                }
                fs::rename(path, &old).map_err(fault)?;
            }
            (None, false) => {}
        }
        fs::create_dir_all(path).map_err(fault)?;
        Self::locked(path)
    }

    /// Where an earlier run goes that is in the way of one at `path`.
    pub(super) fn old(path: &Path) -> PathBuf {
        let mut old = path.as_os_str().to_owned();
        old.push(".old");
        old.into()
    }

    fn locked(path: &Path) -> Result<Self, OutputError> {
        Ok(Self { path: path.to_owned(), _lock: Some(Arc::new(lock(path)?)) })
    }

    /// An existing run directory, for reading.
    ///
    /// # Errors
    /// [`OutputError::NotOurs`] when it is none.
    pub fn existing(path: &Path) -> Result<Self, OutputError> {
        let fault = |error| OutputError::Io { path: path.to_owned(), error };
        match is_ours(path).map_err(fault)? {
            Some(true) => Ok(Self { path: path.to_owned(), _lock: None }),
            _ => Err(OutputError::NotOurs(path.to_owned())),
        }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Capped outputs, one file a run.
    #[must_use]
    pub fn logs(&self) -> PathBuf {
        Self::logs_in(&self.path)
    }

    /// The same of a run directory that is not opened.
    #[must_use]
    pub fn logs_in(path: &Path) -> PathBuf {
        path.join("logs")
    }

    /// The ledger.
    #[must_use]
    pub fn outcomes(&self) -> PathBuf {
        self.path.join("outcomes.jsonl")
    }

    /// Where a sealed contract goes by default.
    #[must_use]
    pub fn sealed(&self) -> PathBuf {
        self.path.join("sealed")
    }

    /// The plan.
    #[must_use]
    pub fn plan(&self) -> PathBuf {
        self.path.join("mutants.jsonl")
    }

    /// The sources of the files that mutants are in, each named by its SHA-256.
    #[must_use]
    pub fn sources(&self) -> PathBuf {
        self.path.join("sources")
    }

    /// What the run rests on, in records of known shapes.
    #[must_use]
    pub fn evidence(&self) -> PathBuf {
        self.path.join("evidence")
    }

    /// The receipt.
    #[must_use]
    pub fn receipt(&self) -> PathBuf {
        self.path.join("receipt.json")
    }

    /// Writes a file below `evidence/`.
    pub(super) fn write_evidence(&self, name: &str, text: &[u8]) -> Result<(), OutputError> {
        let path = self.evidence().join(name);
        let folder = path.parent().expect("a file of the run directory");
        fs::create_dir_all(folder)
            .map_err(|error| OutputError::Io { path: folder.to_owned(), error })?;
        self.replace(&path, text)
    }

    pub(super) fn read_evidence(&self, name: &str) -> Result<Vec<u8>, OutputError> {
        let path = self.evidence().join(name);
        fs::read(&path).map_err(|error| OutputError::Io { path, error })
    }

    pub(super) fn write_receipt(&self, receipt: &serde_json::Value) -> Result<(), OutputError> {
        let mut text = serde_json::to_vec_pretty(receipt).expect("plain values");
        text.push(b'\n');
        self.replace(&self.receipt(), &text)
    }

    /// The digests of what a receipt rests on, by path below the run directory: the run, its plan and
    /// verdicts, the evidence, and what was sealed here. Logs and sources have theirs in those files.
    ///
    /// # Errors
    /// [`OutputError::Io`] when a file cannot be read.
    pub fn digests(&self) -> Result<BTreeMap<String, Sha256>, OutputError> {
        let mut found = BTreeMap::new();
        for name in ["run.json", "mutants.jsonl", "outcomes.jsonl", "evidence", "sealed"] {
            digests(&self.path, name, &mut found)?;
        }
        Ok(found)
    }

    fn run(&self) -> PathBuf {
        self.path.join("run.json")
    }

    /// What of `tree` the run directory at `path` takes up: itself, or the first directory above it
    /// that has to be made for it. `None` when it is elsewhere.
    #[must_use]
    pub fn place_in(path: &Path, tree: &Path) -> Option<RelPath> {
        let there = path.ancestors().find(|above| above.exists())?;
        let real = there.canonicalize().ok()?;
        let missing = path.strip_prefix(there).ok()?;
        let whole = missing.iter().next().map_or(real.clone(), |first| real.join(first));
        RelPath::new(whole.strip_prefix(tree).ok()?.as_os_str().as_bytes()).ok()
    }

    /// Begins here. A new run's `run.json` is the first file of all, so that the directory is known
    /// as ours whenever the run is broken off; a run that is resumed must be the `earlier` one.
    ///
    /// # Errors
    /// [`OutputError`] when it is another, or something cannot be written.
    pub fn begin(&self, run: &RunFile, earlier: Option<&RunFile>) -> Result<(), OutputError> {
        match earlier {
            Some(earlier) if earlier.state == State::Spoiled => {
                return Err(OutputError::Spoiled(self.path.clone()));
            }
            Some(earlier) => self.same_run(earlier, run)?,
            None => self.write_run(run)?,
        }
        let logs = self.logs();
        fs::create_dir_all(&logs).map_err(|error| OutputError::Io { path: logs, error })
    }

    /// Writes the plan, whose lines `rows` gives in order, and its digest to `run.json`.
    ///
    /// # Errors
    /// What `rows` ends with; [`OutputError`] when it is not the plan of the `earlier` run, or cannot be
    /// written.
    pub fn write_plan<E: From<OutputError>>(
        &self,
        run: &mut RunFile,
        earlier: Option<&RunFile>,
        rows: impl FnOnce(&mut dyn FnMut(&[u8])) -> Result<(), E>,
    ) -> Result<(), E> {
        let path = self.plan();
        let fault = |error| OutputError::Io { path: path.clone(), error };
        let (mut digest, mut written) = (Digesting::default(), Ok(()));
        let mut file = BufWriter::new(unfinished(&path).map_err(fault)?);
        rows(&mut |line| {
            digest.add(line);
            if written.is_ok() {
                written = file.write_all(line);
            }
        })?;
        written.map_err(fault)?;
        run.plan_sha256 = digest.done();
        if let Some(earlier) = earlier {
            self.same_run(earlier, run)?;
        }
        let file = file.into_inner().map_err(|error| fault(error.into_error()))?;
        file.persist(&path).map_err(|error| fault(error.error))?;
        Ok(self.write_run(run)?)
    }

    /// Writes `run.json`, whole or not at all.
    ///
    /// # Errors
    /// [`OutputError::Io`] when it cannot be written.
    pub fn write_run(&self, run: &RunFile) -> Result<(), OutputError> {
        let mut text = serde_json::to_vec_pretty(run).expect("a run file is plain values");
        text.push(b'\n');
        self.replace(&self.run(), &text)
    }

    /// Reads `run.json`.
    ///
    /// # Errors
    /// [`OutputError`] when it cannot be read.
    pub fn read_run(&self) -> Result<RunFile, OutputError> {
        let path = self.run();
        let text =
            fs::read(&path).map_err(|error| OutputError::Io { path: path.clone(), error })?;
        match format_of(&text) {
            Some(found) if found != FORMAT => {
                Err(OutputError::OtherFormat { path: self.path.clone(), found })
            }
            _ => serde_json::from_slice(&text)
                .map_err(|error| OutputError::Damaged { path, message: error.to_string() }),
        }
    }

    /// The decided mutants of `run`, and whether the last line is torn and was left out.
    ///
    /// # Errors
    /// [`ledger::LedgerError`] when the ledger cannot be read, is damaged or of another run.
    pub fn read_outcomes(&self, run: &RunFile) -> Result<(Vec<Line>, bool), ledger::LedgerError> {
        ledger::lines(&self.outcomes(), &run.key())
    }

    /// Hands over the decided mutants of `run`, one at a time, in the order in which they were decided;
    /// whether the last line is torn and was left out.
    ///
    /// # Errors
    /// [`LedgerError`](ledger::LedgerError) when they cannot be read or are another run's.
    pub fn each_outcome(
        &self,
        run: &RunFile,
        take: impl FnMut(Line),
    ) -> Result<bool, ledger::LedgerError> {
        ledger::each(&self.outcomes(), &run.key(), take)
    }

    /// Refuses to go on in a run whose task, tree, plan or tool is not that of `run`.
    ///
    /// # Errors
    /// [`OutputError::OtherRun`], which says what differs.
    fn same_run(&self, before: &RunFile, run: &RunFile) -> Result<(), OutputError> {
        let pairs = [
            ("the version of this program", before.tool == run.tool),
            ("the task", before.task_sha256 == run.task_sha256),
            ("the tree", before.tree_sha256 == run.tree_sha256),
            ("the interpreter", before.interpreter == run.interpreter),
            ("the shard", before.conduct.shard == run.conduct.shard),
            (
                "the plan",
                before.plan_sha256 == run.plan_sha256 || !before.is_planned() || !run.is_planned(),
            ),
        ];
        match pairs.into_iter().find(|(_, same)| !same) {
            Some((what, _)) => Err(OutputError::OtherRun { path: self.path.clone(), what }),
            None => Ok(()),
        }
    }

    /// Keeps the sources that reports show: those of the files that mutants are in.
    ///
    /// # Errors
    /// [`OutputError`] when one cannot be read or written.
    pub fn write_sources(&self, plan: &Plan, snapshot: &Snapshot) -> Result<(), OutputError> {
        let folder = self.sources();
        fs::create_dir_all(&folder)
            .map_err(|error| OutputError::Io { path: folder.clone(), error })?;
        for file in plan.files.iter().filter(|file| !file.mutants.is_empty()) {
            let source = file.source(snapshot)?;
            self.replace(&folder.join(file.sha256.to_string()), &source)?;
        }
        Ok(())
    }

    /// Puts a whole file in place, or leaves what was there.
    pub(super) fn replace(&self, path: &Path, text: &[u8]) -> Result<(), OutputError> {
        let fault = |error| OutputError::Io { path: path.to_owned(), error };
        let mut file = unfinished(path).map_err(fault)?;
        file.write_all(text).map_err(fault)?;
        file.persist(path).map_err(|error| fault(error.error))?;
        Ok(())
    }
}

/// A file beside `path` that can take its place.
fn unfinished(path: &Path) -> io::Result<NamedTempFile> {
    let folder = path.parent().expect("a file of the run directory");
    // As `File::create` would make it; a temporary file is private by default.
    let usual = fs::Permissions::from_mode(0o666);
    tempfile::Builder::new().prefix(UNFINISHED).permissions(usual).tempfile_in(folder)
}

/// Adds the digests of the file `name` below `root`, or of all files below it where it is a directory.
fn digests(
    root: &Path,
    name: &str,
    found: &mut BTreeMap<String, Sha256>,
) -> Result<(), OutputError> {
    let path = root.join(name);
    let fault = |error| OutputError::Io { path: path.clone(), error };
    let met = match fs::symlink_metadata(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        met => met.map_err(fault)?,
    };
    if met.is_dir() {
        for entry in fs::read_dir(&path).map_err(fault)? {
            let below = entry.map_err(fault)?.file_name();
            if let Some(below) = below.to_str().filter(|below| !below.starts_with(UNFINISHED)) {
                digests(root, &format!("{name}/{below}"), found)?;
            }
        }
    } else {
        let mut digest = Digesting::default();
        File::open(&path).and_then(|mut file| io::copy(&mut file, &mut digest)).map_err(fault)?;
        found.insert(name.to_owned(), digest.done());
    }
    Ok(())
}

/// Hands over the plan as lines of JSON, one at a time: the text of `mutants.jsonl`.
///
/// # Errors
/// [`TreeError`] when a source cannot be read.
pub(super) fn rows(
    plan: &Plan,
    snapshot: &Snapshot,
    take: &mut dyn FnMut(&[u8]),
) -> Result<(), TreeError> {
    let mut line = Vec::new();
    plan.each(snapshot, |mutant, source| {
        line.clear();
        serde_json::to_writer(&mut line, &Row::of(plan, mutant, source))
            .expect("a row is plain values");
        line.push(b'\n');
        take(&line);
    })
}

/// The digest that the lines of a plan have together.
pub(super) fn digest(plan: &Plan, snapshot: &Snapshot) -> Result<Sha256, TreeError> {
    let mut digest = Digesting::default();
    rows(plan, snapshot, &mut |line| digest.add(line))?;
    Ok(digest.done())
}

/// Names of files that are being written begin so.
const UNFINISHED: &str = ".adequacy-";

/// Locks a run directory for as long as the file is open.
fn lock(path: &Path) -> Result<File, OutputError> {
    let name = path.join(format!("{UNFINISHED}lock"));
    let file = File::options().create(true).write(true).truncate(false).open(&name);
    let file = file.map_err(|error| OutputError::Io { path: name, error })?;
    flock(&file, FlockOperation::NonBlockingLockExclusive)
        .map_err(|_| OutputError::Busy(path.to_owned()))?;
    Ok(file)
}

/// `None`: nothing is there, or a directory without a finished file; else whether its `run.json` marks it as ours.
fn is_ours(path: &Path) -> io::Result<Option<bool>> {
    match fs::read_dir(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => return Ok(Some(false)),
        Err(error) => return Err(error),
        Ok(entries) => {
            let names = entries.map(|entry| entry.map(|entry| entry.file_name()));
            let names = names.collect::<io::Result<Vec<_>>>()?;
            let begun =
                |name: &OsString| name.as_encoded_bytes().starts_with(UNFINISHED.as_bytes());
            if names.iter().all(begun) {
                return Ok(None);
            }
        }
    }
    let text = match fs::read(path.join("run.json")) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Some(false)),
        other => other?,
    };
    Ok(Some(format_of(&text).is_some_and(|format| format.starts_with(FAMILY))))
}

/// What the text of a `run.json` says its format is.
fn format_of(text: &[u8]) -> Option<String> {
    let value = serde_json::from_slice::<serde_json::Value>(text).ok()?;
    value["format"].as_str().map(str::to_owned)
}
