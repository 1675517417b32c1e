//! Stage 7: the record of a measured task. Always read back through the parser before it is given out.

use std::collections::BTreeMap;
use std::path::Path;

use crate::adequacy::{Adequacy, Gate, Input, Tally};
use crate::base::Sha256;
use crate::base::json::{Integer, Value};
use crate::contract::{
    self, Acceptance, ClassCount, Count, Equivalence, Executable, Kind, Probe, ProtectedPath,
    Record, Seal, Strength, WriteError,
};
use crate::outcome::Reason;
use crate::plan::Class;
use crate::task::{self, Protected, ProtectedKind, Solution, Task};
use crate::tree::{self, ProtectedError};

/// Names left out of a protected directory that states no exclusions: what running tests writes.
pub const DEFAULT_EXCLUDE: &[&str] = &["__pycache__", ".pytest_cache"];

/// What a record says beside the counts.
#[derive(Debug)]
pub struct Sealed<'a> {
    /// The task.
    pub task: &'a Task,
    /// The root of the right solution, where the protected paths are; without one, of the start tree.
    pub root: &'a Path,
    /// The paths an agent may not change.
    pub protected: &'a [Protected],
    /// Digest of the held-out files, where a held-out command is sealed.
    pub heldout_split_sha256: Option<Sha256>,
    /// Files that the right solution changes and that are no tests.
    pub module_under_test: Option<Vec<String>>,
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
    let is_gated = task.solution != Solution::None;
    let record = Record {
        contract_id: task.contract_id.clone(),
        task: task.task.clone(),
        protected_paths: protected(sealed.root, sealed.protected)?,
        acceptance: task.commands.iter().map(acceptance).collect(),
        adequacy: contract::Adequacy {
            mutants: Count::from(sealed.adequacy.mutants),
            killed: Count::from(sealed.adequacy.killed),
            by_class: by_class(sealed.adequacy),
            kill_vector_sha256: is_gated.then(|| sealed.adequacy.kill_vector_sha256()),
            gates: is_gated.then(|| gates(sealed)),
        },
        heldout_split_sha256: sealed.heldout_split_sha256,
        mutant_set_sha256: sealed.mutant_set_sha256,
        authority_sha256: None,
        module_under_test: sealed.module_under_test.clone(),
        strength: match &task.solution {
            Solution::Tree => None,
            Solution::From(_) | Solution::Patch(_) => Some(Strength::Gated),
            Solution::None => Some(Strength::ReferenceFree),
        },
        native_loaded: None,
        execution_surface: None,
        surface_aliases: None,
    };
    Ok(record.to_canonical_bytes()?)
}

/// Protected paths with their digests, read from the tree at `root` as it is now.
///
/// # Errors
/// [`ProtectedError`] when one is not there or holds what cannot be sealed.
pub fn protected(root: &Path, entries: &[Protected]) -> Result<Vec<ProtectedPath>, ProtectedError> {
    entries.iter().map(|entry| protect(root, entry)).collect()
}

/// The counts of the sets; none for a tree, whose mutants belong to no set.
fn by_class(adequacy: &Adequacy) -> Option<BTreeMap<String, ClassCount>> {
    let sets = adequacy.by_class.iter().filter(|(class, _)| class.is_set());
    let counts = |(class, tally): (&Class, &Tally)| {
        let (mutants, killed) = (Count::from(tally.mutants), Count::from(tally.killed));
        (class.name().to_owned(), ClassCount { mutants, killed })
    };
    Some(sets.map(counts).collect::<BTreeMap<_, _>>()).filter(|sets| !sets.is_empty())
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
        seal: command.seal.as_ref().map(|place| Seal {
            cwd: place.cwd.clone(),
            exe: Executable::One(place.exe.clone()),
            interpreter: None,
        }),
        tier: None,
        probe: command.probe.map(|probe| match probe {
            task::Probe::Determinism => Probe::Determinism,
            task::Probe::TypeStrict => Probe::TypeStrict,
            task::Probe::ImportSideEffects => Probe::ImportSideEffects,
        }),
        in_process_twin_of: command.in_process_twin_of.clone(),
    }
}

fn gates(sealed: &Sealed<'_>) -> BTreeMap<String, Value> {
    let mut gates = BTreeMap::new();
    for gate in sealed.gates {
        let inputs = gate.inputs.iter().map(|&(name, input)| match input {
            Input::Count(count) => (name, number(count)),
            Input::Share(share) => (name, Value::Float(share)),
        });
        let pass = ("pass", Value::Bool(gate.pass));
        let formula = ("formula", Value::String(gate.formula.to_owned()));
        let members = [pass, formula].into_iter().chain(inputs);
        let members = members.map(|(name, value)| (name.to_owned(), value)).collect();
        gates.insert(gate.name.to_owned(), Value::Object(members));
    }
    gates.insert("measurement".to_owned(), measurement(sealed));
    gates
}

fn measurement(sealed: &Sealed<'_>) -> Value {
    let Measurement { version, interpreter, sampler, baselines } = &sealed.measurement;
    let adequacy = sealed.adequacy;
    let text = |text: &str| Value::String(text.to_owned());
    let profile = match sealed.task.solution {
        Solution::From(_) | Solution::Patch(_) => "done/1",
        Solution::Tree | Solution::None => "full",
    };
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
        ("profile", text(profile)),
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
