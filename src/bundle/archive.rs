//! One file: a tar archive without times and owners, compressed by zstd.

use std::cell::{Cell, RefCell};
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek as _, Write};
use std::path::Path;

use ruzstd::decoding::StreamingDecoder;
use ruzstd::encoding::{CompressionLevel, compress};
use tar::{Archive, Builder, EntryType, Header};

use super::BundleError;
use super::contents::Content;
use crate::base::RelPath;

/// Whether this name is that of an archive.
#[must_use]
pub fn is_archive(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().ends_with(b".tar.zst")
}

/// Writes the entries to `out`; the archive before it is compressed is kept in `scratch` meanwhile.
pub(super) fn write<'a>(
    entries: impl Iterator<Item = (&'a RelPath, &'a Content)>,
    out: &mut File,
    scratch: &Path,
) -> Result<(), BundleError> {
    let fault = |error| BundleError::io("write in", scratch, error);
    let plain = tempfile::tempfile_in(scratch).map_err(fault)?;
    let mut builder = Builder::new(BufWriter::new(plain));
    for (path, content) in entries {
        let mut header = Header::new_gnu();
        header.set_mtime(0);
        header.set_uid(0);
        header.set_gid(0);
        header.set_mode(0o644);
        header.set_size(0);
        match content {
            Content::Directory => {
                header.set_mode(0o755);
                header.set_entry_type(EntryType::Directory);
                builder.append_data(&mut header, path.as_path(), io::empty())
            }
            Content::Link(target) => {
                header.set_entry_type(EntryType::Symlink);
                builder.append_link(&mut header, path.as_path(), target)
            }
            Content::File { source, executable } => {
                let bytes = source.bytes()?;
                header.set_mode(if *executable { 0o755 } else { 0o644 });
                header.set_entry_type(EntryType::Regular);
                header.set_size(bytes.len() as u64);
                builder.append_data(&mut header, path.as_path(), bytes.as_slice())
            }
        }
        .map_err(fault)?;
    }
    let plain = builder.into_inner().map_err(fault)?;
    let mut plain = plain.into_inner().map_err(|error| fault(error.into_error()))?;
    plain.rewind().map_err(fault)?;
    squeeze(BufReader::new(plain), BufWriter::new(out)).map_err(fault)
}

/// Compresses. The encoder panics where reading or writing fails, so it never hears of that: the
/// first error is kept aside, and the rest is nothing.
fn squeeze(source: impl Read, drain: impl Write) -> io::Result<()> {
    let first = RefCell::new(None);
    let mut drain = Deaf { inner: drain, first: &first };
    compress(Deaf { inner: source, first: &first }, &mut drain, CompressionLevel::Fastest);
    let flushed = drain.inner.flush();
    first.take().map_or(flushed, Err)
}

struct Deaf<'a, T> {
    inner: T,
    first: &'a RefCell<Option<io::Error>>,
}

impl<T> Deaf<'_, T> {
    fn keep(&self, error: io::Error) {
        self.first.borrow_mut().get_or_insert(error);
    }

    fn broken(&self) -> bool {
        self.first.borrow().is_some()
    }
}

impl<T: Read> Read for Deaf<'_, T> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while !self.broken() {
            match self.inner.read(buffer) {
                Ok(count) => return Ok(count),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => self.keep(error),
            }
        }
        Ok(0)
    }
}

impl<T: Write> Write for Deaf<'_, T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.broken()
            && let Err(error) = self.inner.write_all(bytes)
        {
            self.keep(error);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What an archive may hold.
#[derive(Debug, Clone, Copy)]
struct Most {
    bytes: u64,
    entries: usize,
}

/// More than any honest bundle; what is larger can be unpacked by hand.
const MOST: Most = Most { bytes: 8 << 30, entries: 1 << 20 };

/// Unpacks the archive at `path` below `root`, an empty directory. Nothing is written outside of it.
///
/// # Errors
/// [`BundleError::Unreadable`] when it is no such archive, or would write elsewhere;
/// [`BundleError::TooLarge`] when it holds more than 8 GiB or 1,048,576 entries.
pub fn unpack(path: &Path, root: &Path) -> Result<(), BundleError> {
    unpack_at_most(MOST, path, root)
}

fn unpack_at_most(most: Most, path: &Path, root: &Path) -> Result<(), BundleError> {
    let left = Cell::new(most.bytes.saturating_add(1));
    let done = unpack_entries(most.entries, &left, path, root);
    // Where nothing is left, that is the fault, whatever came of it.
    let too_large = |what: String| BundleError::TooLarge { path: path.to_owned(), what };
    match done {
        Err(_) if left.get() == 0 => {
            Err(too_large(format!("more than {} bytes of contents", most.bytes)))
        }
        Ok(entries) if entries > most.entries => {
            Err(too_large(format!("more than {} entries", most.entries)))
        }
        other => other.map(drop),
    }
}

/// Reads as long as bytes are left.
struct Metered<'a, T> {
    inner: T,
    left: &'a Cell<u64>,
}

impl<T: Read> Read for Metered<'_, T> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.left.set(self.left.get().saturating_sub(count as u64));
        if self.left.get() == 0 { Err(io::Error::other("no bytes are left")) } else { Ok(count) }
    }
}

/// The number of entries met, of which no more than `most` are unpacked.
fn unpack_entries(
    most: usize,
    left: &Cell<u64>,
    path: &Path,
    root: &Path,
) -> Result<usize, BundleError> {
    let bad = |what: String| BundleError::Unreadable { path: path.to_owned(), what };
    let file = File::open(path).map_err(|error| BundleError::io("read", path, error))?;
    let decoder = StreamingDecoder::new(BufReader::new(file));
    let decoder = decoder.map_err(|error| bad(format!("is no zstd archive: {error}")))?;
    let mut archive = Archive::new(Metered { inner: decoder, left });
    archive.set_preserve_mtime(false);
    let entries = archive.entries().map_err(|error| bad(format!("is no archive: {error}")))?;
    let mut met = 0;
    for entry in entries {
        let mut entry = entry.map_err(|error| bad(format!("breaks off: {error}")))?;
        met += 1;
        if met > most {
            break;
        }
        let kind = entry.header().entry_type();
        if !matches!(kind, EntryType::Regular | EntryType::Directory | EntryType::Symlink) {
            return Err(bad("holds something that is no file, directory or link".to_owned()));
        }
        let name = entry.path_bytes().into_owned();
        let name = name.strip_suffix(b"/").unwrap_or(&name);
        RelPath::new(name).map_err(|error| bad(format!("holds a path that {error}")))?;
        let inside =
            entry.unpack_in(root).map_err(|error| bad(format!("cannot be unpacked: {error}")))?;
        if !inside {
            return Err(bad("holds a path that leads out of it".to_owned()));
        }
    }
    Ok(met)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Full;

    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::Error::other("full"))
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    struct Gone;

    impl Read for Gone {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("gone"))
        }
    }

    #[test]
    fn a_full_disk_is_an_error_and_no_panic() {
        let text = vec![7; 1 << 20];
        assert_eq!(squeeze(text.as_slice(), Full).unwrap_err().to_string(), "full");
        assert_eq!(squeeze(Gone, io::sink()).unwrap_err().to_string(), "gone");
    }

    #[test]
    fn what_is_squeezed_comes_back() {
        let text = (0..300_000u32).flat_map(u32::to_le_bytes).collect::<Vec<_>>();
        let mut small = Vec::new();
        squeeze(text.as_slice(), &mut small).unwrap();
        let mut back = Vec::new();
        StreamingDecoder::new(small.as_slice()).unwrap().read_to_end(&mut back).unwrap();
        assert!(back == text);
    }

    #[test]
    fn an_archive_that_unpacks_to_too_much_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let mut plain = Builder::new(Vec::new());
        // Two files that take next to nothing before they are unpacked.
        for name in ["one", "two"] {
            let mut header = Header::new_gnu();
            header.set_size(1 << 20);
            plain.append_data(&mut header, name, io::repeat(0).take(1 << 20)).unwrap();
        }
        let path = folder.path().join("it.tar.zst");
        squeeze(plain.into_inner().unwrap().as_slice(), File::create(&path).unwrap()).unwrap();
        assert!(std::fs::metadata(&path).unwrap().len() < 1 << 16);
        let unpack = |bytes: u64, entries: usize| {
            let root = tempfile::tempdir_in(folder.path()).unwrap();
            let done = unpack_at_most(Most { bytes, entries }, &path, root.path());
            let written = std::fs::read_dir(root.path()).unwrap().map(|it| it.unwrap());
            let written = written.map(|it| it.metadata().unwrap().len()).sum::<u64>();
            (done.err().and_then(|error| error.code()), written)
        };
        assert_eq!(unpack(3 << 20, 2), (None, 2 << 20));
        assert_eq!(unpack(3 << 20, 1), (Some("bundle_too_large"), 1 << 20));
        let (code, written) = unpack(1 << 20, 2);
        assert_eq!(code, Some("bundle_too_large"));
        assert!(written < 1 << 20, "{written}");
    }

    #[test]
    fn an_archive_cannot_write_outside_of_its_place() {
        let folder = tempfile::tempdir().unwrap();
        for (name, link) in [("../out", None), ("a/b", Some("..")), ("fifo", None)] {
            let mut plain = Builder::new(Vec::new());
            let mut header = Header::new_gnu();
            if let Some(target) = link {
                header.set_entry_type(EntryType::Symlink);
                header.set_size(0);
                plain.append_link(&mut header, "a", target).unwrap();
            }
            let mut header = Header::new_gnu();
            let fifo = name == "fifo";
            header.set_entry_type(if fifo { EntryType::Fifo } else { EntryType::Regular });
            header.set_size(0);
            // Not through `set_path`, which would refuse it.
            header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
            header.set_cksum();
            plain.append(&header, io::empty()).unwrap();
            let path = folder.path().join("it.tar.zst");
            let file = File::create(&path).unwrap();
            squeeze(plain.into_inner().unwrap().as_slice(), file).unwrap();
            let root = tempfile::tempdir_in(folder.path()).unwrap();
            let error = unpack(&path, root.path()).unwrap_err().to_string();
            assert!(error.starts_with("bundle_unreadable: "), "{name}: {error}");
            assert!(!folder.path().join("out").exists() && !folder.path().join("b").exists());
        }
    }
}
