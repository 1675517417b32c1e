//! `protected_paths` (`done-records` section 5.2).

use std::collections::BTreeSet;

use super::primitives::{are_distinct, digest, is_below, is_relative, own, strings, word};
use crate::base::Sha256;
use crate::base::code::Code;
use crate::base::json::Node;

/// A path the agent may not change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProtectedPath {
    /// Relative to the workspace.
    pub path: String,
    /// What stands there.
    pub kind: Kind,
    /// Of a file, the SHA-256 of its bytes; of a directory, its tree digest.
    pub sha256: Sha256,
    /// Only on a directory: segment names, or workspace paths below the entry, left out of the digest.
    pub exclude: Option<Vec<String>>,
    /// Only on a file: which changes do not count as one.
    pub equivalence: Option<Equivalence>,
}

/// What stands at a protected path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A directory and the regular files below it.
    Directory,
}

/// Which changes of a protected file do not count as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Equivalence {
    /// Those that leave its Python syntax tree, positions aside, as it was.
    PythonAst,
}

pub(super) const KINDS: [(&str, Kind); 2] = [("file", Kind::File), ("directory", Kind::Directory)];

pub(super) const PYTHON_AST: &str = "python_ast";

pub(super) fn read(node: Node<'_>) -> Result<Vec<ProtectedPath>, Code> {
    let items = node.items().ok_or(Code::ContractProtectedPathsType)?;
    let mut paths = Vec::with_capacity(items.len().min(64));
    let mut seen = BTreeSet::new();
    for item in items {
        let (path, entry) = entry(item)?;
        if !seen.insert(path) {
            return Err(Code::ContractProtectedDuplicate);
        }
        paths.push(entry);
    }
    Ok(paths)
}

fn entry(item: Node<'_>) -> Result<(&str, ProtectedPath), Code> {
    let ([path, kind, sha256], [exclude, equivalence]) = item
        .fields(["path", "kind", "sha256"], ["exclude", "equivalence"])
        .ok_or(Code::ContractProtectedPathFields)?;
    let path = path
        .as_str()
        .filter(|path| is_relative(path))
        .ok_or(Code::ContractProtectedPathNotNormalized)?;
    let kind = word(kind, &KINDS, Code::ContractProtectedKind)?;
    let entry = ProtectedPath {
        path: path.to_owned(),
        kind,
        sha256: digest(sha256, Code::ContractDigestMalformed)?,
        exclude: exclude.map(|node| excluded(node, kind, path)).transpose()?,
        equivalence: equivalence.map(|node| equivalent(node, kind)).transpose()?,
    };
    Ok((path, entry))
}

fn excluded(node: Node<'_>, kind: Kind, entry: &str) -> Result<Vec<String>, Code> {
    let good = |item: &&str| is_relative(item) && (!item.contains('/') || is_below(item, entry));
    strings(node)
        .filter(|items| kind == Kind::Directory && !items.is_empty())
        .filter(|items| are_distinct(items) && items.iter().all(good))
        .map(|items| own(&items))
        .ok_or(Code::ContractExcludeInvalid)
}

fn equivalent(node: Node<'_>, kind: Kind) -> Result<Equivalence, Code> {
    if node.as_str() == Some(PYTHON_AST) && kind == Kind::File {
        Ok(Equivalence::PythonAst)
    } else {
        Err(Code::ContractEquivalence)
    }
}
