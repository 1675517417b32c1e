//! The trees, patches and folders that a task file names.

use std::path::{Path, PathBuf};

use toml::Spanned;

use super::file::TaskFile;
use super::resolve::Reader;
use super::{Solution, TaskError, Variant};

/// The places a task file names, absolute and without links.
pub(super) struct Trees {
    pub(super) tree: PathBuf,
    pub(super) solution: Solution,
    pub(super) heldout: Option<PathBuf>,
    pub(super) must_pass: Vec<Variant>,
    pub(super) known_wrong: Vec<Variant>,
}

impl Reader<'_> {
    /// Finds and checks the places that a task file names.
    pub(super) fn trees(&self, typed: &TaskFile) -> Result<Trees, TaskError> {
        let (tree, solution) = self.solution(typed)?;
        let heldout = typed.heldout.as_ref();
        let heldout = heldout.map(|typed| self.directory("heldout", typed)).transpose()?;
        if let (Some(folder), Some(typed)) = (&heldout, &typed.heldout) {
            let start = match &solution {
                Solution::From(start) => Some(start),
                _ => None,
            };
            let apart = |tree: &PathBuf| !folder.starts_with(tree) && !tree.starts_with(folder);
            if !apart(&tree) || !start.is_none_or(apart) {
                let message = "must be outside of the trees: an agent would see it";
                return Err(self.fault(typed.span().start, "heldout", message));
            }
        }
        let variants = |key: &str, typed: &Option<Spanned<Vec<String>>>| {
            let Some(typed) = typed else { return Ok(Vec::new()) };
            let one =
                |name: &String| self.variant(key, name, typed.span().start, (&tree, &solution));
            typed.get_ref().iter().map(one).collect::<Result<Vec<_>, _>>()
        };
        let must_pass = variants("must_pass", &typed.must_pass)?;
        let known_wrong = variants("known_wrong", &typed.known_wrong)?;
        Ok(Trees { tree, solution, heldout, must_pass, known_wrong })
    }

    fn solution(&self, typed: &TaskFile) -> Result<(PathBuf, Solution), TaskError> {
        let here = Spanned::new(0..0, ".".to_owned());
        let fault = |key: &str, typed: &Spanned<String>, message: &str| {
            Err(self.fault(typed.span().start, key, message))
        };
        let needs_start = "needs `start`, the tree that the agent gets";
        match (&typed.tree, &typed.start, &typed.reference, &typed.patch) {
            (tree, None, None, None) => {
                let tree = self.directory("tree", tree.as_ref().unwrap_or(&here))?;
                Ok((tree, Solution::Tree))
            }
            (_, None, Some(reference), _) => fault("reference", reference, needs_start),
            (_, None, None, Some(patch)) => fault("patch", patch, needs_start),
            (Some(tree), Some(_), ..) => fault(
                "tree",
                tree,
                "stands alone; beside `start` the solution is `reference` or `patch`",
            ),
            (None, Some(_), Some(_), Some(patch)) => {
                fault("patch", patch, "beside `reference`: name one right solution, not two")
            }
            (None, Some(start), Some(reference), None) => {
                let start = self.directory("start", start)?;
                Ok((self.directory("reference", reference)?, Solution::From(start)))
            }
            (None, Some(start), None, Some(patch)) => {
                let start = self.directory("start", start)?;
                let file = self.there("patch", patch.get_ref(), patch.span().start)?;
                if !file.is_file() {
                    return fault("patch", patch, "must be a file that holds a diff");
                }
                Ok((start, Solution::Patch(file)))
            }
            (None, Some(start), None, None) => {
                Ok((self.directory("start", start)?, Solution::None))
            }
        }
    }

    fn variant(
        &self,
        key: &str,
        name: &str,
        at: usize,
        (tree, solution): (&Path, &Solution),
    ) -> Result<Variant, TaskError> {
        let path = self.there(key, name, at)?;
        let is_patch = path.is_file();
        if is_patch && *solution == Solution::Tree {
            let message = "a patch needs `start`, the tree it is applied to";
            return Err(self.fault(at, key, message));
        }
        let start = match solution {
            Solution::From(start) => Some(start.as_path()),
            Solution::Patch(_) | Solution::None => Some(tree),
            Solution::Tree => None,
        };
        if start == Some(&path) {
            return Err(self.fault(at, key, "is the start tree itself"));
        }
        Ok(Variant { name: name.to_owned(), path, is_patch })
    }

    fn directory(&self, key: &str, typed: &Spanned<String>) -> Result<PathBuf, TaskError> {
        let path = self.there(key, typed.get_ref(), typed.span().start)?;
        if path.is_dir() {
            return Ok(path);
        }
        Err(self.fault(typed.span().start, key, "must be a directory"))
    }

    /// A path relative to the task file, which must be there.
    fn there(&self, key: &str, typed: &str, at: usize) -> Result<PathBuf, TaskError> {
        let here = self.path.parent().expect("an absolute file has a directory");
        let path = here.join(typed);
        path.canonicalize().map_err(|error| {
            self.fault(at, key, &format!("cannot look at `{}`: {error}", path.display()))
        })
    }
}
