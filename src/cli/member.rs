//! Reading the files of a member: regular files alone, never through a link, never waiting.

use std::fmt;
use std::fs::{self, File, FileType};
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};

use crate::base::code::Code;
use crate::report::terminal::plain;
use crate::verify::MAX_BYTES;

/// A file could not be had.
#[derive(Debug)]
pub(crate) struct ReadError {
    path: PathBuf,
    why: Why,
}

#[derive(Debug)]
enum Why {
    Missing,
    /// It is something else, such as `a directory`.
    Kind(&'static str),
    TooLarge,
    Io(io::Error),
}

impl ReadError {
    /// The code that stands for it (`done-records` section 1).
    pub(crate) fn code(&self) -> Code {
        match self.why {
            Why::Missing => Code::MemberIncomplete,
            Why::Kind(_) | Why::TooLarge | Why::Io(_) => Code::MemberUnreadable,
        }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` ", plain(self.path.as_os_str().as_bytes()))?;
        match &self.why {
            Why::Missing => f.write_str("does not exist"),
            Why::Kind(kind) => write!(f, "is {kind}, not a regular file"),
            Why::TooLarge => f.write_str("is larger than 16 MiB"),
            Why::Io(error) => write!(f, "cannot be read: {error}"),
        }
    }
}

/// The bytes of a regular file of at most 16 MiB.
///
/// The kind is looked at before the file is opened, since opening some devices does something, and
/// again after, since it may have been replaced.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, ReadError> {
    attempt(path).map_err(|why| ReadError { path: path.to_owned(), why })
}

fn attempt(path: &Path) -> Result<Vec<u8>, Why> {
    check_kind(fs::symlink_metadata(path).map_err(why)?.file_type())?;
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty()).map_err(|e| why(e.into()))?);
    let metadata = file.metadata().map_err(why)?;
    check_kind(metadata.file_type())?;
    let limit = u64::try_from(MAX_BYTES).expect("16 MiB fits");
    if metadata.len() > limit {
        return Err(Why::TooLarge);
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0) + 1);
    file.take(limit + 1).read_to_end(&mut bytes).map_err(why)?;
    if bytes.len() > MAX_BYTES { Err(Why::TooLarge) } else { Ok(bytes) }
}

fn why(error: io::Error) -> Why {
    match error.kind() {
        io::ErrorKind::NotFound => Why::Missing,
        _ => Why::Io(error),
    }
}

fn check_kind(kind: FileType) -> Result<(), Why> {
    if kind.is_file() {
        return Ok(());
    }
    Err(Why::Kind(match kind {
        _ if kind.is_dir() => "a directory",
        _ if kind.is_symlink() => "a symbolic link",
        _ if kind.is_fifo() => "a FIFO",
        _ if kind.is_socket() => "a socket",
        _ => "a device",
    }))
}
