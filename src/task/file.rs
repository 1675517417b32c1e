//! The task file exactly as it was typed; nothing is resolved here.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

/// `adequacy.toml` as typed. Unknown keys and wrong types are errors that name the key and the line.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskFile {
    /// The contract's id; by default `contract-` and the name of the tree's directory.
    pub contract_id: Option<Spanned<String>>,
    /// One sentence: what the task is.
    pub task: Option<Spanned<String>>,
    /// A right solution, relative to the task file; by default `.`.
    pub tree: Option<Spanned<String>>,
    /// What the agent gets.
    pub start: Option<Spanned<String>>,
    /// A right solution beside `start`.
    pub reference: Option<Spanned<String>>,
    /// A diff that makes the right solution of `start`.
    pub patch: Option<Spanned<String>>,
    /// Files placed beside the workspace for held-out commands.
    pub heldout: Option<Spanned<String>>,
    /// Alternatives that every command must accept.
    pub must_pass: Option<Spanned<Vec<String>>>,
    /// Wrong solutions that some command must refuse.
    pub known_wrong: Option<Spanned<Vec<String>>>,
    /// The acceptance commands in sealed order.
    #[serde(default)]
    pub acceptance: Vec<AcceptanceEntry>,
    /// The paths an agent may not change.
    #[serde(default)]
    pub protected: Vec<ProtectedEntry>,
    /// What is mutated.
    #[serde(default)]
    pub mutate: MutateTable,
    /// The environment of the commands.
    #[serde(default)]
    pub env: EnvTable,
    /// Run once in each workspace before the baseline.
    pub setup: Option<StepTable>,
    /// The product's build, which tells unviable mutants from killed ones.
    pub build: Option<StepTable>,
    /// Thresholds by gate name.
    #[serde(default)]
    pub gates: BTreeMap<String, Spanned<f64>>,
}

/// One `[[acceptance]]` entry.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AcceptanceEntry {
    /// Unique name of the command.
    pub id: Spanned<String>,
    /// Its words.
    pub argv: Spanned<Vec<String>>,
    /// Time limit in seconds; by default the larger of 10 s and 5 times the slowest baseline run.
    pub timeout_s: Option<Spanned<f64>>,
    /// Whether the agent may see it.
    #[serde(default)]
    pub role: Role,
    /// The generated probe that it is.
    pub probe: Option<Spanned<String>>,
    /// The id of the command that it runs the tests of in an isolated process.
    pub in_process_twin_of: Option<Spanned<String>>,
    /// What it does on the start tree.
    pub prepatch: Option<Spanned<String>>,
    /// Test ids that must be exactly those collected and passed.
    pub ids: Option<Vec<String>>,
    /// Workspace paths that a run writes.
    pub run_writes: Option<Vec<String>>,
    /// Absolute directory sealed with the command.
    pub cwd: Option<Spanned<String>>,
    /// Whether to seal the resolved program.
    pub seal_exe: Option<Spanned<bool>>,
}

/// Who may see a command.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Agent and verifier.
    #[default]
    Visible,
    /// Verifier only.
    Heldout,
}

/// One `[[protected]]` entry.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProtectedEntry {
    /// Path relative to the tree.
    pub path: Spanned<String>,
    /// File or directory.
    pub kind: ProtectedKind,
    /// Names or workspace paths below a directory that are not protected.
    pub exclude: Option<Vec<String>>,
    /// `python_ast` for a file whose layout may change.
    pub equivalence: Option<Spanned<String>>,
}

/// What a protected path is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ProtectedKind {
    /// One regular file.
    File,
    /// All regular files below a directory.
    Directory,
}

/// The `[mutate]` table.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MutateTable {
    /// Gitignore-style globs of the files to mutate.
    #[serde(default)]
    pub include: Vec<Spanned<String>>,
    /// Gitignore-style globs of files to leave alone.
    #[serde(default)]
    pub exclude: Vec<Spanned<String>>,
    /// Operators to use; all of the profile when empty.
    #[serde(default)]
    pub operators: Vec<Spanned<String>>,
    /// At most this many mutants, sampled.
    pub limit: Option<u32>,
    /// Seed of the sampler and the spot checks.
    pub seed: Option<u64>,
    /// CPU time that fixes the number of mutants before the run, such as `20cpu-min`.
    pub budget: Option<Spanned<String>>,
}

/// The `[env]` table.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnvTable {
    /// Variables set for every command.
    #[serde(default)]
    pub set: BTreeMap<String, String>,
    /// Names passed through from the caller.
    #[serde(default)]
    pub pass: Vec<String>,
    /// Container image by digest.
    pub image: Option<Spanned<String>>,
}

/// A command of `[setup]` or `[build]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepTable {
    /// Its words.
    pub argv: Spanned<Vec<String>>,
    /// Time limit in seconds; by default 900.
    pub timeout_s: Option<Spanned<f64>>,
}
