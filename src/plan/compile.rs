//! The judge of viability: `compile()` in the interpreter that the commands start.
//!
//! One process takes all files of a plan. It also finds the mutants whose code equals the
//! original's or an earlier mutant's; line numbers are part of the comparison, columns are not.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use adequacy_mutators::Language;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::Deserialize;
use serde_json::json;

use super::interpreter::Interpreter;
use super::{Class, Fate, Mutant, Plan, PlanFile};
use crate::tree::{Snapshot, TreeError};

const JUDGE: &str = include_str!("judge.py");

/// What the interpreter says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Judge {
    /// `sys.version`, on one line.
    pub version: String,
    /// `sys.executable`.
    pub executable: String,
}

/// Why the mutants could not be judged.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// The interpreter did not start, or broke off.
    #[error("`{program}` could not judge the mutants: {message}")]
    Interpreter {
        /// The program started.
        program: String,
        /// What went wrong.
        message: String,
    },
    /// A source could not be read.
    #[error(transparent)]
    Tree(#[from] TreeError),
}

/// What the interpreter says of one file.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Row {
    /// The file itself does not compile.
    Refused(String),
    /// One verdict a mutant.
    Each(Vec<Verdict>),
}

/// What it says of one mutant.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Verdict {
    /// 0: its code is its own; 1: it is the original's.
    Code(u8),
    /// Its code is that of an earlier mutant that was asked about.
    Of([u32; 1]),
    /// Why it does not compile.
    Refused(Box<str>),
}

/// Marks the mutants of `plan` that do not count: unviable, equivalent, duplicate.
///
/// # Errors
/// [`CompileError`] when the interpreter does not start or does not answer for every mutant.
pub fn judge(
    plan: &mut Plan,
    snapshot: &Snapshot,
    interpreter: &Interpreter,
) -> Result<Judge, CompileError> {
    let program = interpreter.program.display().to_string();
    let fault = |message: String| CompileError::Interpreter { program: program.clone(), message };
    let is_asked = |file: &PlanFile| file.language == Language::Python && !file.mutants.is_empty();
    let files = (0..plan.files.len()).filter(|&file| is_asked(&plan.files[file]));
    let files = files.collect::<Vec<_>>();
    let mut child = Command::new(&interpreter.program)
        .args(["-I", "-c", JUDGE])
        // An interrupt from the keyboard is for this program alone; it ends the run in order.
        .process_group(0)
        .env_remove("PYTHONWARNINGS")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| fault(error.to_string()))?;
    let (judge, rows) = ask(&mut child, plan, &files, snapshot)?;
    let output = child.wait_with_output().map_err(|error| fault(error.to_string()))?;
    let fits = |(file, row): (&usize, &Row)| match row {
        Row::Refused(_) => true,
        Row::Each(row) => row.len() == asked(plan, &plan.files[*file]).count(),
    };
    let whole = files.len() == rows.len() && files.iter().zip(&rows).all(fits);
    let Some(mut judge) = judge.filter(|_| whole && output.status.success()) else {
        let words = String::from_utf8_lossy(&output.stderr);
        let last = words.lines().last().unwrap_or("no words").to_owned();
        return Err(fault(format!("{}: {last}", output.status)));
    };
    for (file, row) in files.into_iter().zip(rows) {
        mark(plan, file, row)
            .map_err(|verdict| fault(format!("an answer it should not give: {verdict:?}")))?;
    }
    judge.version = judge.version.split_whitespace().collect::<Vec<_>>().join(" ");
    Ok(judge)
}

/// Sends the files at these places of the plan, and reads what comes back: less than all of it when
/// the interpreter breaks off.
fn ask(
    child: &mut Child,
    plan: &Plan,
    files: &[usize],
    snapshot: &Snapshot,
) -> Result<(Option<Judge>, Vec<Row>), TreeError> {
    let mut work = child.stdin.take().expect("it is piped");
    let mut answers = BufReader::new(child.stdout.take().expect("it is piped"));
    std::thread::scope(|scope| {
        let sent = scope.spawn(move || {
            for &file in files {
                let line = request(plan, &plan.files[file], snapshot)?;
                // A broken pipe shows as a missing answer, with the interpreter's own words.
                if work.write_all(line.as_bytes()).is_err() {
                    break;
                }
            }
            Ok::<_, TreeError>(())
        });
        let mut line = || {
            let mut line = String::new();
            answers.read_line(&mut line).map(|_| line)
        };
        let judge = line().ok().and_then(|line| serde_json::from_str(&line).ok());
        let row = |_| line().ok().and_then(|line| serde_json::from_str(&line).ok());
        let rows = files.iter().map_while(row).collect();
        sent.join().expect("the sender does not panic").map(|()| (judge, rows))
    })
}

/// The places of the mutants that the interpreter is asked about: those that change this file alone.
fn asked(plan: &Plan, file: &PlanFile) -> impl Iterator<Item = usize> {
    let places = file.mutants.iter().map(|&place| place as usize);
    places.filter(|&place| plan.mutants[place].is_of_one_file())
}

/// Marks the mutants of one file; gives back a verdict that is none.
fn mark(plan: &mut Plan, file: usize, row: Row) -> Result<(), Verdict> {
    let places = asked(plan, &plan.files[file]).collect::<Vec<_>>();
    match row {
        Row::Refused(words) => {
            let fate = Fate::Unviable(format!("the file as it is: {words}").into());
            for place in places {
                let mutant = &mut plan.mutants[place];
                mutant.fate = admitted(mutant, fate.clone());
            }
            plan.files[file].refused = Some(words);
        }
        Row::Each(row) => {
            for (&place, verdict) in places.iter().zip(row) {
                let fate = fate(&places, verdict)?;
                let mutant = &mut plan.mutants[place];
                if let (Class::NullPatch | Class::FileRevert, Fate::Unviable(words)) =
                    (mutant.class, &fate)
                {
                    plan.files[file].refused_before = Some(words.to_string());
                }
                mutant.fate = admitted(mutant, fate);
            }
        }
    }
    Ok(())
}

/// The fate of a mutant in the light of its class: what undoes a change or a whole function is never
/// unviable, and the null patch always counts. A hunk alone that does not parse is not made, nor is a stub:
/// loading it would say all that it can.
pub(super) fn admitted(mutant: &Mutant, fate: Fate) -> Fate {
    match (mutant.class, fate) {
        (Class::NullPatch, _) => Fate::Counted,
        (Class::HunkRevert | Class::StubPatch, fate) => fate,
        (class, Fate::Unviable(_)) if class.is_never_unviable() => Fate::Counted,
        (_, fate) => fate,
    }
}

/// Files of the interpreter's site directories that name `root`: what an editable install leaves.
#[must_use]
pub fn editable_installs(interpreter: &Interpreter, root: &Path) -> Vec<PathBuf> {
    const ASK: &str = "import sys; sys.stdout.write('\\n'.join(p for p in sys.path if p))";
    let Ok(output) = Command::new(&interpreter.program).args(["-c", ASK]).output() else {
        return Vec::new();
    };
    let root = root.as_os_str().as_encoded_bytes();
    let names = |file: &PathBuf| {
        let text = std::fs::read(file).unwrap_or_default();
        text.windows(root.len()).any(|window| window == root)
    };
    let mut found = Vec::new();
    for folder in String::from_utf8_lossy(&output.stdout).lines() {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let files = entries.map(|entry| entry.path()).filter(|file| {
            let name = file.file_name().unwrap_or_default().as_encoded_bytes();
            name.ends_with(b".pth")
                || name.ends_with(b".egg-link")
                || name.starts_with(b"__editable__")
        });
        found.extend(files.filter(names));
    }
    found.sort();
    found
}

fn request(plan: &Plan, file: &PlanFile, snapshot: &Snapshot) -> Result<String, TreeError> {
    let source = file.source(snapshot)?;
    let mutants = asked(plan, file).map(|place| {
        let mutant = &plan.mutants[place];
        let edit = &mutant.edit;
        let text = BASE64.encode(plan.replacement(edit));
        json!([edit.start, edit.end, text, mutant.class.is_undone()])
    });
    let work = json!({
        "path": file.name,
        "source": BASE64.encode(&source),
        "mutants": mutants.collect::<Vec<_>>(),
    });
    Ok(format!("{work}\n"))
}

/// What a verdict on one of the mutants at these places means; gives back one that means nothing.
fn fate(places: &[usize], verdict: Verdict) -> Result<Fate, Verdict> {
    match verdict {
        Verdict::Code(0) => Ok(Fate::Counted),
        Verdict::Code(1) => Ok(Fate::Equivalent),
        Verdict::Code(_) => Err(verdict),
        Verdict::Of([earlier]) => {
            let place = places.get(earlier as usize).and_then(|&place| u32::try_from(place).ok());
            place.map(Fate::Duplicate).ok_or(verdict)
        }
        Verdict::Refused(words) => Ok(Fate::Unviable(words)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{Argv, Silent};
    use crate::plan::{Edit, Texts, interpreter};
    use crate::task::{self, Overrides};
    use crate::tree::{self, Choice};

    /// The fates that the judge gives to these edits of a file.
    fn fates(source: &[u8], edits: &[(&str, &str)]) -> Vec<Fate> {
        let folder = tempfile::tempdir().expect("a temporary directory");
        std::fs::write(folder.path().join("m.py"), source).expect("a source");
        let task = task::load(folder.path(), &Overrides::default()).expect("a bare tree");
        let snapshot = tree::snapshot(folder.path(), &Choice::default(), &Silent).expect("a tree");
        let trees = crate::plan::Trees { base: &snapshot, start: None };
        let mut plan = super::super::plan(&task, trees).expect("a plan");
        let model = plan.mutants.pop().expect("the sources here have a mutant");
        plan.mutants.clear();
        let mut texts = Texts::default();
        for (number, (before, after)) in edits.iter().enumerate() {
            let find = |text: &[u8]| source.windows(text.len()).position(|window| window == text);
            let start = find(before.as_bytes()).expect("the text is there");
            let edit = Edit::new(0, start..start + before.len(), after.as_bytes(), &mut texts);
            let line = u32::try_from(number).expect("few edits");
            plan.mutants.push(Mutant { line, ..Mutant::whole(model.class, model.operator, edit) });
        }
        plan.files[0].texts = texts;
        plan.files[0].mutants = (0..u32::try_from(plan.mutants.len()).expect("few")).collect();
        super::super::id::assign(&mut plan);
        let argv = Argv::new(vec!["python3".to_owned()]).expect("a word");
        let path = std::env::var_os("PATH").expect("a search path");
        let python = interpreter::python(&argv, folder.path(), &path).expect("a Python");
        judge(&mut plan, &snapshot, &python).expect("it answers");
        let wordless = |fate| match fate {
            Fate::Unviable(_) => Fate::Unviable("".into()),
            other => other,
        };
        plan.mutants.into_iter().map(|mutant| wordless(mutant.fate)).collect()
    }

    #[test]
    fn the_interpreter_tells_what_compiles_and_what_is_the_same_code() {
        let source = b"import os\n\ndef f(a):\n    return a + 1 + 1\n\nX = 2 * 3\n";
        let duplicate = Fate::Duplicate(0);
        let fates = fates(
            source,
            &[
                ("a + 1 + 1", "a - 1 + 1"),
                ("a + 1 + 1", "a -  1 + 1"),
                ("2 * 3", "6"),
                ("a + 1 + 1", "a +"),
                ("a + 1 + 1", "(a + 1) + 1"),
                ("2 * 3", "7"),
                ("2 * 3", "7.0"),
                ("a + 1 + 1", "a + 1 + 1\n"),
            ],
        );
        let equal = Fate::Equivalent;
        let unviable = Fate::Unviable("".into());
        let counted = Fate::Counted;
        // The last one moves the line numbers of the code below it.
        let moved = counted.clone();
        let expected = [
            counted.clone(),
            duplicate,
            equal.clone(),
            unviable,
            equal,
            counted.clone(),
            counted,
            moved,
        ];
        assert_eq!(fates, expected);
    }

    #[test]
    fn edits_that_move_lines_or_join_statements_are_judged_as_in_the_whole_file() {
        let source =
            b"import os\n\ndef f(a):\n    return a + 1\n\nif os:\n    X = 2\nif f:\n    Y = 3\n";
        let edits = [
            ("    return a + 1\n", "    pass\n    return a + 1\n"),
            ("return a + 1", "pass\n    return a + 1"),
            ("if f:\n", ""),
            ("def f(a):\n", ""),
        ];
        let duplicate = Fate::Duplicate(0);
        let expected = [Fate::Counted, duplicate, Fate::Counted, Fate::Unviable("".into())];
        assert_eq!(fates(source, &edits), expected);
    }

    #[test]
    fn sources_that_cannot_be_split_are_judged_whole() {
        for source in [
            b"# coding: latin-1\nX = 'caf\xe9'; Y = 2\n".as_slice(),
            b"X = 1\rY = 2\r",
            b"X = 1\n\x0cY = 2\n",
            b"\xef\xbb\xbfX = 1\r\nY = 2\r\n",
            b"'''doc\n'''; X = 2\n",
            b"X = (1,\n 1); Y = 2\n",
        ] {
            let expected = [Fate::Counted, Fate::Unviable("".into())];
            assert_eq!(fates(source, &[("2", "3"), ("2", "(")]), expected, "{source:?}");
        }
    }
}
