//! Test ids of a benchmark, made into the words of a command.

use super::ImportError;

/// Most bytes of a command's words together: a system takes two megabytes with the environment.
const LONGEST: usize = 1 << 20;

/// Most bytes of one word on Linux, its NUL among them.
const LONGEST_WORD: usize = 128 << 10;

/// A command that runs just these tests.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Selection {
    /// The whole command.
    pub(super) argv: Vec<String>,
    /// What may be the file of each test, the likeliest first.
    pub(super) files: Vec<Vec<String>>,
}

/// How a runner names a test.
enum Test<'a> {
    /// `path/file.py::Class::test[case]`.
    Pytest { file: &'a str },
    /// `module.Class.test`, also written `test (module.Class)`.
    Unittest { name: String },
}

/// The command for the ids of the record's `member`: `runner` and the ids, or what their form asks for.
pub(super) fn select(
    member: &str,
    ids: &[String],
    runner: Option<&[String]>,
) -> Result<Selection, ImportError> {
    let mut bad = Vec::new();
    let mut selection = Selection { argv: Vec::new(), files: Vec::new() };
    let (mut pytest, mut unittest) = (None, None);
    for id in ids {
        match (test(id), runner) {
            (Err(why), _) => bad.push(format!("`{}` {why}", id.escape_debug())),
            (Ok(Some(Test::Pytest { file })), _) => {
                pytest = Some(id);
                selection.files.push(vec![file.to_owned()]);
                selection.argv.push(id.clone());
            }
            (Ok(Some(Test::Unittest { name })), _) => {
                unittest = Some(id);
                selection.files.push(files_of(&name));
                selection.argv.push(name);
            }
            (Ok(None), Some(_)) => selection.argv.push(id.clone()),
            (Ok(None), None) => {
                let why =
                    "has neither pytest's form nor unittest's; name its program with --runner";
                bad.push(format!("`{}` {why}", id.escape_debug()));
            }
        }
    }
    if let (Some(one), Some(other), None) = (pytest, unittest, runner) {
        bad.push(format!(
            "`{one}` and `{other}` need two programs; name one that takes both with --runner"
        ));
    }
    if !bad.is_empty() {
        let shown = bad.iter().take(5).map(String::as_str).collect::<Vec<_>>().join("; ");
        let more =
            if bad.len() > 5 { format!("; and {} more", bad.len() - 5) } else { String::new() };
        return Err(ImportError::Refused(format!(
            "ids of {member} that no command can be given: {shown}{more}"
        )));
    }
    let program = match (runner, unittest) {
        (Some(runner), _) => runner.to_vec(),
        (None, Some(_)) => words(&["python3", "-m", "unittest"]),
        (None, None) => words(&["python3", "-m", "pytest", "-q", "-rA"]),
    };
    selection.argv.splice(0..0, program);
    let bytes = selection.argv.iter().map(|word| word.len() + 1).sum::<usize>();
    if bytes > LONGEST {
        let what = format!(
            "the {} ids of {member} have {bytes} bytes, more than a command takes",
            ids.len()
        );
        return Err(ImportError::Refused(what));
    }
    Ok(selection)
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(ToString::to_string).collect()
}

/// What an id names; `None` for a form that only its own runner knows, or why no runner can be given it.
fn test(id: &str) -> Result<Option<Test<'_>>, &'static str> {
    if id.trim().is_empty() {
        return Err("is empty");
    }
    if id.starts_with(['-', '@']) {
        return Err("would be taken for an option");
    }
    if id.chars().any(char::is_control) {
        return Err("holds a control character");
    }
    if id.len() >= LONGEST_WORD {
        return Err("is longer than a word of a command may be");
    }
    if let Some((method, rest)) = id.split_once(" (")
        && is_name(method)
    {
        let class = rest.strip_suffix(')').filter(|class| class.split('.').all(is_name));
        let class = class.ok_or("names a test of unittest and something after it")?;
        if class.split('.').next() == Some("__main__") {
            return Err("names no module that can be loaded");
        }
        let with_method = class.strip_suffix(method).is_some_and(|class| class.ends_with('.'));
        let name = if with_method { class.to_owned() } else { format!("{class}.{method}") };
        return Ok(Some(Test::Unittest { name }));
    }
    let (place, case) = id.split_once('[').map_or((id, None), |(place, case)| (place, Some(case)));
    let file = place.split("::").next().unwrap_or(place);
    if file.ends_with(".py") {
        // Lists of ids that were split at blanks hold halves of them.
        if case.is_some_and(|case| !case.ends_with(']')) {
            return Err("opens a bracket that it does not close: an id that was cut");
        }
        return Ok(Some(Test::Pytest { file }));
    }
    let dots = id.split('.').collect::<Vec<_>>();
    let dotted = dots.len() > 2 && dots.into_iter().all(is_name);
    Ok(dotted.then(|| Test::Unittest { name: id.to_owned() }))
}

fn is_name(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && letters.all(|c| c.is_alphanumeric() || c == '_')
}

/// The files that may hold the module of `a.b.Class.test`.
fn files_of(name: &str) -> Vec<String> {
    let parts = name.split('.').collect::<Vec<_>>();
    let modules = (1..parts.len()).rev().map(|end| parts[..end].join("/"));
    modules.flat_map(|module| [format!("{module}.py"), format!("{module}/__init__.py")]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn argv(ids: &[&str], runner: Option<&[&str]>) -> Result<String, String> {
        let ids = ids.iter().map(ToString::to_string).collect::<Vec<_>>();
        let runner = runner.map(words);
        let selection = select("FAIL_TO_PASS", &ids, runner.as_deref());
        selection.map(|selection| selection.argv.join(" | ")).map_err(|error| error.to_string())
    }

    #[test]
    fn ids_become_words_of_the_program_their_form_asks_for() {
        for (ids, runner, expected) in [
            (
                vec!["tests/t.py::test_a", "t.py::T::test_b[x y-é::z]"],
                None,
                "python3 | -m | pytest | -q | -rA | tests/t.py::test_a | t.py::T::test_b[x y-é::z]",
            ),
            (
                vec!["test_a (app.tests.T)", "test_b (app.tests.T.test_b)", "app.tests.T.test_c"],
                None,
                "python3 | -m | unittest | app.tests.T.test_a | app.tests.T.test_b | app.tests.T.test_c",
            ),
            (
                vec!["test_bare", "test_a (m.T)", "t.py::x"],
                Some(&["bin/test", "-C"][..]),
                "bin/test | -C | test_bare | m.T.test_a | t.py::x",
            ),
        ] {
            assert_eq!(argv(&ids, runner).as_deref(), Ok(expected));
        }
    }

    #[test]
    fn ids_that_are_no_words_are_refused_by_name() {
        for (id, why) in [
            ("", "is empty"),
            ("--pdb", "would be taken for an option"),
            ("@file", "would be taken for an option"),
            ("t.py::a\nb", "holds a control character"),
            ("t.py::a[x", "opens a bracket that it does not close: an id that was cut"),
            ("test_a (m.T) (i=1)", "names a test of unittest and something after it"),
            ("test_a (__main__.T)", "names no module that can be loaded"),
            (
                "test_bare",
                "has neither pytest's form nor unittest's; name its program with --runner",
            ),
            (
                "A sentence about it.",
                "has neither pytest's form nor unittest's; name its program with --runner",
            ),
        ] {
            let words = format!(
                "ids of FAIL_TO_PASS that no command can be given: `{}` {why}",
                id.escape_debug()
            );
            assert_eq!(argv(&[id], None), Err(words));
        }
        let both = argv(&["t.py::a", "test_a (m.T)"], None).expect_err("two programs");
        assert!(both.ends_with("`t.py::a` and `test_a (m.T)` need two programs; name one that takes both with --runner"), "{both}");
        let many = argv(&["a"; 7], None).expect_err("no form");
        assert!(many.ends_with("; and 2 more"), "{many}");
        let long = "t.py::".to_owned() + &"x".repeat(100_000);
        let long = argv(&[long.as_str(); 11], None).expect_err("too long");
        assert!(long.contains("the 11 ids of FAIL_TO_PASS have 1100102 bytes"), "{long}");
    }

    #[test]
    fn the_file_of_a_dotted_name_is_looked_for_from_the_longest() {
        assert_eq!(files_of("a.T.t"), ["a/T.py", "a/T/__init__.py", "a.py", "a/__init__.py"]);
    }
}
