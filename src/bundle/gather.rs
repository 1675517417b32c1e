//! From a finished run and the trees it measured to the contents of its bundle.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::compile::{CompileRecord, FORMAT};
use super::contents::Contents;
use super::publish::{Canary, Licences, Published, WorkspaceRecord};
use super::{
    BundleError, COMPILE, CONTRACT, ENVELOPE, HELDOUT, PROTECTED, REFERENCE, STATEMENT, TASK_FILE,
    WORKSPACE, claims, publish,
};
use crate::base::{RelPath, Sha256, Sink};
use crate::contract::{Kind, ProtectedPath, Record};
use crate::measure::{OutputDir, RunFile, State, TaskTrees, Wanted};
use crate::task::{Solution, Task};
use crate::tree;
use crate::verify;

/// Where the sealed run is.
#[derive(Debug, Clone, Copy)]
pub struct Sealed<'a> {
    /// The run directory.
    pub run: &'a Path,
    /// Where the contract was put; `sealed/` in the run directory when `None`.
    pub contract: Option<&'a Path>,
    /// Where a tree is put that a patch makes.
    pub scratch: &'a Path,
}

/// Gathers the bundle of a run of `task`, which is the task as its file says now, with its start tree.
///
/// # Errors
/// As [`gather_as`].
pub fn gather(task: &Task, sealed: Sealed<'_>, sink: &dyn Sink) -> Result<Contents, BundleError> {
    gather_as(task, sealed, &Published::default(), sink)
}

/// The same in the way that it is published.
///
/// # Errors
/// [`BundleError`]: the run is not finished and sealed, or is of another task; the trees, the task
/// file or the contract are not those of the run.
pub fn gather_as(
    task: &Task,
    sealed: Sealed<'_>,
    published: &Published,
    sink: &dyn Sink,
) -> Result<Contents, BundleError> {
    let output = OutputDir::existing(sealed.run)?;
    let run = output.read_run()?;
    same_task(task, &run, sealed.run)?;
    let folder = sealed.contract.map_or_else(|| output.sealed(), Path::to_owned);
    let files = Files::read(&folder)?;
    let wanted = Wanted {
        choice: &run.choice,
        output: Some(sealed.run),
        scratch: sealed.scratch,
        since: None,
    };
    let trees = TaskTrees::of(&run.task, &wanted, sink)?;
    if trees.digest() != run.tree_sha256 {
        let what = "a tree of the task is not what it was when the run measured it; seal it again";
        return Err(BundleError::Changed(what.to_owned()));
    }
    let mutants = claims::read(&output, &run)?;
    let mut compile = CompileRecord {
        format: FORMAT.to_owned(),
        tool: run.tool.clone(),
        contract_sha256: Sha256::of(&files.contract),
        task: inside(&run.task, &trees),
        choice: run.choice.clone(),
        output_limit: run.output_limit,
        interpreter: run.interpreter.as_ref().map(|found| found.version.clone()),
        limit: run.sampler.as_ref().map(|sampler| sampler.limit),
        flaky: run.flaky.clone(),
        start: run.start.as_ref().map(|start| start.commands.clone()).unwrap_or_default(),
        kill_vector: mutants.iter().filter_map(super::Claim::counts).collect(),
        mutants,
        licences: Licences::of(trees.start.as_ref().unwrap_or(&trees.base)),
        canary: None,
        files: Vec::new(),
    };
    same_numbers(&files.record, &compile)?;
    let mut contents = Contents::default();
    put_trees(&mut contents, task, &trees, published)?;
    for entry in &files.record.protected_paths {
        protect(&mut contents, trees.base.root(), entry)?;
    }
    held_out(&files.record, task)?;
    files.put(&mut contents);
    if let Some(uuid) = &published.canary {
        Canary::put(uuid, &mut contents);
        compile.canary = Some(Canary::find(uuid, &contents)?);
    }
    contents.licences = compile.licences.clone();
    contents.licences_left_out = Licences::left_out(trees.named());
    contents.canary = compile.canary.clone();
    compile.files = contents.listed();
    contents.file(COMPILE, compile.to_canonical_bytes()?);
    contents._keeps = Some(trees);
    Ok(contents)
}

/// The run is finished, and of this task.
fn same_task(task: &Task, run: &RunFile, folder: &Path) -> Result<(), BundleError> {
    if run.state != State::Finished {
        let what = format!("the run in `{}` is not finished, or is spoiled", folder.display());
        return Err(BundleError::Run(what));
    }
    let then = &run.task;
    let same = task.file == then.file && task.tree == then.tree && task.solution == then.solution;
    if !same {
        let what = format!(
            "the run in `{}` is of another task (`{}`); name its directory with `--run`",
            folder.display(),
            then.tree.display()
        );
        return Err(BundleError::Run(what));
    }
    let command = |one: &crate::task::Command| {
        (one.id.clone(), one.argv.clone(), one.role, one.ids.clone(), one.seal.clone())
    };
    let commands = |task: &Task| task.commands.iter().map(command).collect::<Vec<_>>();
    let is_bare = task.file.is_none();
    let same = (is_bare || commands(task) == commands(then))
        && task.protected == then.protected
        && task.heldout == then.heldout
        && task.task == then.task
        && task.env_set == then.env_set;
    if same {
        return Ok(());
    }
    let what = "the task file is not what it was when the run measured it; seal it again";
    Err(BundleError::Changed(what.to_owned()))
}

/// The contract counts what the run claims.
fn same_numbers(record: &Record, compile: &CompileRecord) -> Result<(), BundleError> {
    match super::open::counts(record, compile) {
        Ok(()) => Ok(()),
        Err(what) => Err(BundleError::Changed(format!("the contract is of another run: {what}"))),
    }
}

/// The task with its paths as they are in the bundle.
fn inside(task: &Task, trees: &TaskTrees) -> Task {
    let (tree, solution) = match &task.solution {
        Solution::Tree => (REFERENCE, Solution::Tree),
        Solution::From(_) | Solution::Patch(_) => {
            (REFERENCE, Solution::From(PathBuf::from(WORKSPACE)))
        }
        Solution::None => (WORKSPACE, Solution::None),
    };
    Task {
        file: task.file.as_ref().map(|_| PathBuf::from(TASK_FILE)),
        tree: PathBuf::from(tree),
        solution,
        heldout: trees.heldout.as_ref().map(|_| PathBuf::from(HELDOUT)),
        // What they showed is in the run's own files; nothing here runs them again.
        must_pass: Vec::new(),
        known_wrong: Vec::new(),
        ..task.clone()
    }
}

fn put_trees(
    contents: &mut Contents,
    task: &Task,
    trees: &TaskTrees,
    published: &Published,
) -> Result<(), BundleError> {
    let start = match &task.solution {
        Solution::None => Some(&trees.base),
        Solution::Tree | Solution::From(_) | Solution::Patch(_) => {
            contents.tree(REFERENCE, &trees.base);
            trees.start.as_ref()
        }
    };
    match (start, &published.reference) {
        (None, None) => {}
        (None, Some(_)) => {
            let what = "the task has no start tree that a bundle by reference could leave out";
            return Err(BundleError::Run(what.to_owned()));
        }
        (Some(start), _) => match WorkspaceRecord::of(start, task.image.as_ref(), published) {
            Some(record) => record.put(contents),
            None => contents.tree(WORKSPACE, start),
        },
    }
    if let Some(heldout) = &trees.heldout {
        contents.tree(HELDOUT, heldout);
    }
    if let Some(file) = &task.file {
        let bytes = fs::read(file).map_err(|error| BundleError::io("read", file, error))?;
        contents.file(TASK_FILE, publish::task_file(bytes, published.canary.as_ref()));
    }
    Ok(())
}

/// The files that an entry covers, as they were sealed.
fn protect(contents: &mut Contents, root: &Path, entry: &ProtectedPath) -> Result<(), BundleError> {
    let path = RelPath::new(entry.path.as_bytes()).map_err(|error| {
        BundleError::Run(format!("the protected path `{}` {error}", entry.path))
    })?;
    let (sha256, files) = match entry.kind {
        Kind::File => {
            let sha256 = tree::file(root, &path)?;
            (sha256, vec![(path, sha256)])
        }
        Kind::Directory => {
            let exclude = entry.exclude.clone().unwrap_or_default();
            let covered = tree::directory(root, &path, &exclude)?;
            (covered.sha256, covered.files)
        }
    };
    if sha256 != entry.sha256 {
        let what = format!("`{}` is not what the contract protects; seal it again", entry.path);
        return Err(BundleError::Changed(what));
    }
    let folder = RelPath::new(PROTECTED.as_bytes()).expect("a name of our own");
    for (path, sha256) in files {
        let from = path.below(root);
        let met = fs::symlink_metadata(&from);
        let met = met.map_err(|error| BundleError::io("look at", &from, error))?;
        let executable = met.permissions().mode() & 0o111 != 0;
        contents.disk(super::contents::under(&folder, &path), from, sha256, executable);
    }
    Ok(())
}

/// The held-out files are those that the contract names.
fn held_out(record: &Record, task: &Task) -> Result<(), BundleError> {
    let Some(sealed) = record.heldout_split_sha256 else { return Ok(()) };
    let now = task.heldout.as_deref().map(tree::heldout).transpose()?;
    if now == Some(sealed) {
        return Ok(());
    }
    let what = "the held-out files are not what the contract names; seal it again";
    Err(BundleError::Changed(what.to_owned()))
}

/// The sealed files.
struct Files {
    contract: Vec<u8>,
    record: Record,
    statement: Vec<u8>,
    envelope: Option<Vec<u8>>,
}

impl Files {
    fn read(folder: &Path) -> Result<Self, BundleError> {
        let read = |name: &str| {
            let path = folder.join(name);
            match fs::read(&path) {
                Ok(bytes) => Ok(Some(bytes)),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
                Err(error) => Err(BundleError::io("read", path, error)),
            }
        };
        let (Some(contract), Some(statement)) = (read(CONTRACT)?, read(STATEMENT)?) else {
            let what = format!(
                "`{}` holds no contract.json with its Statement; run `adequacy seal` first, or name \
                 where they are with `--sealed`",
                folder.display()
            );
            return Err(BundleError::Run(what));
        };
        let record = verify::verify(&statement, &contract)?.record;
        Ok(Self { contract, record, statement, envelope: read(ENVELOPE)? })
    }

    fn put(self, contents: &mut Contents) {
        contents.file(CONTRACT, self.contract);
        contents.file(STATEMENT, self.statement);
        if let Some(envelope) = self.envelope {
            contents.file(ENVELOPE, envelope);
        }
    }
}
