//! What a bundle holds, before it is a directory or an archive: one list, so that both are the same.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::compile::Listed;
use super::publish::{Canary, Licences};
use super::{BundleError, SEALED};
use crate::base::{RelPath, Sha256};
use crate::evidence::static_scan::{ClassifiedHit, StaticScan};
use crate::tree::{Kind, Snapshot, TreeError};

/// Whose part of a bundle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// What the agent may see: everything outside of `sealed/`.
    Agent,
    /// Everything.
    Whole,
}

/// The entries of a bundle in path order.
#[derive(Debug, Default)]
pub struct Contents {
    pub(super) entries: BTreeMap<RelPath, Content>,
    /// The licence files of the tree that the agent gets.
    pub licences: Licences,
    /// Licence files that the listing of that tree left out.
    pub licences_left_out: Licences,
    /// The canary, and which files hold it.
    pub canary: Option<Canary>,
    /// Holds trees that files are read from, where a patch made them.
    pub(super) _keeps: Option<crate::measure::TaskTrees>,
}

/// One entry.
#[derive(Debug)]
pub(super) enum Content {
    Directory,
    Link(PathBuf),
    File { source: Source, executable: bool },
}

/// Where a file's bytes are.
#[derive(Debug)]
pub(super) enum Source {
    Memory(Vec<u8>),
    /// On disk, with this digest.
    Disk(PathBuf, Sha256),
}

impl Source {
    /// The bytes.
    pub(super) fn bytes(&self) -> Result<Vec<u8>, BundleError> {
        match self {
            Self::Memory(bytes) => Ok(bytes.clone()),
            Self::Disk(path, sha256) => {
                let read = |error| BundleError::io("read", path, error);
                let bytes = std::fs::read(path).map_err(read)?;
                if Sha256::of(&bytes) != *sha256 {
                    return Err(TreeError::Changed(path.clone()).into());
                }
                Ok(bytes)
            }
        }
    }

    fn sha256(&self) -> Sha256 {
        match self {
            Self::Memory(bytes) => Sha256::of(bytes),
            Self::Disk(_, sha256) => *sha256,
        }
    }
}

impl Contents {
    /// A file of these bytes, with the directories above it.
    pub(super) fn file(&mut self, path: &str, bytes: Vec<u8>) {
        let content = Content::File { source: Source::Memory(bytes), executable: false };
        self.put(own(path), content);
    }

    /// A file that is on disk, with the directories above it.
    pub(super) fn disk(&mut self, path: RelPath, from: PathBuf, sha256: Sha256, executable: bool) {
        self.put(path, Content::File { source: Source::Disk(from, sha256), executable });
    }

    /// A directory, with those above it.
    pub(super) fn directory(&mut self, path: &str) {
        self.put(own(path), Content::Directory);
    }

    /// A whole tree below `path`: links stay links.
    pub(super) fn tree(&mut self, path: &str, tree: &Snapshot) {
        self.directory(path);
        let below = own(path);
        for entry in tree.entries() {
            let content = match &entry.kind {
                Kind::Directory { .. } => Content::Directory,
                Kind::Link { target } => Content::Link(target.clone()),
                Kind::File { sha256, mode, .. } => Content::File {
                    source: Source::Disk(entry.path.below(tree.root()), *sha256),
                    executable: mode & 0o111 != 0,
                },
            };
            self.put(under(&below, &entry.path), content);
        }
    }

    fn put(&mut self, path: RelPath, content: Content) {
        let bytes = path.as_bytes();
        for end in (0..bytes.len()).filter(|&at| bytes[at] == b'/') {
            let above = RelPath::new(&bytes[..end]).expect("the start of a good path");
            self.entries.entry(above).or_insert(Content::Directory);
        }
        self.entries.insert(path, content);
    }

    /// The entries of a part.
    pub(super) fn of(&self, part: Part) -> impl Iterator<Item = (&RelPath, &Content)> {
        let sealed = own(SEALED);
        self.entries.iter().filter(move |(path, _)| part == Part::Whole || !path.is_under(&sealed))
    }

    /// How many files a part has.
    #[must_use]
    pub fn files(&self, part: Part) -> usize {
        self.of(part).filter(|(_, content)| matches!(content, Content::File { .. })).count()
    }

    /// Everything in a part that looks like a credential, by its path in the bundle; `known` are the places
    /// that a person has classified.
    ///
    /// # Errors
    /// [`BundleError`] when a file cannot be read, or changed meanwhile.
    pub fn scan(&self, part: Part, known: &[ClassifiedHit]) -> Result<StaticScan, BundleError> {
        let mut scan = StaticScan::default();
        for (path, content) in self.of(part) {
            if let Content::File { source, .. } = content {
                scan.add(&path.to_string(), &source.bytes()?, known);
            }
        }
        Ok(scan)
    }

    /// The same entries as `sealed/compile.json` lists them.
    pub(super) fn listed(&self) -> Vec<Listed> {
        let listed = self.entries.iter().map(|(path, content)| {
            let (kind, sha256) = match content {
                Content::Directory => ("directory", None),
                Content::Link(target) => {
                    ("link", Some(Sha256::of(target.as_os_str().as_encoded_bytes())))
                }
                Content::File { source, executable: true } => ("executable", Some(source.sha256())),
                Content::File { source, executable: false } => ("file", Some(source.sha256())),
            };
            Listed { path: path.as_path().to_owned(), kind: kind.to_owned(), sha256 }
        });
        listed.collect()
    }
}

fn own(path: &str) -> RelPath {
    RelPath::new(path.as_bytes()).expect("a name of our own")
}

/// `path` below `folder`.
pub(super) fn under(folder: &RelPath, path: &RelPath) -> RelPath {
    RelPath::new(&[folder.as_bytes(), b"/", path.as_bytes()].concat()).expect("two good paths")
}
