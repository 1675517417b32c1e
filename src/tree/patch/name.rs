//! The names of files in a patch: quoted or not, with or without a prefix and a time.

use crate::base::{PathError, RelPath};

use super::PatchError;
use super::error::shown;

/// Bytes of a line with two names: twice the 4096 of Linux, each byte escaped.
const LONGEST_PAIR: usize = 2 * 4 * 4096;

/// A name as it stands after `---` or `+++`, or in git's header, unquoted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Name {
    /// The bytes, no prefix taken off, without `.` and empty segments.
    bytes: Vec<u8>,
    /// Whether the time after it is the one with which `diff` names a file that is not there.
    epoch: bool,
}

impl Name {
    /// Reads what stands after `---` or `+++`: a name, and a time after a tab.
    pub(super) fn read(text: &[u8], line: usize) -> Result<Self, PatchError> {
        let (bytes, rest) = match text.first() {
            Some(b'"') => unquoted(text, line)?,
            _ => {
                let end = text.iter().position(|&byte| byte == b'\t').unwrap_or(text.len());
                (text[..end].to_vec(), &text[end..])
            }
        };
        Ok(Self { bytes: normal(&bytes), epoch: is_epoch(rest) })
    }

    /// A name that is the whole text, perhaps quoted.
    pub(super) fn whole(text: &[u8], line: usize) -> Result<Self, PatchError> {
        if text.first() != Some(&b'"') {
            return Ok(Self { bytes: normal(text), epoch: false });
        }
        match unquoted(text, line)? {
            (bytes, b"") => Ok(Self { bytes: normal(&bytes), epoch: false }),
            _ => Err(PatchError::malformed(line, "text after a quoted name")),
        }
    }

    /// Whether it stands for a file that is not there.
    pub(super) fn is_nothing(&self) -> bool {
        self.bytes == b"/dev/null" || self.epoch
    }

    pub(super) fn is_dev_null(&self) -> bool {
        self.bytes == b"/dev/null"
    }

    pub(super) fn begins(&self, start: &[u8]) -> bool {
        self.bytes.starts_with(start)
    }

    /// Whether it is this path, perhaps below a prefix.
    pub(super) fn ends(&self, path: &RelPath) -> bool {
        self.bytes.ends_with(path.as_bytes())
    }

    /// The name as it stands, as a path of the tree.
    pub(super) fn path(&self, line: usize) -> Result<RelPath, PatchError> {
        path(&self.bytes, line)
    }

    /// The name without its first segment.
    pub(super) fn below_prefix(&self) -> Option<&[u8]> {
        let slash = self.bytes.iter().position(|&byte| byte == b'/')?;
        (slash > 0).then(|| &self.bytes[slash + 1..])
    }

    /// The name, `prefixed` without its first segment, as a path of the tree.
    pub(super) fn stripped(&self, prefixed: bool, line: usize) -> Result<RelPath, PatchError> {
        match self.below_prefix() {
            Some(rest) if prefixed => path(rest, line),
            _ => self.path(line),
        }
    }

    /// Whether the two are one file below two different prefixes (`Some(true)`), one file without
    /// prefixes (`Some(false)`), or cannot be told to be one file.
    pub(super) fn prefixed(old: &Self, new: &Self) -> Option<bool> {
        if old.bytes == new.bytes {
            return Some(false);
        }
        let below = old.below_prefix();
        (below.is_some() && below == new.below_prefix()).then_some(true)
    }

    /// The file that the two names of a plain diff mean, when they differ by more than a prefix:
    /// `x` for `x.orig` and `x`, else the new one. Also whether the usual prefixes stand before them.
    pub(super) fn shorter<'n>(old: &'n Self, new: &'n Self) -> (&'n Self, bool) {
        let prefixed = old.begins(b"a/") && new.begins(b"b/");
        let bytes = |name: &'n Self| match name.below_prefix() {
            Some(below) if prefixed => below,
            _ => &name.bytes,
        };
        let name = if bytes(new).starts_with(bytes(old)) { old } else { new };
        (name, prefixed)
    }
}

/// Reads the two names of a `diff --git` line, whose unquoted names no mark parts: `None` where the
/// names are two, as in a rename, and only other lines say them.
pub(super) fn pair(text: &[u8], line: usize) -> Result<Option<(Name, Name)>, PatchError> {
    if text.len() > LONGEST_PAIR {
        return Err(PatchError::malformed(line, "names longer than a system takes"));
    }
    if text.first() == Some(&b'"') {
        let (bytes, rest) = unquoted(text, line)?;
        let old = Name { bytes: normal(&bytes), epoch: false };
        let rest = rest.strip_prefix(b" ").unwrap_or(rest);
        return Ok(Some((old, Name::whole(rest, line)?)));
    }
    let splits = (0..text.len()).filter(|&at| text[at] == b' ');
    let quoted = splits.clone().find(|&at| text.get(at + 1) == Some(&b'"'));
    if let Some(at) = quoted.filter(|_| text.ends_with(b"\"")) {
        return Ok(Some((Name::whole(&text[..at], line)?, Name::whole(&text[at + 1..], line)?)));
    }
    // Names of one file differ at most in their first segments.
    for at in splits {
        let (old, new) = (&text[..at], &text[at + 1..]);
        let below = |name: &[u8]| {
            name.iter()
                .position(|&byte| byte == b'/')
                .map_or(name.len(), |slash| name.len() - slash)
        };
        if old != new && (below(old) != below(new) || !old.contains(&b'/')) {
            continue;
        }
        let (old, new) = (Name::whole(old, line)?, Name::whole(new, line)?);
        if Name::prefixed(&old, &new).is_some() {
            return Ok(Some((old, new)));
        }
    }
    Ok(None)
}

/// A path of the tree, or why it is none.
pub(super) fn path(bytes: &[u8], line: usize) -> Result<RelPath, PatchError> {
    let refused = |why| PatchError::Path { line, name: shown(bytes), why };
    if bytes.first() == Some(&b'/') {
        return Err(refused("is absolute"));
    }
    let path = RelPath::new(bytes).map_err(|error| match error {
        PathError::Nul => refused("holds a NUL byte"),
        PathError::NotNormalized if bytes.is_empty() => refused("is empty"),
        PathError::NotNormalized => refused("is no path below a tree"),
    })?;
    if path.segments().any(|segment| segment.eq_ignore_ascii_case(b".git")) {
        return Err(refused("lies in the store of git"));
    }
    Ok(path)
}

/// The name without `.` segments and doubled slashes; a slash at its start or end stays.
fn normal(name: &[u8]) -> Vec<u8> {
    let parts = name.split(|&byte| byte == b'/').collect::<Vec<_>>();
    let last = parts.len() - 1;
    let kept = parts.into_iter().enumerate().filter(|(at, part)| match *part {
        b"" => *at == 0 || *at == last,
        b"." => last == 0,
        _ => true,
    });
    kept.map(|(_, part)| part).collect::<Vec<_>>().join(&b'/')
}

/// The name in the quotes that `text` opens with, and what stands after them.
fn unquoted(text: &[u8], line: usize) -> Result<(Vec<u8>, &[u8]), PatchError> {
    let bad = || PatchError::malformed(line, "a quoted name that does not end or has a bad escape");
    let mut name = Vec::new();
    let mut at = 1;
    loop {
        let byte = *text.get(at).ok_or_else(bad)?;
        at += 1;
        match byte {
            b'"' => return Ok((name, &text[at..])),
            b'\\' => {
                let escape = *text.get(at).ok_or_else(bad)?;
                at += 1;
                name.push(match escape {
                    b'a' => 7,
                    b'b' => 8,
                    b't' => b'\t',
                    b'n' => b'\n',
                    b'v' => 11,
                    b'f' => 12,
                    b'r' => b'\r',
                    b'"' | b'\\' => escape,
                    b'0'..=b'3' => {
                        let digits = text.get(at..at + 2).ok_or_else(bad)?;
                        at += 2;
                        if !digits.iter().all(|digit| (b'0'..=b'7').contains(digit)) {
                            return Err(bad());
                        }
                        (escape - b'0') * 64 + (digits[0] - b'0') * 8 + (digits[1] - b'0')
                    }
                    _ => return Err(bad()),
                });
            }
            _ => name.push(byte),
        }
    }
}

/// Whether this is the moment from which UNIX counts, in any time zone, as `diff -N` writes it.
fn is_epoch(time: &[u8]) -> bool {
    let Ok(time) = std::str::from_utf8(time) else { return false };
    let words = time.split_whitespace().collect::<Vec<_>>();
    let [date, clock, zone] = words[..] else { return false };
    let day = match date {
        "1969-12-31" => -1440,
        "1970-01-01" => 0,
        _ => return false,
    };
    let minutes = |text: &str| {
        let (hours, minutes) = text.split_at_checked(2)?;
        Some(hours.parse::<i32>().ok()? * 60 + minutes.parse::<i32>().ok()?)
    };
    let (clock, seconds) = clock.split_at_checked(5).unwrap_or_default();
    let exact =
        seconds.strip_prefix(":00").is_some_and(|rest| rest.chars().all(|c| ".0".contains(c)));
    let Some(clock) = minutes(&clock.replace(':', "")) else { return false };
    let offset = match zone.split_at_checked(1) {
        Some(("+", zone)) => minutes(zone),
        Some(("-", zone)) => minutes(zone).map(|zone| -zone),
        _ => None,
    };
    exact && offset.is_some_and(|offset| day + clock - offset == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Name {
        Name::read(text.as_bytes(), 1).expect("a name")
    }

    #[test]
    fn the_time_of_a_missing_file_is_known_in_every_zone() {
        for time in [
            "1970-01-01 00:00:00.000000000 +0000",
            "1970-01-01 00:00:00 +0000",
            "1969-12-31 19:00:00.000000000 -0500",
            "1970-01-01 05:30:00 +0530",
        ] {
            assert!(name(&format!("x\t{time}")).is_nothing(), "{time}");
        }
        for time in
            ["1970-01-01 00:00:01 +0000", "1970-01-01 00:00:00", "", "1970-01-01 é0:00 +0000"]
        {
            assert!(!name(&format!("x\t{time}")).is_nothing(), "{time}");
        }
    }

    #[test]
    fn names_are_unquoted_and_made_normal() {
        assert_eq!(name(r#""a/\303\251 \"\\\t""#).bytes, "a/é \"\\\t".as_bytes());
        assert_eq!(name(r#""\377\001""#).bytes, b"\xff\x01");
        assert_eq!(name("./a//b/./c").bytes, b"a/b/c");
        assert_eq!(name("//a/b/").bytes, b"/a/b/");
        for bad in [r#""a"#, r#""\9""#, r#""\40""#, r#""\477""#, "\"a\\"] {
            assert!(Name::read(bad.as_bytes(), 1).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_names_of_a_git_line_are_parted_where_they_are_one_file() {
        let both = |text: &str| {
            let pair = pair(text.as_bytes(), 1).expect("well formed");
            pair.map(|(old, new)| {
                [old, new].map(|name| String::from_utf8(name.bytes).expect("UTF-8"))
            })
        };
        let some = |old: &str, new: &str| Some([old.to_owned(), new.to_owned()]);
        assert_eq!(both("a/x y b/x y"), some("a/x y", "b/x y"));
        assert_eq!(both("a/x b/x b/x b/x"), some("a/x b/x", "b/x b/x"));
        assert_eq!(both("x y x y"), some("x y", "x y"));
        assert_eq!(both("old dir/x new/x"), some("old dir/x", "new/x"));
        assert_eq!(both(r#"a/x "b/\tx""#), some("a/x", "b/\tx"));
        assert_eq!(both(r#""a/\tx" b/x"#), some("a/\tx", "b/x"));
        assert_eq!(both("a/x b/y"), None);
    }
}
