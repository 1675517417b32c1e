//! The lines of a file that a change touches (section 11 of the record rules).

use std::ops::{Range, RangeInclusive};

use adequacy_mutators::{Definition, Outline};

use super::opcodes::{Hunk, hunks};

/// What a change does to one file.
#[derive(Debug, Default)]
pub(in crate::plan) struct Changed {
    /// The stretches of lines that differ.
    pub(super) hunks: Vec<Hunk>,
    /// Changed lines of the new side, from 1.
    ranges: Vec<RangeInclusive<u32>>,
    /// For each stretch that was only taken away, the line after it.
    anchors: Vec<u32>,
}

impl Changed {
    /// The change from `before` to `after`, whose outline is given.
    ///
    /// A new or replaced line is changed. Where lines are only taken away, the first statement at
    /// or after that place counts as changed, and so does the header of the innermost compound
    /// statement around it.
    pub(super) fn of(before: &Lines<'_>, after: &Lines<'_>, outline: &Outline) -> Self {
        let line = |place: usize| u32::try_from(place + 1).unwrap_or(u32::MAX);
        let hunks = hunks(&before.texts(), &after.texts());
        let (gone, there): (Vec<&Hunk>, Vec<&Hunk>) =
            hunks.iter().partition(|hunk| hunk.after.is_empty());
        let mut ranges = there
            .iter()
            .map(|hunk| line(hunk.after.start)..=line(hunk.after.end - 1))
            .collect::<Vec<_>>();
        let anchors = gone.iter().map(|hunk| line(hunk.after.start)).collect::<Vec<_>>();
        for &anchor in &anchors {
            let starts = outline.statements.iter().map(|statement| statement.first);
            let next = starts.filter(|first| *first >= anchor).min();
            let around = outline.statements.iter().filter(|statement| {
                statement.is_compound && statement.first < anchor && anchor <= statement.last
            });
            let header = around.map(|statement| statement.first).max();
            ranges.extend(next.into_iter().chain(header).map(|line| line..=line));
        }
        Self { hunks, ranges, anchors }
    }

    /// The change from one text to another, whose outline is given.
    pub(in crate::plan) fn between(before: &[u8], after: &[u8], outline: &Outline) -> Self {
        Self::of(&Lines::of(before), &Lines::of(after), outline)
    }

    /// The changed lines of the new side, stretch by stretch.
    pub(in crate::plan) fn ranges(&self) -> &[RangeInclusive<u32>] {
        &self.ranges
    }

    /// Whether a line is changed.
    pub(in crate::plan) fn holds(&self, line: u32) -> bool {
        self.ranges.iter().any(|range| range.contains(&line))
    }

    /// Whether a definition holds a changed line, or a place where lines were taken away.
    pub(super) fn touches(&self, definition: &Definition) -> bool {
        let lines = definition.first..=definition.last;
        let meets = |range: &RangeInclusive<u32>| {
            range.start() <= lines.end() && lines.start() <= range.end()
        };
        self.ranges.iter().any(meets) || self.anchors.iter().any(|at| lines.contains(at))
    }
}

/// A text as lines, each with its line end, which is LF, CR or both.
#[derive(Debug)]
pub(super) struct Lines<'a> {
    text: &'a [u8],
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub(super) fn of(text: &'a [u8]) -> Self {
        let mut starts = Vec::new();
        let mut at = 0;
        while at < text.len() {
            starts.push(at);
            let end = text[at..].iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let end = end.map_or(text.len(), |length| at + length);
            at = match text[end..] {
                [b'\r', b'\n', ..] => end + 2,
                [_, ..] => end + 1,
                [] => end,
            };
        }
        Self { text, starts }
    }

    /// The lines without their ends.
    fn texts(&self) -> Vec<&'a [u8]> {
        let whole = (0..self.starts.len()).map(|line| &self.text[self.span(line..line + 1)]);
        whole
            .map(|line| line.strip_suffix(b"\n").unwrap_or(line))
            .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
            .collect()
    }

    /// The bytes of some lines, their line ends included.
    pub(super) fn span(&self, lines: Range<usize>) -> Range<usize> {
        let at = |line: usize| self.starts.get(line).copied().unwrap_or(self.text.len());
        at(lines.start)..at(lines.end)
    }

    /// The text of some lines, as it can stand before others: with a line end.
    pub(super) fn whole(&self, lines: Range<usize>) -> Vec<u8> {
        let mut text = self.text[self.span(lines)].to_vec();
        if text.last().is_some_and(|last| !matches!(last, b'\n' | b'\r')) {
            text.extend_from_slice(b"\n");
        }
        text
    }
}

/// What turns `before` into `after`, whole lines: the bytes replaced, and what stands there instead.
pub(super) fn difference(before: &[u8], after: &[u8]) -> (Range<usize>, Vec<u8>) {
    let (old, new) = (Lines::of(before), Lines::of(after));
    let line = |lines: &Lines<'_>, line: usize| lines.span(line..line + 1);
    let (all_old, all_new) = (old.starts.len(), new.starts.len());
    let fewer = all_old.min(all_new);
    let same_first = |at: &usize| before[line(&old, *at)] == after[line(&new, *at)];
    let first = (0..fewer).take_while(same_first).count();
    let same_last =
        |at: &usize| before[line(&old, all_old - 1 - at)] == after[line(&new, all_new - 1 - at)];
    let last = (0..fewer - first).take_while(same_last).count();
    let (old, new) = (old.span(first..all_old - last), new.span(first..all_new - last));
    (old, after[new].to_vec())
}

#[cfg(test)]
mod tests {
    use adequacy_mutators::{Language, splice};

    use super::*;

    #[test]
    fn a_difference_is_the_fewest_whole_lines() {
        for (before, after, span, text) in [
            ("a\nb\nc\n", "a\nx\nc\n", 2..4, "x\n"),
            ("a\nb\n", "a\nb\n", 4..4, ""),
            ("", "a\n", 0..0, "a\n"),
            ("a\n", "", 0..2, ""),
            ("a\na\n", "a\n", 2..4, ""),
            ("a\r\nb", "a\r\nb\r\n", 3..4, "b\r\n"),
        ] {
            let found = difference(before.as_bytes(), after.as_bytes());
            assert_eq!(found, (span, text.as_bytes().to_vec()), "{before:?}");
            assert_eq!(splice(before.as_bytes(), [(&found.0, &found.1[..])]), after.as_bytes());
        }
    }

    fn changed(before: &str, after: &str) -> (Vec<u32>, Vec<String>) {
        let outline = Language::Python.outline(after.as_bytes());
        let (old, new) = (Lines::of(before.as_bytes()), Lines::of(after.as_bytes()));
        let changed = Changed::of(&old, &new, &outline);
        let touched = outline.definitions.iter().filter(|it| changed.touches(it));
        let touched = touched.map(|it| it.name.clone()).collect();
        ((1..20).filter(|line| changed.holds(*line)).collect(), touched)
    }

    #[test]
    fn new_and_replaced_lines_are_changed() {
        let before = "def f():\n    return 1\n\ndef g():\n    return 2\n";
        let after = "import os\n\ndef f():\n    return 3\n\ndef g():\n    return 2\n";
        assert_eq!(changed(before, after), (vec![1, 2, 4], vec!["f".to_owned()]));
    }

    #[test]
    fn where_lines_went_the_next_statement_and_the_header_around_are_changed() {
        let before = "def f(x):\n    if x:\n        return 1\n    y = 2\n    return y\n";
        let after = "def f(x):\n    y = 2\n    return y\n";
        assert_eq!(changed(before, after), (vec![1, 2], vec!["f".to_owned()]));
        // At the end of a file nothing comes after.
        let shorter = "def f(x):\n    if x:\n        return 1\n    y = 2\n";
        assert_eq!(changed(before, shorter), (vec![], vec![]));
    }

    #[test]
    fn line_ends_alone_are_no_change() {
        assert_eq!(changed("a = 1\nb = 2\n", "a = 1\r\nb = 2\r\n"), (vec![], vec![]));
    }
}
