//! What a bundle that is published says beside its contents: where the start tree comes from when it is
//! not in it, which licence files there are, and a canary for those who train on what they find.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::compile::Listed;
use super::contents::{Content, Contents};
use super::{BundleError, CANARY, SEALED_CANARY, WORKSPACE_RECORD};
use crate::base::{RelPath, any_path};
use crate::tree::Snapshot;

/// How a bundle is published.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Published {
    /// Leave the start tree out, and say where it comes from.
    pub reference: Option<Origin>,
    /// A UUID that all files which can hold it hold.
    pub canary: Option<String>,
}

/// Where a start tree comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// Address of the repository.
    pub repository: String,
    /// The commit, in full.
    pub commit: String,
}

/// What `format` of `workspace.json` says.
pub const WORKSPACE_FORMAT: &str = "adequacy-workspace/1";

/// The members of `workspace.json`, which stands for `workspace/`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkspaceRecord {
    /// [`WORKSPACE_FORMAT`].
    pub format: String,
    /// The canary, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub canary: Option<String>,
    /// Where the tree comes from.
    #[serde(flatten)]
    pub origin: Origin,
    /// The container image of the task, by digest.
    pub image: Option<String>,
    /// The licence files among its files.
    pub licences: Licences,
    /// Everything in the start tree, in path order; paths are below it.
    pub files: Vec<Listed>,
}

impl WorkspaceRecord {
    /// The record of this start tree.
    pub(super) fn of(
        start: &Snapshot,
        image: Option<&String>,
        published: &Published,
    ) -> Option<Self> {
        Some(Self {
            format: WORKSPACE_FORMAT.to_owned(),
            canary: published.canary.clone(),
            origin: published.reference.clone()?,
            image: image.cloned(),
            licences: Licences::of(start),
            files: Listed::all(start),
        })
    }

    /// Puts it where the start tree would stand.
    pub(super) fn put(&self, contents: &mut Contents) {
        let text = serde_json_canonicalizer::to_vec(self).expect("plain values");
        contents.file(WORKSPACE_RECORD, text);
    }
}

/// Paths of licence files, in path order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Licences(pub Vec<ListedPath>);

/// A path as records hold it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ListedPath(#[serde(with = "any_path")] pub PathBuf);

/// How the names of licence files begin, in lower case.
const LICENCES: &[&[u8]] = &[b"licen", b"unlicen", b"copying", b"copyright", b"notice", b"patents"];

impl Licences {
    /// Those among the files of a tree: by their names, or in a folder `LICENSES`.
    #[must_use]
    pub fn of(tree: &Snapshot) -> Self {
        let found = tree.entries().iter().map(|entry| &entry.path).filter(|path| is_licence(path));
        let is_file = |path: &&RelPath| tree.file(path).is_some();
        Self(found.filter(is_file).map(|path| ListedPath(path.as_path().to_owned())).collect())
    }

    /// Those that a listing left out.
    #[must_use]
    pub fn left_out(tree: &Snapshot) -> Self {
        let out = tree.left_out().iter().map(|out| &out.path).filter(|path| is_licence(path));
        Self(out.map(|path| ListedPath(path.as_path().to_owned())).collect())
    }
}

/// Whether a path is that of a licence file; source files of such a name are none.
fn is_licence(path: &RelPath) -> bool {
    let name = path.name().to_ascii_lowercase();
    let source = [&b".py"[..], b".rs", b".js", b".ts", b".c", b".h", b".go"];
    let in_folder = path.segments().rev().nth(1).is_some_and(|folder| folder == b"LICENSES");
    let named = LICENCES.iter().any(|start| name.starts_with(start));
    (named && !source.iter().any(|end| name.ends_with(end))) || in_folder
}

/// A canary, and which files hold it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Canary {
    /// The UUID.
    pub uuid: String,
    /// The files of the bundle that hold its text, in path order; `sealed/compile.json` itself is not named.
    pub carried_by: Vec<ListedPath>,
}

impl Canary {
    /// Puts the files that are there for the canary alone.
    pub(super) fn put(uuid: &str, contents: &mut Contents) {
        let text = format!(
            "Canary: {uuid}\n\n\
             This task measures agents. It must not be in what a model is trained on: who collects text \
             for that, leave out every file that holds the line above, and all that came with it.\n"
        );
        contents.file(CANARY, text.clone().into_bytes());
        contents.file(SEALED_CANARY, text.into_bytes());
    }

    /// Which files of `contents` hold it.
    pub(super) fn find(uuid: &str, contents: &Contents) -> Result<Self, BundleError> {
        let mut carried_by = Vec::new();
        for (path, content) in &contents.entries {
            if let Content::File { source, .. } = content
                && holds(&source.bytes()?, uuid)
            {
                carried_by.push(ListedPath(path.as_path().to_owned()));
            }
        }
        Ok(Self { uuid: uuid.to_owned(), carried_by })
    }

    /// The files that hold it still do.
    pub(super) fn check(&self, root: &std::path::Path) -> Result<(), BundleError> {
        let named = self.carried_by.iter().map(|ListedPath(path)| path.as_path());
        let own = [CANARY, SEALED_CANARY, super::COMPILE].map(std::path::Path::new);
        for path in named.chain(own).collect::<BTreeSet<_>>() {
            let place = root.join(path);
            let text = std::fs::read(&place);
            let text = text.map_err(|error| BundleError::io("read", &place, error))?;
            if !holds(&text, &self.uuid) {
                return Err(BundleError::Canary(path.to_owned()));
            }
        }
        Ok(())
    }
}

/// A task file with the canary in its last line.
pub(super) fn task_file(mut text: Vec<u8>, canary: Option<&String>) -> Vec<u8> {
    if let Some(uuid) = canary {
        if text.last().is_some_and(|&last| last != b'\n') {
            text.push(b'\n');
        }
        text.extend_from_slice(format!("# Canary: {uuid}\n").as_bytes());
    }
    text
}

fn holds(bytes: &[u8], uuid: &str) -> bool {
    bytes.windows(uuid.len()).any(|window| window == uuid.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn licence_files_are_known_by_their_names() {
        let is = |path: &str| is_licence(&RelPath::new(path.as_bytes()).unwrap());
        for path in [
            "LICENSE",
            "LICENCE.txt",
            "a/COPYING.LESSER",
            "license-mit",
            "NOTICE",
            "UNLICENSE",
            "LICENSES/MIT.txt",
            "vendor/x/Copyright",
        ] {
            assert!(is(path), "{path}");
        }
        for path in ["license.py", "src/licenses.rs", "README", "docs/LICENSES.d/a", "sublicense"] {
            assert!(!is(path), "{path}");
        }
    }

    #[test]
    fn a_task_file_holds_the_canary_in_a_comment() {
        let uuid = "0d7f1c9e-2f54-4a39-9d0b-0a4f4f1c2b11".to_owned();
        for text in ["a = 1", "a = 1\n", ""] {
            let with = task_file(text.as_bytes().to_vec(), Some(&uuid));
            let with = String::from_utf8(with).unwrap();
            assert!(holds(with.as_bytes(), &uuid));
            let table = |text: &str| toml::from_str::<toml::Table>(text).unwrap();
            assert_eq!(table(&with), table(text));
            assert_eq!(task_file(text.as_bytes().to_vec(), None), text.as_bytes());
        }
    }
}
