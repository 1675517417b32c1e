//! The lines before the hunks of a file: git's extended header, or the two names of a plain diff.

use crate::base::RelPath;

use super::error::shown;
use super::file::{Action, of_names};
use super::hunk::Hunk;
use super::lines::{Lines, trimmed};
use super::name::{self, Name};
use super::{FileKind, PatchError};

/// What the lines before the hunks say.
#[derive(Debug)]
pub(super) struct Header {
    pub(super) line: usize,
    pub(super) path: RelPath,
    pub(super) action: Action,
    pub(super) old_kind: Option<FileKind>,
    pub(super) new_kind: Option<FileKind>,
    /// Whether a binary patch follows, and no hunks.
    pub(super) is_binary: bool,
    /// Whether git wrote it.
    pub(super) git: bool,
}

/// Reads the two lines of names of a plain diff.
pub(super) fn plain(lines: &mut Lines<'_>) -> Result<Header, PatchError> {
    let line = lines.number();
    let (old, new) = names(lines)?;
    let (path, action) = of_names(&old, &new, line)?;
    Ok(Header { line, path, action, old_kind: None, new_kind: None, is_binary: false, git: false })
}

/// Reads `--- NAME` and `+++ NAME`.
fn names(lines: &mut Lines<'_>) -> Result<(Name, Name), PatchError> {
    let mut name = |mark: &str| {
        let line = lines.number();
        let text = trimmed(lines.next().unwrap_or_default()).strip_prefix(mark.as_bytes());
        let lacks =
            || PatchError::malformed(line, format!("the line `{mark}NAME` is missing here"));
        Name::read(text.ok_or_else(lacks)?, line)
    };
    Ok((name("--- ")?, name("+++ ")?))
}

/// What git's extended header says, line by line.
#[derive(Debug, Default)]
struct Said {
    made: bool,
    deleted: bool,
    old_kind: Option<FileKind>,
    new_kind: Option<FileKind>,
    moved: bool,
    from: Option<RelPath>,
    to: Option<RelPath>,
    names: Option<(Name, Name)>,
    is_binary: bool,
}

/// Reads git's header, from its line `diff --git` up to the hunks or the binary patch.
pub(super) fn git(lines: &mut Lines<'_>) -> Result<Header, PatchError> {
    let line = lines.number();
    let first = trimmed(lines.next().unwrap_or_default());
    let pair = name::pair(first.strip_prefix(b"diff --git ").unwrap_or_default(), line)?;
    let mut said = Said::default();
    while let Some(next) = lines.peek() {
        if Hunk::begins(lines) || said.is_binary || said.names.is_some() {
            break;
        }
        if next.starts_with(b"--- ") {
            said.names = Some(names(lines)?);
        } else if said.take(trimmed(next), lines.number(), pair.as_ref())? {
            lines.next();
        } else {
            break;
        }
    }
    said.header(line, pair.as_ref())
}

impl Said {
    /// Takes a line; false where it is none of the header.
    fn take(
        &mut self,
        text: &[u8],
        line: usize,
        pair: Option<&(Name, Name)>,
    ) -> Result<bool, PatchError> {
        let name = |rest: &[u8]| Name::whole(rest, line).and_then(|name| name.path(line)).map(Some);
        let kind = |rest: &[u8]| kind(rest, line, pair).map(Some);
        let Some((key, rest)) = split(text) else { return Ok(false) };
        match key {
            b"old mode " => self.old_kind = kind(rest)?,
            b"new mode " => self.new_kind = kind(rest)?,
            b"new file mode " => (self.made, self.new_kind) = (true, kind(rest)?),
            b"deleted file mode " => (self.deleted, self.old_kind) = (true, kind(rest)?),
            b"rename from " | b"rename old " => (self.moved, self.from) = (true, name(rest)?),
            b"copy from " => self.from = name(rest)?,
            b"rename to " | b"rename new " | b"copy to " => self.to = name(rest)?,
            b"index " => {
                // A mode stands here where the diff leaves it; then the tree's own stays too.
                if let Some(at) = rest.iter().position(|&byte| byte == b' ') {
                    self.old_kind = self.old_kind.or(kind(&rest[at + 1..])?);
                }
            }
            b"GIT binary patch" => self.is_binary = true,
            b"Binary files " => {
                return Err(PatchError::NoContent { line, name: shown(text) });
            }
            _ => {}
        }
        Ok(true)
    }

    fn header(self, line: usize, pair: Option<&(Name, Name)>) -> Result<Header, PatchError> {
        let bad = |what: &str| Err(PatchError::malformed(line, what));
        let (path, action) = match (&self.from, &self.to) {
            (Some(from), Some(to)) => {
                if self.names.as_ref().is_some_and(|(old, new)| !old.ends(from) || !new.ends(to)) {
                    return bad(DIFFERENT);
                }
                let from = from.clone();
                let action = if self.moved { Action::Rename(from) } else { Action::Copy(from) };
                (to.clone(), action)
            }
            (None, None) => self.of_one_path(line, pair)?,
            _ => return bad("a rename or copy with one of its names missing"),
        };
        let Self { old_kind, new_kind, is_binary, .. } = self;
        Ok(Header { line, path, action, old_kind, new_kind, is_binary, git: true })
    }

    /// The path and the action where nothing is moved or copied.
    fn of_one_path(
        &self,
        line: usize,
        pair: Option<&(Name, Name)>,
    ) -> Result<(RelPath, Action), PatchError> {
        let bad = |what: &str| Err(PatchError::malformed(line, what));
        // The first line tells prefixes from directories even where /dev/null is the other name.
        let told = pair.and_then(|(old, new)| Some((new, Name::prefixed(old, new)?)));
        let (path, action) = match (&self.names, told) {
            (Some((old, new)), Some((_, prefixed))) => {
                let name = if new.is_dev_null() { old } else { new };
                (name.stripped(prefixed, line)?, of_names(old, new, line)?.1)
            }
            (Some((old, new)), None) => of_names(old, new, line)?,
            (None, Some((new, prefixed))) => {
                let action = match (self.made, self.deleted) {
                    (true, _) => Action::Create,
                    (_, true) => Action::Delete,
                    _ => Action::Modify,
                };
                (new.stripped(prefixed, line)?, action)
            }
            (None, None) => return bad("names of a file that cannot be told apart"),
        };
        if let Some((new, prefixed)) = told
            && new.stripped(prefixed, line)? != path
        {
            return bad(DIFFERENT);
        }
        if self.made && action != Action::Create || self.deleted && action != Action::Delete {
            return bad("a new or deleted file without /dev/null on its other side");
        }
        Ok((path, action))
    }
}

/// Lines of one header contradict each other.
const DIFFERENT: &str = "a file diff whose lines name different files";

/// The keys of git's extended header.
const KEYS: [&[u8]; 15] = [
    b"old mode ",
    b"new mode ",
    b"new file mode ",
    b"deleted file mode ",
    b"rename from ",
    b"rename to ",
    b"rename old ",
    b"rename new ",
    b"copy from ",
    b"copy to ",
    b"similarity index ",
    b"dissimilarity index ",
    b"index ",
    b"GIT binary patch",
    b"Binary files ",
];

fn split(text: &[u8]) -> Option<(&'static [u8], &[u8])> {
    KEYS.into_iter().find_map(|key| Some((key, text.strip_prefix(key)?)))
}

/// What a mode means.
fn kind(text: &[u8], line: usize, pair: Option<&(Name, Name)>) -> Result<FileKind, PatchError> {
    let mode = std::str::from_utf8(text).ok().and_then(|text| u32::from_str_radix(text, 8).ok());
    match mode.map(|mode| (mode & 0o170_000, mode)) {
        Some((0o100_000, mode)) if mode & 0o100 != 0 => Ok(FileKind::Executable),
        Some((0o100_000, _)) => Ok(FileKind::Plain),
        Some((0o120_000, _)) => Ok(FileKind::Link),
        Some((0o160_000, _)) => {
            let path =
                pair.and_then(|(old, new)| new.stripped(Name::prefixed(old, new)?, line).ok());
            let name = path.map_or_else(String::new, |path| path.to_string());
            Err(PatchError::Submodule { line, name })
        }
        _ => Err(PatchError::malformed(line, format!("`{}` is no mode of a file", shown(text)))),
    }
}
