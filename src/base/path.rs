//! A path below a tree's root.

use std::ffi::OsStr;
use std::fmt;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A path relative to the root of a tree: segments joined by `/`, none of them empty, `.` or `..`.
///
/// It is bytes, since a tree may hold names that are not UTF-8; such a file is copied and digested
/// like any other, but cannot stand in a record ([`RelPath::as_str`] is `None`). Order is byte order.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RelPath(Box<[u8]>);

/// The text is not a path below a tree's root.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum PathError {
    /// It is empty, absolute, or has an empty, `.` or `..` segment.
    #[error("must be relative, without empty, `.` or `..` segments")]
    NotNormalized,
    /// It holds a NUL byte.
    #[error("must not hold a NUL byte")]
    Nul,
}

impl RelPath {
    /// Checks `bytes` and makes a path of them.
    ///
    /// # Errors
    /// [`PathError`] when a segment is empty, `.` or `..`, or a NUL byte occurs.
    pub fn new(bytes: &[u8]) -> Result<Self, PathError> {
        if bytes.contains(&0) {
            return Err(PathError::Nul);
        }
        let bad = |segment: &[u8]| matches!(segment, b"" | b"." | b"..");
        if bytes.split(|&byte| byte == b'/').any(bad) {
            return Err(PathError::NotNormalized);
        }
        Ok(Self(bytes.into()))
    }

    /// This path followed by one more segment, as a directory listing gives it.
    #[must_use]
    pub fn join(&self, segment: &OsStr) -> Self {
        Self([&self.0, b"/".as_slice(), segment.as_bytes()].concat().into())
    }

    /// The bytes, `/` between segments.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The path as text, if it is UTF-8.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        std::str::from_utf8(&self.0).ok()
    }

    /// The path for the file system, still relative.
    #[must_use]
    pub fn as_path(&self) -> &Path {
        Path::new(OsStr::from_bytes(&self.0))
    }

    /// The path below `root` for the file system.
    #[must_use]
    pub fn below(&self, root: &Path) -> PathBuf {
        root.join(self.as_path())
    }

    /// The segments in order; never empty.
    pub fn segments(&self) -> impl DoubleEndedIterator<Item = &[u8]> {
        self.0.split(|&byte| byte == b'/')
    }

    /// The last segment.
    #[must_use]
    pub fn name(&self) -> &[u8] {
        self.segments().next_back().expect("a path has at least one segment")
    }

    /// Whether this path is `other` or lies below it.
    #[must_use]
    pub fn is_under(&self, other: &Self) -> bool {
        self.0.strip_prefix(&*other.0).is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
    }

    /// Whether a byte is a control character (below 0x20, or 0x7F): such a path can forge a line.
    #[must_use]
    pub fn has_control(&self) -> bool {
        self.0.iter().any(|&byte| byte < 0x20 || byte == 0x7f)
    }
}

impl Serialize for RelPath {
    /// As text; a path that is not UTF-8 cannot stand in a JSON file.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = self.as_str().ok_or_else(|| serde::ser::Error::custom("a path is not UTF-8"))?;
        serializer.serialize_str(text)
    }
}

impl<'de> Deserialize<'de> for RelPath {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::new(text.as_bytes()).map_err(serde::de::Error::custom)
    }
}

impl fmt::Display for RelPath {
    /// Text for people: invalid UTF-8 and control characters escaped.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for chunk in self.0.utf8_chunks() {
            for c in chunk.valid().chars() {
                if c.is_control() {
                    write!(f, "{}", c.escape_default())?;
                } else {
                    write!(f, "{c}")?;
                }
            }
            chunk.invalid().iter().try_for_each(|byte| write!(f, "\\x{byte:02x}"))?;
        }
        Ok(())
    }
}

impl fmt::Debug for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{self}`")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> RelPath {
        RelPath::new(text.as_bytes()).expect("a good path")
    }

    #[test]
    fn climbing_absolute_and_odd_paths_are_refused() {
        for text in ["", "/a", "a/", "a//b", ".", "./a", "a/..", "..", "a/./b"] {
            assert_eq!(RelPath::new(text.as_bytes()), Err(PathError::NotNormalized), "{text}");
        }
        assert_eq!(RelPath::new(b"a\0b"), Err(PathError::Nul));
        for text in ["a", "a/b", "...", "..a", "~", "a b", "C:", "a\\b"] {
            assert_eq!(path(text).as_str(), Some(text));
        }
    }

    #[test]
    fn under_is_by_whole_segments() {
        assert!(path("tests/a").is_under(&path("tests")));
        assert!(path("tests").is_under(&path("tests")));
        assert!(!path("tests2/a").is_under(&path("tests")));
    }

    #[test]
    fn display_escapes_what_a_terminal_would_obey() {
        let odd = RelPath::new(b"a\x1b[31m/\xff\n").expect("odd bytes are allowed");
        assert_eq!(odd.to_string(), "a\\u{1b}[31m/\\xff\\n");
        assert!(odd.has_control() && odd.as_str().is_none());
    }
}
