//! The lines of a patch, with their numbers.

/// A place in a patch: what was read and what is left.
#[derive(Debug, Clone)]
pub(super) struct Lines<'a> {
    rest: &'a [u8],
    number: usize,
}

impl<'a> Lines<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes, number: 1 }
    }

    /// The number of the next line, from 1.
    pub(super) fn number(&self) -> usize {
        self.number
    }

    /// The next line with its line feed, if it has one; not yet read.
    pub(super) fn peek(&self) -> Option<&'a [u8]> {
        let end = self.rest.iter().position(|&byte| byte == b'\n').map(|at| at + 1);
        (!self.rest.is_empty()).then(|| &self.rest[..end.unwrap_or(self.rest.len())])
    }

    /// Whether the next line begins with `start`.
    pub(super) fn begins(&self, start: &[u8]) -> bool {
        self.rest.starts_with(start)
    }

    /// Reads the next line.
    pub(super) fn next(&mut self) -> Option<&'a [u8]> {
        let line = self.peek()?;
        self.rest = &self.rest[line.len()..];
        self.number += 1;
        Some(line)
    }
}

/// A line of the patch's own, without what ends it; a patch may have passed through a program that
/// ends lines with CR LF.
pub(super) fn trimmed(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}
