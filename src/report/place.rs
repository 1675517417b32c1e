//! Places in a source as editors and report formats count them.

use serde::Serialize;

use crate::plan::readable;

/// A line and a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Place {
    /// From 1.
    pub line: usize,
    /// From 1, in UTF-16 code units of the line as [`readable`] shows it.
    pub column: usize,
}

/// From a place up to but not including another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Region {
    /// The first place.
    pub start: Place,
    /// The place after the last.
    pub end: Place,
}

impl Place {
    /// The first of a file: stands for a mutant that has no one place.
    pub const FIRST: Self = Self { line: 1, column: 1 };
}

/// The bytes of a file, and where its lines begin.
#[derive(Debug)]
pub struct Source {
    /// As the run had them.
    pub bytes: Vec<u8>,
    starts: Vec<usize>,
}

impl Source {
    /// Finds the lines.
    #[must_use]
    pub fn new(bytes: Vec<u8>) -> Self {
        let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        let starts = std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect();
        Self { bytes, starts }
    }

    /// The whole of it as text; bytes that are not UTF-8 as `\xhh`.
    #[must_use]
    pub fn text(&self) -> String {
        readable(&self.bytes)
    }

    /// The place of the byte at `offset`.
    #[must_use]
    pub fn place(&self, offset: usize) -> Place {
        let offset = offset.min(self.bytes.len());
        let line = self.starts.partition_point(|&start| start <= offset);
        let before = &self.bytes[self.starts[line - 1]..offset];
        Place { line, column: 1 + readable(before).encode_utf16().count() }
    }

    /// The region of the bytes from `span[0]` up to `span[1]`.
    #[must_use]
    pub fn region(&self, span: [u32; 2]) -> Region {
        Region { start: self.place(span[0] as usize), end: self.place(span[1] as usize) }
    }

    /// The lines that the bytes of `span` stand on, without the last line's end, and the bytes before
    /// and after those of `span` on them.
    #[must_use]
    pub fn around(&self, span: [u32; 2]) -> (&[u8], &[u8]) {
        let (from, to) = (span[0] as usize, span[1] as usize);
        let start = self.starts[self.starts.partition_point(|&start| start <= from) - 1];
        let end = self.bytes[to..].iter().position(|&byte| byte == b'\n');
        let end = end.map_or(self.bytes.len(), |at| to + at);
        (&self.bytes[start..from], &self.bytes[to..end])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_utf16_from_one() {
        let source = Source::new("a = 'é💩' + 1\r\nb = 2\n".into());
        let plus = source.bytes.iter().position(|&byte| byte == b'+').expect("there");
        // a, space, =, space, quote, é (1 unit), 💩 (2 units), quote, space: 10 units before.
        assert_eq!(source.place(plus), Place { line: 1, column: 11 });
        let b = source.bytes.iter().position(|&byte| byte == b'b').expect("there");
        assert_eq!(source.place(b), Place { line: 2, column: 1 });
        assert_eq!(source.place(source.bytes.len()), Place { line: 3, column: 1 });
        assert_eq!(
            Source::new(b"\xff=1".to_vec()).place(1),
            Place { line: 1, column: 5 },
            "shown as \\xff"
        );
        assert_eq!(Source::new(Vec::new()).place(0), Place::FIRST);
    }
}
