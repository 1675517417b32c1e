//! Asks a command of pytest or unittest, on the unmutated tree, whether stopping early can change more than
//! how long it runs: two runs that are judged by nothing else, in which something of ours tells what it
//! finds.

use std::path::Path;

use serde::Deserialize;

use super::{Door, Lab, RunError};
use crate::run::asking::{Question, Told};
use crate::run::{Environment, Exit};

/// The plugin for pytest; what asks unittest is in the worker's package.
const PLUGIN: &str = include_str!("adequacy_probe.py");

/// Name of the plugin's module.
const MODULE: &str = "adequacy_probe";

/// The oldest pytest that is asked.
const OLDEST: u32 = 6;

/// What is told of unittest: see `unittest_probe.py`.
#[derive(Debug, Deserialize)]
struct Loaded {
    objections: Vec<String>,
    tests: u64,
}

/// What the plugin tells: see there.
#[derive(Debug, Deserialize)]
struct Found {
    major: u32,
    maxfail: u64,
    traceback: String,
    summary: bool,
    options: Vec<String>,
    hooks: Vec<String>,
    tests: u64,
}

/// Whether the command at `place` may be sharpened; if not, why. `executed` is how many tests it runs by
/// its own output, where its runner's tells.
pub(super) fn ask(
    lab: &Lab<'_>,
    place: usize,
    door: &Door,
    executed: Option<u64>,
) -> Result<Result<(), String>, RunError> {
    let asked = run(lab, place, door, false)?;
    if asked.exit != Exit::Code(0) {
        let (runner, exit) = (door.runner(), asked.exit);
        let why =
            format!("the unmutated tree does not pass when {runner} is told to stop early: {exit}");
        return Ok(Err(why));
    }
    let why = match door {
        Door::Pytest(_) => match asked.told() {
            Some(found) => objection(&found),
            None => Some("the command does not load a plugin from its environment".to_owned()),
        },
        Door::Unittest(_) => match asked.told() {
            Some(loaded) => of_unittest(loaded, executed, asked.executed),
            None => Some("the command does not let us in by its environment".to_owned()),
        },
    };
    if let Some(why) = why {
        return Ok(Err(why));
    }
    // The other half: where tests fail, the status says so.
    Ok(match run(lab, place, door, true)?.exit {
        Exit::Code(1) => Ok(()),
        other => Err(format!("with every test failing it does not end with exit 1 but: {other}")),
    })
}

/// `usual` and `now` are how many tests ran without us and with us.
fn of_unittest(loaded: Loaded, usual: Option<u64>, now: Option<u64>) -> Option<String> {
    let Loaded { objections, tests } = loaded;
    if let Some(why) = objections.into_iter().next() {
        Some(why)
    } else if tests == 0 {
        Some("it runs no test".to_owned())
    } else if usual.is_none() {
        Some("its output does not tell how many tests it runs".to_owned())
    } else if usual != now {
        Some("it runs another number of tests when it is told to stop early".to_owned())
    } else {
        None
    }
}

fn objection(found: &Found) -> Option<String> {
    let Found { major, maxfail, traceback, summary, options, hooks, tests } = found;
    if *major < OLDEST {
        Some(format!("pytest {major} is older than {OLDEST}"))
    } else if *maxfail != 1 {
        Some(format!("its own words let {maxfail} tests fail before it stops"))
    } else if traceback == "no" || !summary {
        Some("its output does not tell errors while collecting from failing tests".to_owned())
    } else if let Some(option) = options.first() {
        Some(format!("`{option}` is on"))
    } else if let Some(hook) = hooks.first() {
        Some(format!("{hook} may change the exit status"))
    } else if *tests == 0 {
        Some("it runs no test".to_owned())
    } else {
        None
    }
}

/// One run that is asked, with `fail` of tests that all fail.
fn run(lab: &Lab<'_>, place: usize, door: &Door, fail: bool) -> Result<Told, RunError> {
    let environment = |usual: &Environment, report: &Path| {
        let asking = door.probe(usual, MODULE, report);
        if fail { asking.with("ADEQUACY_PROBE_FAIL", "1") } else { asking }
    };
    let question = Question {
        name: if fail { "probe-failing" } else { "probe" },
        files: &[("adequacy_probe.py", PLUGIN.as_bytes())],
        environment: &environment,
    };
    lab.ask(place, &question)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found() -> Found {
        let (options, hooks) = (Vec::new(), Vec::new());
        let traceback = "native".to_owned();
        Found { major: 9, maxfail: 1, traceback, summary: true, options, hooks, tests: 3 }
    }

    #[test]
    fn what_could_change_a_status_is_an_objection() {
        let hooks = vec!["`pytest_sessionfinish` of `conftest`".to_owned()];
        for (found, expected) in [
            (found(), None),
            (Found { traceback: "short".to_owned(), ..found() }, None),
            (Found { major: 5, ..found() }, Some("pytest 5 is older than 6")),
            (
                Found { maxfail: 2, ..found() },
                Some("its own words let 2 tests fail before it stops"),
            ),
            (
                Found { summary: false, ..found() },
                Some("its output does not tell errors while collecting from failing tests"),
            ),
            (Found { options: vec!["stepwise".into()], ..found() }, Some("`stepwise` is on")),
            (
                Found { hooks, ..found() },
                Some("`pytest_sessionfinish` of `conftest` may change the exit status"),
            ),
            (Found { tests: 0, ..found() }, Some("it runs no test")),
        ] {
            assert_eq!(objection(&found).as_deref(), expected);
        }
    }
    #[test]
    fn unittest_must_run_as_many_tests_as_without_us() {
        let objections = vec!["`Own.run` is not unittest's own".to_owned(), "more".to_owned()];
        let loaded = |tests| Loaded { objections: Vec::new(), tests };
        for (loaded, usual, now, expected) in [
            (loaded(3), Some(3), Some(3), None),
            // A class that is skipped as a whole is loaded and not run.
            (loaded(4), Some(3), Some(3), None),
            (
                loaded(3),
                Some(3),
                Some(2),
                Some("it runs another number of tests when it is told to stop early"),
            ),
            (loaded(3), None, None, Some("its output does not tell how many tests it runs")),
            (loaded(0), Some(3), Some(3), Some("it runs no test")),
            (
                Loaded { objections, tests: 3 },
                Some(3),
                Some(3),
                Some("`Own.run` is not unittest's own"),
            ),
        ] {
            assert_eq!(of_unittest(loaded, usual, now).as_deref(), expected);
        }
    }
}
