//! `acceptance`: the commands (`done-records` section 5.3).

use std::collections::BTreeMap;

use super::primitives::{
    absolute, are_distinct, distinct_relative, own, sorted_absolute, strings, text, word,
};
use crate::base::code::Code;
use crate::base::json::Node;

/// One acceptance command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Acceptance {
    /// Nonempty, used by no other command.
    pub id: String,
    /// At least one word, the first nonempty.
    pub argv: Vec<String>,
    /// The test ids the command must run; nonempty, all different and nonempty.
    pub ids: Option<Vec<String>>,
    /// Relative paths the command itself writes; may be empty, all different.
    pub run_writes: Option<Vec<String>>,
    /// Where it runs and what exactly it executes.
    pub seal: Option<Seal>,
    /// Who made the command.
    pub tier: Option<Tier>,
    /// What the command probes, if it is a probe.
    pub probe: Option<Probe>,
    /// The id of another command, no probe, that asks the same from another process.
    pub in_process_twin_of: Option<String>,
}

/// The members `cwd`, `exe` and `interpreter`, of which the first two come together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seal {
    /// Absolute path of the working directory.
    pub cwd: String,
    /// What `argv[0]` is resolved to.
    pub exe: Executable,
    /// Absolute paths of the interpreter, sorted by bytes; nonempty.
    pub interpreter: Option<Vec<String>>,
}

/// The member `exe`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Executable {
    /// One absolute path, written as a string.
    One(String),
    /// Absolute paths, sorted by bytes, nonempty, written as a list.
    Any(Vec<String>),
}

/// Who made a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tier {
    /// People who know the task.
    Trusted,
    /// A model, during sealing.
    Synthesized,
}

/// What a probe looks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Probe {
    /// The same answer every time.
    Determinism,
    /// Wrongly typed input is refused.
    TypeStrict,
    /// Importing changes nothing.
    ImportSideEffects,
}

pub(super) const TIERS: [(&str, Tier); 2] =
    [("trusted", Tier::Trusted), ("synthesized", Tier::Synthesized)];

pub(super) const PROBES: [(&str, Probe); 3] = [
    ("determinism", Probe::Determinism),
    ("type_strict", Probe::TypeStrict),
    ("import_side_effects", Probe::ImportSideEffects),
];

pub(super) fn read(node: Node<'_>) -> Result<Vec<Acceptance>, Code> {
    let items =
        node.items().filter(|items| items.len() > 0).ok_or(Code::ContractAcceptanceEmpty)?;
    let mut commands = Vec::with_capacity(items.len().min(64));
    // Every id, and whether it belongs to a probe.
    let mut seen = BTreeMap::new();
    for item in items {
        let (id, command) = entry(item)?;
        if seen.insert(id, command.probe.is_some()).is_some() {
            return Err(Code::ContractAcceptanceDuplicateId);
        }
        commands.push(command);
    }
    let twin_is_good = |command: &Acceptance| {
        let twin = command.in_process_twin_of.as_deref();
        twin.is_none_or(|twin| twin != command.id && seen.get(twin) == Some(&false))
    };
    let good = commands.iter().all(twin_is_good);
    if good { Ok(commands) } else { Err(Code::ContractAcceptanceTwin) }
}

fn entry(item: Node<'_>) -> Result<(&str, Acceptance), Code> {
    let optional =
        ["ids", "run_writes", "cwd", "exe", "interpreter", "tier", "probe", "in_process_twin_of"];
    let ([id, argv], [ids, run_writes, cwd, exe, interpreter, tier, probe, twin]) =
        item.fields(["id", "argv"], optional).ok_or(Code::ContractAcceptanceFields)?;
    let tier = tier.map(|node| word(node, &TIERS, Code::ContractAcceptanceTier)).transpose()?;
    let probe = probe.map(|node| word(node, &PROBES, Code::ContractAcceptanceProbe)).transpose()?;
    let id = text(id, Code::ContractAcceptanceId)?;
    // As in the record: the fields are evaluated in the order of the rules.
    let command = Acceptance {
        id: id.to_owned(),
        argv: words(argv)?,
        seal: seal(cwd, exe, interpreter)?,
        in_process_twin_of: twin
            .map(|node| text(node, Code::ContractAcceptanceTwin).map(str::to_owned))
            .transpose()?,
        ids: ids.map(test_ids).transpose()?,
        run_writes: run_writes
            .map(|node| distinct_relative(node, Code::ContractAcceptanceRunWrites))
            .transpose()?,
        tier,
        probe,
    };
    Ok((id, command))
}

fn words(node: Node<'_>) -> Result<Vec<String>, Code> {
    strings(node)
        .filter(|words| words.first().is_some_and(|first| !first.is_empty()))
        .map(|words| own(&words))
        .ok_or(Code::ContractAcceptanceArgv)
}

fn test_ids(node: Node<'_>) -> Result<Vec<String>, Code> {
    strings(node)
        .filter(|ids| !ids.is_empty() && ids.iter().all(|id| !id.is_empty()) && are_distinct(ids))
        .map(|ids| own(&ids))
        .ok_or(Code::ContractAcceptanceIds)
}

fn seal(
    cwd: Option<Node<'_>>,
    exe: Option<Node<'_>>,
    interpreter: Option<Node<'_>>,
) -> Result<Option<Seal>, Code> {
    let sealed = match (cwd, exe) {
        (Some(cwd), Some(exe)) => {
            Some((absolute(cwd, Code::ContractAcceptanceSeal)?, executable(exe)?))
        }
        (None, None) => None,
        _ => return Err(Code::ContractAcceptanceSeal),
    };
    let code = Code::ContractAcceptanceInterpreter;
    let interpreter = match interpreter {
        Some(_) if sealed.is_none() => return Err(code),
        found => found.map(|node| sorted_absolute(node, code)).transpose()?,
    };
    Ok(sealed.map(|(cwd, exe)| Seal { cwd, exe, interpreter }))
}

fn executable(node: Node<'_>) -> Result<Executable, Code> {
    let code = Code::ContractAcceptanceSeal;
    if node.items().is_some() {
        sorted_absolute(node, code).map(Executable::Any)
    } else {
        absolute(node, code).map(Executable::One)
    }
}
