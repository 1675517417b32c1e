//! Directories that are left out of the copies and that commands need all the same: linked, as in
//! every run.

use super::answer::{Change, CollectionPart};
use super::commands;
use crate::bundle::Bundle;
use crate::measure::{self, Link};
use crate::tree::Snapshot;

/// The directories left out of this tree that the contract's commands name or look for.
pub(super) fn of(bundle: &Bundle, tree: Option<&Snapshot>) -> Vec<Link> {
    let Some(tree) = tree else { return Vec::new() };
    measure::needed(&commands::named_in(bundle, tree), tree, None)
}

impl CollectionPart {
    /// Names what is the final tree's own: whoever made that could put anything there.
    pub(super) fn add_linked(&mut self, links: &[Link]) {
        for Link { path, why, .. } in links {
            let what = format!(
                "is the final tree's own, and nobody looked into it ({why}); `--links-from` takes yours"
            );
            self.changes.push(Change::new(path, what));
        }
    }
}
