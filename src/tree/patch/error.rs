//! Why a patch cannot be used: which file, which hunk, which line.

use std::fmt::Write as _;

use crate::base::RelPath;
use crate::tree::TreeError;

use super::LIMIT;

/// Characters of a line that a message shows.
const SHOWN: usize = 100;

/// A patch cannot be read, or does not apply. Lines are counted from 1; `line` is a line of the patch.
#[derive(Debug, thiserror::Error)]
pub enum PatchError {
    /// There is no file diff in it.
    #[error("the patch holds no unified diff; make one with `git diff --binary` or `diff -ruN`")]
    Empty,
    /// It is no well-formed diff.
    #[error("line {line} of the patch: {what}")]
    Malformed {
        /// Where.
        line: usize,
        /// What is wrong there.
        what: String,
    },
    /// A path that is no path of a tree.
    #[error("line {line} of the patch names `{name}`, which {why}")]
    Path {
        /// Where.
        line: usize,
        /// The path as written, escaped.
        name: String,
        /// Why it is refused.
        why: &'static str,
    },
    /// It changes a submodule, whose content it does not hold.
    #[error(
        "line {line} of the patch changes the submodule `{name}`, whose files it does not hold; give trees instead"
    )]
    Submodule {
        /// Where.
        line: usize,
        /// The submodule, escaped.
        name: String,
    },
    /// It says that a file differs without saying how.
    #[error(
        "line {line} of the patch names `{name}` without its content; make the patch with `git diff --binary` or `diff -ruN`"
    )]
    NoContent {
        /// Where.
        line: usize,
        /// The file, escaped.
        name: String,
    },
    /// The file to be changed is not there.
    #[error("`{path}`, which line {line} of the patch changes, is not in the tree")]
    Missing {
        /// The file.
        path: RelPath,
        /// Where its diff begins.
        line: usize,
    },
    /// The file to be made is there already.
    #[error("`{path}`, which line {line} of the patch makes, is in the tree already")]
    Exists {
        /// The file.
        path: RelPath,
        /// Where its diff begins.
        line: usize,
    },
    /// The tree holds the new side.
    #[error(
        "`{path}` is already what line {line} of the patch makes of it: the patch is applied to this tree, or was made in the other direction"
    )]
    Applied {
        /// The file.
        path: RelPath,
        /// Where its diff begins.
        line: usize,
    },
    /// A hunk's old lines are not in the file.
    #[error(transparent)]
    Hunk(#[from] Box<Misfit>),
    /// A diff and the file it is for do not fit for another reason.
    #[error("`{path}`: line {line} of the patch {why}")]
    Unfit {
        /// The file.
        path: RelPath,
        /// Where.
        line: usize,
        /// What does not fit.
        why: String,
    },
    /// A file would come below a file or a link.
    #[error("the patch makes `{path}`, but `{above}` is a file or a link and no directory")]
    Below {
        /// The file.
        path: RelPath,
        /// What stands above it.
        above: RelPath,
    },
    /// The files it makes are too large together.
    #[error(
        "`{path}`, which line {line} of the patch makes, brings the files of the patch to more than {LIMIT} bytes"
    )]
    TooLarge {
        /// The file at which that was seen.
        path: RelPath,
        /// Where.
        line: usize,
    },
    /// The tree could not be read.
    #[error(transparent)]
    Tree(#[from] TreeError),
}

/// A hunk that stands nowhere in its file.
#[derive(Debug, thiserror::Error)]
#[error(
    "`{path}`: hunk {number} (`{header}`) does not apply: line {line} of the patch expects {expected} at line {file_line} of the file, found {found}"
)]
pub struct Misfit {
    /// The file.
    pub path: RelPath,
    /// Which hunk of the file, from 1.
    pub number: usize,
    /// The hunk's header.
    pub header: String,
    /// The first line of the patch that differs from the file at the stated place.
    pub line: usize,
    /// The line of the file that it was compared with.
    pub file_line: usize,
    /// What the patch says, quoted.
    pub expected: String,
    /// What the file says, quoted.
    pub found: String,
}

impl PatchError {
    pub(super) fn malformed(line: usize, what: impl Into<String>) -> Self {
        Self::Malformed { line, what: what.into() }
    }
}

/// Bytes as text without control characters, cut where they are long.
pub(super) fn shown(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            if c.is_control() {
                text.extend(c.escape_default());
            } else {
                text.push(c);
            }
        }
        for byte in chunk.invalid() {
            write!(text, "\\x{byte:02x}").expect("writing to a string");
        }
        // Before a long line becomes a long text.
        if text.len() > 4 * SHOWN {
            break;
        }
    }
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text,
    }
}

/// A line as a message names it, with what it ends with where that is not a line feed.
pub(super) fn quoted(line: &[u8]) -> String {
    match line.strip_suffix(b"\n") {
        Some(line) => format!("`{}`", shown(line)),
        None => format!("`{}` without a line feed after it", shown(line)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_shown_without_what_a_terminal_obeys() {
        assert_eq!(quoted(b"a\x1b[31m\xff\r\n"), "`a\\u{1b}[31m\\xff\\r`");
        assert_eq!(quoted(b"x"), "`x` without a line feed after it");
        let long = "é".repeat(300);
        assert_eq!(shown(long.as_bytes()), format!("{}...", "é".repeat(100)));
    }
}
