//! The list of digests before the first mutant: `<sha256>  <path>`, one file a line, by path.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::shape::Fault;
use crate::base::{RelPath, Sha256};

/// The text of a manifest. Paths that no line can hold are for the caller to leave out by name.
#[must_use]
pub fn write(files: &BTreeMap<String, Sha256>) -> String {
    let mut text = String::new();
    for (path, digest) in files {
        writeln!(text, "{digest}  {path}").expect("a string takes all");
    }
    text
}

/// Whether a path can stand in a manifest: text, on one line.
#[must_use]
pub fn can_hold(path: &RelPath) -> bool {
    path.as_str().is_some() && !path.has_control()
}

/// The files that a manifest names.
///
/// # Errors
/// The [`Fault`] of the first line that is none, or of a path that stands twice or out of order.
pub fn read(text: &[u8]) -> Result<BTreeMap<String, Sha256>, Fault> {
    let wrong =
        |line: usize, code: &str, what: &str| Fault::new(code, format!("line {}", line + 1), what);
    let text =
        std::str::from_utf8(text).map_err(|_| Fault::new("manifest_line", "", "not UTF-8"))?;
    let mut files = BTreeMap::new();
    for (number, line) in text.lines().enumerate() {
        let (digest, path) = line
            .split_once("  ")
            .ok_or_else(|| wrong(number, "manifest_line", "a line is `<sha256>  <path>`"))?;
        let digest = digest.parse::<Sha256>().map_err(|_| {
            wrong(number, "digest_malformed", "a digest is 64 lowercase hex digits")
        })?;
        RelPath::new(path.as_bytes())
            .map_err(|error| wrong(number, "path_malformed", &error.to_string()))?;
        let after =
            files.last_key_value().is_none_or(|(last, _): (&String, _)| last.as_str() < path);
        if !after {
            return Err(wrong(
                number,
                "manifest_order",
                "paths stand once each, in the order of their bytes",
            ));
        }
        files.insert(path.to_owned(), digest);
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let files = [("a/b.py", "x"), ("a.py", "y")];
        let files = files.map(|(path, text)| (path.to_owned(), Sha256::of(text.as_bytes())));
        let files = BTreeMap::from(files);
        assert_eq!(read(write(&files).as_bytes()), Ok(files));
        assert_eq!(read(b""), Ok(BTreeMap::new()));
    }

    #[test]
    fn other_lines_are_refused_by_place() {
        let digest = "0".repeat(64);
        for (text, code) in [
            (format!("{digest} a\n"), "manifest_line"),
            ("00  a\n".to_owned(), "digest_malformed"),
            (format!("{digest}  ../a\n"), "path_malformed"),
            (format!("{digest}  b\n{digest}  a\n"), "manifest_order"),
            (format!("{digest}  a\n{digest}  a\n"), "manifest_order"),
        ] {
            assert_eq!(read(text.as_bytes()).unwrap_err().code, code, "{text}");
        }
    }
}
