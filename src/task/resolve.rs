//! From the text of a task file (or none) and the flags to a checked [`Task`].

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;
use std::{fs, io};

use toml::Spanned;

use super::commands::bare_command;
use super::file::{ProtectedEntry, ProtectedKind, StepTable, TaskFile};
use super::trees::Trees;
use super::{
    Mutate, Overrides, Pattern, Protected, Solution, Step, TASK_FILE, Task, TaskError, near,
};
use crate::base::{Argv, RelPath};

/// Limit of `[setup]` and `[build]` where none is stated.
const STEP_LIMIT: Duration = Duration::from_secs(900);

/// Reads the task at `path`: a task file, a directory that holds one, or a bare tree.
///
/// # Errors
/// [`TaskError`], which names the key and the line.
pub fn load(path: &Path, flags: &Overrides) -> Result<Task, TaskError> {
    let unreadable = |error| TaskError::Unreadable { path: path.to_owned(), error };
    let path = path.canonicalize().map_err(unreadable)?;
    if path.is_dir() {
        let file = path.join(TASK_FILE);
        if !file.is_file() {
            return Reader { path: &file, text: "" }.task(TaskFile::default(), flags, &path);
        }
        return from_file(&file, flags);
    }
    if path.is_file() { from_file(&path, flags) } else { Err(TaskError::NotATree(path)) }
}

fn from_file(path: &Path, flags: &Overrides) -> Result<Task, TaskError> {
    let unreadable = |error| TaskError::Unreadable { path: path.to_owned(), error };
    let text = fs::read_to_string(path).map_err(unreadable)?;
    let typed = toml::from_str::<TaskFile>(&text).map_err(|error| TaskError::Syntax {
        path: path.to_owned(),
        message: near::explain(&error),
    })?;
    if flags.seal && !flags.argv.is_empty() {
        return Err(TaskError::CommandBesideTaskFile);
    }
    let reader = Reader { path, text: &text };
    let trees = reader.trees(&typed)?;
    let mut task = reader.task(typed, flags, &trees.tree)?;
    let Trees { tree: _, solution, heldout, must_pass, known_wrong } = trees;
    task = Task { solution, heldout, must_pass, known_wrong, ..task };
    task.file = Some(path.to_owned());
    Ok(task)
}

/// The task file's text, to say on which line a value stands.
pub(super) struct Reader<'a> {
    pub(super) path: &'a Path,
    text: &'a str,
}

impl Reader<'_> {
    fn task(&self, typed: TaskFile, flags: &Overrides, tree: &Path) -> Result<Task, TaskError> {
        self.check_texts(&typed)?;
        let mut commands = self.commands(&typed.acceptance)?;
        if !flags.argv.is_empty() {
            commands = vec![bare_command(flags)?];
        }
        if let Some(limit) = flags.timeout {
            commands.iter_mut().for_each(|command| command.timeout = Some(limit));
        }
        let mutate = self.mutate(&typed, flags)?;
        let protected =
            self.protected(&typed.protected, Some(tree).filter(|_| typed.patch.is_none()))?;
        let image = typed.env.image.as_ref().map(|image| image.get_ref().clone());
        let gates = typed.gates.iter().map(|(name, threshold)| self.gate(name, threshold));
        Ok(Task {
            file: None,
            contract_id: flags
                .contract_id
                .clone()
                .or(typed.contract_id.map(Spanned::into_inner))
                .unwrap_or_else(|| default_id(tree)),
            tree: tree.to_owned(),
            solution: Solution::Tree,
            heldout: None,
            must_pass: Vec::new(),
            known_wrong: Vec::new(),
            task: typed.task.map(Spanned::into_inner),
            commands,
            protected,
            mutate,
            env_set: typed.env.set,
            env_pass: [typed.env.pass, flags.env.clone()].concat(),
            image,
            setup: typed.setup.map(|step| self.step("setup", &step)).transpose()?,
            build: typed.build.map(|step| self.step("build", &step)).transpose()?,
            gates: gates.collect::<Result<_, _>>()?,
        })
    }

    /// What a record or an environment cannot hold, found before anything runs.
    fn check_texts(&self, typed: &TaskFile) -> Result<(), TaskError> {
        for (key, text) in [("contract_id", &typed.contract_id), ("task", &typed.task)] {
            if let Some(text) = text.as_ref().filter(|text| text.get_ref().is_empty()) {
                return Err(self.fault(text.span().start, key, "must not be empty"));
            }
        }
        let bad = |text: &String| text.contains('\0');
        let named = |name: &String| !name.is_empty() && !name.contains('=') && !bad(name);
        let set = typed.env.set.iter();
        if let Some((name, _)) = set.clone().find(|(name, value)| !named(name) || bad(value)) {
            let place = format!("{}: env.set", self.path.display());
            let message =
                format!("{name:?} cannot be a variable: a name holds no `=`, neither holds NUL");
            return Err(TaskError::Value { place, message });
        }
        if let Some(name) = typed.env.pass.iter().find(|name| !named(name)) {
            let place = format!("{}: env.pass", self.path.display());
            return Err(TaskError::Value {
                place,
                message: format!("{name:?} is no variable's name"),
            });
        }
        Ok(())
    }

    fn protected(
        &self,
        entries: &[ProtectedEntry],
        // Nothing while a patch may still bring it.
        tree: Option<&Path>,
    ) -> Result<Vec<Protected>, TaskError> {
        let mut seen = BTreeSet::new();
        let mut protected = Vec::with_capacity(entries.len());
        for entry in entries {
            let at = entry.path.span().start;
            let path = RelPath::new(entry.path.get_ref().as_bytes()).map_err(|error| {
                let found = entry.path.get_ref();
                self.fault(at, "protected.path", &format!("{error}, not {found:?}"))
            })?;
            if !seen.insert(path.clone()) {
                return Err(self.fault(at, "protected.path", "is protected twice"));
            }
            if entry.exclude.is_some() && entry.kind == ProtectedKind::File {
                let message = "only a directory can have exclusions";
                return Err(self.fault(at, "protected.exclude", message));
            }
            if let Some(word) = &entry.equivalence
                && (word.get_ref() != "python_ast" || entry.kind != ProtectedKind::File)
            {
                let (found, kind) = (word.get_ref(), word_of(entry.kind));
                let message =
                    format!("must be \"python_ast\", on a file, not {found:?} on a {kind}");
                return Err(self.fault(word.span().start, "protected.equivalence", &message));
            }
            let is_gone = |tree: &&Path| {
                path.below(tree).symlink_metadata().is_err_and(|error| is_missing(&error))
            };
            if let Some(tree) = tree.filter(is_gone) {
                let message = format!(
                    "`{path}` is not in the tree `{}`, so it cannot be protected; mend the path or \
                     drop the entry",
                    tree.display()
                );
                return Err(self.fault(at, "protected.path", &message));
            }
            protected.push(Protected {
                path,
                kind: entry.kind,
                exclude: entry.exclude.clone(),
                equivalence: entry.equivalence.as_ref().map(|word| word.get_ref().clone()),
            });
        }
        Ok(protected)
    }

    fn mutate(&self, typed: &TaskFile, flags: &Overrides) -> Result<Mutate, TaskError> {
        let table = &typed.mutate;
        let pick = |flag: &str, over: &[String], typed: &[Spanned<String>]| {
            if over.is_empty() {
                let place = |text: &Spanned<String>| self.place(text.span().start);
                typed
                    .iter()
                    .map(|text| Pattern { text: text.get_ref().clone(), origin: place(text) })
                    .collect::<Vec<_>>()
            } else {
                let origin = flag.to_owned();
                over.iter()
                    .map(|text| Pattern { text: text.clone(), origin: origin.clone() })
                    .collect()
            }
        };
        let budget = table.budget.as_ref().map(|text| {
            cpu_time(text.get_ref()).ok_or_else(|| {
                let message = format!(
                    "must be a CPU time such as \"90cpu-s\", \"20cpu-min\" or \"2cpu-h\", not {:?}",
                    text.get_ref()
                );
                self.fault(text.span().start, "mutate.budget", &message)
            })
        });
        Ok(Mutate {
            include: pick("--include", &flags.include, &table.include),
            exclude: pick("--exclude", &flags.exclude, &table.exclude),
            operators: pick("--operator", &flags.operators, &table.operators),
            limit: flags.limit.or(table.limit),
            seed: flags.seed.or(table.seed).unwrap_or(0),
            budget: budget.transpose()?,
        })
    }

    fn gate(&self, name: &str, value: &Spanned<f64>) -> Result<(String, f64), TaskError> {
        const KNOWN: &[&str] =
            &["kill_ratio", "timeout_share", "undecided", "cheat_class_survived"];
        let at = value.span().start;
        if !KNOWN.contains(&name) {
            let message = format!("no gate with a threshold; those are {}", KNOWN.join(", "));
            return Err(self.fault(at, &format!("gates.{name}"), &message));
        }
        let share = name != "undecided" && *value.get_ref() > 1.0;
        if share || !value.get_ref().is_finite() || *value.get_ref() < 0.0 {
            let found = value.get_ref();
            let message = format!("must be a number from 0 up, a share at most 1, not {found}");
            return Err(self.fault(at, &format!("gates.{name}"), &message));
        }
        if name == "cheat_class_survived" && *value.get_ref() != 0.0 {
            let message = "can only be 0: no cheat may survive the sealed commands";
            return Err(self.fault(at, "gates.cheat_class_survived", message));
        }
        Ok((name.to_owned(), *value.get_ref()))
    }

    fn step(&self, key: &str, typed: &StepTable) -> Result<Step, TaskError> {
        let limit = typed.timeout_s.as_ref();
        Ok(Step {
            argv: self.argv(&format!("{key}.argv"), &typed.argv)?,
            timeout: limit
                .map(|seconds| self.seconds(&format!("{key}.timeout_s"), seconds))
                .transpose()?
                .unwrap_or(STEP_LIMIT),
        })
    }

    pub(super) fn argv(&self, key: &str, words: &Spanned<Vec<String>>) -> Result<Argv, TaskError> {
        Argv::new(words.get_ref().clone())
            .map_err(|error| self.fault(words.span().start, key, &error.to_string()))
    }

    pub(super) fn seconds(&self, key: &str, seconds: &Spanned<f64>) -> Result<Duration, TaskError> {
        Duration::try_from_secs_f64(*seconds.get_ref())
            .ok()
            .filter(|limit| !limit.is_zero())
            .ok_or_else(|| {
                let message =
                    format!("must be a number of seconds above 0, not {}", seconds.get_ref());
                self.fault(seconds.span().start, key, &message)
            })
    }

    /// One of some words.
    pub(super) fn word<T: Copy>(
        &self,
        key: &str,
        typed: Option<&Spanned<String>>,
        words: &[(&str, T)],
    ) -> Result<Option<T>, TaskError> {
        let Some(typed) = typed else { return Ok(None) };
        let found = words.iter().find(|(word, _)| word == typed.get_ref());
        found.map(|(_, value)| Some(*value)).ok_or_else(|| {
            let known = words.iter().map(|(word, _)| format!("{word:?}")).collect::<Vec<_>>();
            self.fault(typed.span().start, key, &format!("must be {}", known.join(" or ")))
        })
    }

    pub(super) fn fault(&self, at: usize, key: &str, message: &str) -> TaskError {
        TaskError::Value {
            place: format!("{}: {key}", self.place(at)),
            message: message.to_owned(),
        }
    }

    /// `path:line` of the byte `at` of the task file.
    fn place(&self, at: usize) -> String {
        let before = self.text.get(..at).unwrap_or(self.text);
        let line = 1 + before.bytes().filter(|byte| *byte == b'\n').count();
        format!("{}:{line}", self.path.display())
    }
}

fn word_of(kind: ProtectedKind) -> &'static str {
    match kind {
        ProtectedKind::File => "file",
        ProtectedKind::Directory => "directory",
    }
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn default_id(tree: &Path) -> String {
    let name = tree.file_name().map(|name| name.to_string_lossy().into_owned());
    format!("contract-{}", name.unwrap_or_else(|| "root".to_owned()))
}

/// `20cpu-min` and the like.
fn cpu_time(text: &str) -> Option<Duration> {
    let units = [("cpu-s", 1.0), ("cpu-min", 60.0), ("cpu-h", 3600.0)];
    let (number, unit) =
        units.iter().find_map(|(end, unit)| Some((text.strip_suffix(end)?, unit)))?;
    let amount = number.trim().parse::<f64>().ok().filter(|amount| *amount > 0.0)?;
    Duration::try_from_secs_f64(amount * unit).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load_text(text: &str, flags: &Overrides) -> Result<Task, String> {
        let folder = tempfile::tempdir().expect("a temporary directory");
        fs::write(folder.path().join(TASK_FILE), text).expect("a task file");
        let root = folder.path().canonicalize().expect("it is there");
        load(folder.path(), flags)
            .map_err(|error| error.to_string().replace(&root.display().to_string(), "DIR"))
    }

    fn refused(text: &str) -> String {
        load_text(text, &Overrides::default()).expect_err("this must be refused")
    }

    #[test]
    fn every_fault_names_the_key_and_the_line() {
        let shown = refused("task = 1\n");
        assert!(shown.contains("line 1") && shown.contains("expected a string"), "{shown}");
        let shown = refused("task = 'x'\nacceptence = 2\n");
        assert!(shown.contains("line 2") && shown.contains("`acceptence`"), "{shown}");
        for (text, expected) in [
            (
                "[[acceptance]]\nid='a'\nargv=[]\n",
                "DIR/adequacy.toml:3: acceptance.argv: a command needs",
            ),
            (
                "[[acceptance]]\nid='a'\nargv=['A=1','b']\n",
                ":3: acceptance.argv: a command's first word must not hold `=`",
            ),
            ("[[acceptance]]\nid=''\nargv=['b']\n", ":2: acceptance.id: is empty"),
            (
                "[[acceptance]]\nid='a'\nargv=['b']\ntimeout_s=0\n",
                ":4: acceptance.timeout_s: must be a number of seconds above 0, not 0",
            ),
            (
                "[[protected]]\npath='gone/x'\nkind='file'\n",
                ":2: protected.path: `gone/x` is not in the tree `DIR`",
            ),
            (
                "[[acceptance]]\nid='a'\nargv=['b']\n[[acceptance]]\nid='a'\nargv=['b']\n",
                ":5: acceptance.id: `a` is the name of a command before this one too",
            ),
            (
                "[[protected]]\npath='../x'\nkind='file'\n",
                ":2: protected.path: must be relative, without empty, `.` or `..` segments, not \"../x\"",
            ),
            (
                "[[protected]]\npath='x'\nkind='file'\nequivalence='y'\n",
                ":4: protected.equivalence: must be \"python_ast\", on a file, not \"y\" on a file",
            ),
            ("[gates]\nnope = 1\n", ":2: gates.nope: no gate with a threshold"),
            ("[mutate]\nbudget = 'much'\n", "\"2cpu-h\", not \"much\""),
            ("contract_id = ''\n", ":1: contract_id: must not be empty"),
            ("\ntask = ''\n", ":2: task: must not be empty"),
            (
                "[[acceptance]]\nid='a'\nargv=['b']\nids=['x','x']\n",
                ":2: acceptance.ids: must be different test ids, at least one and none empty, not [\"x\", \"x\"]",
            ),
            (
                "[[acceptance]]\nid='a'\nargv=['b']\nrun_writes=['/a']\n",
                ":2: acceptance.run_writes: must be different paths below the tree, not [\"/a\"]",
            ),
            ("[env]\nset={'A=B'='x'}\n", "env.set: \"A=B\" cannot be a variable"),
            ("[env]\nset={A=\"x\\u0000\"}\n", "env.set: \"A\" cannot be a variable"),
            ("[env]\npass=['']\n", "env.pass: \"\" is no variable's name"),
            (
                "[gates]\nkill_ratio = 2\n",
                ":2: gates.kill_ratio: must be a number from 0 up, a share at most 1, not 2",
            ),
            ("start = 'a'\n", ":1: start: cannot look at `DIR/a`"),
        ] {
            let shown = refused(text);
            assert!(shown.contains(expected), "{text}: {shown}");
        }
    }

    #[test]
    fn a_flag_wins_over_the_file_and_says_so() {
        let flags = Overrides {
            include: vec!["a.py".to_owned()],
            timeout: Some(Duration::from_secs(3)),
            limit: Some(7),
            ..Overrides::default()
        };
        let text = "[mutate]\ninclude=['b.py']\nlimit=9\nbudget='2cpu-min'\n[[acceptance]]\nid='u'\nargv=['x']\ntimeout_s=9.5\n";
        let task = load_text(text, &flags).expect("a good task");
        assert_eq!(
            task.mutate.include,
            [Pattern { text: "a.py".into(), origin: "--include".into() }]
        );
        assert_eq!(
            (task.mutate.limit, task.mutate.budget),
            (Some(7), Some(Duration::from_secs(120)))
        );
        assert_eq!(task.commands[0].timeout, Some(Duration::from_secs(3)));
        let task = load_text(text, &Overrides::default()).expect("a good task");
        assert_eq!(task.commands[0].timeout, Some(Duration::from_secs_f64(9.5)));
        assert!(task.mutate.include[0].origin.ends_with("adequacy.toml:2"));
    }

    #[test]
    fn trees_and_patches_are_found_and_fit_together() {
        let folder = tempfile::tempdir().expect("a temporary directory");
        let root = folder.path().canonicalize().expect("it is there");
        for name in ["start", "right", "held", "start/inner"] {
            fs::create_dir(root.join(name)).expect("a folder");
        }
        fs::write(root.join("fix.diff"), "").expect("a file");
        let load = |text: &str| {
            fs::write(root.join(TASK_FILE), text).expect("a task file");
            load(&root, &Overrides::default())
                .map_err(|error| error.to_string().replace(&root.display().to_string(), "DIR"))
        };
        let task =
            load("start='start'\nreference='right'\nheldout='held'\nmust_pass=['held','fix.diff']")
                .expect("a good task");
        assert_eq!((&task.tree, &task.heldout), (&root.join("right"), &Some(root.join("held"))));
        assert_eq!(task.solution, Solution::From(root.join("start")));
        assert_eq!(task.must_pass.iter().map(|it| it.is_patch).collect::<Vec<_>>(), [false, true]);
        let task = load("start='start'\npatch='fix.diff'").expect("a good task");
        assert_eq!(task.tree, root.join("start"));
        assert_eq!(task.solution, Solution::Patch(root.join("fix.diff")));
        assert_eq!(load("start='start'").expect("a good task").solution, Solution::None);
        assert_eq!(load("tree='right'").expect("a good task").solution, Solution::Tree);
        for (text, expected) in [
            ("reference='right'", ":1: reference: needs `start`"),
            ("patch='fix.diff'", ":1: patch: needs `start`"),
            ("start='start'\ntree='right'", ":2: tree: stands alone"),
            ("start='start'\nreference='right'\npatch='fix.diff'", ":3: patch: beside `reference`"),
            ("start='start'\npatch='right'", ":2: patch: must be a file"),
            ("start='fix.diff'", ":1: start: must be a directory"),
            ("start='no'", ":1: start: cannot look at `DIR/no`"),
            ("start='start'\nheldout='start/inner'", ":2: heldout: must be outside"),
            ("start='start'\nreference='right'\nheldout='start'", ":3: heldout: must be outside"),
            (
                "start='start'\nreference='right'\nmust_pass=['start']",
                ":3: must_pass: is the start",
            ),
            ("must_pass=['fix.diff']", ":1: must_pass: a patch needs `start`"),
            ("tree='right'\nheldout='.'", ":2: heldout: must be outside"),
        ] {
            let shown = load(text).expect_err(text);
            assert!(shown.contains(expected), "{text}\n{shown}");
        }
    }

    #[test]
    fn words_after_the_dashes_replace_the_commands_except_for_seal() {
        let text = "[[acceptance]]\nid='u'\nargv=['x']\n";
        let mut flags = Overrides { argv: vec!["y".into(), "z".into()], ..Overrides::default() };
        let task = load_text(text, &flags).expect("a good task");
        assert_eq!((task.commands.len(), task.commands[0].id.as_str()), (1, "command"));
        flags.seal = true;
        assert!(load_text(text, &flags).expect_err("seal refuses").contains("leave out"));
    }

    #[test]
    fn a_bare_tree_needs_no_file_and_a_missing_one_is_named() {
        let folder = tempfile::tempdir().expect("a temporary directory");
        let flags = Overrides { argv: vec!["true".into()], ..Overrides::default() };
        let task = load(folder.path(), &flags).expect("a bare tree");
        assert!(task.file.is_none() && task.contract_id.starts_with("contract-"));
        let shown = load(&folder.path().join("no"), &flags).expect_err("nothing there").to_string();
        assert!(shown.contains("/no`") && shown.contains("No such file"), "{shown}");
    }
}
