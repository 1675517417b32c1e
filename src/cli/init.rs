//! `adequacy init`: a commented task file that fits the tree it stands in.

use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use adequacy_mutators::Language;

use super::args::InitArgs;
use super::fault::Fault;
use super::progress::Progress;
use super::{Exit, Streams};
use crate::base::Argv;
use crate::plan::{self, Trees, interpreter};
use crate::task::{self, Overrides, TASK_FILE};
use crate::tree::{self, Choice, Snapshot};

pub(crate) fn run(args: &InitArgs, streams: &mut Streams<'_>) -> Result<Exit, Fault> {
    let file = args.path.join(TASK_FILE);
    if !args.stdout && file.symlink_metadata().is_ok() {
        let message =
            format!("`{}` is there already; print another with `--stdout`", file.display());
        return Err(Fault::new(Exit::Output, message));
    }
    let tree = args.path.canonicalize().map_err(|error| {
        Fault::new(Exit::Usage, format!("cannot look at `{}`: {error}", args.path.display()))
    })?;
    let snapshot = tree::snapshot(&tree, &Choice::default(), &Progress::new(true))?;
    let found = Findings::of(&tree, &snapshot);
    let text = found.task_file(&tree);
    if args.stdout {
        write!(streams.out, "{text}")?;
    } else {
        let fault = |error: std::io::Error| {
            Fault::new(Exit::Output, format!("cannot write `{}`: {error}", file.display()))
        };
        let mut made =
            OpenOptions::new().write(true).create_new(true).open(&file).map_err(fault)?;
        made.write_all(text.as_bytes()).map_err(fault)?;
        writeln!(streams.err, "wrote `{}`", file.display())?;
    }
    for line in found.told() {
        writeln!(streams.err, "{line}")?;
    }
    let overrides = Overrides::default();
    if let Ok(task) = task::load(&args.path, &overrides) {
        let plan = plan::plan(&task, Trees { base: &snapshot, start: None })?;
        let mutants = plan.mutants.len();
        writeln!(streams.err, "next: `adequacy seal`, which will run at most {mutants} mutants")?;
    }
    Ok(Exit::Done)
}

/// What the tree shows of how it is tested.
struct Findings {
    name: String,
    argv: Option<(Vec<String>, &'static str)>,
    /// Directories and files of tests, to be protected.
    tests: Vec<(String, &'static str)>,
    sources: usize,
    /// Whether the command is for pytest and its interpreter has none.
    lacks_pytest: bool,
}

impl Findings {
    fn of(tree: &Path, snapshot: &Snapshot) -> Self {
        let name = tree.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let names = snapshot.files().filter_map(|(path, _, _)| path.as_str()).collect::<Vec<_>>();
        let sources = names.iter().filter(|name| Language::of_file_name(name.as_bytes()).is_some());
        let argv = argv(tree, &names);
        let lacks_pytest = argv.as_ref().is_some_and(|(argv, _)| lacks_pytest(argv, tree));
        Self { name, argv, tests: tests(&names), sources: sources.count(), lacks_pytest }
    }

    fn task_file(&self, tree: &Path) -> String {
        let quoted = |text: &str| toml::Value::String(text.to_owned()).to_string();
        let mut text = String::new();
        let _ =
            writeln!(text, "# A task for `adequacy`; its docs/task-file.md describes every key.\n");
        let _ = writeln!(text, "contract_id = {}", quoted(&format!("contract-{}", self.name)));
        let _ = writeln!(text, "# One sentence for readers of the contract:\n# task = \"...\"\n");
        let _ = writeln!(
            text,
            "# Commands that must pass on this tree and should fail on a wrong one, in sealed order.\n[[acceptance]]\nid = \"unit\""
        );
        match &self.argv {
            Some((argv, why)) => {
                let words = argv.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(", ");
                let _ = writeln!(text, "argv = [{words}] # {why}");
                if self.lacks_pytest {
                    let _ = writeln!(text, "# {}", no_pytest(argv));
                }
            }
            None => {
                let _ = writeln!(
                    text,
                    "argv = [\"false\"] # nothing in `{}` told how its tests are run",
                    self.name
                );
            }
        }
        let _ = writeln!(
            text,
            "# timeout_s = 60 # default: the larger of 10 s and 5 times the slowest unmutated run\n"
        );
        let _ = writeln!(text, "# Paths that the one who is judged may not change.");
        for (path, kind) in &self.tests {
            let _ = writeln!(text, "[[protected]]\npath = {}\nkind = \"{kind}\"\n", quoted(path));
        }
        if self.tests.is_empty() {
            let _ = writeln!(text, "# [[protected]]\n# path = \"tests\"\n# kind = \"directory\"\n");
        }
        let _ = writeln!(
            text,
            "[mutate]\n# Default: every source file that is no test, configuration or protected file.\n# include = [\"src/\"]\n# exclude = [\"*_pb2.py\"]\n# limit = 200 # run a sample\n"
        );
        let _ = writeln!(
            text,
            "[env]\n# Commands see an allow-list of variables and a private HOME.\n# pass = [\"DATABASE_URL\"]"
        );
        let src = tree.join("src").is_dir() && !tree.join("src/__init__.py").is_file();
        let path = if src { "" } else { "# " };
        let _ =
            writeln!(text, "{path}set = {{ PYTHONPATH = \"{}\" }}", if src { "src" } else { "." });
        let _ = writeln!(text, "\n[gates]\n# kill_ratio = 0.8 # refuse to seal below this");
        text
    }

    fn told(&self) -> Vec<String> {
        let mut lines = vec![format!("found {} source files", self.sources)];
        lines.push(match &self.argv {
            Some((argv, why)) => format!("found the command `{}`: {why}", argv.join(" ")),
            None => "left open: the acceptance command; edit `argv`".to_owned(),
        });
        if let Some((argv, _)) = self.argv.as_ref().filter(|_| self.lacks_pytest) {
            lines.push(format!("note: {}", no_pytest(argv)));
        }
        lines.push(if self.tests.is_empty() {
            "left open: protected paths; nothing that looks like tests was found".to_owned()
        } else {
            let paths = self.tests.iter().map(|(path, _)| format!("`{path}`")).collect::<Vec<_>>();
            format!("protected: {}", paths.join(", "))
        });
        lines
    }
}

/// How the tests are run, by what the tree holds.
fn argv(tree: &Path, names: &[&str]) -> Option<(Vec<String>, &'static str)> {
    let words = |words: &[&str]| words.iter().map(ToString::to_string).collect();
    let text = |name: &str| fs::read_to_string(tree.join(name)).unwrap_or_default();
    let is_test = |name: &&&str| {
        let file = name.rsplit('/').next().unwrap_or(name);
        file.starts_with("test") && file.ends_with(".py") || file.ends_with("_test.py")
    };
    let tests = names.iter().filter(is_test).map(|name| text(name)).collect::<Vec<_>>();
    let configured = text("pyproject.toml").contains("[tool.pytest")
        || text("setup.cfg").contains("[tool:pytest]")
        || names.contains(&"pytest.ini")
        || text("tox.ini").contains("pytest");
    let python =
        if tree.join(".venv/bin/python").exists() { ".venv/bin/python" } else { "python3" };
    if configured {
        return Some((words(&[python, "-m", "pytest", "-q"]), "the tree configures pytest"));
    }
    if tests.iter().any(|text| text.contains("import pytest") || text.contains("\ndef test_")) {
        return Some((words(&[python, "-m", "pytest", "-q"]), "the tests are written for pytest"));
    }
    if tests.iter().any(|text| text.contains("unittest")) {
        return Some((words(&[python, "-m", "unittest", "-q"]), "the tests use unittest"));
    }
    None
}

fn no_pytest(argv: &[String]) -> String {
    format!("`{}` cannot import pytest: install it there, or name another interpreter", argv[0])
}

/// Whether a command is for pytest and the interpreter that it starts in `tree` cannot find it.
fn lacks_pytest(argv: &[String], tree: &Path) -> bool {
    const ASK: &str =
        "import importlib.util, sys; sys.exit(importlib.util.find_spec('pytest') is None)";
    if !argv.iter().any(|word| word == "pytest") {
        return false;
    }
    let Ok(argv) = Argv::new(argv.to_vec()) else { return false };
    let path = std::env::var_os("PATH").unwrap_or_default();
    let Some(python) = interpreter::python(&argv, tree, &path) else { return true };
    let asked = Command::new(python.program)
        .args(["-B", "-c", ASK])
        .current_dir(tree)
        // As the command will be run.
        .env_remove("PYTHONPATH")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    !asked.is_ok_and(|status| status.success())
}

/// The topmost directories called `test` or `tests`, and test files outside of them.
fn tests(names: &[&str]) -> Vec<(String, &'static str)> {
    let mut found = Vec::<(String, &'static str)>::new();
    for name in names {
        let segments = name.split('/').collect::<Vec<_>>();
        let folders = &segments[..segments.len() - 1];
        let in_folder = folders.iter().position(|segment| matches!(*segment, "test" | "tests"));
        let file = segments[segments.len() - 1];
        let entry = match in_folder {
            Some(depth) => (segments[..=depth].join("/"), "directory"),
            None if file == "conftest.py" || file.starts_with("test_") && file.ends_with(".py") => {
                ((*name).to_owned(), "file")
            }
            None => continue,
        };
        if !found.contains(&entry) {
            found.push(entry);
        }
    }
    found
}
