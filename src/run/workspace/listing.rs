//! What a workspace should hold, as one vector.

use std::ffi::{CStr, CString};
use std::ops::Range;

use super::bytecode::{Header, is_bytecode};
use crate::base::Sha256;

/// Nodes ordered by depth, then by path bytes: the root first, and the entries of one directory side
/// by side in the order of their names.
#[derive(Debug)]
pub(super) struct Listing {
    nodes: Vec<Node>,
    /// Bytecode beside sources of the tree that Python would use without looking at these.
    unchecked: Vec<usize>,
    /// What bytecode may name as the time of its source, in order.
    times: Vec<u32>,
}

#[derive(Debug, Clone)]
pub(super) struct Node {
    /// From the root of the workspace; empty for the root itself.
    pub(super) path: CString,
    /// Permission bits; without meaning for a link.
    pub(super) mode: u32,
    /// Seconds and nanoseconds since the epoch.
    pub(super) mtime: (i64, u32),
    pub(super) content: Content,
}

#[derive(Debug, Clone)]
pub(super) enum Content {
    Directory {
        /// The nodes of its entries.
        entries: Range<usize>,
    },
    File {
        sha256: Sha256,
        header: Header,
    },
    Link(CString),
}

impl Node {
    pub(super) fn directory(path: &[u8], mode: u32, mtime: (i64, u32)) -> Self {
        Self::new(path, mode, mtime, Content::Directory { entries: 0..0 })
    }

    pub(super) fn new(path: &[u8], mode: u32, mtime: (i64, u32), content: Content) -> Self {
        let path = CString::new(path).expect("a path holds no NUL");
        Self { path, mode, mtime, content }
    }

    /// The last segment, as a system call takes it.
    pub(super) fn name(&self) -> &CStr {
        let bytes = self.path.as_bytes_with_nul();
        let at = bytes.iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1);
        CStr::from_bytes_with_nul(&bytes[at..]).expect("a path ends with its only NUL")
    }

    /// Whether the node lies in the directory `part` of the root, or is it.
    pub(super) fn is_in(&self, part: &str) -> bool {
        let rest = self.path.as_bytes().strip_prefix(part.as_bytes());
        rest.is_some_and(|rest| matches!(rest, [] | [b'/', ..]))
    }

    /// The path of the directory that holds it.
    pub(super) fn parent(&self) -> &[u8] {
        let bytes = self.path.as_bytes();
        &bytes[..bytes.iter().rposition(|&byte| byte == b'/').unwrap_or(0)]
    }

    /// Whether this is bytecode that Python uses without looking at the source.
    pub(super) fn is_unchecked(&self) -> bool {
        self.header().is_some_and(Header::is_unchecked)
    }

    fn header(&self) -> Option<Header> {
        match self.content {
            Content::File { header, .. } if is_bytecode(self.path.as_bytes()) => Some(header),
            _ => None,
        }
    }

    fn is_unchecked_cache(&self) -> bool {
        let parent = self.parent();
        self.is_unchecked()
            && self.is_in(super::TREE)
            && (parent == b"__pycache__" || parent.ends_with(b"/__pycache__"))
    }
}

/// The order of nodes.
fn key(path: &[u8]) -> (usize, &[u8]) {
    let slashes = path.iter().filter(|&&byte| byte == b'/').count();
    (if path.is_empty() { 0 } else { slashes + 1 }, path)
}

impl Listing {
    /// Puts nodes in order; the root and every parent must be among them.
    pub(super) fn new(mut nodes: Vec<Node>) -> Self {
        for node in &mut nodes {
            // Nodes of an earlier listing point into that one.
            if let Content::Directory { entries } = &mut node.content {
                *entries = 0..0;
            }
        }
        nodes.sort_unstable_by(|a, b| key(a.path.as_bytes()).cmp(&key(b.path.as_bytes())));
        // A node of another listing still says where its entries were there.
        for node in &mut nodes {
            if let Content::Directory { entries } = &mut node.content {
                *entries = 0..0;
            }
        }
        let mut listing = Self { nodes, unchecked: Vec::new(), times: Vec::new() };
        for index in 1..listing.nodes.len() {
            let parent = listing.find(listing.nodes[index].parent()).expect("a parent is listed");
            if let Content::Directory { entries } = &mut listing.nodes[parent].content {
                let begin = if entries.end == 0 { index } else { entries.start };
                *entries = begin..index + 1;
            }
        }
        let unchecked =
            listing.nodes.iter().enumerate().filter(|(_, node)| node.is_unchecked_cache());
        listing.unchecked = unchecked.map(|(index, _)| index).collect();
        let headers = listing.nodes.iter().filter_map(Node::header);
        listing.times = headers.flat_map(Header::times).collect();
        listing.times.sort_unstable();
        listing
    }

    pub(super) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    pub(super) fn find(&self, path: &[u8]) -> Option<usize> {
        self.nodes.binary_search_by(|node| key(node.path.as_bytes()).cmp(&key(path))).ok()
    }

    /// Nodes of the directory at `path`; none if there is no such directory.
    pub(super) fn entries(&self, path: &[u8]) -> &[Node] {
        match self.find(path).map(|index| &self.nodes[index].content) {
            Some(Content::Directory { entries }) => &self.nodes[entries.clone()],
            _ => &[],
        }
    }

    /// Whether some bytecode may have been made of a source of this time, in seconds since the epoch.
    pub(super) fn names_time(&self, time: i64) -> bool {
        // Bytecode keeps 32 bits of it.
        self.times.binary_search(&(time as u32)).is_ok()
    }

    /// Gives every node the same time.
    pub(super) fn date(&mut self, time: (i64, u32)) {
        for node in &mut self.nodes {
            node.mtime = time;
        }
    }

    pub(super) fn unchecked(&self) -> impl Iterator<Item = &Node> {
        self.unchecked.iter().map(|&index| &self.nodes[index])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(listing: &Listing, path: &str) -> Vec<String> {
        let entries = listing.entries(path.as_bytes()).iter();
        entries.map(|node| node.name().to_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn a_listing_made_of_another_ones_nodes_forgets_where_entries_were() {
        let directory = |path: &str| Node::directory(path.as_bytes(), 0o755, (0, 0));
        let before = ["", "cache", "tree", "tree/a", "tree/b", "tree/a/x", "tree/b/y"];
        let before = Listing::new(before.map(directory).to_vec());
        // What bytecode below `cache` does: everything behind it moves.
        let mut nodes = before.nodes().to_vec();
        nodes.extend(["cache/p", "cache/p/q", "cache/p/r"].map(directory));
        let after = Listing::new(nodes);
        for (path, expected) in [
            ("", &["cache", "tree"][..]),
            ("cache", &["p"]),
            ("cache/p", &["q", "r"]),
            ("tree", &["a", "b"]),
            ("tree/a", &["x"]),
            ("tree/b", &["y"]),
            ("tree/b/y", &[]),
        ] {
            assert_eq!(names(&after, path), expected, "{path}");
        }
    }
}
