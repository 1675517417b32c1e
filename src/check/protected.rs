//! Whether the protected paths were left alone, by the rules of a reader.

use std::collections::BTreeMap;
use std::path::Path;

use super::answer::{Change, ProtectedPart};
use super::{CheckError, is_of_nothing, python};
use crate::base::{RelPath, Sha256};
use crate::bundle::{Bundle, PROTECTED};
use crate::contract::{Kind, ProtectedPath};
use crate::tree::{self, Seen, Standing};

/// Looks at every entry in the tree at `root`. What the final tree's copy leaves out counts here too.
pub(super) fn judge(bundle: &Bundle, root: &Path) -> Result<ProtectedPart, CheckError> {
    let mut part =
        ProtectedPart { entries: bundle.record.protected_paths.len(), ..Default::default() };
    for entry in &bundle.record.protected_paths {
        let path = RelPath::new(entry.path.as_bytes()).expect("the record's rules");
        match entry.kind {
            Kind::File => file(bundle, root, entry, &path, &mut part)?,
            Kind::Directory => directory(bundle, root, entry, &path, &mut part)?,
        }
    }
    part.changes.sort();
    part.changes.dedup();
    Ok(part)
}

fn file(
    bundle: &Bundle,
    root: &Path,
    entry: &ProtectedPath,
    path: &RelPath,
    part: &mut ProtectedPart,
) -> Result<(), CheckError> {
    let what = match tree::standing(root, path, &[])? {
        Standing::File(sha256) if sha256 == entry.sha256 => return Ok(()),
        Standing::File(_) if entry.equivalence.is_some() => {
            if bundle.compile.is_none() {
                let why = "it has other bytes, and the sealed ones are not at hand".to_owned();
                part.unjudged.push(Change::new(path, why));
                return Ok(());
            }
            let sealed = path.below(&bundle.root.join(PROTECTED));
            match python::same_tree(&sealed, &path.below(root)) {
                Ok(true) => part.equivalent.push(path.to_string()),
                Ok(false) => part.changes.push(Change::new(path, "changed".to_owned())),
                Err(why) => part.unjudged.push(Change::new(path, why)),
            }
            return Ok(());
        }
        Standing::File(_) => "changed",
        Standing::Nothing => "went",
        Standing::Link(link) => return part.link(root, &link),
        Standing::Special => "is now a socket, pipe or device",
        Standing::Directory(_) => "is now a directory",
    };
    part.changes.push(Change::new(path, what.to_owned()));
    Ok(())
}

fn directory(
    bundle: &Bundle,
    root: &Path,
    entry: &ProtectedPath,
    path: &RelPath,
    part: &mut ProtectedPart,
) -> Result<(), CheckError> {
    let exclude = entry.exclude.as_deref().unwrap_or_default();
    let seen = match tree::standing(root, path, exclude)? {
        Standing::Directory(seen) => seen,
        Standing::Nothing if is_of_nothing(&entry.sha256) => return Ok(()),
        Standing::Nothing => Vec::new(),
        Standing::Link(link) => return part.link(root, &link),
        Standing::File(_) | Standing::Special => {
            part.changes.push(Change::new(path, "is no directory any more".to_owned()));
            return Ok(());
        }
    };
    let mut files = Vec::new();
    for (path, seen) in seen {
        match seen {
            // Such a name could stand for several lines of the digest.
            _ if path.has_control() => {
                part.changes.push(Change::new(&path, "has a control character in its name".into()));
            }
            Seen::File(sha256) => files.push((path, sha256)),
            Seen::Link => part.changes.push(Change::new(&path, "is a link".into())),
            Seen::Special => {
                part.changes.push(Change::new(&path, "is a socket, pipe or device".into()));
            }
        }
    }
    if tree::digest_of(&files) == entry.sha256 {
        return Ok(());
    }
    if bundle.compile.is_none() {
        let what = "holds other files; which, the bundle would tell";
        part.changes.push(Change::new(path, what.to_owned()));
        return Ok(());
    }
    let sealed = tree::directory(&bundle.root.join(PROTECTED), path, exclude)?.files;
    part.changes.extend(differences(&sealed, &files));
    Ok(())
}

/// What is different between two lists of files.
fn differences(sealed: &[(RelPath, Sha256)], now: &[(RelPath, Sha256)]) -> Vec<Change> {
    let by_path = |files: &[(RelPath, Sha256)]| files.iter().cloned().collect::<BTreeMap<_, _>>();
    let (before, after) = (by_path(sealed), by_path(now));
    let of_old = before.iter().filter_map(|(path, sha256)| match after.get(path) {
        None => Some(Change::new(path, "went".to_owned())),
        Some(other) if other != sha256 => Some(Change::new(path, "changed".to_owned())),
        Some(_) => None,
    });
    let new = after.keys().filter(|path| !before.contains_key(*path));
    of_old.chain(new.map(|path| Change::new(path, "appeared".to_owned()))).collect()
}

impl ProtectedPart {
    fn link(&mut self, root: &Path, link: &Path) -> Result<(), CheckError> {
        let below = link.strip_prefix(root).unwrap_or(link);
        let path = below.display().to_string();
        self.changes.push(Change { path, what: "is a link".to_owned() });
        Ok(())
    }
}
