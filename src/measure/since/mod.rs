//! What a repository held before: the state that `--since` compares the tree with, and what the tests that
//! changed since run.
//!
//! git is a program of its own, asked only for what it has stored: nothing of it looks at or changes the
//! index or the files.

mod covered;

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read as _, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde::{Deserialize, Serialize};

pub use covered::CoveredRecord;
pub(super) use covered::with_changed_tests;

use crate::base::RelPath;
use crate::plan::{Before, Kept, Plan};

/// The state of a tree at the merge base of a revision and HEAD.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Since {
    /// The tree.
    root: PathBuf,
    /// Where it is in its repository: empty, or with a final slash.
    prefix: String,
    /// What goes to `run.json`.
    pub record: SinceRecord,
}

/// What a run compared its tree with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SinceRecord {
    /// The revision as it was given.
    pub revision: String,
    /// The commit that it and HEAD have in common.
    pub merge_base: String,
    /// What the tests that changed run, where some did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed_tests: Option<CoveredRecord>,
}

/// Why there is nothing to compare a tree with.
#[derive(Debug, thiserror::Error)]
pub enum SinceError {
    /// git is not there.
    #[error("git cannot be started, which `--since` needs: {0}")]
    NoGit(io::Error),
    /// It says no.
    #[error("`--since {revision}`: {what}{hint}")]
    Refused {
        /// The revision.
        revision: String,
        /// What git, or we, cannot do.
        what: String,
        /// What to do about it.
        hint: &'static str,
    },
}

/// For a clone without its history.
const SHALLOW: &str = "; this clone is shallow: fetch the history that both have, as with `git fetch --unshallow`, or \
                       with `fetch-depth: 0` in a workflow";

/// Variables by which a caller such as a hook points git at another repository or index.
const POINTERS: [&str; 8] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_PREFIX",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
];

impl Since {
    /// Looks up where `revision` and HEAD of the repository around `root` meet.
    ///
    /// # Errors
    /// [`SinceError`] when git is missing, `root` is in no repository, or the two have nothing in common
    /// that this clone holds.
    pub fn open(root: &Path, revision: &str) -> Result<Self, SinceError> {
        let refused =
            |what: String, hint| SinceError::Refused { revision: revision.to_owned(), what, hint };
        let prefix = git(root, &["rev-parse", "--show-prefix"])?;
        let prefix = said(&prefix).map_err(|what| refused(what, ""))?;
        let shallow = git(root, &["rev-parse", "--is-shallow-repository"])?;
        let hint = if said(&shallow).is_ok_and(|said| said == "true") { SHALLOW } else { "" };
        let commit = format!("{revision}^{{commit}}");
        let words = ["rev-parse", "--verify", "--quiet", "--end-of-options", &commit];
        let commit = said(&git(root, &words)?)
            .map_err(|_| refused("this repository holds no such revision".to_owned(), hint))?;
        let base = said(&git(root, &["merge-base", &commit, "HEAD"])?)
            .map_err(|_| refused("it and HEAD have no commit in common".to_owned(), hint))?;
        let record =
            SinceRecord { revision: revision.to_owned(), merge_base: base, changed_tests: None };
        Ok(Self { root: root.to_owned(), prefix, record })
    }

    /// Where mutants of `plan` are kept.
    pub(super) fn kept(&self, plan: &Plan) -> Result<Kept, SinceError> {
        let before = self.texts(plan.files.iter().map(|file| &file.path))?;
        let mut more = BTreeMap::<RelPath, Vec<(u32, u32)>>::new();
        let functions = self.record.changed_tests.iter().flat_map(|it| &it.functions);
        for function in functions {
            more.entry(function.path.clone()).or_default().push((function.first, function.last));
        }
        Ok(Kept { before, more })
    }

    /// What these files held; those that were not there are left out.
    fn texts<'a>(&self, paths: impl Iterator<Item = &'a RelPath>) -> Result<Before, SinceError> {
        let mut child = command(&self.root, &["cat-file", "--batch"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(SinceError::NoGit)?;
        let stdin = child.stdin.take().expect("it is piped");
        let stdout = BufReader::new(child.stdout.take().expect("it is piped"));
        let found = self.ask(paths, stdin, stdout);
        let _ = child.kill();
        let _ = child.wait();
        found.map_err(|error| SinceError::Refused {
            revision: self.record.revision.clone(),
            what: format!("git did not say what the files held: {error}"),
            hint: "",
        })
    }

    /// Asks for one file after the other: neither side waits for the other's pipe to empty.
    fn ask<'a>(
        &self,
        paths: impl Iterator<Item = &'a RelPath>,
        mut to: impl Write,
        mut from: impl BufRead,
    ) -> io::Result<Before> {
        let mut found = Before::new();
        for path in paths {
            let name = path.as_str().expect("only files with UTF-8 names are chosen");
            writeln!(to, "{}:{}{name}", self.record.merge_base, self.prefix)?;
            to.flush()?;
            if let Some(text) = answer(&mut from)? {
                found.insert(path.clone(), text);
            }
        }
        Ok(found)
    }
}

impl SinceRecord {
    /// The revision, for people.
    #[must_use]
    pub fn words(&self) -> String {
        let short = self.merge_base.get(..12).unwrap_or(&self.merge_base);
        format!("`{}` (merge base {short})", self.revision)
    }

    /// What was mutated, as a sentence of a report.
    #[must_use]
    pub fn sentence(&self) -> String {
        let tests = self.changed_tests.as_ref().filter(|it| !it.functions.is_empty());
        let tests = tests.map_or_else(String::new, |it| {
            let (tests, functions) = (it.tests, it.functions.len());
            format!(", and {functions} functions that {tests} changed tests enter,")
        });
        let words = self.words();
        format!(
            "Only lines that differ from {words}{tests} were mutated; the numbers are of those alone."
        )
    }
}

/// One answer of `cat-file --batch`: the bytes of a blob, or `None` where there is none.
fn answer(from: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut head = Vec::new();
    from.read_until(b'\n', &mut head)?;
    let head = String::from_utf8_lossy(&head);
    let head = head.strip_suffix('\n').ok_or_else(|| io::Error::other("it ended"))?;
    if head.ends_with(" missing") {
        return Ok(None);
    }
    let mut words = head.rsplit(' ');
    let size = words.next().and_then(|size| size.parse::<u64>().ok());
    let size = size.ok_or_else(|| io::Error::other(format!("`{head}`")))?;
    let mut text = Vec::new();
    from.take(size).read_to_end(&mut text)?;
    let mut end = [0];
    from.read_exact(&mut end)?;
    Ok((words.next() == Some("blob")).then_some(text))
}

fn command(root: &Path, words: &[&str]) -> Command {
    let mut command = Command::new("git");
    command.arg("-C").arg(root).arg("--no-replace-objects").args(words);
    for name in POINTERS {
        command.env_remove(name);
    }
    command
}

fn git(root: &Path, words: &[&str]) -> Result<Output, SinceError> {
    command(root, words).stdin(Stdio::null()).output().map_err(SinceError::NoGit)
}

/// What git printed on one line, or why it did not.
fn said(output: &Output) -> Result<String, String> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end_matches('\n').to_owned();
    if output.status.success() {
        return Ok(text(&output.stdout));
    }
    let error = text(&output.stderr);
    Err(error.lines().next().unwrap_or("git says no").trim_start_matches("fatal: ").to_owned())
}
