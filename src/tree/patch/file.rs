//! The diff of one file, and how a patch falls into such diffs.

use crate::base::RelPath;

use super::binary::Binary;
use super::error::shown;
use super::header::{self, Header};
use super::hunk::Hunk;
use super::lines::{Lines, trimmed};
use super::name::Name;
use super::place::is_bare;
use super::{FileKind, PatchError};

/// What a patch does to one path.
#[derive(Debug, Clone)]
pub(super) struct FileDiff {
    /// The line of the patch at which it begins.
    pub(super) line: usize,
    /// Diffs with the same number stand together, without other text between them: they are of one
    /// state of the tree.
    pub(super) section: usize,
    /// The path that it makes, changes or deletes.
    pub(super) path: RelPath,
    /// What it does.
    pub(super) action: Action,
    /// What the file was and becomes, where the patch says so.
    pub(super) old_kind: Option<FileKind>,
    pub(super) new_kind: Option<FileKind>,
    /// How its content changes.
    pub(super) content: Content,
    /// Whether it was made without context.
    pub(super) bare: bool,
}

impl FileDiff {
    /// Its hunks; of a binary patch none.
    pub(super) fn hunks(&self) -> &[Hunk] {
        match &self.content {
            Content::Text(hunks) => hunks,
            Content::Binary(_) => &[],
        }
    }
}

/// What a file diff does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Action {
    /// Changes the file.
    Modify,
    /// Changes the file, or makes it where there is none: a plain diff of an empty old side.
    Fill,
    /// Makes the file.
    Create,
    /// Deletes the file.
    Delete,
    /// Moves it from there.
    Rename(RelPath),
    /// Makes it of what is there.
    Copy(RelPath),
}

/// How the content of a file changes.
#[derive(Debug, Clone)]
pub(super) enum Content {
    /// By hunks; by none where it stays.
    Text(Vec<Hunk>),
    /// As a whole.
    Binary(Binary),
}

/// The file diffs of a patch in order.
pub(super) fn files(bytes: &[u8]) -> Result<Vec<FileDiff>, PatchError> {
    let mut lines = Lines::new(bytes);
    let mut files = Vec::<FileDiff>::new();
    let (mut section, mut has_git, mut only) = (0, false, None);
    while let Some(line) = lines.peek() {
        let header = if line.starts_with(b"diff --git ") {
            has_git = true;
            header::git(&mut lines)?
        } else if is_plain(&lines) {
            header::plain(&mut lines)?
        } else {
            refuse_meaning(&lines)?;
            if line.starts_with(b"Only in ") && line.windows(2).any(|pair| pair == b": ") {
                only = only.or(Some((lines.number(), shown(trimmed(line)))));
            }
            // The words with which a plain diff names its next file part nothing.
            if !trimmed(line).is_empty() && !line.starts_with(b"diff ") {
                section += 1;
            }
            lines.next();
            continue;
        };
        files.push(body(header, &mut lines, section)?);
    }
    // In the text of a commit the words mean nothing.
    match only.filter(|_| !has_git && !files.is_empty()) {
        Some((line, name)) => Err(PatchError::NoContent { line, name }),
        None => Ok(mark_bare(files)),
    }
}

/// Says of each diff whether it was made without context: by its own hunks, or by another's where the
/// whole patch has no context.
fn mark_bare(mut files: Vec<FileDiff>) -> Vec<FileDiff> {
    let own = files.iter().map(|file| is_bare(file.hunks())).collect::<Vec<_>>();
    let has_context = files.iter().any(|file| file.hunks().iter().any(Hunk::has_context));
    let all = !has_context && own.contains(&true);
    for (file, own) in files.iter_mut().zip(own) {
        file.bare = own || all;
    }
    files
}

/// Whether the two lines of names of a plain diff and a hunk come next.
fn is_plain(lines: &Lines<'_>) -> bool {
    let mut ahead = lines.clone();
    let mut next = |start: &[u8]| ahead.next().is_some_and(|line| line.starts_with(start));
    next(b"--- ") && next(b"+++ ") && next(b"@@ -")
}

/// Refuses lines outside of file diffs that change something and are no diff that is read here.
fn refuse_meaning(lines: &Lines<'_>) -> Result<(), PatchError> {
    let line = trimmed(lines.peek().unwrap_or_default());
    let number = lines.number();
    if line.starts_with(b"diff --cc ") || line.starts_with(b"diff --combined ") {
        let what = "a combined diff of a merge; give the diff to one of its parents";
        return Err(PatchError::malformed(number, what));
    }
    if line.starts_with(b"Binary files ") && line.ends_with(b" differ") {
        return Err(PatchError::NoContent { line: number, name: shown(line) });
    }
    if let Some(name) = line.strip_prefix(b"Submodule ").and_then(submodule) {
        return Err(PatchError::Submodule { line: number, name });
    }
    if Hunk::begins(lines) && Hunk::read(&mut lines.clone()).is_ok() {
        let what =
            "a hunk that belongs to no file: the lines `---` and `+++` with its name are missing";
        return Err(PatchError::malformed(number, what));
    }
    Ok(())
}

/// The name in `NAME 1234567..89abcde:`, as git's short form has it after `Submodule`.
fn submodule(text: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(text).ok()?;
    let (name, range) = text.split_once(' ')?;
    let (old, new) = range.split_once("..")?;
    let hex =
        |text: &str| text.len() >= 7 && text.bytes().take(7).all(|byte| byte.is_ascii_hexdigit());
    (hex(old) && hex(new.trim_start_matches('.'))).then(|| shown(name.as_bytes()))
}

/// Reads what follows a header, and holds the two against each other.
fn body(header: Header, lines: &mut Lines<'_>, section: usize) -> Result<FileDiff, PatchError> {
    let Header { line, path, mut action, old_kind, new_kind, is_binary, git } = header;
    let content = if is_binary {
        Content::Binary(Binary::read(lines)?)
    } else {
        Content::Text(hunks(lines)?)
    };
    if let Content::Text(hunks) = &content {
        let changes_kind = old_kind.is_some() && new_kind.is_some() && old_kind != new_kind;
        if hunks.is_empty() && action == Action::Modify && !changes_kind {
            return Err(PatchError::malformed(line, "a file diff that changes nothing"));
        }
        let empty = |side: fn(&Hunk) -> u64| hunks.iter().all(|hunk| side(hunk) == 0);
        match action {
            Action::Create if !empty(|hunk| hunk.old.count) => {
                return Err(PatchError::malformed(line, "a new file with old lines"));
            }
            Action::Delete if !empty(|hunk| hunk.new.count) => {
                return Err(PatchError::malformed(line, "a deleted file with new lines"));
            }
            Action::Modify if !git && empty(|hunk| hunk.old.count) && hunks[0].old.start == 0 => {
                action = Action::Fill;
            }
            _ => {}
        }
    }
    Ok(FileDiff { line, section, path, action, old_kind, new_kind, content, bare: false })
}

/// All hunks that come next; they stand in the order of the file and do not meet.
fn hunks(lines: &mut Lines<'_>) -> Result<Vec<Hunk>, PatchError> {
    let mut hunks = Vec::<Hunk>::new();
    while Hunk::begins(lines) {
        let hunk = Hunk::read(lines)?;
        let behind = hunks.last().map_or(0, |last| last.old.index() + last.old.count);
        if hunk.old.index() < behind {
            let what = "this hunk stands before the end of the hunk above it";
            return Err(PatchError::malformed(hunk.line, what));
        }
        hunks.push(hunk);
    }
    Ok(hunks)
}

/// The path and the action of a diff with only `---` and `+++`.
pub(super) fn of_names(
    old: &Name,
    new: &Name,
    line: usize,
) -> Result<(RelPath, Action), PatchError> {
    match (old.is_nothing(), new.is_nothing()) {
        (true, true) => Err(PatchError::malformed(line, "a file diff that names no file")),
        (true, false) if old.is_dev_null() => {
            Ok((new.stripped(new.begins(b"b/"), line)?, Action::Create))
        }
        (false, true) if new.is_dev_null() => {
            Ok((old.stripped(old.begins(b"a/"), line)?, Action::Delete))
        }
        (nothing_old, nothing_new) => {
            let path = match Name::prefixed(old, new) {
                Some(prefixed) => new.stripped(prefixed, line)?,
                None => {
                    let (name, prefixed) = Name::shorter(old, new);
                    name.stripped(prefixed, line)?
                }
            };
            let action = match (nothing_old, nothing_new) {
                (true, _) => Action::Create,
                (_, true) => Action::Delete,
                _ => Action::Modify,
            };
            Ok((path, action))
        }
    }
}
