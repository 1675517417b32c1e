//! One hunk: the lines that stand in the old file and those that stand in the new one.

use super::PatchError;
use super::error::shown;
use super::lines::{Lines, trimmed};

/// A hunk, read and counted.
#[derive(Debug, Clone)]
pub(super) struct Hunk {
    /// Its header, for messages.
    pub(super) header: String,
    /// The line of the patch with the header.
    pub(super) line: usize,
    /// The old and the new side.
    pub(super) old: Side,
    pub(super) new: Side,
    /// The first byte of every line after the header.
    marks: Vec<u8>,
}

/// One side of a hunk.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Side {
    /// The first of its lines, from 1; with no lines, the line they would follow.
    pub(super) start: u64,
    /// Its number of lines.
    pub(super) count: u64,
    /// The lines as they stand in the file, context included.
    pub(super) text: Vec<u8>,
}

impl Side {
    /// The index of its first line, from 0, where the file is as the patch says.
    pub(super) fn index(&self) -> u64 {
        if self.count == 0 { self.start } else { self.start.saturating_sub(1) }
    }

    /// Whether the last line has no line feed, so that it must be the last of the file.
    pub(super) fn is_open(&self) -> bool {
        !self.text.is_empty() && !self.text.ends_with(b"\n")
    }

    /// Takes one more line of the file; false where none can follow.
    fn take(&mut self, line: &[u8], left: &mut u64) -> bool {
        if *left == 0 || self.is_open() {
            return false;
        }
        *left -= 1;
        self.text.extend_from_slice(line);
        // The last line of a patch that was trimmed: a file's line without a line feed says so itself.
        if !line.ends_with(b"\n") {
            self.text.push(b'\n');
        }
        true
    }

    /// Takes the line feed away with which the last line ended.
    fn open(&mut self) -> bool {
        self.text.pop_if(|byte| *byte == b'\n').is_some()
    }
}

impl Hunk {
    /// Whether the next line is the header of a hunk.
    pub(super) fn begins(lines: &Lines<'_>) -> bool {
        lines.begins(b"@@ -")
    }

    /// Reads a hunk, header and lines.
    pub(super) fn read(lines: &mut Lines<'_>) -> Result<Self, PatchError> {
        let line = lines.number();
        let header = trimmed(lines.next().unwrap_or_default());
        let no_header =
            || PatchError::malformed(line, format!("`{}` is no header of a hunk", shown(header)));
        let (old, new) = sides(header).ok_or_else(no_header)?;
        let mut hunk = Self { header: shown(header), line, old, new, marks: Vec::new() };
        let mut left = (hunk.old.count, hunk.new.count);
        while left != (0, 0) || lines.begins(b"\\") {
            let number = lines.number();
            let Some(text) = lines.next() else { return Err(hunk.ends_early(number, left)) };
            hunk.take(text, &mut left).ok_or_else(|| hunk.ends_early(number, left))?;
        }
        // More lines of a hunk than its header counts would be lost in silence.
        if hunk.goes_on(lines) {
            let what =
                format!("the hunk of line {line} goes on after the lines that its header counts");
            return Err(PatchError::malformed(lines.number(), what));
        }
        Ok(hunk)
    }

    /// Takes a line of the patch; `None` where it is none of this hunk.
    fn take(&mut self, line: &[u8], left: &mut (u64, u64)) -> Option<()> {
        let (mark, text) = match line {
            // Programs that trim lines leave this of an empty line of context.
            b"\n" => (b' ', line),
            _ => (line[0], &line[1..]),
        };
        let taken = match mark {
            b' ' => self.old.take(text, &mut left.0) && self.new.take(text, &mut left.1),
            b'-' => self.old.take(text, &mut left.0),
            b'+' => self.new.take(text, &mut left.1),
            b'\\' => match self.marks.last() {
                Some(b' ') => self.old.open() && self.new.open(),
                Some(b'-') => self.old.open(),
                Some(b'+') => self.new.open(),
                _ => false,
            },
            _ => false,
        };
        self.marks.push(mark);
        taken.then_some(())
    }

    fn ends_early(&self, line: usize, (old, new): (u64, u64)) -> PatchError {
        let what = format!(
            "the hunk of line {} ends here or cannot go on so, with {old} old and {new} new lines still to come by its header",
            self.line
        );
        PatchError::malformed(line, what)
    }

    fn goes_on(&self, lines: &Lines<'_>) -> bool {
        let Some(next) = lines.peek() else { return false };
        match next[0] {
            b'+' | b' ' => true,
            // The signature of a mail, or the next file of a plain diff.
            b'-' => trimmed(next) != b"-- " && trimmed(next) != b"--" && !next.starts_with(b"--- "),
            _ => false,
        }
    }

    /// The lines of context before the first changed line.
    #[cfg(test)]
    pub(super) fn leading(&self) -> usize {
        self.marks.iter().take_while(|&&mark| mark == b' ').count()
    }

    /// Whether there is context after the last changed line.
    pub(super) fn has_context_after(&self) -> bool {
        self.marks.iter().rfind(|&&mark| mark != b'\\') == Some(&b' ')
    }

    /// Whether there is any context.
    pub(super) fn has_context(&self) -> bool {
        self.marks.contains(&b' ')
    }

    /// The line of the patch with the old line of this index; after the last one, the line after it.
    pub(super) fn line_of_old(&self, index: usize) -> usize {
        let mut olds =
            self.marks.iter().enumerate().filter(|(_, mark)| matches!(mark, b' ' | b'-'));
        self.line + 1 + olds.nth(index).map_or(self.marks.len(), |(at, _)| at)
    }

    /// The hunk that undoes this one.
    pub(super) fn reversed(&self) -> Self {
        let turned = |&mark: &u8| match mark {
            b'-' => b'+',
            b'+' => b'-',
            other => other,
        };
        Self {
            header: self.header.clone(),
            line: self.line,
            old: self.new.clone(),
            new: self.old.clone(),
            marks: self.marks.iter().map(turned).collect(),
        }
    }
}

/// The two sides of `@@ -1,2 +3,4 @@ ...`, without their lines.
fn sides(header: &[u8]) -> Option<(Side, Side)> {
    let text = header.strip_prefix(b"@@ -")?;
    let end = text.windows(3).position(|window| window == b" @@")?;
    let (old, new) = std::str::from_utf8(&text[..end]).ok()?.split_once(" +")?;
    Some((side(old)?, side(new)?))
}

fn side(text: &str) -> Option<Side> {
    let number = |text: &str| {
        text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse::<u64>().ok()).flatten()
    };
    let (start, count) = text.split_once(',').unwrap_or((text, "1"));
    let (start, count) = (number(start)?, number(count)?);
    // Only a side without lines can stand before the first line.
    let stands = start > 0 || count == 0;
    (stands && start.checked_add(count).is_some()).then_some(Side {
        start,
        count,
        text: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Hunk, PatchError> {
        Hunk::read(&mut Lines::new(text.as_bytes()))
    }

    #[test]
    fn a_header_without_counts_means_one_line() {
        let hunk = read("@@ -3 +3 @@ fn x\n-a\n+b\n").expect("a hunk");
        assert_eq!((hunk.old.start, hunk.old.count, hunk.new.count), (3, 1, 1));
        assert_eq!((hunk.old.text, hunk.new.text), (b"a\n".to_vec(), b"b\n".to_vec()));
    }

    #[test]
    fn a_missing_line_feed_belongs_to_the_line_before() {
        let hunk =
            read("@@ -1,2 +1,2 @@\n x\n-a\n\\ No newline at end of file\n+b\n").expect("a hunk");
        assert_eq!(
            (hunk.old.text.as_slice(), hunk.new.text.as_slice()),
            (&b"x\na"[..], &b"x\nb\n"[..])
        );
        assert_eq!((hunk.line_of_old(1), hunk.leading()), (3, 1));
        let both = read("@@ -1 +1,2 @@\n+y\n x\n\\ Kein Zeilenumbruch\n").expect("a hunk");
        assert_eq!((both.old.text.as_slice(), both.new.text.as_slice()), (&b"x"[..], &b"y\nx"[..]));
        assert!(both.has_context_after());
    }

    #[test]
    fn headers_that_do_not_count_their_lines_are_refused() {
        for text in [
            "@@ -1,2 +1,1 @@\n a\n",
            "@@ -1 +1 @@\n-a\n*b\n",
            "@@ -1 +1 @@\n-a\n+b\n+c\n",
            "@@ -1 +1 @@\n-a\n+b\n c\n",
            "@@ -1 +1 @@\n-a\n+b\n-c\n",
            "@@ -1 +1 @@\n-a\n-a\n+b\n",
            "@@ -1,2 +1 @@\n-a\n\\ No newline\n-b\n+c\n",
            "@@ -1 +1 @@\n\\ No newline\n-a\n+b\n",
            "@@ -0 +1 @@\n-a\n+b\n",
            "@@ -1 +1\n-a\n+b\n",
            "@@ -1,x +1 @@\n",
            "@@ -1,+2 +1 @@\n",
            "@@ -18446744073709551615,2 +1 @@\n",
            "@@ -99999999999999999999 +1 @@\n",
            "@@ -1,1152921504606846976 +1,1152921504606846976 @@\n a\n",
        ] {
            assert!(matches!(read(text), Err(PatchError::Malformed { .. })), "{text}");
        }
    }

    #[test]
    fn what_may_stand_after_a_hunk() {
        for after in
            ["-- \n2.47\n", "--- a/x\n+++ b/x\n", "\n", "text\n", "@@ -9 +9 @@\n", "diff --git"]
        {
            assert!(read(&format!("@@ -1 +1 @@\n-a\n+b\n{after}")).is_ok(), "{after}");
        }
    }
}
