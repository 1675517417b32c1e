//! A log file that keeps the start and the end of an output and never grows beyond them.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

/// The open log. The start is written as it comes, so that it is there whatever happens to us.
pub(in crate::run) struct Log {
    file: File,
    keep: usize,
    head: usize,
    tail: VecDeque<u8>,
    total: u64,
    fault: Option<io::Error>,
}

impl Log {
    /// Makes a new file, replacing one of that name; never writes through a link.
    ///
    /// # Errors
    /// The file cannot be made; the message holds its path.
    pub(in crate::run) fn create(path: &Path, keep: usize) -> io::Result<Self> {
        // What cannot be removed is still there when the new file is made.
        let _ = fs::remove_file(path);
        let file = File::create_new(path).map_err(|error| {
            io::Error::new(error.kind(), format!("the log `{}`: {error}", path.display()))
        })?;
        Ok(Self { file, keep, head: 0, tail: VecDeque::new(), total: 0, fault: None })
    }

    /// Bytes taken so far.
    pub(in crate::run) fn total(&self) -> u64 {
        self.total
    }

    /// Takes a piece of output. A write error is kept for [`Log::finish`]: the command's output
    /// must be read on, or the command would block.
    pub(in crate::run) fn take(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let (head, rest) = bytes.split_at(bytes.len().min(self.keep - self.head));
        self.head += head.len();
        self.write(head);
        let rest = &rest[rest.len().saturating_sub(self.keep)..];
        let over = (self.tail.len() + rest.len()).saturating_sub(self.keep);
        self.tail.drain(..over);
        self.tail.extend(rest);
    }

    fn write(&mut self, bytes: &[u8]) {
        if self.fault.is_none() {
            self.fault = self.file.write_all(bytes).err();
        }
    }

    /// Writes the end of the output, after a line that says how much is missing.
    ///
    /// # Errors
    /// The first write error of the log's life.
    pub(in crate::run) fn finish(mut self) -> io::Result<()> {
        let dropped = self.total - (self.head + self.tail.len()) as u64;
        if dropped > 0 {
            self.write(format!("\n[adequacy: {dropped} bytes of output left out]\n").as_bytes());
        }
        let tail = std::mem::take(&mut self.tail);
        let (first, second) = tail.as_slices();
        self.write(first);
        self.write(second);
        self.fault.map_or(Ok(()), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn logged(keep: usize, pieces: &[&[u8]]) -> Vec<u8> {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let path = folder.path().join("log");
        let mut log = Log::create(&path, keep).expect("a new log");
        pieces.iter().for_each(|piece| log.take(piece));
        assert_eq!(log.total(), pieces.concat().len() as u64);
        log.finish().expect("a written log");
        fs::read(path).expect("the log")
    }

    #[test]
    fn what_fits_is_kept_byte_for_byte() {
        assert_eq!(logged(4, &[]), b"");
        assert_eq!(logged(4, &[b"ab\xff"]), b"ab\xff");
        assert_eq!(logged(4, &[b"abc", b"def", b"gh"]), b"abcdefgh");
        assert_eq!(logged(4, &[b"abcdefgh"]), b"abcdefgh");
    }

    #[test]
    fn the_middle_of_a_long_output_is_left_out_and_counted() {
        let expected = b"abcd\n[adequacy: 3 bytes of output left out]\nhijk";
        assert_eq!(logged(4, &[b"abcdefghijk"]), expected);
        assert_eq!(logged(4, &[b"ab", b"cdef", b"g", b"hi", b"jk"]), expected);
        assert_eq!(logged(0, &[b"ab"]), b"\n[adequacy: 2 bytes of output left out]\n");
    }

    #[test]
    fn a_link_in_the_way_is_replaced_and_never_written_through() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let (target, path) = (folder.path().join("target"), folder.path().join("log"));
        fs::write(&target, "precious").expect("a file");
        std::os::unix::fs::symlink(&target, &path).expect("a link");
        let mut log = Log::create(&path, 9).expect("a new log");
        log.take(b"output");
        log.finish().expect("a written log");
        assert_eq!(fs::read(&target).expect("the file"), b"precious");
        assert_eq!(fs::read(&path).expect("the log"), b"output");
    }
}
