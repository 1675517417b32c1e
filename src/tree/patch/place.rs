//! Finds where hunks stand in a file, and makes the new file.

use super::hunk::Hunk;

/// The first hunk that has no place in the file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NoPlace {
    /// Which hunk, from 0.
    pub(super) hunk: usize,
    /// The old line of the hunk that differs first at the stated place, from 0.
    pub(super) old_line: usize,
    /// The line of the file that it was compared with, from 1.
    pub(super) file_line: usize,
    /// That line of the patch; empty where the hunk wants the file to end.
    pub(super) expected: Vec<u8>,
    /// What stands there in the file; empty where the file ends.
    pub(super) found: Vec<u8>,
}

/// Applies the hunks of one file to its text.
///
/// Every hunk stands where all its old lines stand: at the stated line, else at the nearest other place
/// behind the hunk before, a later one first. What a hunk shows of the file's ends binds: without a line
/// before it at line 1 it stands at the start, without context after it at the end of the file. `bare`
/// hunks, made without any context, stand at the stated lines only.
pub(super) fn place(text: &[u8], hunks: &[Hunk], bare: bool) -> Result<Vec<u8>, NoPlace> {
    let file = Text::new(text);
    let mut made = Vec::with_capacity(text.len());
    let mut done = 0;
    for (number, hunk) in hunks.iter().enumerate() {
        let at = file.find(hunk, done, bare).ok_or_else(|| file.no_place(number, hunk, done))?;
        made.extend_from_slice(&text[file.starts[done]..file.starts[at]]);
        // New lines would go on a last line that no line feed ends.
        if !made.is_empty() && !made.ends_with(b"\n") && !hunk.new.text.is_empty() {
            let start = made.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
            let found = made.split_off(start);
            let (file_line, expected) = (at.max(1), [&found[..], b"\n"].concat());
            return Err(NoPlace { hunk: number, old_line: 0, file_line, expected, found });
        }
        made.extend_from_slice(&hunk.new.text);
        done = at + file.lines_of(hunk);
    }
    made.extend_from_slice(&text[file.starts[done]..]);
    Ok(made)
}

/// Whether the hunks of one file can only have been made without context. A single hunk at the start of
/// a file may as well be all of it.
pub(super) fn is_bare(hunks: &[Hunk]) -> bool {
    let none = !hunks.iter().any(Hunk::has_context);
    none && (hunks.len() > 1 || hunks.iter().any(|hunk| hunk.old.index() > 0))
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
            if hunk.old.index() == 0 {
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

    /// Whether the old lines stand from this line on; with a side that must end the file, at its end.
    fn fits(&self, hunk: &Hunk, at: usize) -> bool {
        let rest = &self.text[self.starts[at]..];
        let ends = hunk.old.is_open() || hunk.new.is_open();
        rest.starts_with(&hunk.old.text) && (!ends || rest.len() == hunk.old.text.len())
    }

    fn no_place(&self, number: usize, hunk: &Hunk, done: usize) -> NoPlace {
        let stated = self.stated(hunk).unwrap_or(usize::MAX).max(done);
        let mut expected = hunk.old.text.split_inclusive(|&byte| byte == b'\n').enumerate();
        let differs =
            expected.find(|(index, line)| self.line(stated.saturating_add(*index)) != *line);
        let (old_line, expected) = differs.unwrap_or((self.lines_of(hunk), b""));
        let at = stated.saturating_add(old_line);
        let (file_line, found) = (at.saturating_add(1), self.line(at).to_vec());
        NoPlace { hunk: number, old_line, file_line, expected: expected.to_vec(), found }
    }
}
