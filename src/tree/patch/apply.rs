//! Applies file diffs one after the other to what stands in a tree.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::base::RelPath;
use crate::tree::TreeError;

use super::error::quoted;
use super::file::{Action, Content, FileDiff};
use super::hunk::Hunk;
use super::place::{NoPlace, place};
use super::{Change, FileKind, FileState, LIMIT, Misfit, PatchError};

/// Gives the file at a path of the tree.
type Before<'a> = &'a dyn Fn(&RelPath) -> Result<Option<FileState>, TreeError>;

/// What stands at a path, shared between the moments at which it is the same.
type State = Option<Rc<FileState>>;

/// The paths that a patch has met, with what stands there.
pub(super) struct Desk<'a> {
    before: Before<'a>,
    /// As the tree had them.
    first: BTreeMap<RelPath, State>,
    /// As they are now.
    now: BTreeMap<RelPath, State>,
    section: Section,
    /// Bytes of all files that were made.
    made: u64,
}

/// The diffs of one state of the tree.
#[derive(Default)]
struct Section {
    number: usize,
    /// What stood there before the section, where that is no longer so.
    base: BTreeMap<RelPath, State>,
    /// Paths that the section made anew.
    made: BTreeSet<RelPath>,
    /// Paths that the section changed where they stand, with the line.
    modified: BTreeMap<RelPath, usize>,
}

impl<'a> Desk<'a> {
    pub(super) fn new(before: Before<'a>) -> Self {
        let (first, now) = (BTreeMap::new(), BTreeMap::new());
        Self { before, first, now, section: Section::default(), made: 0 }
    }

    /// Applies one file diff of `all`.
    pub(super) fn apply(&mut self, file: &FileDiff, all: &[FileDiff]) -> Result<(), PatchError> {
        if self.section.number != file.section {
            self.section = Section { number: file.section, ..Section::default() };
        }
        match &file.action {
            Action::Modify => {
                let old = self.now(&file.path)?.ok_or_else(|| missing(&file.path, file))?;
                let new = self.changed(file, &old)?;
                self.section.modified.insert(file.path.clone(), file.line);
                self.set(&file.path, Some(new));
            }
            Action::Fill => {
                let old = self.now(&file.path)?;
                let old = old.unwrap_or_else(|| nothing(FileKind::Plain));
                let new = self.changed(file, &old)?;
                self.set(&file.path, Some(new));
            }
            Action::Create => {
                let kind = file.new_kind.unwrap_or(FileKind::Plain);
                let new = self.changed(file, &nothing(kind))?;
                self.check_free(file, all, &new)?;
                self.make(&file.path, new);
            }
            Action::Delete => self.delete(file)?,
            Action::Rename(from) | Action::Copy(from) => self.transfer(file, from, all)?,
        }
        Ok(())
    }

    fn delete(&mut self, file: &FileDiff) -> Result<(), PatchError> {
        let unfit = |why: &str| {
            let (path, line, why) = (file.path.clone(), file.line, why.to_owned());
            PatchError::Unfit { path, line, why }
        };
        let gone = "deletes it, and it is not in the tree: the patch is for another tree, or is applied already";
        let old = self.now(&file.path)?.ok_or_else(|| unfit(gone))?;
        let left = self.changed(file, &old)?;
        if left.bytes.is_empty() {
            self.set(&file.path, None);
            return Ok(());
        }
        Err(unfit(&format!("deletes it and leaves {} of its bytes", left.bytes.len())))
    }

    fn transfer(
        &mut self,
        file: &FileDiff,
        from: &RelPath,
        all: &[FileDiff],
    ) -> Result<(), PatchError> {
        let moves = matches!(file.action, Action::Rename(_));
        if let Some(line) = self.section.modified.get(from).filter(|_| moves) {
            let why = format!(
                "moves it after line {line} changes it, and nothing tells which of its states is meant; give one diff of the two trees"
            );
            return Err(PatchError::Unfit { path: from.clone(), line: file.line, why });
        }
        let old = match self.section.base.get(from) {
            Some(base) => base.clone(),
            None => self.now(from)?,
        };
        let Some(old) = old else {
            let is_done = moves && self.now(&file.path)?.is_some();
            let (path, line) = (file.path.clone(), file.line);
            return Err(if is_done {
                PatchError::Applied { path, line }
            } else {
                missing(from, file)
            });
        };
        let new = self.changed(file, &old)?;
        self.check_free(file, all, &new)?;
        if moves && !self.section.made.contains(from) {
            self.set(from, None);
        }
        self.make(&file.path, new);
        Ok(())
    }

    /// Refuses to make a file where one is that the patch does not take away.
    fn check_free(
        &mut self,
        file: &FileDiff,
        all: &[FileDiff],
        new: &FileState,
    ) -> Result<(), PatchError> {
        let Some(there) = self.now(&file.path)? else { return Ok(()) };
        let leaves = |other: &FileDiff| match &other.action {
            Action::Rename(from) => *from == file.path,
            Action::Delete => other.path == file.path && other.line > file.line,
            _ => false,
        };
        // In one diff a path may be taken before its own file is moved away.
        let together = |other: &&FileDiff| other.section == file.section && other.line != file.line;
        let is_free =
            !self.section.made.contains(&file.path) && all.iter().filter(together).any(leaves);
        let (path, line) = (file.path.clone(), file.line);
        match () {
            () if is_free => Ok(()),
            () if *there == *new => Err(PatchError::Applied { path, line }),
            () => Err(PatchError::Exists { path, line }),
        }
    }

    /// What the diff makes of `old`.
    fn changed(
        &mut self,
        file: &FileDiff,
        old: &Rc<FileState>,
    ) -> Result<Rc<FileState>, PatchError> {
        let kind = file.new_kind.unwrap_or(old.kind);
        let unfit = |line, why| PatchError::Unfit { path: file.path.clone(), line, why };
        let says_link = file.old_kind.map(|kind| kind == FileKind::Link);
        if says_link.is_some_and(|link| link != (old.kind == FileKind::Link)) {
            let why = "takes a symbolic link for a file, or a file for a link";
            return Err(unfit(file.line, why.to_owned()));
        }
        let applied = || PatchError::Applied { path: file.path.clone(), line: file.line };
        let bytes = match &file.content {
            Content::Text(hunks) if hunks.is_empty() => None,
            Content::Text(hunks) => Some(place(&old.bytes, hunks, file.bare).map_err(|found| {
                let back = hunks.iter().map(Hunk::reversed).collect::<Vec<_>>();
                let is_applied = place(&old.bytes, &back, file.bare).is_ok();
                if is_applied { applied() } else { no_place(file, hunks, &found) }
            })?),
            Content::Binary(binary) => Some(binary.apply(&old.bytes).map_err(|why| {
                if binary.makes(&old.bytes) { applied() } else { unfit(binary.line, why) }
            })?),
        };
        self.made += bytes.as_ref().unwrap_or(&old.bytes).len() as u64;
        if self.made > LIMIT {
            return Err(PatchError::TooLarge { path: file.path.clone(), line: file.line });
        }
        match bytes {
            None if kind == old.kind => Ok(Rc::clone(old)),
            bytes => {
                let bytes = bytes.unwrap_or_else(|| old.bytes.clone());
                Ok(Rc::new(FileState { bytes, kind }))
            }
        }
    }

    fn now(&mut self, path: &RelPath) -> Result<State, PatchError> {
        if let Some(state) = self.now.get(path) {
            return Ok(state.clone());
        }
        let state = (self.before)(path)?.map(Rc::new);
        self.first.insert(path.clone(), state.clone());
        self.now.insert(path.clone(), state.clone());
        Ok(state)
    }

    /// Something else stands at a path that was looked at.
    fn set(&mut self, path: &RelPath, state: State) {
        let old = self.now.insert(path.clone(), state).flatten();
        self.section.base.entry(path.clone()).or_insert(old);
    }

    fn make(&mut self, path: &RelPath, state: Rc<FileState>) {
        self.set(path, Some(state));
        self.section.made.insert(path.clone());
    }

    /// What is different at the end, by path.
    pub(super) fn changes(self) -> Result<Vec<Change>, PatchError> {
        for (path, state) in &self.now {
            if state.is_some() && self.first.get(path) != Some(state) {
                self.check_above(path)?;
            }
        }
        let Self { mut first, now, .. } = self;
        let owned = |state: State| state.map(Rc::unwrap_or_clone);
        let change = |(path, after): (RelPath, State)| {
            let before = first.remove(&path).flatten();
            (before != after).then(|| Change { path, before: owned(before), after: owned(after) })
        };
        Ok(now.into_iter().filter_map(change).collect())
    }

    /// Refuses a path that goes through a file or a link, which would write elsewhere.
    fn check_above(&self, path: &RelPath) -> Result<(), PatchError> {
        let bytes = path.as_bytes();
        for end in (0..bytes.len()).filter(|&at| bytes[at] == b'/') {
            let above =
                RelPath::new(&bytes[..end]).expect("the first segments of a path are a path");
            let there = match self.now.get(&above) {
                Some(state) => state.is_some(),
                None => (self.before)(&above)?.is_some(),
            };
            if there {
                return Err(PatchError::Below { path: path.clone(), above });
            }
        }
        Ok(())
    }
}

fn nothing(kind: FileKind) -> Rc<FileState> {
    Rc::new(FileState { bytes: Vec::new(), kind })
}

fn missing(path: &RelPath, file: &FileDiff) -> PatchError {
    PatchError::Missing { path: path.clone(), line: file.line }
}

fn no_place(file: &FileDiff, hunks: &[Hunk], found: &NoPlace) -> PatchError {
    let hunk = &hunks[found.hunk];
    let line = |line: &[u8]| match line {
        b"" => "the end of the file".to_owned(),
        line => quoted(line),
    };
    PatchError::from(Box::new(Misfit {
        path: file.path.clone(),
        number: found.hunk + 1,
        header: hunk.header.clone(),
        line: hunk.line_of_old(found.old_line),
        file_line: found.file_line,
        expected: line(&found.expected),
        found: line(&found.found),
    }))
}
