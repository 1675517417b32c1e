//! Whether a change keeps within its path budget: exactly the paths that it names, and no others.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::tree::{BadGlob, Globs};

/// A path budget. Paths are relative to the root of the tree; `permitted_generated` holds
/// gitignore-style globs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathBudget {
    /// Files that are there and change.
    pub allowed_existing: Vec<String>,
    /// Files that appear.
    pub allowed_new: Vec<String>,
    /// What a build or a test run may leave.
    pub permitted_generated: Vec<String>,
    /// What else must not happen, each with what enforces it.
    pub forbidden_acts: Vec<ForbiddenAct>,
    /// What to do about a path outside the budget.
    pub on_breach: String,
}

/// An act that a run must not do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForbiddenAct {
    /// The act.
    pub act: String,
    /// What keeps it from happening, or `not enforced`.
    pub enforced_by: String,
}

/// How a change stands to its budget; a change keeps within it when every list is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Breach {
    /// Files that changed and were not allowed to.
    pub changed: Vec<String>,
    /// Files that appeared and were not allowed to.
    pub appeared: Vec<String>,
    /// Files that went; a budget allows no file to go.
    pub went: Vec<String>,
    /// Paths that were allowed and never touched: less was done than the budget said.
    pub untouched: Vec<String>,
}

impl Breach {
    /// Whether the change keeps within the budget, to the letter.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// Compares two states of a tree, each as paths with what stands there, such as digests.
///
/// # Errors
/// [`BadGlob`] of a pattern that cannot be read.
pub fn judge<D: PartialEq>(
    budget: &PathBudget,
    before: &BTreeMap<String, D>,
    after: &BTreeMap<String, D>,
) -> Result<Breach, BadGlob> {
    let generated = Globs::new(&budget.permitted_generated)?;
    let is_generated = |path: &str| generated.name(path);
    let existing = budget.allowed_existing.iter().map(String::as_str).collect::<BTreeSet<_>>();
    let new = budget.allowed_new.iter().map(String::as_str).collect::<BTreeSet<_>>();
    let mut breach = Breach::default();
    let mut touched = BTreeSet::new();
    for (path, state) in after {
        let path = path.as_str();
        let (allowed, list) = match before.get(path) {
            Some(earlier) if earlier == state => continue,
            Some(_) => (&existing, &mut breach.changed),
            None => (&new, &mut breach.appeared),
        };
        if allowed.contains(path) {
            touched.insert(path);
        } else if !is_generated(path) {
            list.push(path.to_owned());
        }
    }
    let gone = before.keys().filter(|path| !after.contains_key(*path) && !is_generated(path));
    breach.went = gone.cloned().collect();
    let idle = existing.union(&new).filter(|path| !touched.contains(*path));
    breach.untouched = idle.map(|path| (*path).to_owned()).collect();
    Ok(breach)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[(&str, u8)]) -> BTreeMap<String, u8> {
        files.iter().map(|(path, state)| ((*path).to_owned(), *state)).collect()
    }

    fn budget(existing: &[&str], new: &[&str], generated: &[&str]) -> PathBudget {
        let owned = |paths: &[&str]| paths.iter().map(ToString::to_string).collect();
        PathBudget {
            allowed_existing: owned(existing),
            allowed_new: owned(new),
            permitted_generated: owned(generated),
            ..PathBudget::default()
        }
    }

    #[test]
    fn exactly_the_named_paths_may_change() {
        let before = tree(&[("a.py", 1), ("b.py", 1), ("c.py", 1)]);
        let after = tree(&[("a.py", 2), ("b.py", 1), ("c.py", 1), ("new.py", 1)]);
        let exact = budget(&["a.py"], &["new.py"], &[]);
        assert!(judge(&exact, &before, &after).unwrap().is_none());
        let less = judge(&budget(&[], &[], &[]), &before, &after).unwrap();
        assert_eq!((less.changed, less.appeared), (vec!["a.py".into()], vec!["new.py".into()]));
        let more =
            judge(&budget(&["a.py", "b.py"], &["new.py", "x.py"], &[]), &before, &after).unwrap();
        assert_eq!(more.untouched, ["b.py", "x.py"]);
    }

    #[test]
    fn a_new_path_is_no_existing_one_and_nothing_may_go() {
        let before = tree(&[("a.py", 1), ("b.py", 1)]);
        let after = tree(&[("a.py", 2)]);
        let found = judge(&budget(&[], &["a.py"], &[]), &before, &after).unwrap();
        assert_eq!(found.changed, ["a.py"]);
        assert_eq!(found.untouched, ["a.py"]);
        assert_eq!(found.went, ["b.py"]);
    }

    #[test]
    fn what_a_build_leaves_is_named_by_patterns() {
        let before = tree(&[("dist/old.js", 1)]);
        let after = tree(&[("dist/x.js", 1), ("p/__pycache__/a.pyc", 1)]);
        let found =
            judge(&budget(&[], &[], &["dist/**", "__pycache__/"]), &before, &after).unwrap();
        assert!(found.is_none(), "{found:?}");
        assert!(judge(&budget(&[], &[], &["{"]), &before, &after).is_err());
    }
}
