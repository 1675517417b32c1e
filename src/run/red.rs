//! An unmutated tree that does not pass, and what helps a person who meets one.

use std::collections::BTreeSet;
use std::fs;

use super::lab::Lab;
use super::{Exit, Run, RunError, Step};
use crate::base::{Argv, RelPath};
use crate::task::{Command, Task};
use crate::tree::{Reason, Snapshot};

/// Bytes of the end of an output that a message shows.
const SHOWN: usize = 2000;

/// Left-out paths that a hint names.
const NAMED: usize = 6;

/// A run of the unmutated tree that did not pass.
#[derive(Debug)]
pub struct Red {
    /// The command, `setup` or `build`.
    pub id: String,
    /// Its words.
    pub argv: String,
    /// When, as logs are named: `baseline-2`, `sentinel-1`.
    pub scenario: String,
    /// Whether an earlier run of the same passed.
    pub flaky: bool,
    /// What it did.
    pub exit: Exit,
    /// The end of its output.
    pub output: String,
    /// What to look at, the likeliest first.
    pub hints: Vec<String>,
}

impl Lab<'_> {
    /// The error that a run of the unmutated tree is when it does not pass.
    pub(super) fn red(&self, run: &Run, scenario: &str, flaky: bool) -> RunError {
        let task = self.task;
        let (id, argv) = match run.step {
            Step::Setup => ("setup", task.setup.as_ref().map(|step| &step.argv)),
            Step::Build => ("build", task.build.as_ref().map(|step| &step.argv)),
            Step::Product(place) => ("product", Some(self.builds.product(place))),
            Step::Command(place) | Step::Tests(place) => {
                let Command { id, argv, .. } = &task.commands[place];
                (id.as_str(), Some(argv))
            }
        };
        let (id, argv) = (id.to_owned(), argv.expect("a step comes from the task's own table"));
        if let Exit::NotStarted(why) = &run.exit {
            let typed = task.file.is_none() || id == "command";
            let why = format!("{why}{}", one_word(argv, typed).unwrap_or_default());
            return RunError::NotStarted { id, why };
        }
        if let Exit::Lost(_) | Exit::Starved(_) = run.exit {
            return RunError::NoAnswer { id, exit: run.exit.clone() };
        }
        let output = fs::read(self.settings.logs.join(&run.log)).unwrap_or_default();
        let end = &output[output.len().saturating_sub(SHOWN)..];
        RunError::Red(Box::new(Red {
            id,
            argv: argv.to_string(),
            scenario: scenario.to_owned(),
            flaky,
            exit: run.exit.clone(),
            output: String::from_utf8_lossy(end).into_owned(),
            hints: hints(task, argv, self.snapshot, &String::from_utf8_lossy(&output)),
        }))
    }
}

/// What a person is told when the unmutated tree does not pass.
pub(super) fn explain(red: &Red) -> String {
    let Red { id, argv, scenario, exit, output, .. } = red;
    let what = if red.flaky { "passed before and now" } else { "must pass, but" };
    let hints = if red.flaky {
        "hint: its verdicts cannot be trusted: find what differs between two runs, or leave the \
         command out; with `--allow flaky` it stays, and its failures decide nothing"
            .to_owned()
    } else {
        red.hints.iter().map(|hint| format!("hint: {hint}")).collect::<Vec<_>>().join("\n")
    };
    format!(
        "`{id}` {what} {exit} on the unmutated tree ({scenario})\n  command: {argv}\n  output:\n{}\n{hints}",
        indent(output)
    )
}

fn indent(text: &str) -> String {
    text.trim_end().lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}

/// The hint for a whole command line that was given as one word; `typed` after `--`, else in a file.
fn one_word(argv: &Argv, typed: bool) -> Option<String> {
    let [line] = argv.words() else { return None };
    let words = line.split_whitespace().collect::<Vec<_>>();
    if words.len() < 2 {
        return None;
    }
    let shell = ["sh", "-c", line].map(str::to_owned).to_vec();
    let shell = Argv::new(shell).expect("its first word is `sh`, and no argv holds NUL");
    let is_plain = !line.contains(['\'', '"', '\\', '$', '|', '&', ';', '<', '>', '*', '(']);
    let (apart, through) = if typed {
        (format!("`-- {}`", words.join(" ")), format!("`-- {shell}`"))
    } else {
        (format!("`argv = {words:?}`"), format!("`argv = {:?}`", shell.words()))
    };
    let apart =
        if is_plain { format!("give its words one by one, {apart}, or ") } else { String::new() };
    Some(format!(
        "\nhint: the whole command was given as one word; {apart}let a shell take it apart, {through}"
    ))
}

/// What to look at when `argv` does not pass in a copy of the tree.
fn hints(task: &Task, argv: &Argv, snapshot: &Snapshot, output: &str) -> Vec<String> {
    let set = task.env_set.iter().map(|(name, value)| format!("{name}={value}"));
    let mut words = if task.env_set.is_empty() { Vec::new() } else { vec!["env".to_owned()] };
    words.extend(set.chain(argv.words().iter().cloned()));
    let by_hand = Argv::new(words).expect("an argv, perhaps behind `env`");
    let go = vec!["cd".to_owned(), task.tree.display().to_string()];
    let go = Argv::new(go).expect("a path holds no NUL");
    let mut hints =
        vec![format!("does it pass when you run it in your own tree? `{go} && {by_hand}`")];
    let stays =
        |reason| matches!(reason, Reason::TaskFile | Reason::RunDirectory | Reason::Special(_));
    let left_out = snapshot.left_out().iter().filter(|left| !stays(left.reason));
    let left_out = left_out.map(ToString::to_string).collect::<Vec<_>>();
    let (named, more) = left_out.split_at(left_out.len().min(NAMED));
    if !named.is_empty() {
        let more =
            if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
        let named = named.join(", ");
        hints.push(format!(
            "if so, what differs in the copy: it is without {named}{more}; `--keep NAME` keeps one"
        ));
    }
    hints.extend(of_cargo(output));
    hints.push(
        "commands see a private HOME and an allow-list of variables; `--env NAME` passes one of yours"
            .to_owned(),
    );
    if let Some(package) = missing_package(snapshot, output) {
        hints.push(format!(
            "`{package}` lies in `src/`, where it is not looked for: put \
             `[env] set = {{ PYTHONPATH = \"src\" }}` into the task file, or give pytest `-o pythonpath=src`"
        ));
    }
    hints
}

/// What cargo and rustup lack, by their own words.
fn of_cargo(output: &str) -> Option<String> {
    let says = |texts: &[&str]| texts.iter().any(|text| output.contains(text));
    if says(&["is not installed", "could not download file from", "custom toolchain"])
        && says(&["toolchain"])
    {
        return Some(
            "the tree names a toolchain that is not installed, and commands install none: \
             `rustup toolchain install` in your own tree first"
                .to_owned(),
        );
    }
    let is_offline = says(&[
        "Could not resolve host",
        "Couldn't resolve host",
        "failed to download",
        "failed to get",
        "attempting to make an HTTP request, but --offline",
        "spurious network error",
        "Unable to update",
        "you're using offline mode",
    ]);
    is_offline.then(|| {
        "dependencies are missing, and commands reach no network where these are isolated: \
         `cargo fetch` in your own tree first, keep a `Cargo.lock`, and give the command `--offline`"
            .to_owned()
    })
}

/// The package or module of `src/` that the output says cannot be imported.
fn missing_package(snapshot: &Snapshot, output: &str) -> Option<String> {
    let in_src = snapshot.files().filter_map(|(path, _, _)| importable(path));
    let in_src = in_src.collect::<BTreeSet<_>>();
    let lines = output.lines();
    let mut lines = lines.filter(|line| {
        ["ModuleNotFoundError", "ImportError"].iter().any(|error| line.contains(error))
    });
    lines.find_map(|line| {
        let quoted = line.split(['\'', '"']).skip(1).step_by(2);
        let mut first = quoted.filter_map(|name| name.split('.').next());
        first.find(|name| in_src.contains(name)).map(str::to_owned)
    })
}

/// The name under which the file at `path` is imported when `src` is on the path, if it lies there.
fn importable(path: &RelPath) -> Option<&str> {
    let below = path.as_str()?.strip_prefix("src/")?;
    let stem = below.strip_suffix(".py")?;
    Some(stem.split_once('/').map_or(stem, |(package, _)| package))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn argv(words: &[&str]) -> Argv {
        Argv::new(words.iter().map(ToString::to_string).collect()).expect("good words")
    }

    #[test]
    fn a_command_line_in_one_word_is_taken_apart() {
        assert_eq!(one_word(&argv(&["pytest"]), true), None);
        assert_eq!(one_word(&argv(&["no such", "-q"]), true), None);
        let hint = |line: &str, typed| one_word(&argv(&[line]), typed).expect("a hint");
        assert_eq!(
            hint("python3 -m pytest -q", true),
            "\nhint: the whole command was given as one word; give its words one by one, \
             `-- python3 -m pytest -q`, or let a shell take it apart, `-- sh -c 'python3 -m pytest -q'`"
        );
        assert_eq!(
            hint("pytest -q", false),
            "\nhint: the whole command was given as one word; give its words one by one, \
             `argv = [\"pytest\", \"-q\"]`, or let a shell take it apart, \
             `argv = [\"sh\", \"-c\", \"pytest -q\"]`"
        );
        assert_eq!(
            hint("cd x && make test", true),
            "\nhint: the whole command was given as one word; let a shell take it apart, \
             `-- sh -c 'cd x && make test'`"
        );
    }
}
