//! `.cargo/mutants.toml`, the settings of cargo-mutants: what they leave out is left out here too.

use adequacy_mutators::Mutation;
use adequacy_mutators::rust::cargo_mutants_names;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use regex::Regex;
use toml::{Table, Value};

use super::super::PlanError;
use crate::base::RelPath;
use crate::task::Pattern;
use crate::tree::Snapshot;

/// Where the settings stand in a tree.
pub const SETTINGS: &str = ".cargo/mutants.toml";

/// The keys that say what is mutated; all others say how that tool runs.
const READ: &[&str] = &["examine_globs", "examine_re", "exclude_globs", "exclude_re"];

/// What the settings of cargo-mutants leave out of a tree.
#[derive(Debug, Default)]
pub struct Settings {
    examine_globs: Vec<Glob>,
    exclude_globs: Vec<Glob>,
    examine_re: Vec<Regex>,
    exclude_re: Vec<Regex>,
    /// The keys that stand there and say nothing of what is mutated.
    pub others: Vec<String>,
}

/// A glob, and whether it may fit a folder around a file: only one without a slash does.
#[derive(Debug)]
struct Glob(Gitignore, bool);

impl Settings {
    /// The settings of a tree; those that leave out nothing where it has none.
    ///
    /// # Errors
    /// [`PlanError`] when they are no TOML, a key has another type, or a pattern is none.
    pub fn of(snapshot: &Snapshot) -> Result<Self, PlanError> {
        let path = RelPath::new(SETTINGS.as_bytes()).expect("a plain path");
        if snapshot.file(&path).is_none() {
            return Ok(Self::default());
        }
        let text = String::from_utf8_lossy(&snapshot.read(&path)?).into_owned();
        let table = text
            .parse::<Table>()
            .map_err(|error| fault("TOML", &format!("cannot be read: {}", error.message())))?;
        let others = table.keys().filter(|key| !READ.contains(&key.as_str()));
        Ok(Self {
            examine_globs: each(&table, "examine_globs", glob)?,
            exclude_globs: each(&table, "exclude_globs", glob)?,
            examine_re: each(&table, "examine_re", regex)?,
            exclude_re: each(&table, "exclude_re", regex)?,
            others: others.cloned().collect(),
        })
    }

    /// Whether all of a file is left out.
    #[must_use]
    pub fn leave_out(&self, path: &RelPath) -> bool {
        let fits = |globs: &[Glob]| globs.iter().any(|glob| glob.fits(path));
        !self.examine_globs.is_empty() && !fits(&self.examine_globs) || fits(&self.exclude_globs)
    }

    /// Takes the mutations out of `found`, those of the file at `path`, whose names fit a pattern:
    /// how many.
    pub fn filter(&self, path: &RelPath, source: &[u8], found: &mut Vec<Mutation>) -> u32 {
        if self.examine_re.is_empty() && self.exclude_re.is_empty() {
            return 0;
        }
        let names = cargo_mutants_names(source, found);
        let mut names = names.iter().map(|name| format!("{path}:{name}"));
        let all = found.len();
        found.retain(|_| {
            let name = names.next().unwrap_or_default();
            let fits = |patterns: &[Regex]| patterns.iter().any(|pattern| pattern.is_match(&name));
            (self.examine_re.is_empty() || fits(&self.examine_re)) && !fits(&self.exclude_re)
        });
        u32::try_from(all - found.len()).unwrap_or(u32::MAX)
    }
}

impl Glob {
    fn fits(&self, path: &RelPath) -> bool {
        let matched = if self.1 {
            self.0.matched_path_or_any_parents(path.as_path(), false)
        } else {
            self.0.matched(path.as_path(), false)
        };
        matched.is_ignore()
    }
}

fn each<T>(
    table: &Table,
    key: &str,
    read: impl Fn(&str) -> Result<T, String>,
) -> Result<Vec<T>, PlanError> {
    let Some(value) = table.get(key) else { return Ok(Vec::new()) };
    let list = value.as_array().ok_or_else(|| fault(key, "is no list of strings"))?;
    let one = |value: &Value| {
        let text = value.as_str().ok_or_else(|| fault(key, "is no list of strings"))?;
        read(text).map_err(|message| fault(text, &message))
    };
    list.iter().map(one).collect()
}

fn glob(text: &str) -> Result<Glob, String> {
    let mut builder = GitignoreBuilder::new("");
    let fault = |error: ignore::Error| format!("is no glob: {error}");
    builder.add_line(None, text).map_err(fault)?;
    Ok(Glob(builder.build().map_err(fault)?, !text.contains('/')))
}

fn regex(text: &str) -> Result<Regex, String> {
    Regex::new(text).map_err(|error| format!("is no regular expression: {error}"))
}

fn fault(text: &str, message: &str) -> PlanError {
    let pattern = Pattern { text: text.to_owned(), origin: SETTINGS.to_owned() };
    PlanError::Pattern { pattern, message: message.to_owned() }
}

#[cfg(test)]
mod tests {
    use adequacy_mutators::Language;

    use super::*;
    use crate::base::Silent;
    use crate::tree::{Choice, snapshot};

    fn of(text: &str) -> Result<Settings, String> {
        let folder = tempfile::tempdir().expect("a temporary directory");
        std::fs::create_dir(folder.path().join(".cargo")).expect("a folder");
        std::fs::write(folder.path().join(SETTINGS), text).expect("a file");
        let listed = snapshot(folder.path(), &Choice::default(), &Silent).expect("a tree");
        Settings::of(&listed).map_err(|error| error.to_string())
    }

    #[test]
    fn globs_fit_as_that_tool_has_them() {
        let left = |text: &str| {
            let settings = of(text).expect("settings");
            let paths = ["src/lib.rs", "src/a/b.rs", "src/a/c.rs", "src/console.rs"];
            let path = |path: &str| RelPath::new(path.as_bytes()).expect("a path");
            let left = paths.into_iter().filter(|it| !settings.leave_out(&path(it)));
            left.collect::<Vec<_>>().join(" ")
        };
        let all = "src/lib.rs src/a/b.rs src/a/c.rs src/console.rs";
        for (text, expected) in [
            ("", all),
            ("exclude_globs = ['lib.rs', 'c.*']", "src/a/b.rs src/console.rs"),
            ("exclude_globs = ['a']", "src/lib.rs src/console.rs"),
            ("exclude_globs = ['src/*.rs']", "src/a/b.rs src/a/c.rs"),
            ("exclude_globs = ['src/a']", all),
            ("exclude_globs = ['**/b.rs']", "src/lib.rs src/a/c.rs src/console.rs"),
            ("examine_globs = ['src/a/**']\nexclude_globs = ['b.rs']", "src/a/c.rs"),
        ] {
            assert_eq!(left(text), expected, "{text}");
        }
    }

    #[test]
    fn mutants_are_left_out_by_their_names() {
        let source =
            b"impl A {\n    fn f(&self) -> bool { self.a == 1 }\n}\nfn g() -> bool { a == b }\n";
        let left = |text: &str| {
            let settings = of(text).expect("settings");
            let mut found =
                Language::Rust.mutations(source, &|it| it.name != "integer-shift").mutations;
            let path = RelPath::new(b"src/lib.rs").expect("a path");
            let (all, gone) = (found.len(), settings.filter(&path, source, &mut found));
            assert_eq!(found.len() + gone as usize, all);
            let lines = found.iter().map(|it| format!("{}{}", it.operator.name, it.line));
            lines.collect::<Vec<_>>().join(" ")
        };
        for (text, expected) in [
            ("exclude_re = ['A::f']", "body-value4 body-value4 relation-swap4"),
            ("exclude_re = ['-> bool with', 'lib.rs:4']", "relation-swap2"),
            ("examine_re = ['== with !=']\nexclude_re = ['in g$']", "relation-swap2"),
        ] {
            assert_eq!(left(text), expected, "{text}");
        }
    }

    #[test]
    fn what_says_nothing_is_named_and_what_is_wrong_refused() {
        let settings = of("timeout_multiplier = 2\nexclude_re = []\n").expect("settings");
        assert_eq!(settings.others, ["timeout_multiplier"]);
        for (text, expected) in [
            ("exclude_re = 'a'", ".cargo/mutants.toml: `exclude_re` is no list of strings"),
            ("exclude_re = ['(']", ".cargo/mutants.toml: `(` is no regular expression: "),
            ("exclude_globs = ['a{']", ".cargo/mutants.toml: `a{` is no glob: "),
            ("exclude_re = [", ".cargo/mutants.toml: `TOML` cannot be read: "),
        ] {
            let error = of(text).expect_err("it is wrong");
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
