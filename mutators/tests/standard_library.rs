//! Mutants of the running interpreter's own standard library are valid Python.

use std::io::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs, str};

use adequacy_mutators::{Control, Language, Mutation};

/// How many files are mutated.
const FILES: usize = 60;
/// Larger files take the interpreter long, as it compiles the whole file for each mutant.
const LARGEST: u64 = 6_000;

const CONTROLS: &[Control] =
    &[Control::RaiseAtLoad, Control::TrailingComment, Control::CommentLine];

fn python() -> String {
    env::var("ADEQUACY_TEST_PYTHON").unwrap_or_else(|_| "python3".to_owned())
}

fn answer(code: &str) -> String {
    let output = Command::new(python()).args(["-I", "-c", code]).output();
    let output = output.expect("the interpreter can be started");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("a path is text").trim_end().to_owned()
}

/// Modules and packages in the order of their paths, evenly spaced over all that are not too large.
fn chosen() -> Vec<PathBuf> {
    let folder = answer("import sysconfig; print(sysconfig.get_path('stdlib'))");
    let mut found = Vec::new();
    add_modules(Path::new(&folder), &mut found);
    found.sort();
    let step = (found.len() / FILES).max(1);
    found.into_iter().step_by(step).take(FILES).collect()
}

fn add_modules(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the library can be read").flatten() {
        let path = entry.path();
        let name = entry.file_name();
        let name = name.to_str().unwrap_or_default();
        let kind = entry.file_type().expect("the listing tells the kind");
        if kind.is_dir() && !["test", "tests", "site-packages", "dist-packages"].contains(&name) {
            add_modules(&path, found);
        } else if kind.is_file()
            && name.ends_with(".py")
            && entry.metadata().is_ok_and(|metadata| metadata.len() <= LARGEST)
        {
            found.push(path);
        }
    }
}

fn request(path: &Path, mutations: &[Mutation]) -> String {
    let mut request = format!("file {}\n", path.display());
    for mutation in mutations {
        request += &line(&mutation.span, &mutation.replacement);
    }
    request
}

fn line(span: &Range<usize>, text: &[u8]) -> String {
    let text: String = text.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{} {} {text}\n", span.start, span.end)
}

// What may be left, all of it known only to the interpreter: `nonlocal` without the assignment it
// needs once that is deleted, a string escape in an f-string expression (before Python 3.12), and
// `break` or `continue` where a version does not allow it yet.
#[test]
fn nearly_all_mutants_compile() {
    let mut total = 0;
    let mut input = String::new();
    for path in chosen() {
        let source = fs::read(&path).unwrap();
        let found = Language::Python.mutations(&source, &|_| true);
        total += found.mutations.len() + CONTROLS.len();
        input += &request(&path, &found.mutations);
        for control in CONTROLS {
            let [(span, text)] = &Language::Python.control(*control, &source)[..] else {
                panic!("a control is one edit");
            };
            input += &line(span, text);
        }
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/compile.py");
    let mut child = Command::new(python())
        .args(["-I", script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let output = str::from_utf8(&output.stdout).unwrap();
    assert!(output.ends_with(&format!("compiled {total}\n")), "{output}");
    let refused = output.lines().filter(|line| line.starts_with("refused")).count();
    assert!(total > 5_000, "only {total} mutants");
    assert!(refused * 200 <= total, "{refused} of {total} are refused:\n{output}");
}
