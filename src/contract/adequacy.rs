//! `adequacy`: the numbers (`done-records` section 5.5).

use std::collections::BTreeMap;

use super::Count;
use super::primitives::digest;
use crate::base::Sha256;
use crate::base::code::Code;
use crate::base::json::{Node, Value};

/// How many mutants the commands killed.
#[derive(Debug, Clone, PartialEq)]
pub struct Adequacy {
    /// Mutants that were judged.
    pub mutants: Count,
    /// Those a command told from the right tree; at most `mutants`.
    pub killed: Count,
    /// The same two by class; they sum to the totals.
    pub by_class: Option<BTreeMap<String, ClassCount>>,
    /// Digest of the list of verdicts, in mutant order.
    pub kill_vector_sha256: Option<Sha256>,
    /// Named conditions: each an object with a boolean `pass` and members of any other kind.
    pub gates: Option<BTreeMap<String, Value>>,
}

/// The counts of one class of mutants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassCount {
    /// Mutants of the class.
    pub mutants: Count,
    /// Those killed; at most `mutants`.
    pub killed: Count,
}

pub(super) fn read(node: Node<'_>) -> Result<Adequacy, Code> {
    let ([mutants, killed], [by_class, kill_vector, gates]) = node
        .fields(["mutants", "killed"], ["by_class", "kill_vector_sha256", "gates"])
        .ok_or(Code::ContractAdequacyFields)?;
    let gates = gates.map(read_gates).transpose()?;
    let mutants = Count::read(mutants, Code::ContractAdequacyCount)?;
    let killed = Count::read(killed, Code::ContractAdequacyCount)?;
    if killed > mutants {
        return Err(Code::ContractAdequacyOvercount);
    }
    let kill_vector_sha256 =
        kill_vector.map(|node| digest(node, Code::ContractDigestMalformed)).transpose()?;
    let total = ClassCount { mutants, killed };
    let by_class = by_class.map(|node| read_classes(node, &total)).transpose()?;
    let ClassCount { mutants, killed } = total;
    Ok(Adequacy { mutants, killed, by_class, kill_vector_sha256, gates })
}

fn read_gates(node: Node<'_>) -> Result<BTreeMap<String, Value>, Code> {
    let code = Code::ContractAdequacyGates;
    let gate = |(name, gate): (&str, Node<'_>)| {
        gate.member("pass").and_then(Node::as_bool).ok_or(code)?;
        Ok((name.to_owned(), gate.to_value()))
    };
    node.members().ok_or(code)?.map(gate).collect()
}

/// The classes in document order: that order decides which of two faults is reported.
fn read_classes(node: Node<'_>, total: &ClassCount) -> Result<BTreeMap<String, ClassCount>, Code> {
    let code = Code::ContractAdequacyByClass;
    let members = node.members().filter(|members| members.len() > 0).ok_or(code)?;
    let mut sum = ClassCount { mutants: Count::ZERO, killed: Count::ZERO };
    let mut classes = BTreeMap::new();
    for (name, class) in members {
        if name.is_empty() {
            return Err(code);
        }
        let ([mutants, killed], []) =
            class.fields(["mutants", "killed"], []).ok_or(Code::ContractAdequacyByClassFields)?;
        let count =
            ClassCount { mutants: Count::read(mutants, code)?, killed: Count::read(killed, code)? };
        if count.killed > count.mutants {
            return Err(code);
        }
        sum.mutants = sum.mutants.plus(&count.mutants);
        sum.killed = sum.killed.plus(&count.killed);
        classes.insert(name.to_owned(), count);
    }
    if sum == *total { Ok(classes) } else { Err(code) }
}
