//! `execution_surface` and `surface_aliases` (`done-records` section 5.4).

use std::collections::BTreeMap;

use super::primitives::{absolute, is_absolute, sorted_absolute};
use crate::base::code::Code;
use crate::base::json::Node;

/// Places every process on a machine may write to.
const SHARED_ROOTS: [&str; 3] = ["/", "/tmp", "/var/tmp"];

pub(super) fn execution(node: Node<'_>) -> Result<Vec<String>, Code> {
    let paths = sorted_absolute(node, Code::ContractExecutionSurface)?;
    if paths.iter().any(|path| SHARED_ROOTS.contains(&path.as_str())) {
        return Err(Code::ContractExecutionSurfaceSharedRoot);
    }
    Ok(paths)
}

pub(super) fn aliases(node: Node<'_>, has_surface: bool) -> Result<BTreeMap<String, String>, Code> {
    let code = Code::ContractSurfaceAliases;
    let members = node.members().filter(|_| has_surface).ok_or(code)?;
    let alias = |(name, target): (&str, Node<'_>)| {
        let target = absolute(target, code)?;
        if is_absolute(name) { Ok((name.to_owned(), target)) } else { Err(code) }
    };
    members.map(alias).collect()
}
