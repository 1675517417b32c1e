//! Which interpreter a command starts, told from its words and the files they name; nothing runs.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};

use crate::base::Argv;

/// An interpreter, and how it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interpreter {
    /// The program to start.
    pub program: PathBuf,
    /// How it was found; `assumed` when nothing in the command names it.
    pub found: Found,
}

/// How an interpreter was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Found {
    /// The command's words name it.
    Argv,
    /// The program's `#!` line names it.
    Shebang,
    /// It stands beside the program, as in a virtual environment or a folder of shims.
    Beside,
    /// `python3` of the search path, for want of better knowledge.
    Assumed,
}

/// The Python that `argv` starts in a copy of the tree at `root`, with this search path.
///
/// `None` when there is no Python at all.
#[must_use]
pub fn python(argv: &Argv, root: &Path, path: &OsStr) -> Option<Interpreter> {
    let search = Search { root, path };
    let words = argv.words();
    named(words, &search)
        .or_else(|| from_program(&words[0], &search))
        .or_else(|| search.program("python3").map(|program| found(program, Found::Assumed)))
        .or_else(|| search.program("python").map(|program| found(program, Found::Assumed)))
}

fn found(program: PathBuf, found: Found) -> Interpreter {
    Interpreter { program, found }
}

struct Search<'a> {
    root: &'a Path,
    path: &'a OsStr,
}

impl Search<'_> {
    /// The file a word starts: below the tree when it holds a `/`, else on the search path.
    fn program(&self, word: &str) -> Option<PathBuf> {
        if word.contains('/') {
            return Some(self.root.join(word)).filter(|file| file.is_file());
        }
        let folders = std::env::split_paths(self.path);
        folders.map(|folder| folder.join(word)).find(|file| is_executable(file))
    }
}

/// A word that names a Python, looked for where a launcher takes it: first, behind `env` and its
/// assignments, behind wrappers, or inside a shell line.
fn named(words: &[String], search: &Search<'_>) -> Option<Interpreter> {
    let first = Path::new(&words[0]).file_name()?.to_str()?;
    if is_python(first) {
        return Some(found(search.program(&words[0])?, Found::Argv));
    }
    let rest = &words[1..];
    if matches!(first, "sh" | "bash" | "dash" | "zsh") {
        let line = rest.iter().find(|word| !word.starts_with('-'))?;
        let word = line.split([' ', ';', '&', '|', '(', '\t', '\n']).find(|word| {
            let name = Path::new(word).file_name().and_then(OsStr::to_str);
            name.is_some_and(is_python)
        })?;
        return Some(found(search.program(word)?, Found::Argv));
    }
    if matches!(first, "env" | "time" | "nice" | "timeout" | "setsid" | "xvfb-run") {
        let skip = |word: &&String| {
            word.starts_with('-') || word.contains('=') || word.parse::<f64>().is_ok()
        };
        let at = rest.iter().position(|word| !skip(&word))?;
        return named(&rest[at..], search).or_else(|| from_program(&rest[at], search));
    }
    None
}

pub(crate) fn is_python(name: &str) -> bool {
    let version = |end: &str| end.chars().all(|c| c.is_ascii_digit() || c == '.');
    ["python", "pypy"].iter().any(|stem| name.strip_prefix(stem).is_some_and(version))
}

/// The interpreter of a program's `#!` line, else the Python beside it.
fn from_program(word: &str, search: &Search<'_>) -> Option<Interpreter> {
    let program = search.program(word)?;
    if let Some(line) = shebang(&program) {
        let words = line.split_whitespace().map(ToOwned::to_owned).collect::<Vec<_>>();
        let through_env = words.first().is_some_and(|first| first.ends_with("/env"));
        let name = if through_env { words.get(1) } else { words.first() }?;
        let base = Path::new(name).file_name()?.to_str()?;
        if is_python(base) {
            return Some(found(search.program(name)?, Found::Shebang));
        }
    }
    let folder = program.parent()?;
    let beside = ["python3", "python"].map(|name| folder.join(name));
    let beside = beside.into_iter().find(|file| is_executable(file))?;
    // A system folder holds a Python beside every program; that says nothing about this one.
    let says_nothing = ["/bin", "/usr/bin", "/usr/local/bin"].map(Path::new).contains(&folder);
    (!says_nothing).then(|| found(beside, Found::Beside))
}

fn shebang(program: &Path) -> Option<String> {
    let mut line = Vec::new();
    BufReader::new(File::open(program).ok()?.take(512)).read_until(b'\n', &mut line).ok()?;
    String::from_utf8(line).ok()?.strip_prefix("#!").map(|rest| rest.trim().to_owned())
}

fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    file.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    fn program(folder: &Path, name: &str, text: &str) {
        let file = folder.join(name);
        fs::create_dir_all(file.parent().expect("below the folder")).expect("a folder");
        fs::write(&file, text).expect("a file");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("its mode");
    }

    #[test]
    fn the_words_then_the_shebang_then_the_neighbour_decide() {
        let folder = tempfile::tempdir().expect("a temporary directory");
        let root = folder.path();
        for name in ["bin/python3", "bin/python3.9", "v/bin/python", "s/python3"] {
            program(root, name, "#!/bin/sh\n");
        }
        program(root, "bin/pytest", &format!("#!{}\n", root.join("v/bin/python").display()));
        program(root, "bin/tool", "#!/usr/bin/env python3.9\n");
        program(root, "s/pytest", "#!/usr/bin/env bash\nexec shim\n");
        program(root, "bin/make", "#!/bin/sh\n");
        let path = std::env::join_paths([root.join("bin")]).expect("plain names");
        let ask = |words: &[&str]| {
            let argv = Argv::new(words.iter().map(ToString::to_string).collect()).expect("words");
            let answer = python(&argv, root, &path).expect("there is a Python");
            let program = answer.program.strip_prefix(root).expect("below").to_owned();
            (program.display().to_string(), answer.found)
        };
        for (words, program, found) in [
            (&["python3.9", "-m", "pytest"][..], "bin/python3.9", Found::Argv),
            (&["v/bin/python", "-m", "pytest"], "v/bin/python", Found::Argv),
            (&["env", "A=1", "python3", "x.py"], "bin/python3", Found::Argv),
            (&["timeout", "9", "pytest"], "v/bin/python", Found::Shebang),
            (&["sh", "-c", "cd x && python3.9 -m unittest"], "bin/python3.9", Found::Argv),
            (&["pytest", "-q"], "v/bin/python", Found::Shebang),
            (&["tool"], "bin/python3.9", Found::Shebang),
            (&["s/pytest"], "s/python3", Found::Beside),
            (&["nothing", "test"], "bin/python3", Found::Assumed),
        ] {
            assert_eq!(ask(words), (program.to_owned(), found), "{words:?}");
        }
    }
}
