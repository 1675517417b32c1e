//! The tests the record's rules are made of (`done-records` section 4).

use crate::base::Sha256;
use crate::base::code::Code;
use crate::base::json::Node;

/// A nonempty string; anything may be in it.
pub(super) fn text(node: Node<'_>, code: Code) -> Result<&str, Code> {
    node.as_str().filter(|text| !text.is_empty()).ok_or(code)
}

/// 64 lowercase hex digits.
pub(super) fn digest(node: Node<'_>, code: Code) -> Result<Sha256, Code> {
    node.as_str().and_then(|text| text.parse().ok()).ok_or(code)
}

/// One of the words, by its place.
pub(super) fn word<T: Copy>(node: Node<'_>, words: &[(&str, T)], code: Code) -> Result<T, Code> {
    let text = node.as_str().ok_or(code)?;
    words.iter().find(|(word, _)| *word == text).map(|(_, value)| *value).ok_or(code)
}

/// A list of strings; a list that holds anything else is none.
pub(super) fn strings(node: Node<'_>) -> Option<Vec<&str>> {
    node.items()?.map(Node::as_str).collect()
}

/// Whether all segments between `/` can stand in a path: nonempty, not `.`, not `..`, no NUL.
pub(super) fn is_relative(path: &str) -> bool {
    !path.contains('\0') && path.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

/// Whether this is `/`, or `/` and a relative path.
pub(super) fn is_absolute(path: &str) -> bool {
    path.strip_prefix('/').is_some_and(|rest| rest.is_empty() || is_relative(rest))
}

/// Whether `path` lies strictly below `entry`, as text.
pub(super) fn is_below(path: &str, entry: &str) -> bool {
    path.strip_prefix(entry).is_some_and(|rest| rest.starts_with('/'))
}

/// Whether no two of the words are equal.
pub(super) fn are_distinct(words: &[&str]) -> bool {
    let mut sorted = words.to_vec();
    sorted.sort_unstable();
    sorted.windows(2).all(|pair| pair[0] != pair[1])
}

/// A path that [`is_absolute`].
pub(super) fn absolute(node: Node<'_>, code: Code) -> Result<String, Code> {
    node.as_str().filter(|path| is_absolute(path)).map(str::to_owned).ok_or(code)
}

/// A nonempty list of absolute paths, strictly increasing by code points (which is UTF-8 byte order).
pub(super) fn sorted_absolute(node: Node<'_>, code: Code) -> Result<Vec<String>, Code> {
    let paths = strings(node).filter(|paths| !paths.is_empty()).ok_or(code)?;
    let sorted = paths.windows(2).all(|pair| pair[0] < pair[1]);
    let good = sorted && paths.iter().all(|path| is_absolute(path));
    if good { Ok(own(&paths)) } else { Err(code) }
}

/// A list of different relative paths, in any order.
pub(super) fn distinct_relative(node: Node<'_>, code: Code) -> Result<Vec<String>, Code> {
    let paths = strings(node).ok_or(code)?;
    let good = are_distinct(&paths) && paths.iter().all(|path| is_relative(path));
    if good { Ok(own(&paths)) } else { Err(code) }
}

/// The words as strings of their own.
pub(super) fn own(words: &[&str]) -> Vec<String> {
    words.iter().map(ToString::to_string).collect()
}
