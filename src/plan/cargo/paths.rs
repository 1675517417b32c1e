//! Paths as manifests and `#[path]` write them, told by their text alone.

use crate::base::RelPath;

/// The folder at `path` seen from `folder`, both with a final `/` unless they are the tree's root;
/// `None` outside of the tree.
pub(super) fn join(folder: &str, path: &str) -> Option<String> {
    if path.starts_with('/') {
        return None;
    }
    let mut segments = folder.split('/').filter(|it| !it.is_empty()).collect::<Vec<_>>();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." => drop(segments.pop()?),
            other => segments.push(other),
        }
    }
    Some(segments.iter().map(|segment| format!("{segment}/")).collect())
}

/// The file at `path` seen from `folder`.
pub(super) fn joined(folder: &str, path: &str) -> Option<RelPath> {
    RelPath::new(join(folder, path)?.trim_end_matches('/').as_bytes()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_stays_in_the_tree_or_is_none() {
        for (folder, path, expected) in [
            ("", "a", Some("a/")),
            ("a/", "../b/./c", Some("b/c/")),
            ("a/", "..", Some("")),
            ("a/", "../..", None),
            ("", "/x", None),
        ] {
            assert_eq!(join(folder, path).as_deref(), expected, "{folder} {path}");
        }
    }
}
