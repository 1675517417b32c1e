//! Patches read and applied to trees in memory.

mod forms;
mod hostile;
mod properties;
mod refusals;
mod several;

use std::collections::BTreeMap;

use super::{Change, FileKind, FileState, Patch, PatchError};
use crate::base::RelPath;

/// Files by path, as text for people to compare: `x ` before the bytes of an executable file, `l `
/// before the text of a link.
type Tree = BTreeMap<String, Vec<u8>>;

fn tree<const N: usize>(files: [(&str, &str); N]) -> Tree {
    files.into_iter().map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec())).collect()
}

fn state(text: &[u8]) -> FileState {
    let (kind, bytes) = match text {
        [b'x', b' ', bytes @ ..] => (FileKind::Executable, bytes),
        [b'l', b' ', bytes @ ..] => (FileKind::Link, bytes),
        bytes => (FileKind::Plain, bytes),
    };
    FileState { bytes: bytes.to_vec(), kind }
}

fn text(state: &FileState) -> Vec<u8> {
    let mark = match state.kind {
        FileKind::Plain => &b""[..],
        FileKind::Executable => b"x ",
        FileKind::Link => b"l ",
    };
    [mark, &state.bytes].concat()
}

fn changes(tree: &Tree, patch: &[u8]) -> Result<Vec<Change>, PatchError> {
    let before =
        |path: &RelPath| Ok(path.as_str().and_then(|path| tree.get(path)).map(|text| state(text)));
    Patch::parse(patch)?.apply(&before)
}

/// The tree that the patch makes, checking what its changes say of the one before.
fn patched(mut tree: Tree, patch: impl AsRef<[u8]>) -> Result<Tree, PatchError> {
    let changes = changes(&tree, patch.as_ref())?;
    assert!(changes.is_sorted_by(|one, next| one.path < next.path), "{changes:?}");
    for Change { path, before, after } in changes {
        let path = path.as_str().expect("the tests name files in UTF-8").to_owned();
        assert_ne!(before, after, "{path}");
        assert_eq!(tree.remove(&path), before.as_ref().map(text), "{path}");
        if let Some(after) = after {
            tree.insert(path, text(&after));
        }
    }
    Ok(tree)
}

/// The patch makes one tree of the other.
#[track_caller]
fn makes<const N: usize, const M: usize>(
    before: [(&str, &str); N],
    patch: impl AsRef<[u8]>,
    after: [(&str, &str); M],
) {
    let shown = |tree: Tree| {
        tree.into_iter()
            .map(|(path, text)| (path, String::from_utf8_lossy(&text).into_owned()))
            .collect::<Vec<_>>()
    };
    let made = patched(tree(before), patch.as_ref());
    let made = made.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(shown(made), shown(tree(after)));
}

/// The patch is refused with these words.
#[track_caller]
fn refuses<const N: usize>(before: [(&str, &str); N], patch: impl AsRef<[u8]>, words: &str) {
    match patched(tree(before), patch.as_ref()) {
        Ok(made) => panic!("it made {made:?}"),
        Err(error) => assert_eq!(error.to_string(), words),
    }
}
