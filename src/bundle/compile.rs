//! `sealed/compile.json`: how the contract came about, for those who check or repeat it. Nothing in it
//! hangs on a clock: the same run on the same tree gives the same bytes.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::publish::{Canary, Licences};
use super::{BundleError, COMPILE};
use crate::base::canonical::MAX_SAFE_INTEGER;
use crate::base::{Sha256, any_path};
use crate::measure::OnStart;
use crate::plan::Class;
use crate::task::{Solution, Task};
use crate::tree::{Choice, Kind, Snapshot};

/// What `format` says.
pub const FORMAT: &str = "adequacy-compile/1";

/// The members of `sealed/compile.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CompileRecord {
    /// [`FORMAT`].
    pub format: String,
    /// Name and version of the program that sealed.
    pub tool: String,
    /// Digest of the contract that this belongs to.
    pub contract_sha256: Sha256,
    /// The task; its paths are below the bundle's root. No time limits but those it states.
    pub task: Task,
    /// What was left out of the trees, and what was kept.
    pub choice: Choice,
    /// Bytes of output at which a command is stopped.
    pub output_limit: u64,
    /// `sys.version` of the interpreter that judged which mutants compile.
    pub interpreter: Option<String>,
    /// Most mutants the sampler kept.
    pub limit: Option<usize>,
    /// Ids of the commands that gave two answers on the unmutated tree and were let through.
    pub flaky: Vec<String>,
    /// What each command did on the start tree.
    pub start: Vec<OnStart>,
    /// One entry a counted mutant, in sealed order: whether it was killed.
    pub kill_vector: Vec<bool>,
    /// The mutants that were run, in sealed order.
    pub mutants: Vec<Claim>,
    /// The licence files of the start tree, or of the right solution where there is no start.
    #[serde(default)]
    pub licences: Licences,
    /// The canary, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub canary: Option<Canary>,
    /// Everything in the bundle but this file, in path order.
    pub files: Vec<Listed>,
}

/// What is claimed of one mutant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// Its name.
    pub id: String,
    /// The set it belongs to.
    pub class: Class,
    /// What made it.
    pub operator: String,
    /// Its file.
    pub path: String,
    /// Line of the mutated node, from 1; 0 for a mutant that has no one place.
    pub line: u32,
    /// `killed`, `survived`, `undecided`, `unviable` or `not_built`.
    pub outcome: String,
    /// Of a kill or a doubt, which.
    pub reason: Option<String>,
    /// Id of the command that killed, or gave no answer.
    pub command: Option<String>,
}

impl Claim {
    /// Whether it stands in the kill vector, and how.
    #[must_use]
    pub fn counts(&self) -> Option<bool> {
        let is_counted = !matches!(self.outcome.as_str(), "unviable" | "not_built");
        is_counted.then(|| self.outcome == "killed")
    }
}

/// One entry of the bundle.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Listed {
    /// Where, below the bundle's root.
    #[serde(with = "any_path")]
    pub path: PathBuf,
    /// `file`, `executable`, `link` or `directory`.
    pub kind: String,
    /// Digest of a file's bytes, or of the text of a link.
    pub sha256: Option<Sha256>,
}

impl Listed {
    /// What a listing of a whole bundle says, in path order, but for `sealed/compile.json` itself.
    #[must_use]
    pub fn of(snapshot: &Snapshot) -> Vec<Self> {
        let mut all = Self::all(snapshot);
        all.retain(|one| one.path != Path::new(COMPILE));
        all
    }

    /// What a listing says, in path order.
    pub(super) fn all(snapshot: &Snapshot) -> Vec<Self> {
        let listed = snapshot.entries().iter().map(|entry| {
            let (kind, sha256) = match &entry.kind {
                Kind::Directory { .. } => ("directory", None),
                Kind::Link { target } => {
                    ("link", Some(Sha256::of(target.as_os_str().as_encoded_bytes())))
                }
                Kind::File { sha256, mode, .. } if mode & 0o111 != 0 => {
                    ("executable", Some(*sha256))
                }
                Kind::File { sha256, .. } => ("file", Some(*sha256)),
            };
            Self { path: entry.path.as_path().to_owned(), kind: kind.to_owned(), sha256 }
        });
        listed.collect()
    }
}

impl CompileRecord {
    /// Its RFC 8785 bytes.
    ///
    /// # Errors
    /// [`BundleError::Run`] for a seed that these would round.
    pub fn to_canonical_bytes(&self) -> Result<Vec<u8>, BundleError> {
        if self.task.mutate.seed > MAX_SAFE_INTEGER || self.output_limit > MAX_SAFE_INTEGER {
            let what = "a seed or an output limit beyond 2^53-1 cannot be written down exactly; seal \
                        with a smaller one";
            return Err(BundleError::Run(what.to_owned()));
        }
        Ok(serde_json_canonicalizer::to_vec(self).expect("plain values under different names"))
    }

    /// The task with its paths below `root`.
    #[must_use]
    pub fn task_below(&self, root: &Path) -> Task {
        let below = |path: &PathBuf| root.join(path);
        let solution = match &self.task.solution {
            Solution::From(start) => Solution::From(below(start)),
            other => other.clone(),
        };
        Task {
            file: self.task.file.as_ref().map(below),
            tree: below(&self.task.tree),
            heldout: self.task.heldout.as_ref().map(below),
            solution,
            ..self.task.clone()
        }
    }

    /// Whether its paths are below the bundle's root, as those of a record of ours are.
    pub(super) fn stays_inside(&self) -> bool {
        let start = match &self.task.solution {
            Solution::Tree | Solution::None => None,
            Solution::From(start) => Some(start),
            Solution::Patch(_) => return false,
        };
        let plain = |path: &PathBuf| {
            path.components().all(|part| matches!(part, std::path::Component::Normal(_)))
        };
        let paths = self.task.heldout.iter().chain(&self.task.file).chain(start);
        plain(&self.task.tree) && paths.into_iter().all(plain)
    }
}
