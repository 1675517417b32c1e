//! Which commands and functions can be asked at all.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde::Deserialize;

use super::candidates::{Candidate, Found, Source, is_own};
use super::launch::Launch;
use super::{Kind, Prepared, command, modules};
use crate::base::RelPath;
use crate::plan::{Class, Plan};
use crate::task::Task;
use crate::tree::Snapshot;

/// What there is to ask, and what is not asked and why.
pub(super) fn survey(
    task: &Task,
    prepared: &Prepared,
    heldout: &Snapshot,
) -> (Found, Vec<(String, String)>) {
    let (functions, mut refused) = functions(&prepared.plan);
    let taken = task.commands.iter().map(|command| command.id.clone()).collect();
    let mut found = Found { taken, ..Found::default() };
    let mut head = vec!["python3".to_owned()];
    for command in task.commands.iter().filter(|command| is_own(command)) {
        let mut refuse = |why: &str| refused.push((command.id.clone(), why.to_owned()));
        let Some(launch) = Launch::of(command.argv.words()) else {
            refuse("starts no Python on a script or with `-m`, so its calls cannot be watched");
            continue;
        };
        if found.sources.is_empty() {
            head = launch.head.to_vec();
        }
        let (id, own) = (command.id.clone(), launch.head.to_vec());
        if let Some((target, cases)) = cases(launch.rest, &prepared.trees.base, heldout) {
            let tail = vec!["--cases".to_owned(), cases];
            found.sources.push(Source { id, head: own, targets: vec![target], tail });
        } else if functions.is_empty() {
            refuse(
                "the change touches no function at the top of a Python module that returns a value",
            );
        } else {
            let tail = [&["--".to_owned()], launch.rest].concat();
            found.sources.push(Source { id, head: own, targets: functions.clone(), tail });
        }
    }
    found.imports = imports(prepared, head);
    (found, refused)
}

/// The functions that cheats take the place of and that a module has by name, as `FILE:FUNCTION`; and
/// the others, with the reason.
fn functions(plan: &Plan) -> (Vec<String>, Vec<(String, String)>) {
    let cheats = plan.mutants.iter().filter(|mutant| mutant.class == Class::Cheat);
    let named = cheats.filter_map(|mutant| {
        let file = plan.file(mutant);
        Some((file.name.as_str(), file.functions.get(mutant.function? as usize)?.as_str()))
    });
    let named = named.collect::<BTreeSet<_>>();
    let (plain, others) = named
        .into_iter()
        .partition::<Vec<_>, _>(|(file, function)| !function.contains('.') && !file.contains('='));
    let word = |(file, function): &(&str, &str)| format!("{file}:{function}");
    let why =
        |it| (word(it), "is no function at the top of a module, so no twin asks it".to_owned());
    (plain.iter().map(word).collect(), others.iter().map(why).collect())
}

/// A file of cases, as `adequacy import lcb` makes them.
#[derive(Deserialize)]
struct Cases {
    entry: Option<String>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    testtype: String,
}

/// The function and the file of cases of a command that checks `solution.py` on cases.
fn cases(rest: &[String], base: &Snapshot, heldout: &Snapshot) -> Option<(String, String)> {
    let [script, cases] = rest else { return None };
    if !script.ends_with("check.py") || !cases.ends_with(".json") {
        return None;
    }
    let (tree, path) = match cases.strip_prefix("../heldout/") {
        Some(path) => (heldout, path),
        None => (base, cases.as_str()),
    };
    let path = RelPath::new(path.as_bytes()).ok()?;
    tree.file(&path)?;
    let listed = serde_json::from_slice::<Cases>(&tree.read(&path).ok()?).ok()?;
    let called = listed.cases.iter().any(|case| case.testtype == "functional");
    let entry = listed.entry.filter(|_| called)?;
    Some((format!("solution.py:{entry}"), cases.clone()))
}

fn imports(prepared: &Prepared, head: Vec<String>) -> Option<Candidate> {
    let modules = modules(prepared);
    let argv = [head, vec![Kind::Imports.word()], modules.clone()].concat();
    let id = "import-side-effects".to_owned();
    let command = command(id, argv, Kind::Imports, None);
    (!modules.is_empty()).then_some(Candidate { kind: Kind::Imports, command })
}

/// The last line that a run wrote.
pub(super) fn last_line(logs: &Path, log: &str) -> String {
    let text = fs::read(logs.join(log)).unwrap_or_default();
    let text = String::from_utf8_lossy(&text).into_owned();
    text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("no output").to_owned()
}
