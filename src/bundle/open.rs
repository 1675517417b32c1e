//! Opening a bundle: nothing of it is believed before it fits its contract.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::compile::{CompileRecord, FORMAT, Listed};
use super::fill::{self, Filled};
use super::publish::WorkspaceRecord;
use super::{
    BundleError, COMPILE, CONTRACT, ENVELOPE, HELDOUT, PROTECTED, STATEMENT, WORKSPACE, archive,
};
use crate::base::{RelPath, Sha256, Silent};
use crate::contract::{Kind, Record};
use crate::task::{Solution, Task};
use crate::tree::{self, Choice, ProtectedError};
use crate::verify::{self, MAX_BYTES};

/// A contract with its Statement, as bytes.
#[derive(Debug)]
pub struct Member {
    /// The record's bytes.
    pub contract: Vec<u8>,
    /// The Statement's bytes.
    pub statement: Vec<u8>,
    /// The envelope's, where there is one.
    pub envelope: Option<Vec<u8>>,
}

/// A bundle, or the agent's part of one.
#[derive(Debug)]
pub struct Bundle {
    /// Where it is.
    pub root: PathBuf,
    /// Its record, which its Statement fits.
    pub record: Record,
    /// Digest of the record.
    pub contract_sha256: Sha256,
    /// The sealed files.
    pub member: Member,
    /// The verifier's part, which fits the record; none in the agent's part.
    pub compile: Option<CompileRecord>,
    /// Digest of the file that holds that part's record, which lists all else that is in the bundle.
    pub compile_sha256: Option<Sha256>,
    /// Where its start tree comes from, when it does not hold that.
    pub by_reference: Option<WorkspaceRecord>,
    /// That start tree, once it was found.
    pub(super) filled: Option<Filled>,
    /// Holds an archive that was unpacked.
    _unpacked: Option<TempDir>,
}

/// Opens the bundle at `path`, a directory or an archive, and checks that it holds exactly what it
/// lists and that this is what its contract names. An archive is unpacked in `scratch`.
///
/// # Errors
/// [`BundleError`], whose code says what does not fit.
pub fn open(path: &Path, scratch: &Path) -> Result<Bundle, BundleError> {
    let (root, _unpacked) = if archive::is_archive(path) && !path.is_dir() {
        let folder = tempfile::Builder::new().prefix("adequacy-bundle-").tempdir_in(scratch);
        let folder = folder.map_err(|error| BundleError::io("write in", scratch, error))?;
        archive::unpack(path, folder.path())?;
        (folder.path().to_owned(), Some(folder))
    } else {
        let found = path.canonicalize();
        (found.map_err(|error| BundleError::io("find", path, error))?, None)
    };
    let member = Member::read(&root)?;
    let verified = verify::verify(&member.statement, &member.contract)?;
    let (record, contract_sha256) = (verified.record, verified.contract_sha256);
    let (compile, compile_sha256) = compile_record(&root)?.unzip();
    if let Some(compile) = &compile {
        if compile.contract_sha256 != contract_sha256 {
            let what = format!("{COMPILE} is of the contract {}", compile.contract_sha256);
            return Err(BundleError::Differs(what));
        }
        files(&root, &compile.files)?;
        counts(&record, compile).map_err(BundleError::Differs)?;
        digests(&root, &record)?;
    }
    let by_reference = fill::record(&root)?;
    if let Some(canary) = compile.as_ref().and_then(|compile| compile.canary.as_ref()) {
        canary.check(&root)?;
    }
    Ok(Bundle {
        root,
        record,
        contract_sha256,
        member,
        compile,
        compile_sha256,
        by_reference,
        filled: None,
        _unpacked,
    })
}

impl Member {
    /// Reads the sealed files in `folder`.
    ///
    /// # Errors
    /// [`BundleError::Unreadable`] when contract or Statement is not there, or is no file of usual size.
    pub fn read(folder: &Path) -> Result<Self, BundleError> {
        let needed = |name: &str| {
            small(folder, name)?.ok_or_else(|| BundleError::Unreadable {
                path: folder.join(name),
                what: "does not exist".to_owned(),
            })
        };
        let (statement, contract) = (needed(STATEMENT)?, needed(CONTRACT)?);
        Ok(Self { contract, statement, envelope: small(folder, ENVELOPE)? })
    }
}

/// A regular file of at most 16 MiB, if it is there.
fn small(folder: &Path, name: &str) -> Result<Option<Vec<u8>>, BundleError> {
    let path = folder.join(name);
    let bad = |what: &str| BundleError::Unreadable { path: path.clone(), what: what.to_owned() };
    match fs::symlink_metadata(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(BundleError::io("look at", path, error)),
        Ok(met) if !met.is_file() => return Err(bad("is no regular file")),
        Ok(met) if met.len() > MAX_BYTES as u64 => return Err(bad("is larger than 16 MiB")),
        Ok(_) => {}
    }
    fs::read(&path).map(Some).map_err(|error| BundleError::io("read", &path, error))
}

/// The bytes of a regular file, if anything is there.
pub(super) fn regular(path: &Path) -> Result<Option<Vec<u8>>, BundleError> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Ok(met) if met.is_file() => {}
        _ => {
            let what = "is no regular file".to_owned();
            return Err(BundleError::Unreadable { path: path.to_owned(), what });
        }
    }
    fs::read(path).map(Some).map_err(|error| BundleError::io("read", path, error))
}

fn compile_record(root: &Path) -> Result<Option<(CompileRecord, Sha256)>, BundleError> {
    let path = root.join(COMPILE);
    let bad = |what: String| BundleError::Unreadable { path: path.clone(), what };
    if fs::symlink_metadata(root.join(super::SEALED)).is_err() {
        return Ok(None);
    }
    let text = regular(&path)?.ok_or_else(|| bad("is missing".to_owned()))?;
    let compile = serde_json::from_slice::<CompileRecord>(&text)
        .map_err(|error| bad(format!("is no record of this version: {error}")))?;
    if compile.format != FORMAT {
        return Err(bad(format!("is in the format `{}`, not `{FORMAT}`", compile.format)));
    }
    if !compile.stays_inside() {
        return Err(bad("names a tree outside of the bundle".to_owned()));
    }
    Ok(Some((compile, Sha256::of(&text))))
}

/// The bundle holds what is listed, and nothing else.
fn files(root: &Path, listed: &[Listed]) -> Result<(), BundleError> {
    let everything = Choice { all: true, ..Choice::default() };
    let snapshot = tree::snapshot(root, &everything, &Silent)?;
    let by_path = |all: &[Listed]| {
        all.iter().map(|one| (one.path.clone(), one.clone())).collect::<BTreeMap<_, _>>()
    };
    let (wanted, found) = (by_path(listed), by_path(&Listed::of(&snapshot)));
    let mut faults = Vec::new();
    for (path, one) in &wanted {
        match found.get(path) {
            None => faults.push(format!("`{}` is missing", path.display())),
            Some(other) if other != one => faults.push(format!("`{}` is another", path.display())),
            Some(_) => {}
        }
    }
    let extra = found.keys().filter(|path| !wanted.contains_key(*path));
    faults.extend(extra.map(|path| format!("`{}` is not listed", path.display())));
    let special = snapshot.left_out().iter();
    faults.extend(special.map(|out| format!("`{}` is a {}", out.path, out.reason)));
    if faults.is_empty() {
        return Ok(());
    }
    Err(BundleError::Files(few(&faults)))
}

/// The first few of a list, and how many more there are.
pub(super) fn few(faults: &[String]) -> String {
    let more = faults.len().saturating_sub(5);
    let shown = faults[..faults.len() - more].join(", ");
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{shown}{more}")
}

/// The contract's numbers are those of the claims.
pub(super) fn counts(record: &Record, compile: &CompileRecord) -> Result<(), String> {
    let claimed = compile.mutants.iter().filter_map(super::Claim::counts).collect::<Vec<_>>();
    if claimed != compile.kill_vector {
        return Err("the kill vector is not that of the mutants".to_owned());
    }
    let killed = claimed.iter().filter(|killed| **killed).count() as u64;
    let numbers = (Some(claimed.len() as u64), Some(killed));
    let sealed = (record.adequacy.mutants.as_u64(), record.adequacy.killed.as_u64());
    if numbers != sealed {
        return Err(format!(
            "{killed} of {} mutants are killed here, and the contract says {} of {}",
            claimed.len(),
            record.adequacy.killed,
            record.adequacy.mutants
        ));
    }
    let text = serde_json::to_vec(&claimed).expect("a list of booleans");
    match record.adequacy.kill_vector_sha256 {
        Some(sealed) if sealed != Sha256::of(&text) => {
            Err("the kill vector has another digest than the contract's".to_owned())
        }
        _ => Ok(()),
    }
}

/// The sealed files have the digests that the contract names.
fn digests(root: &Path, record: &Record) -> Result<(), BundleError> {
    let folder = root.join(PROTECTED);
    for entry in &record.protected_paths {
        let path = RelPath::new(entry.path.as_bytes()).expect("the record's rules");
        let found = match entry.kind {
            Kind::File => tree::file(&folder, &path),
            Kind::Directory => {
                tree::directory(&folder, &path, entry.exclude.as_deref().unwrap_or_default())
                    .map(|covered| covered.sha256)
            }
        };
        match found {
            Ok(found) if found == entry.sha256 => {}
            Err(error @ ProtectedError::Tree(_)) => return Err(error.into()),
            Ok(_) | Err(_) => {
                let what =
                    format!("`{PROTECTED}/{}` is not what the contract protects", entry.path);
                return Err(BundleError::Differs(what));
            }
        }
    }
    if let Some(sealed) = record.heldout_split_sha256
        && tree::heldout(&root.join(HELDOUT)).ok() != Some(sealed)
    {
        let what = format!("`{HELDOUT}` is not what the contract names");
        return Err(BundleError::Differs(what));
    }
    Ok(())
}

impl Bundle {
    /// The start tree, where there is one.
    #[must_use]
    pub fn workspace(&self) -> Option<PathBuf> {
        let own = || Some(self.root.join(WORKSPACE)).filter(|path| path.is_dir());
        self.filled.as_ref().map(|filled| filled.root.clone()).or_else(own)
    }

    /// The task with its paths where they are; `None` when its start tree is not at hand.
    #[must_use]
    pub fn task(&self, compile: &CompileRecord) -> Option<Task> {
        let mut task = compile.task_below(&self.root);
        match &mut task.solution {
            Solution::From(start) => *start = self.workspace()?,
            Solution::None => task.tree = self.workspace()?,
            Solution::Tree | Solution::Patch(_) => {}
        }
        Some(task)
    }
}
