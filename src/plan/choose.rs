//! Which files and which operators a plan uses.

use std::collections::{BTreeMap, BTreeSet};

use adequacy_mutators::Language;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use serde::Serialize;

use super::{PlanError, cargo, script};
use crate::base::RelPath;
use crate::task::{Pattern, Task, nearest};
use crate::tree::Snapshot;

/// A source file of a known language that is not mutated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ignored {
    /// Where it is.
    pub path: RelPath,
    /// Why it is left alone.
    pub why: WhyNot,
}

/// Why a source file is not mutated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum WhyNot {
    /// It belongs to the tests.
    #[error("a test file")]
    Test,
    /// It configures a build or a tool.
    #[error("a configuration file")]
    Configuration,
    /// A command starts it, or hands it to a test runner.
    #[error("named by a command, so a test; `--include` mutates it all the same")]
    Named,
    /// An agent may not change it.
    #[error("a protected path")]
    Protected,
    /// `exclude` names it.
    #[error("excluded")]
    Excluded,
    /// `include` does not name it.
    #[error("not included")]
    NotIncluded,
    /// It is a link, or below one, in one of the trees.
    #[error("a link in the start tree or in the solution")]
    Linked,
    /// The change leaves it as it was.
    #[error("not changed")]
    Unchanged,
    /// The settings of cargo-mutants leave it out.
    #[error("left out by `.cargo/mutants.toml`; `--include` mutates it all the same")]
    Settings,
    /// No library or program of a manifest holds it.
    #[error("no cargo target reaches it")]
    NotReached,
    /// A mutant of it that does not build would pass for a killed one.
    #[error(
        "a compiled file, and nothing builds it: give `[build]` in a task file, or a `cargo test` as a command"
    )]
    NoBuild,
    /// Its name cannot stand in a record.
    #[error("its name is not UTF-8 or holds a control character")]
    Unnameable,
}

/// The operators that `wanted` names; all of them when it is empty.
pub(super) fn operators(wanted: &[Pattern]) -> Result<BTreeMap<&'static str, ()>, PlanError> {
    let known = || Language::ALL.iter().flat_map(|language| language.operators());
    if wanted.is_empty() {
        return Ok(known().map(|operator| (operator.name, ())).collect());
    }
    let find = |pattern: &Pattern| {
        let found = known().find(|operator| operator.name == pattern.text);
        found.map(|operator| (operator.name, ())).ok_or_else(|| PlanError::Pattern {
            pattern: pattern.clone(),
            message: match nearest(&pattern.text, known().map(|operator| operator.name)) {
                Some(name) => format!("is no operator; did you mean `{name}`?"),
                None => "is no operator; `adequacy list --operators` names them".to_owned(),
            },
        })
    };
    wanted.iter().map(find).collect()
}

/// A file to mutate, and what it is written in.
pub(super) type Chosen = (RelPath, Language);

/// The files to mutate in path order, and the other sources with the reason why not.
pub(super) fn files(
    task: &Task,
    snapshot: &Snapshot,
    settings: &cargo::Settings,
) -> Result<(Vec<Chosen>, Vec<Ignored>), PlanError> {
    let rust = Rust::of(task, [snapshot], settings);
    sort(task, snapshot.files().map(|(path, _, _)| path), &rust, &|_| None)
}

/// The same, of the files that differ between two trees; one that only `start` has is among them.
pub(super) fn changed_files(
    task: &Task,
    base: &Snapshot,
    start: &Snapshot,
) -> Result<(Vec<Chosen>, Vec<Ignored>), PlanError> {
    let both = base.files().chain(start.files()).map(|(path, _, _)| path);
    let paths = both.collect::<BTreeSet<_>>();
    // What a change calls for is not for a tree to say.
    let settings = cargo::Settings::default();
    let rust = Rust::of(task, [base, start], &settings);
    let why_not = |path: &RelPath| {
        if base.file(path) == start.file(path) {
            Some(WhyNot::Unchanged)
        } else {
            let plain = base.can_hold_file(path) && start.can_hold_file(path);
            (!plain).then_some(WhyNot::Linked)
        }
    };
    sort(task, paths.into_iter(), &rust, &why_not)
}

/// What stands against mutating a Rust source.
struct Rust<'a> {
    /// Whether files were named to be mutated, which is then enough.
    is_named: bool,
    has_build: bool,
    /// The files that cargo builds; `None` where no manifest says so.
    reached: Option<BTreeSet<RelPath>>,
    settings: &'a cargo::Settings,
}

impl<'a> Rust<'a> {
    fn of<const N: usize>(
        task: &Task,
        trees: [&Snapshot; N],
        settings: &'a cargo::Settings,
    ) -> Self {
        let reached = trees.into_iter().filter_map(cargo::reached);
        let reached = reached.map(|reached| reached.files.into_keys().collect::<BTreeSet<_>>());
        Self {
            is_named: !task.mutate.include.is_empty(),
            // Without any command nothing is run either.
            has_build: task.commands.is_empty() || task.has_build(),
            reached: reached.reduce(|one, other| one.into_iter().chain(other).collect()),
            settings,
        }
    }

    /// Whether cargo builds a file into a library or a program, which no name of it or of its folder denies.
    fn is_product(&self, path: &RelPath) -> bool {
        self.reached.as_ref().is_some_and(|reached| reached.contains(path))
    }

    fn why_not(&self, path: &RelPath) -> Option<WhyNot> {
        if Language::of_file_name(path.name()) != Some(Language::Rust) {
            return None;
        }
        let is_reached = self.reached.as_ref().is_none_or(|reached| reached.contains(path));
        if !self.has_build {
            Some(WhyNot::NoBuild)
        } else if self.is_named {
            None
        } else if self.settings.leave_out(path) {
            Some(WhyNot::Settings)
        } else {
            (!is_reached).then_some(WhyNot::NotReached)
        }
    }
}

fn sort<'a>(
    task: &Task,
    paths: impl Iterator<Item = &'a RelPath>,
    rust: &Rust<'_>,
    why_not_here: &dyn Fn(&RelPath) -> Option<WhyNot>,
) -> Result<(Vec<Chosen>, Vec<Ignored>), PlanError> {
    let include = globs(&task.mutate.include)?;
    let exclude = globs(&task.mutate.exclude)?;
    let argvs = task.commands.iter().map(|command| &command.argv);
    let named = argvs.flat_map(|argv| script::named(argv, &task.tree)).collect::<Vec<_>>();
    let mut chosen = Vec::new();
    let mut ignored = Vec::new();
    for path in paths {
        for (_, glob, hits) in include.iter().chain(&exclude) {
            if matches(glob, path) {
                hits.set(hits.get() + 1);
            }
        }
        let Some(language) = Language::of_file_name(path.name()) else { continue };
        let by_name = !rust.is_product(path);
        let why = why_not(task, path, by_name, &named, &include, &exclude);
        match why.or_else(|| why_not_here(path)).or_else(|| rust.why_not(path)) {
            None => chosen.push((path.clone(), language)),
            Some(why) => ignored.push(Ignored { path: path.clone(), why }),
        }
    }
    for (pattern, _, hits) in include.iter().chain(&exclude) {
        if hits.get() == 0 {
            let message = "matches no file of the tree".to_owned();
            return Err(PlanError::Pattern { pattern: (*pattern).clone(), message });
        }
    }
    Ok((chosen, ignored))
}

type Glob<'a> = (&'a Pattern, Gitignore, std::cell::Cell<usize>);

fn globs(patterns: &[Pattern]) -> Result<Vec<Glob<'_>>, PlanError> {
    let build = |pattern| {
        let fault = |error: ignore::Error| PlanError::Pattern {
            pattern: Pattern::clone(pattern),
            message: format!("is no glob: {error}"),
        };
        let mut builder = GitignoreBuilder::new("");
        builder.add_line(None, &pattern.text).map_err(fault)?;
        Ok((pattern, builder.build().map_err(fault)?, std::cell::Cell::new(0)))
    };
    patterns.iter().map(build).collect()
}

fn matches(glob: &Gitignore, path: &RelPath) -> bool {
    glob.matched_path_or_any_parents(path.as_path(), false).is_ignore()
}

/// What the task says against a file, and where that counts, its name.
fn why_not(
    task: &Task,
    path: &RelPath,
    by_name: bool,
    named: &[RelPath],
    include: &[Glob<'_>],
    exclude: &[Glob<'_>],
) -> Option<WhyNot> {
    let listed = |globs: &[Glob<'_>]| globs.iter().any(|(_, glob, _)| matches(glob, path));
    if path.as_str().is_none() || path.has_control() {
        Some(WhyNot::Unnameable)
    } else if task.protected.iter().any(|protected| path.is_under(&protected.path)) {
        Some(WhyNot::Protected)
    } else if by_name && is_test(path) {
        Some(WhyNot::Test)
    } else if listed(exclude) {
        Some(WhyNot::Excluded)
    } else if !include.is_empty() {
        (!listed(include)).then_some(WhyNot::NotIncluded)
    } else if named.contains(path) {
        Some(WhyNot::Named)
    } else if by_name && is_configuration(path) {
        Some(WhyNot::Configuration)
    } else {
        None
    }
}

/// Whether a file belongs to the tests, by the names that Python's test runners look for and the
/// folders tests are kept in; of Rust by its folder alone, tests beside the code are told by `cfg(test)`.
#[must_use]
pub fn is_test(path: &RelPath) -> bool {
    let name = path.name();
    let in_folder =
        path.segments().rev().skip(1).any(|segment| matches!(segment, b"test" | b"tests"));
    if name.ends_with(b".rs") {
        let first = path.segments().rev().nth(1);
        return in_folder || matches!(first, Some(b"benches" | b"examples"));
    }
    in_folder
        || name == b"conftest.py"
        || name == b"tests.py"
        || name.starts_with(b"test_")
        || name.ends_with(b"_test.py")
        || name.ends_with(b"_tests.py")
}

/// Files that a build or a tool reads, which are not the product.
fn is_configuration(path: &RelPath) -> bool {
    let top = path.segments().count() == 1;
    let docs = path.segments().next().is_some_and(|first| matches!(first, b"docs" | b"doc"));
    let tool = [b"setup.py".as_slice(), b"noxfile.py", b"toxfile.py", b"fabfile.py", b"dodo.py"];
    path.name() == b"build.rs"
        || (top && tool.contains(&path.name()))
        || (docs && path.name() == b"conf.py")
}
