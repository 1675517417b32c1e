//! What commands did to a workspace beside its homes and caches, seen when it is brought back.

use std::collections::BTreeSet;
use std::fs::{self, FileType};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::Path;

use super::listing::{Content, Listing};
use super::{CACHE, HOME, TMP, TREE};
use crate::base::{RelPath, Sha256};
use crate::tree::Globs;

/// Most paths that are kept of one run.
const MOST: usize = 20;

/// Most names that are looked at in one directory.
const NAMES: usize = 1000;

/// A path longer than this is not followed further down.
const LONGEST: usize = 1024;

/// A file as large as this is taken for changed without being read.
const LARGEST: u64 = 16 << 20;

/// The paths of files and links that a command made, changed or removed, below the workspace.
#[derive(Debug, Default)]
pub(super) struct Strays {
    found: Vec<String>,
    /// Of the tree what is not told.
    pub(super) permitted: Option<Globs>,
    /// Paths below the workspace that are not told.
    pub(super) usual: BTreeSet<String>,
}

impl Strays {
    /// None yet, with the same left untold.
    pub(super) fn another(&self) -> Self {
        let (permitted, usual) = (self.permitted.clone(), self.usual.clone());
        Self { permitted, usual, ..Self::default() }
    }

    /// Adds a path, unless it lies where commands write as they like.
    pub(super) fn add(&mut self, path: &[u8]) {
        if self.found.len() == MOST || is_private(path) {
            return;
        }
        // The workspace itself has no path below it.
        let Ok(path) = RelPath::new(path) else { return };
        let path = path.to_string();
        let below = path.strip_prefix(TREE).and_then(|rest| rest.strip_prefix('/'));
        let is_permitted = |below| self.permitted.as_ref().is_some_and(|globs| globs.name(below));
        if !below.is_some_and(is_permitted) && !self.usual.contains(&path) {
            self.found.push(path);
        }
    }

    /// Adds what lies at `path` below the workspace, which is at `place` now and was not there.
    pub(super) fn add_all(&mut self, path: &[u8], place: &Path) {
        self.walk(path, place, device_above(place), &mut |_, _, _| true);
    }

    /// Adds what an overlay's upper directory holds beyond what the listing says.
    pub(super) fn add_layer(&mut self, upper: &Path, listing: &Listing) {
        self.walk(b"", upper, device_above(upper), &mut |path, place, kind| {
            let known = listing.find(path).map(|at| &listing.nodes()[at].content);
            if is_whiteout(place, kind) {
                return known.is_some();
            }
            match known {
                Some(Content::File { sha256, .. }) if kind.is_file() => !holds(place, sha256),
                _ => true,
            }
        });
    }

    /// Adds the files, links and the like at or below a place of which `tells` is true. Follows no link
    /// and enters no mount.
    fn walk(
        &mut self,
        path: &[u8],
        place: &Path,
        device: Option<u64>,
        tells: &mut dyn FnMut(&[u8], &Path, FileType) -> bool,
    ) {
        if self.found.len() == MOST || is_private(path) {
            return;
        }
        let Ok(met) = fs::symlink_metadata(place) else { return };
        if !met.is_dir() {
            if tells(path, place, met.file_type()) {
                self.add(path);
            }
            return;
        }
        if Some(met.dev()) != device || path.len() > LONGEST {
            return self.add(path);
        }
        // One that cannot be read is told as such.
        let Ok(entries) = fs::read_dir(place) else { return self.add(path) };
        let entries = entries.flatten().take(NAMES);
        let mut names = entries.map(|entry| entry.file_name()).collect::<Vec<_>>();
        names.sort();
        for name in names {
            let below = match path {
                [] => name.as_bytes().to_vec(),
                path => [path, b"/", name.as_bytes()].concat(),
            };
            self.walk(&below, &place.join(&name), device, tells);
        }
    }

    pub(super) fn take(&mut self) -> Vec<String> {
        std::mem::take(&mut self.found)
    }
}

fn device_above(place: &Path) -> Option<u64> {
    fs::symlink_metadata(place.parent()?).ok().map(|met| met.dev())
}

/// Where commands may write what they like: it reaches no other run.
fn is_private(path: &[u8]) -> bool {
    [HOME, TMP, CACHE].iter().any(|part| {
        path.strip_prefix(part.as_bytes()).is_some_and(|rest| matches!(rest, [] | [b'/', ..]))
    })
}

/// What an overlay puts in place of a file that was removed.
fn is_whiteout(place: &Path, kind: FileType) -> bool {
    kind.is_char_device() && fs::symlink_metadata(place).is_ok_and(|met| met.rdev() == 0)
}

/// Whether a regular file still has these bytes, as one has that was only touched.
pub(super) fn holds(place: &Path, sha256: &Sha256) -> bool {
    let small = fs::symlink_metadata(place).is_ok_and(|met| met.is_file() && met.len() < LARGEST);
    small && fs::read(place).is_ok_and(|bytes| Sha256::of(&bytes) == *sha256)
}
