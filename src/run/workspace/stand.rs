//! What lies in the private places of a workspace at some moment, to be put there again: the files of a
//! process that lives on while others use the workspace.

use std::ffi::CString;
use std::os::fd::AsFd as _;

use super::adopt::{Adopt, listed};
use super::listing::{Listing, Node};
use super::restore::{Restore, Seen};
use super::{Certificate, HOME, TMP, Workspace, WorkspaceError};

/// The places that belong to a run and to nobody else.
const PRIVATE: [&str; 2] = [HOME, TMP];

/// More than this is not worth to be made again for each of many runs.
const MOST: (usize, u64) = (2_000, 64 << 20);

/// What was there. It is of one workspace, and of no other.
#[derive(Debug)]
pub struct Stand {
    listing: Listing,
    seen: Vec<Option<Seen>>,
}

pub(super) fn is_private(node: &Node) -> bool {
    PRIVATE.iter().any(|part| node.is_in(part))
}

impl Workspace {
    /// Takes down what lies in its private places, which a reset then clears as ever; `None` where that
    /// cannot be put there again, or is too much.
    ///
    /// # Errors
    /// Something cannot be read or stored; the workspace must then be [replaced](Self::replace).
    pub fn stand(&mut self, _certificate: &Certificate) -> Result<Option<Stand>, WorkspaceError> {
        let root = self.open()?;
        let top = Node::directory(b"", 0, (0, 0));
        let nothing = Listing::new(vec![top.clone()]);
        let mut adopt = Adopt {
            root: &self.path,
            store: &self.golden.store,
            soundness: self.soundness,
            // Whatever is there is read.
            before: (&nothing, &[None]),
            trash: self.trash.as_fd(),
            found: Vec::new(),
            lacks: false,
        };
        for part in PRIVATE {
            let name = CString::new(part).expect("a fixed name holds no NUL");
            adopt.directory(root.as_fd(), &name, part.as_bytes())?;
        }
        let bytes = adopt.found.iter().map(|(_, seen)| seen.met.size).sum::<u64>();
        if adopt.lacks || adopt.found.len() > MOST.0 || bytes > MOST.1 {
            return Ok(None);
        }
        let found = adopt.found.into_iter().map(|(node, seen)| (node, Some(seen)));
        let (listing, seen) = listed(std::iter::once((top, None)).chain(found).collect());
        Ok(Some(Stand { listing, seen }))
    }

    /// Puts it there again, until the next reset. The workspace must be as made or reset.
    ///
    /// # Errors
    /// Something cannot be made; the workspace then needs a reset.
    pub fn put(&mut self, stand: &mut Stand) -> Result<(), WorkspaceError> {
        let root = self.open()?;
        let nothing = std::collections::BTreeSet::new();
        let mut restore = Restore {
            root: &self.path,
            listing: &stand.listing,
            store: &self.golden.store,
            seen: &mut stand.seen,
            soundness: self.soundness,
            strays: None,
            touched: &nothing,
            only: None,
            trash: self.trash.as_fd(),
            buffer: vec![0; 1 << 17],
            latest: None,
        };
        restore.parts(root.as_fd())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::net::UnixListener;

    use super::super::tests::{made, source};
    use super::*;

    #[test]
    fn what_lay_in_private_places_is_there_again_and_gone_after_a_reset() {
        let (_source, tree) = source();
        let base = tempfile::tempdir().unwrap();
        let (_scratch, _, mut workspace) = made(base.path(), &tree);
        let [tmp, home] = [TMP, HOME].map(|part| workspace.path().join(part));
        fs::create_dir_all(tmp.join("a/b")).unwrap();
        fs::write(tmp.join("a/b/file"), "text").unwrap();
        std::os::unix::fs::symlink("a/b", tmp.join("link")).unwrap();
        fs::write(home.join(".config/set"), "yes").unwrap();
        let time = fs::metadata(tmp.join("a/b/file")).unwrap().modified().unwrap();
        let mut stand = workspace.stand(&Certificate::new()).unwrap().expect("it can be put again");
        workspace.reset(Certificate::new()).unwrap();
        for _ in 0..2 {
            assert_eq!(fs::read_dir(&tmp).unwrap().count(), 0);
            assert!(!home.join(".config/set").exists());
            workspace.put(&mut stand).unwrap();
            let read = |name: &str| fs::read_to_string(tmp.join(name)).unwrap();
            assert_eq!(
                (read("a/b/file"), read("link/file")),
                ("text".to_owned(), "text".to_owned())
            );
            assert_eq!(fs::metadata(tmp.join("a/b/file")).unwrap().modified().unwrap(), time);
            assert_eq!(fs::read_to_string(home.join(".config/set")).unwrap(), "yes");
            // What somebody does to it there stays nowhere.
            fs::write(tmp.join("a/b/file"), "else").unwrap();
            fs::write(tmp.join("more"), "").unwrap();
            workspace.reset(Certificate::new()).unwrap();
        }
    }

    #[test]
    fn what_cannot_be_made_again_is_no_stand() {
        let (_source, tree) = source();
        let base = tempfile::tempdir().unwrap();
        let (_scratch, _, mut workspace) = made(base.path(), &tree);
        let tmp = workspace.path().join(TMP);
        let socket = UnixListener::bind(tmp.join("socket")).unwrap();
        assert!(workspace.stand(&Certificate::new()).unwrap().is_none());
        drop(socket);
        workspace.reset(Certificate::new()).unwrap();
        let large = fs::File::create(tmp.join("large")).unwrap();
        large.set_len(MOST.1 + 1).unwrap();
        assert!(workspace.stand(&Certificate::new()).unwrap().is_none());
    }
}
