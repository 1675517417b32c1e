//! Tasks of repositories: a commit, a patch that is right, a patch with tests, and the tests by id.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Deserialize;

use super::document::{Acceptance, Document, Protected, first_line};
use super::folder::Folder;
use super::ids::{Selection, select};
use super::{ImportError, Imported, head, record};
use crate::base::{RelPath, Sink};
use crate::task::TASK_FILE;
use crate::tree::patch::{Change, FileKind, FileState, Patch};
use crate::tree::{self, Choice, Snapshot};

/// What is imported.
#[derive(Debug, Clone, Copy)]
pub struct Swe<'a> {
    /// The file of records.
    pub record: &'a Path,
    /// The id of the record, where the file holds several.
    pub instance: Option<&'a str>,
    /// The repository, checked out at the record's commit.
    pub repository: &'a Path,
    /// The words before the ids, instead of those that their form asks for.
    pub runner: Option<&'a [String]>,
}

/// The members of a record that a task is made of.
#[derive(Debug, Deserialize)]
struct Record {
    instance_id: String,
    base_commit: Option<String>,
    problem_statement: String,
    patch: String,
    #[serde(default)]
    test_patch: String,
    #[serde(rename = "FAIL_TO_PASS", alias = "fail_to_pass", deserialize_with = "record::list")]
    fail_to_pass: Vec<String>,
    #[serde(
        rename = "PASS_TO_PASS",
        alias = "pass_to_pass",
        default,
        deserialize_with = "record::list"
    )]
    pass_to_pass: Vec<String>,
}

/// Makes the task directory `place`: `start` is the repository with the tests of the test patch,
/// `reference.patch` the record's patch, `adequacy.toml` the commands and the protected test files.
///
/// # Errors
/// [`ImportError`]; then nothing is left at `place` or beside it.
pub fn swe(source: &Swe<'_>, place: &Path, sink: &dyn Sink) -> Result<Imported, ImportError> {
    let mut record: Record = record::read(source.record, "instance_id", source.instance)?;
    let mut imported = Imported::default();
    for (member, ids) in
        [("FAIL_TO_PASS", &mut record.fail_to_pass), ("PASS_TO_PASS", &mut record.pass_to_pass)]
    {
        // A contract may name each once.
        let (mut seen, named) = (BTreeSet::new(), ids.len());
        ids.retain(|id| seen.insert(id.clone()));
        if ids.len() < named {
            let note = format!("{} ids of {member} are repeated: kept once", named - ids.len());
            imported.notes.push(note);
        }
    }
    check_commit(&record, source.repository, &mut imported)?;
    if record.fail_to_pass.is_empty() {
        let what = "FAIL_TO_PASS is empty: no test tells the solution from the start";
        return Err(ImportError::Refused(what.to_owned()));
    }
    let must = select("FAIL_TO_PASS", &record.fail_to_pass, source.runner)?;
    let keeps = match record.pass_to_pass.as_slice() {
        [] => None,
        ids => Some(select("PASS_TO_PASS", ids, source.runner)?),
    };
    let repository = snapshot(source.repository, place, sink)?;
    let folder = Folder::begin(place)?;
    let trees = Trees::new(&record, &repository)?;
    folder.tree("start", &repository, &trees.tests)?;
    folder.file("reference.patch", &record.patch)?;
    let named = must.files.iter().chain(keeps.iter().flat_map(|keeps| &keeps.files));
    let protected = trees.protected(named, source.runner.is_some(), &mut imported)?;
    imported.made = vec![
        format!("start: the repository with {} files of the test patch", trees.tests.len()),
        format!("reference.patch: changes {} files", trees.reference.len()),
        format!(
            "{TASK_FILE}: {} tests that must come to pass, {} that must keep passing, {} protected files",
            record.fail_to_pass.len(),
            record.pass_to_pass.len(),
            protected.len()
        ),
    ];
    folder.file(TASK_FILE, document(record, must, keeps, protected).text())?;
    folder.finish()?;
    Ok(imported)
}

/// Refuses a repository that is known to be at another commit.
fn check_commit(
    record: &Record,
    repository: &Path,
    imported: &mut Imported,
) -> Result<(), ImportError> {
    let Some(base) = record.base_commit.as_deref().filter(|base| !base.is_empty()) else {
        imported.notes.push("the record names no commit to compare with".to_owned());
        return Ok(());
    };
    match head::commit(repository) {
        Some(head) if head.starts_with(&base.to_ascii_lowercase()) => {}
        Some(head) => {
            return Err(ImportError::Refused(format!(
                "the repository is at commit {head} and the record's base is {base}; check that out first"
            )));
        }
        None => {
            let note =
                format!("could not tell whether the repository is at the record's commit {base}");
            imported.notes.push(note);
        }
    }
    Ok(())
}

/// Lists the repository, without the directory that is being made.
fn snapshot(root: &Path, place: &Path, sink: &dyn Sink) -> Result<Snapshot, ImportError> {
    let above = place.parent().filter(|above| !above.as_os_str().is_empty());
    let above = above.unwrap_or(Path::new(".")).canonicalize().ok();
    let place = above.and_then(|above| Some(above.join(place.file_name()?)));
    let below = place.zip(root.canonicalize().ok()).and_then(|(place, root)| {
        let below = place.strip_prefix(root).ok()?.to_owned();
        RelPath::new(below.as_os_str().as_encoded_bytes()).ok()
    });
    let choice = Choice { output: below, ..Choice::default() };
    Ok(tree::snapshot(root, &choice, sink)?)
}

/// What the two patches make of the repository.
struct Trees<'a> {
    repository: &'a Snapshot,
    tests: Vec<Change>,
    /// What stands at the paths of the test patch.
    tested: BTreeMap<RelPath, Option<FileState>>,
    reference: Vec<Change>,
}

impl<'a> Trees<'a> {
    fn new(record: &Record, repository: &'a Snapshot) -> Result<Self, ImportError> {
        let tests = if record.test_patch.trim().is_empty() {
            Vec::new()
        } else {
            let fault = ImportError::patch("test_patch");
            let patch = Patch::parse(record.test_patch.as_bytes()).map_err(&fault)?;
            patch.apply(&|path| repository.state(path)).map_err(&fault)?
        };
        let tested = tests.iter().map(|change| (change.path.clone(), change.after.clone()));
        let mut trees = Self { repository, tested: tested.collect(), tests, reference: Vec::new() };
        let fault = ImportError::patch("patch");
        let patch = Patch::parse(record.patch.as_bytes()).map_err(&fault)?;
        trees.reference = patch.apply(&|path| trees.state(path)).map_err(&fault)?;
        if trees.reference.is_empty() {
            return Err(ImportError::Refused("the record's `patch` changes nothing".to_owned()));
        }
        Ok(trees)
    }

    /// What stands at a path of the start tree.
    fn state(&self, path: &RelPath) -> Result<Option<FileState>, tree::TreeError> {
        match self.tested.get(path) {
            Some(state) => Ok(state.clone()),
            None => self.repository.state(path),
        }
    }

    /// Whether a file of the start tree stands there.
    fn is_file(&self, path: &RelPath) -> bool {
        match self.tested.get(path) {
            Some(state) => state.as_ref().is_some_and(|state| state.kind != FileKind::Link),
            None => self.repository.file(path).is_some(),
        }
    }

    /// The test files: those of the test patch, and those that the ids name.
    fn protected<'f>(
        &self,
        named: impl Iterator<Item = &'f Vec<String>>,
        is_own_runner: bool,
        imported: &mut Imported,
    ) -> Result<Vec<Protected>, ImportError> {
        let mut files = BTreeSet::new();
        let mut missing = BTreeSet::new();
        for likely in named {
            let mut paths = likely.iter().filter_map(|path| RelPath::new(path.as_bytes()).ok());
            match paths.find(|path| self.is_file(path)) {
                Some(file) => _ = files.insert(file),
                None => _ = missing.insert(&likely[0]),
            }
        }
        if let Some(first) = missing.first() {
            let count = missing.len();
            let what =
                format!("{count} files that ids name are not in the start tree, `{first}` first");
            // A runner of its own may look for them elsewhere.
            if !is_own_runner {
                return Err(ImportError::Refused(what));
            }
            imported.notes.push(format!("{what}: not protected, add them by hand"));
        }
        files.extend(
            self.tests.iter().map(|change| change.path.clone()).filter(|path| self.is_file(path)),
        );
        let changed = self.reference.iter().map(|change| &change.path).collect::<BTreeSet<_>>();
        let mut protected = Vec::new();
        for file in files {
            if changed.contains(&file) {
                imported.notes.push(format!(
                    "`{file}` is a test file that the reference changes: not protected"
                ));
                continue;
            }
            let Some(path) = file.as_str() else {
                let what = format!("the test file `{file}` has a name that no task file can hold");
                return Err(ImportError::Refused(what));
            };
            protected.push(Protected { path: path.to_owned(), kind: "file" });
        }
        Ok(protected)
    }
}

fn document(
    record: Record,
    must: Selection,
    keeps: Option<Selection>,
    protected: Vec<Protected>,
) -> Document {
    let task = first_line(&record.problem_statement).unwrap_or(&record.instance_id).to_owned();
    let mut acceptance = vec![Acceptance {
        id: "fail-to-pass",
        argv: must.argv,
        ids: record.fail_to_pass,
        ..Acceptance::default()
    }];
    acceptance.extend(keeps.map(|keeps| Acceptance {
        id: "pass-to-pass",
        prepatch: Some("pass"),
        argv: keeps.argv,
        ids: record.pass_to_pass,
        ..Acceptance::default()
    }));
    Document {
        contract_id: format!("contract-{}", record.instance_id),
        task,
        start: "start",
        patch: Some("reference.patch"),
        acceptance,
        protected,
        ..Document::default()
    }
}
