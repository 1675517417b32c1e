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
    said.header(line, pair)
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
                // Only where the mode stays it stands here.
                if let Some(at) = rest.iter().position(|&byte| byte == b' ') {
                    let kind = kind(&rest[at + 1..])?;
                    self.old_kind = self.old_kind.or(kind);
                    self.new_kind = self.new_kind.or(kind);
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

    fn header(self, line: usize, pair: Option<(Name, Name)>) -> Result<Header, PatchError> {
        let bad = |what: &str| Err(PatchError::malformed(line, what));
        let (names, moves) = (self.names.as_ref(), self.from.as_ref().zip(self.to.as_ref()));
        if let (Some((old, new)), Some((from, to))) = (names, moves)
            && !(old.ends(from) && new.ends(to))
        {
            return bad(DIFFERENT);
        }
        let (path, action) = match (self.from, self.to) {
            (Some(from), Some(to)) if self.moved => (to, Action::Rename(from)),
            (Some(from), Some(to)) => (to, Action::Copy(from)),
            (None, None) => {
                // The header's own names tell prefixes from directories even beside /dev/null.
                let prefixed = pair.as_ref().and_then(|(old, new)| Name::prefixed(old, new));
                let (path, action) = match (&self.names, prefixed, &pair) {
                    (Some((old, new)), Some(prefixed), _) => {
                        let name = if new.is_dev_null() { old } else { new };
                        let (_, action) = of_names(old, new, line)?;
                        (name.stripped(prefixed, line)?, action)
                    }
                    (Some((old, new)), None, _) => of_names(old, new, line)?,
                    (None, Some(prefixed), Some((_, new))) => {
                        (new.stripped(prefixed, line)?, Action::Modify)
                    }
                    (None, ..) => return bad("names of a file that cannot be told apart"),
                };
                if let Some((_, header)) = pair.filter(|_| prefixed.is_some()) {
                    if header.stripped(prefixed == Some(true), line)? != path {
                        return bad(DIFFERENT);
                    }
                }
                let named = self.names.is_some();
                let action = match action {
                    Action::Modify if self.made && !named => Action::Create,
                    Action::Modify if self.deleted && !named => Action::Delete,
                    other => other,
                };
                let fits = (!self.made || action == Action::Create)
                    && (!self.deleted || action == Action::Delete);
                if !fits {
                    return bad("a new or deleted file without /dev/null on its other side");
                }
                (path, action)
            }
            _ => return bad("a rename or copy with one of its names missing"),
        };
        let (old_kind, new_kind, is_binary) = (self.old_kind, self.new_kind, self.is_binary);
        Ok(Header { line, path, action, old_kind, new_kind, is_binary, git: true })
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
