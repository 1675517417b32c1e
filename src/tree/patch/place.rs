//! Finds where hunks stand in a file, and makes the new file.

use super::hunk::Hunk;

/// The first hunk that has no place in the file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NoPlace {
    /// Which hunk, from 0.
    pub(super) hunk: usize,
    /// The old line of the hunk that differs first at the stated place, from 0.
    pub(super) old_line: usize,
    /// That line of the patch; empty where the hunk wants the file to end.
    pub(super) expected: Vec<u8>,
    /// What stands there in the file; empty where the file ends.
    pub(super) found: Vec<u8>,
}

/// Applies the hunks of one file to its text.
///
/// Every hunk stands where all its old lines stand: at the stated line, else at the nearest other place
/// behind the hunk before, a later one first. What a hunk shows of the file's ends binds: without a line
/// before it at line 1 it stands at the start, without context after it at the end of the file. A diff
/// that was made without any context stands at the stated lines only.
pub(super) fn place(text: &[u8], hunks: &[Hunk]) -> Result<Vec<u8>, NoPlace> {
    let file = Text::new(text);
    let bare = is_bare(hunks);
    let mut made = Vec::with_capacity(text.len());
    let mut done = 0;
    for (number, hunk) in hunks.iter().enumerate() {
        let at = file.find(hunk, done, bare).ok_or_else(|| file.no_place(number, hunk, done))?;
        made.extend_from_slice(&text[file.starts[done]..file.starts[at]]);
        made.extend_from_slice(&hunk.new.text);
        done = at + file.lines_of(hunk);
    }
    made.extend_from_slice(&text[file.starts[done]..]);
    Ok(made)
}

/// Whether these hunks were made without context. A single hunk at the start of a file may as well be
/// all of it, and is taken so.
fn is_bare(hunks: &[Hunk]) -> bool {
    let none = !hunks.iter().any(Hunk::has_context);
    none && (hunks.len() > 1 || hunks.iter().any(|hunk| hunk.old.start > 1))
}

/// A text with the start of every line, and its end.
struct Text<'a> {
    text: &'a [u8],
    starts: Vec<usize>,
}

impl<'a> Text<'a> {
    fn new(text: &'a [u8]) -> Self {
        let mut starts = vec![0];
        starts.extend(
            text.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1),
        );
        if starts.last() != Some(&text.len()) {
            starts.push(text.len());
        }
        Self { text, starts }
    }

    /// The number of lines.
    fn count(&self) -> usize {
        self.starts.len() - 1
    }

    fn line(&self, index: usize) -> &'a [u8] {
        if index < self.count() {
            &self.text[self.starts[index]..self.starts[index + 1]]
        } else {
            b""
        }
    }

    /// The lines of the hunk's old side; it fits the file, so there are not more than the file's.
    fn lines_of(&self, hunk: &Hunk) -> usize {
        usize::try_from(hunk.old.count).unwrap_or(usize::MAX).min(self.count())
    }

    fn stated(&self, hunk: &Hunk) -> Option<usize> {
        usize::try_from(hunk.old.index()).ok()
    }

    fn find(&self, hunk: &Hunk, done: usize, bare: bool) -> Option<usize> {
        let count = usize::try_from(hunk.old.count).ok()?;
        let last = self.count().checked_sub(count)?;
        let stated = self.stated(hunk)?;
        let (mut from, mut to) = (done, last);
        if bare {
            (from, to) = (from.max(stated), to.min(stated));
        } else {
            if hunk.old.start <= 1 {
                to = 0;
            }
            if !hunk.has_context_after() {
                from = from.max(last);
            }
        }
        if from > to {
            return None;
        }
        let stated = stated.clamp(from, to);
        (0..=to - from).find_map(|distance| {
            let later = stated.checked_add(distance).filter(|at| *at <= to);
            let earlier = stated.checked_sub(distance).filter(|at| *at >= from);
            [later, earlier].into_iter().flatten().find(|at| self.fits(hunk, *at))
        })
    }

    /// Whether the old lines stand from this line on.
    fn fits(&self, hunk: &Hunk, at: usize) -> bool {
        let rest = &self.text[self.starts[at]..];
        rest.starts_with(&hunk.old.text)
            && (!hunk.old.is_open() || rest.len() == hunk.old.text.len())
    }

    fn no_place(&self, number: usize, hunk: &Hunk, done: usize) -> NoPlace {
        let stated = self.stated(hunk).unwrap_or(usize::MAX).max(done);
        let mut expected = hunk.old.text.split_inclusive(|&byte| byte == b'\n').enumerate();
        let differs =
            expected.find(|(index, line)| self.line(stated.saturating_add(*index)) != *line);
        let (old_line, expected) = differs.unwrap_or((self.lines_of(hunk), b""));
        let found = self.line(stated.saturating_add(old_line)).to_vec();
        NoPlace { hunk: number, old_line, expected: expected.to_vec(), found }
    }
}
