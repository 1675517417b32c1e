//! Test runners that an argv names for certain, and what their statuses mean to their authors.
//!
//! This makes labels for people and finds runs that executed nothing; no verdict hangs on it. An
//! argv that could be read in two ways is not recognised.

mod executed;
pub mod junit;
mod probe;

use serde::{Deserialize, Serialize};

pub use executed::Tests;
pub(super) use probe::Variable;

/// A runner this crate knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Runner {
    /// pytest, as a program or a module.
    Pytest,
    /// The standard library's `python -m unittest`.
    Unittest,
    /// `cargo test`.
    CargoTest,
    /// `cargo nextest run`.
    CargoNextest,
    /// `node --test`.
    NodeTest,
    /// `go test`.
    GoTest,
}

/// What a failing status says about why, by the runner's own documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Label {
    /// Tests failed, or nothing better is known.
    Ordinary,
    /// The tests could not be collected; such as an import that fails.
    Collection,
    /// There was no test to run.
    NoTests,
    /// The runner itself failed or was used wrongly.
    Harness,
}

impl Runner {
    /// The runner that `argv` starts: directly, or through `env`, `coverage run` or the `run` of a
    /// Python project manager.
    #[must_use]
    pub fn of(argv: &[String]) -> Option<Self> {
        let words: Vec<_> = argv.iter().map(String::as_str).collect();
        program(&words)
    }

    /// What an exit status of this runner says.
    ///
    /// Sources: pytest's "Exit codes" reference; unittest's "Command-line interface" (5 since
    /// Python 3.12); nextest's `NextestExitCode`. The others tell nothing apart: cargo gives 101 for
    /// a failing test and a failing build, node and go 1.
    #[must_use]
    pub fn label(self, code: i32) -> Label {
        match (self, code) {
            (Self::Pytest, 2) => Label::Collection,
            (Self::Pytest | Self::Unittest, 5) | (Self::CargoNextest, 4) => Label::NoTests,
            (Self::Pytest, 3 | 4) | (Self::CargoNextest, 70 | 94..=96 | 102..=106 | 110) => {
                Label::Harness
            }
            _ => Label::Ordinary,
        }
    }

    /// How many tests ran on an unmutated tree, skipped ones left out, from the output of that run;
    /// `None` when this runner's output does not tell.
    #[must_use]
    pub fn executed(self, output: &[u8]) -> Option<u64> {
        match self {
            Self::Unittest => executed::in_unittest(output),
            Self::CargoTest => executed::in_cargo_test(output),
            Self::Pytest | Self::CargoNextest | Self::NodeTest | Self::GoTest => None,
        }
    }
}

fn program(words: &[&str]) -> Option<Runner> {
    let (path, rest) = words.split_first()?;
    match path.rsplit('/').next()? {
        "pytest" | "py.test" | "pytest-3" | "py.test-3" => Some(Runner::Pytest),
        "env" => program(after_env(rest)),
        "coverage" | "coverage3" => coverage(rest),
        "uv" => uv(rest),
        "poetry" | "pdm" | "pipenv" | "hatch" | "rye" => program(rest.strip_prefix(&["run"])?),
        "cargo" => cargo(rest),
        "go" => (*skip(rest, &[], &["-C"]).first()? == "test").then_some(Runner::GoTest),
        "node" | "nodejs" => node(rest),
        name => is_python(name).then(|| python(rest))?,
    }
}

/// What follows the options: words of `flags`, and words of `valued` with their value, which may
/// be the next word, or follow `=` or (after a single letter) the name itself. Stops at anything
/// else, also at an option that is in neither list.
fn skip<'a>(mut words: &'a [&'a str], flags: &[&str], valued: &[&str]) -> &'a [&'a str] {
    while let Some((word, rest)) = words.split_first() {
        let glued = |name: &&str| match word.strip_prefix(name) {
            Some(value) if name.starts_with("--") => value.starts_with('='),
            Some(value) => !value.is_empty(),
            None => false,
        };
        words = if *word == "--" {
            return rest;
        } else if flags.contains(word) || valued.iter().any(glued) {
            rest
        } else if valued.contains(word) {
            rest.get(1..).unwrap_or_default()
        } else {
            break;
        };
    }
    words
}

fn after_env<'a>(words: &'a [&'a str]) -> &'a [&'a str] {
    let valued = ["-u", "--unset", "-C", "--chdir"];
    let words = skip(words, &["-", "-i", "--ignore-environment"], &valued);
    let assignments = words.iter().take_while(|word| word.contains('=')).count();
    &words[assignments..]
}

fn is_python(name: &str) -> bool {
    let version = name.strip_prefix("python").or_else(|| name.strip_prefix("pypy"));
    version.is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit() || c == '.'))
}

fn python(words: &[&str]) -> Option<Runner> {
    let flags = [
        "-b", "-bb", "-B", "-d", "-E", "-I", "-O", "-OO", "-P", "-q", "-R", "-s", "-S", "-u", "-v",
    ];
    let (first, rest) = skip(words, &flags, &["-X", "-W"]).split_first()?;
    match first.strip_prefix("-m")? {
        "" => module(rest),
        glued => module(&[&[glued], rest].concat()),
    }
}

/// `words` are a module and its arguments.
fn module(words: &[&str]) -> Option<Runner> {
    let (name, rest) = words.split_first()?;
    match *name {
        "pytest" => Some(Runner::Pytest),
        "unittest" => Some(Runner::Unittest),
        "coverage" => coverage(rest),
        _ => None,
    }
}

fn coverage(words: &[&str]) -> Option<Runner> {
    let flags = ["-a", "--append", "--branch", "-L", "--pylib", "-p", "--parallel-mode", "--timid"];
    let valued = [
        "--concurrency",
        "--context",
        "--data-file",
        "--debug",
        "--include",
        "--omit",
        "--rcfile",
        "--source",
    ];
    let words = skip(words.strip_prefix(&["run"])?, &flags, &valued);
    // `-m` is a flag here: further options may stand before the module.
    let after = words.strip_prefix(&["-m"]).or_else(|| words.strip_prefix(&["--module"]))?;
    module(skip(after, &flags, &valued))
}

fn uv(words: &[&str]) -> Option<Runner> {
    let flags = [
        "--active",
        "--all-extras",
        "--all-groups",
        "--dev",
        "--exact",
        "--frozen",
        "--isolated",
        "--locked",
        "--no-dev",
        "--no-project",
        "--no-sync",
        "--offline",
        "-q",
        "--quiet",
        "-v",
        "--verbose",
    ];
    let valued = [
        "--directory",
        "--env-file",
        "--extra",
        "--group",
        "--only-group",
        "-p",
        "--package",
        "--project",
        "--python",
        "--with",
        "--with-editable",
        "--with-requirements",
    ];
    let words = skip(skip(words, &flags, &valued).strip_prefix(&["run"])?, &flags, &valued);
    match words {
        ["-m" | "--module", rest @ ..] => module(rest),
        _ => program(words),
    }
}

fn cargo(words: &[&str]) -> Option<Runner> {
    let toolchain = usize::from(words.first().is_some_and(|word| word.starts_with('+')));
    let flags = ["--frozen", "--locked", "--offline", "-q", "--quiet", "-v", "--verbose", "-vv"];
    match skip(&words[toolchain..], &flags, &["-C", "--color", "--config", "-Z"]) {
        ["test" | "t", ..] => Some(Runner::CargoTest),
        ["nextest", "run" | "r", ..] => Some(Runner::CargoNextest),
        _ => None,
    }
}

fn node(words: &[&str]) -> Option<Runner> {
    let valued = [
        "-C",
        "--conditions",
        "--env-file",
        "--experimental-loader",
        "--import",
        "--loader",
        "-r",
        "--require",
        "--test-name-pattern",
        "--test-reporter",
        "--test-reporter-destination",
    ];
    let mut words = words.iter();
    while let Some(word) = words.next().filter(|word| word.starts_with('-') && **word != "--") {
        if *word == "--test" {
            return Some(Runner::NodeTest);
        }
        if valued.contains(word) {
            words.next();
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Option<Runner> {
        Runner::of(&line.split(' ').map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn runners_are_recognised() {
        let known = [
            (Runner::Pytest, "pytest"),
            (Runner::Pytest, "/opt/v/bin/py.test -q tests"),
            (Runner::Pytest, "python3.12 -X dev -Werror -B -m pytest -q"),
            (Runner::Pytest, ".venv/bin/python -mpytest"),
            (Runner::Pytest, "env -u A -i B=1 C=2 python3 -m pytest"),
            (Runner::Pytest, "coverage run --branch --source src -m pytest"),
            (Runner::Pytest, "python -m coverage run -m --omit=x pytest -q"),
            (Runner::Pytest, "uv run --frozen --with x -p 3.12 pytest"),
            (Runner::Pytest, "uv --offline run -m pytest"),
            (Runner::Pytest, "uv run -- python -m pytest"),
            (Runner::Pytest, "poetry run pytest"),
            (Runner::Unittest, "python3 -m unittest discover -s tests"),
            (Runner::Unittest, "pypy3 -m unittest"),
            (Runner::CargoTest, "cargo test --workspace"),
            (Runner::CargoTest, "cargo +1.95 -q --config a=b t"),
            (Runner::CargoNextest, "cargo nextest run"),
            (Runner::NodeTest, "node --import tsx --test"),
            (Runner::GoTest, "go test ./..."),
            (Runner::GoTest, "go -C sub test"),
        ];
        for (runner, line) in known {
            assert_eq!(of(line), Some(runner), "{line}");
        }
    }

    #[test]
    fn nothing_is_guessed() {
        for line in [
            "",
            "sh -c pytest",
            "make test",
            "tox",
            "python3 test.py -m pytest",
            "python3 -c pytest",
            "python3 -m",
            "python3 -m pytest_cov",
            "pythonw-config -m pytest",
            "env A=1",
            "coverage report -m pytest",
            "coverage run test.py",
            "uv run --unknown pytest",
            "uv pip install pytest",
            "poetry install pytest",
            "cargo build test",
            "cargo run -- test",
            "cargo nextest list",
            "node test.js --test",
            "node -r --test",
            "go build test",
        ] {
            assert_eq!(of(line), None, "{line}");
        }
    }

    #[test]
    fn statuses_are_labelled_as_the_runners_document_them() {
        let labels = |runner: Runner| [0, 1, 2, 3, 4, 5, 100, 101].map(|code| runner.label(code));
        use Label::{Collection, Harness, NoTests, Ordinary};
        assert_eq!(
            labels(Runner::Pytest),
            [Ordinary, Ordinary, Collection, Harness, Harness, NoTests, Ordinary, Ordinary]
        );
        for (runner, no_tests) in [(Runner::Unittest, 5), (Runner::CargoNextest, 4)] {
            assert_eq!(runner.label(no_tests), NoTests);
            assert_eq!(labels(runner).iter().filter(|label| **label != Ordinary).count(), 1);
        }
        for runner in [Runner::CargoTest, Runner::NodeTest, Runner::GoTest] {
            assert_eq!(labels(runner), [Ordinary; 8]);
        }
        assert_eq!(Runner::CargoNextest.label(104), Harness);
    }
}
