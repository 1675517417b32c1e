//! Sets of paths as patterns of gitignore name them.

use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// Patterns that name paths of a tree.
#[derive(Debug, Clone)]
pub struct Globs(Gitignore);

/// A pattern that is none.
#[derive(Debug, thiserror::Error)]
#[error("`{glob}` is no pattern: {why}")]
pub struct BadGlob {
    glob: String,
    why: String,
}

impl Globs {
    /// Reads patterns of gitignore.
    ///
    /// # Errors
    /// [`BadGlob`] of the first that cannot be read.
    pub fn new(patterns: &[String]) -> Result<Self, BadGlob> {
        let bad = |glob: &str, error: ignore::Error| BadGlob {
            glob: glob.to_owned(),
            why: error.to_string(),
        };
        let mut builder = GitignoreBuilder::new("");
        for glob in patterns {
            builder.add_line(None, glob).map_err(|error| bad(glob, error))?;
        }
        builder.build().map(Self).map_err(|error| bad(&patterns.join(", "), error))
    }

    /// Whether they name this file, or a directory that it lies in; its path is relative to the tree.
    #[must_use]
    pub fn name(&self, path: &str) -> bool {
        self.0.matched_path_or_any_parents(path, false).is_ignore()
    }
}
