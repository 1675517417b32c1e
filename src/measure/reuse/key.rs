//! What a verdict rests on besides its mutant: digests by name, or why one is not known.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

use adequacy_mutators::Language;
use serde::{Deserialize, Serialize};

use crate::base::Sha256;
use crate::measure::same_task::without_places;
use crate::measure::{MeasureError, Options, Prepared, RunFile, prepare, run_file};
use crate::plan::interpreter::{Found, Interpreter};
use crate::run::Environment;
use crate::task::Task;
use crate::tree::Snapshot;

/// Prints the digest of what an interpreter may import.
const INSTALLED: &str = include_str!("installed.py");

/// Programs whose words are commands themselves.
const SHELLS: [&str; 4] = ["sh", "bash", "dash", "zsh"];

/// A part of what a verdict rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyPart {
    /// Its digest.
    Sha256(Sha256),
    /// Why nobody can say what it is.
    Unknown(String),
}

/// The parts by name, as a sentence calls them.
pub type Key = BTreeMap<String, KeyPart>;

/// The key of the verdicts of a run that has a baseline.
///
/// # Errors
/// [`MeasureError`] when there is no interpreter any more.
pub(super) fn of(
    task: &Task,
    options: &Options,
    prepared: &Prepared,
    run: &RunFile,
) -> Result<Key, MeasureError> {
    let environment = Environment::of(task, Path::new("/"), 0);
    let roots = [Some(task.tree.as_path()), prepared.links_from.as_ref().map(Snapshot::root)];
    let interpreters = prepare::interpreters(task, &roots)?;
    let named = interpreters.iter().map(|it| it.program.display().to_string()).collect::<Vec<_>>();
    let rest = Task { commands: Vec::new(), ..without_places(task) };
    let asked = (run_file::digest(&rest, options), &rest);
    let flaky = match run.flaky.is_empty() {
        true => known(&run.flaky),
        false => KeyPart::Unknown("a command gives two answers".to_owned()),
    };
    let mut parts = vec![
        ("the version of this program", known(&run.tool)),
        ("the tree", known(&run.tree_sha256)),
        ("the commands", known(&task.commands)),
        ("the task, or how it was asked for", known(&asked)),
        ("the environment", known(&environment_of(&environment))),
        ("the isolation", known(&run.isolation)),
        ("the interpreter", known(&(named, &run.interpreter))),
        ("what flaky commands say", flaky),
    ];
    let started = started(task, prepared, &interpreters);
    if matches!(started, KeyPart::Sha256(_)) {
        // Much to read, and of use only where it is all that the commands start.
        let installed = installed(prepared, run, &environment, &interpreters);
        parts.push(("the installed distributions", installed));
    }
    parts.push(("what the commands start", started));
    Ok(parts.into_iter().map(|(name, part)| (name.to_owned(), part)).collect())
}

/// What of these keys differs or is not known, in words; empty where a verdict of one is one of the other.
pub(super) fn differences(now: &Key, then: &Key) -> Vec<String> {
    let mut all = Vec::new();
    for (name, part) in now {
        match (part, then.get(name)) {
            (KeyPart::Sha256(now), Some(KeyPart::Sha256(then))) if now == then => {}
            (KeyPart::Unknown(why), _) | (_, Some(KeyPart::Unknown(why))) => {
                all.push(format!("{name}: not known ({why})"));
            }
            (KeyPart::Sha256(_), Some(KeyPart::Sha256(_))) => all.push(format!("{name}: another")),
            (KeyPart::Sha256(_), None) => all.push(format!("{name}: not recorded")),
        }
    }
    all
}

fn known(value: &impl Serialize) -> KeyPart {
    KeyPart::Sha256(Sha256::of(&serde_json::to_vec(value).expect("plain values")))
}

fn environment_of(environment: &Environment) -> Vec<(String, Sha256)> {
    let digest = |text: &OsStr| Sha256::of(text.as_encoded_bytes());
    let all = environment.iter();
    all.map(|(name, value)| (name.display().to_string(), digest(value))).collect()
}

/// Whether the programs are those that were looked at: the interpreters, and nothing else by design.
fn started(task: &Task, prepared: &Prepared, interpreters: &[Interpreter]) -> KeyPart {
    let unknown = |why: String| KeyPart::Unknown(why);
    if task.setup.is_some() || task.build.is_some() {
        return unknown("`[setup]` and `[build]` may bring anything in".to_owned());
    }
    let compiled = |file: &crate::plan::PlanFile| file.language != Language::Python;
    if let Some(file) = prepared.plan.files.iter().find(|file| compiled(file)) {
        return unknown(format!("`{}` is built by tools that are not looked at", file.name));
    }
    if interpreters.iter().any(|it| it.found == Found::Assumed) {
        return unknown("a command does not name its Python".to_owned());
    }
    let is_shell = |word: &String| {
        let name = Path::new(word).file_name().and_then(OsStr::to_str);
        name.is_some_and(|name| SHELLS.contains(&name))
    };
    match task.commands.iter().find(|it| it.argv.words().iter().any(is_shell)) {
        Some(command) => unknown(format!("`{}` is a line for a shell", command.id)),
        None => known(&"the interpreters"),
    }
}

/// What the interpreters may import from outside the tree, and what the copies link to.
fn installed(
    prepared: &Prepared,
    run: &RunFile,
    environment: &Environment,
    interpreters: &[Interpreter],
) -> KeyPart {
    let tree = prepared.trees.named().root();
    let value = |name: &str| environment.get(name).unwrap_or_default().to_owned();
    let searched = value("PYTHONPATH");
    let searched = std::env::split_paths(&searched).filter(|path| path.is_absolute());
    let roots = run.linked.iter().map(|path| tree.join(path)).chain(searched);
    let roots = roots.collect::<Vec<_>>();
    let mut all = Vec::new();
    for interpreter in interpreters {
        let mut asked = Command::new(&interpreter.program);
        asked.args(["-I", "-c", INSTALLED]).arg(value("PYTHONUSERBASE")).args(&roots);
        let answer = asked.stdin(Stdio::null()).stderr(Stdio::null()).output();
        let answer = answer.ok().and_then(|it| serde_json::from_slice::<KeyPart>(&it.stdout).ok());
        match answer {
            Some(KeyPart::Sha256(digest)) => all.push(digest),
            Some(unknown) => return unknown,
            None => {
                let shown = interpreter.program.display();
                return KeyPart::Unknown(format!("`{shown}` does not say what it has"));
            }
        }
    }
    known(&all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_another_or_unknown_is_named() {
        let unknown = |why: &str| KeyPart::Unknown(why.to_owned());
        let key = |parts: [(&str, KeyPart); 3]| -> Key {
            parts.map(|(name, part)| (name.to_owned(), part)).into()
        };
        let now = key([("a", known(&1)), ("b", known(&2)), ("c", known(&3))]);
        assert!(differences(&now, &now).is_empty());
        let then = key([("a", known(&2)), ("b", unknown("why")), ("d", known(&3))]);
        let found = differences(&now, &then);
        assert_eq!(found, ["a: another", "b: not known (why)", "c: not recorded"]);
        let lost = key([("a", unknown("x")), ("b", unknown("y")), ("c", known(&3))]);
        assert_eq!(differences(&lost, &lost), ["a: not known (x)", "b: not known (y)"]);
    }
}
