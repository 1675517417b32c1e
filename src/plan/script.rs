//! The files of a tree that a command starts or hands to a test runner: they are tests, by whatever
//! name, and no product.

use std::path::{Component, Path, PathBuf};

use crate::base::{Argv, RelPath};

/// Shells, which take a line after `-c`, and else a script.
const SHELLS: &[&str] = &["sh", "bash", "dash", "zsh"];

/// Programs that start the one their later words name.
const WRAPPERS: &[&str] = &["env", "exec", "nice", "setsid", "time", "timeout", "xvfb-run"];

/// Programs and modules whose words are files of tests.
const RUNNERS: &[&str] = &["pytest", "py.test", "unittest"];

/// The files of the tree at `root` that the words of `argv` name as a script or as tests.
#[must_use]
pub fn named(argv: &Argv, root: &Path) -> Vec<RelPath> {
    let words = argv.words().iter().map(String::as_str).collect::<Vec<_>>();
    let mut found = Vec::new();
    collect(&words, &mut found);
    found.into_iter().filter_map(|word| in_tree(word, root)).collect()
}

fn in_tree(word: &str, root: &Path) -> Option<RelPath> {
    // pytest's `file.py::test`.
    let path = Path::new(word.split("::").next()?);
    let below = if path.is_absolute() { path.strip_prefix(root).ok()? } else { path };
    // Without `./` and `//`.
    let plain = below.components().filter(|part| *part != Component::CurDir).collect::<PathBuf>();
    RelPath::new(plain.as_os_str().as_encoded_bytes()).ok()
}

fn collect<'w>(words: &[&'w str], found: &mut Vec<&'w str>) {
    let Some((first, rest)) = words.split_first() else { return };
    let program = first.rsplit('/').next().unwrap_or(first);
    found.push(first);
    let is_script = |word: &&&str| !word.starts_with('-');
    if SHELLS.contains(&program) {
        match rest {
            [flags, line, ..] if flags.starts_with('-') && flags.ends_with('c') => {
                in_line(line, found);
            }
            _ => found.extend(rest.iter().find(is_script)),
        }
    } else if WRAPPERS.contains(&program) {
        let own = |word: &&&str| {
            word.starts_with('-') || word.contains('=') || word.parse::<f64>().is_ok()
        };
        let skip = rest.iter().take_while(own).count();
        collect(&rest[skip..], found);
    } else if RUNNERS.contains(&program) {
        found.extend(rest.iter().filter(is_script));
    } else if super::interpreter::is_python(program) {
        python(rest, found);
    }
}

/// The simple commands of a shell line.
fn in_line<'w>(line: &'w str, found: &mut Vec<&'w str>) {
    for part in line.split(['&', ';', '|', '\n', '(', ')', '{', '}']) {
        let words = part.split_whitespace().map(|word| word.trim_matches(['"', '\'']));
        collect(&words.collect::<Vec<_>>(), found);
    }
}

fn python<'w>(words: &[&'w str], found: &mut Vec<&'w str>) {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match *word {
            "-X" | "-W" => {
                words.next();
            }
            "-m" => {
                if words.next().is_some_and(|module| RUNNERS.contains(module)) {
                    found.extend(words.filter(|word| !word.starts_with('-')));
                }
                return;
            }
            "-c" => return,
            option if option.starts_with('-') => {}
            script => {
                found.push(script);
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_found_where_a_launcher_takes_it() {
        let names = |line: &[&str]| {
            let words = line.iter().map(ToString::to_string).collect();
            let argv = Argv::new(words).expect("good words");
            let found = named(&argv, Path::new("/tree"));
            let names = found.iter().filter_map(RelPath::as_str).filter(|name| name.contains('.'));
            names.map(str::to_owned).collect::<Vec<_>>()
        };
        for (line, expected) in [
            (&["python3", "check.py"][..], &["check.py"][..]),
            (&["python3", "-X", "dev", "-B", "./sub//check.py", "product.py"], &["sub/check.py"]),
            (&["/usr/bin/python3.12", "/tree/check.py"], &["check.py"]),
            (&["./check.py", "product.py"], &["check.py"]),
            (&["env", "-i", "A=b.c", "timeout", "9", "python3", "check.py"], &["check.py"]),
            (&["sh", "check.sh"], &["check.sh"]),
            (&["bash", "-ec", "cd x && exec python3 'check.py' || ./b.py"], &["check.py", "b.py"]),
            (&["pytest", "-q", "spec.py::test_a"], &["spec.py"]),
            (&["python3", "-m", "pytest", "spec.py", "-q"], &["spec.py"]),
            (&["python3", "-m", "doctest", "product.py"], &[]),
            (&["python3", "-c", "import product.py"], &[]),
            (&["make", "product.py"], &[]),
            (&["python3", "/elsewhere/check.py"], &[]),
            (&["python3", "../check.py"], &[]),
        ] {
            assert_eq!(names(line), expected, "{line:?}");
        }
    }
}
