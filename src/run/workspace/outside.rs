//! The bytecode of sources that stand outside of every workspace.
//!
//! The cache prefix is private, so each new workspace would compile the standard library and every
//! installed package again. What a good run of the unmutated tree left of these is as true elsewhere:
//! Python compares it with its source, and a mutant is no source outside.

use std::collections::BTreeSet;
use std::os::unix::ffi::OsStrExt as _;
use std::sync::Arc;

use super::golden::UNDATED;
use super::listing::{Content, Node};
use super::store::Store;
use super::{PYCACHE, Workspace, WorkspaceError};

/// Bytecode below the cache prefix of a workspace, but for that of its own tree.
#[derive(Debug, Clone)]
pub struct Bytecode {
    store: Arc<Store>,
    files: Vec<Node>,
}

impl Workspace {
    /// The bytecode of sources outside that was adopted.
    #[must_use]
    pub fn bytecode_of_outside(&self) -> Bytecode {
        // Its tree is inside, and so is what stands beside it.
        let scratch = self.path.parent().expect("a workspace stands in its scratch directory");
        let inside = [PYCACHE.as_bytes(), scratch.as_os_str().as_bytes(), b"/"].concat();
        let outside = |node: &&Node| {
            let is_file = matches!(node.content, Content::File { .. });
            is_file && node.is_in(PYCACHE) && !node.path.as_bytes().starts_with(&inside)
        };
        let files = self.listing.nodes().iter().filter(outside).cloned().collect();
        Bytecode { store: Arc::clone(&self.golden.store), files }
    }
}

impl Bytecode {
    /// Puts it into another store; the nodes of the files, and of the directories below the prefix.
    pub(super) fn keep_in(&self, store: &Store) -> Result<Vec<Node>, WorkspaceError> {
        let mut directories = BTreeSet::new();
        let mut nodes = Vec::new();
        for file in &self.files {
            let Content::File { sha256, .. } = file.content else { unreachable!("files only") };
            store.keep_from(&self.store, sha256)?;
            let mut above = file.parent();
            while above.len() > PYCACHE.len() && directories.insert(above) {
                let slash = above.iter().rposition(|&byte| byte == b'/').expect("below the prefix");
                above = &above[..slash];
            }
            nodes.push(file.clone());
        }
        nodes.extend(directories.into_iter().map(|path| Node::directory(path, 0o700, UNDATED)));
        Ok(nodes)
    }
}
