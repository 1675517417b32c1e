//! Stage 7: the record of a measured task. Always read back through the parser before it is given out.

use std::collections::BTreeMap;
use std::path::Path;

use crate::adequacy::{Adequacy, Gate};
use crate::base::Sha256;
use crate::base::json::{Integer, Value};
use crate::contract::{
    self, Acceptance, Count, Equivalence, Kind, ProtectedPath, Record, WriteError,
};
use crate::outcome::Reason;
use crate::task::{Protected, ProtectedKind, Task};
use crate::tree::{self, ProtectedError};

/// Names left out of a protected directory that states no exclusions: what running tests writes.
pub const DEFAULT_EXCLUDE: &[&str] = &["__pycache__", ".pytest_cache"];

/// What a record says beside the counts.
#[derive(Debug)]
pub struct Sealed<'a> {
    /// The task.
    pub task: &'a Task,
    /// Its numbers.
    pub adequacy: &'a Adequacy,
    /// Digest of the mutant set.
    pub mutant_set_sha256: Option<Sha256>,
    /// The gates of the run; all pass, or were let through by name.
    pub gates: &'a [Gate],
    /// What the numbers count.
    pub measurement: Measurement,
}

/// What the numbers of a record count: the members of `gates.measurement`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measurement {
    /// Version of this program.
    pub version: String,
    /// `sys.version` of the interpreter that judged which mutants compile.
    pub interpreter: Option<String>,
    /// The sampler, its seed and the size of what it chose from.
    pub sampler: Option<(String, u64, usize)>,
    /// Runs of the unmutated tree before the mutants that were asked for; workers may have made more.
    pub baselines: u32,
}

/// Why there is no record.
#[derive(Debug, thiserror::Error)]
pub enum SealError {
    /// A protected path cannot be sealed.
    #[error(transparent)]
    Protected(#[from] ProtectedError),
    /// The record breaks a rule.
    #[error(transparent)]
    Record(#[from] WriteError),
}

/// The canonical bytes of the record.
///
/// # Errors
/// [`SealError`] when a protected path is not there or holds what cannot be sealed, or the record
/// breaks a rule.
pub fn build(sealed: &Sealed<'_>) -> Result<Vec<u8>, SealError> {
    let task = sealed.task;
    let record = Record {
        contract_id: task.contract_id.clone(),
        task: task.task.clone(),
        protected_paths: protected(task)?,
        acceptance: task.commands.iter().map(acceptance).collect(),
        adequacy: contract::Adequacy {
            mutants: Count::from(sealed.adequacy.mutants),
            killed: Count::from(sealed.adequacy.killed),
            by_class: None,
            kill_vector_sha256: Some(sealed.adequacy.kill_vector_sha256()),
            gates: Some(gates(sealed)),
        },
        heldout_split_sha256: None,
        mutant_set_sha256: sealed.mutant_set_sha256,
        authority_sha256: None,
        module_under_test: None,
        strength: None,
        native_loaded: None,
        execution_surface: None,
        surface_aliases: None,
    };
    Ok(record.to_canonical_bytes()?)
}

/// The task's protected paths with their digests, read from the tree as it is now.
///
/// # Errors
/// [`ProtectedError`] when one is not there or holds what cannot be sealed.
pub fn protected(task: &Task) -> Result<Vec<ProtectedPath>, ProtectedError> {
    task.protected.iter().map(|entry| protect(&task.tree, entry)).collect()
}

fn protect(root: &Path, entry: &Protected) -> Result<ProtectedPath, ProtectedError> {
    let (kind, sha256, exclude) = match entry.kind {
        ProtectedKind::File => (Kind::File, tree::file(root, &entry.path)?, None),
        ProtectedKind::Directory => {
            let usual = || DEFAULT_EXCLUDE.iter().map(ToString::to_string).collect::<Vec<_>>();
            let exclude = entry.exclude.clone().unwrap_or_else(usual);
            let covered = tree::directory(root, &entry.path, &exclude)?;
            (Kind::Directory, covered.sha256, Some(exclude).filter(|names| !names.is_empty()))
        }
    };
    Ok(ProtectedPath {
        path: String::from_utf8_lossy(entry.path.as_bytes()).into_owned(),
        kind,
        sha256,
        exclude,
        equivalence: entry.equivalence.as_ref().map(|_| Equivalence::PythonAst),
    })
}

fn acceptance(command: &crate::task::Command) -> Acceptance {
    Acceptance {
        id: command.id.clone(),
        argv: command.argv.words().to_vec(),
        ids: command.ids.clone(),
        run_writes: command.run_writes.clone(),
        seal: None,
        tier: None,
        probe: None,
        in_process_twin_of: None,
    }
}

fn gates(sealed: &Sealed<'_>) -> BTreeMap<String, Value> {
    let mut gates = BTreeMap::new();
    for gate in sealed.gates {
        let members = [
            ("pass", Value::Bool(gate.pass)),
            ("formula", Value::String(gate.formula.to_owned())),
            ("threshold", Value::Float(gate.threshold)),
            ("value", Value::Float(gate.value)),
        ];
        gates.insert(gate.name.to_owned(), Value::object(members));
    }
    gates.insert("measurement".to_owned(), measurement(sealed));
    gates
}

fn measurement(sealed: &Sealed<'_>) -> Value {
    let Measurement { version, interpreter, sampler, baselines } = &sealed.measurement;
    let adequacy = sealed.adequacy;
    let text = |text: &str| Value::String(text.to_owned());
    let optional =
        |text: Option<&str>| text.map_or(Value::Null, |text| Value::String(text.to_owned()));
    let sampled = sampler.as_ref().map(|(name, seed, _)| format!("{name} seed {seed}"));
    let population = sampler.as_ref().map(|(_, _, population)| number(*population as u64));
    Value::object([
        ("pass", Value::Bool(true)),
        (
            "formula",
            text("killed: a command that passed on the baseline ran to its end and failed"),
        ),
        ("tool", text("adequacy")),
        ("version", text(version)),
        ("profile", text("full")),
        ("interpreter", optional(interpreter.as_deref())),
        ("sampler", optional(sampled.as_deref())),
        ("rest_population", population.unwrap_or(Value::Null)),
        ("undecided", number(adequacy.undecided_count())),
        ("time_outs", number(adequacy.kills_by(Reason::TimeOut))),
        ("equivalent_removed", number(adequacy.equivalent)),
        ("baselines", number(u64::from(*baselines))),
    ])
}

fn number(count: u64) -> Value {
    Value::Integer(Integer::from_digits(&count.to_string()).expect("decimal digits"))
}
