//! Asks a command of pytest or unittest, on the unmutated tree, whether stopping early can change more than
//! how long it runs: two runs that are judged by nothing else, in which something of ours tells what it
//! finds.

use std::fs;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::{Door, Lab, RunError};
use crate::run::{Attempt, Exit, Runner, Step};

/// The plugin for pytest; what asks unittest is in the worker's package.
const PLUGIN: &str = include_str!("adequacy_probe.py");

/// Name of the plugin's module.
const MODULE: &str = "adequacy_probe";

/// The oldest pytest that is asked.
const OLDEST: u32 = 6;

/// Largest report that is read.
const LARGEST: u64 = 1 << 20;

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

/// What came of a run that was asked.
struct Told {
    exit: Exit,
    report: Option<Vec<u8>>,
    /// How many tests ran, by its output.
    executed: Option<u64>,
}

impl Told {
    fn told<T: DeserializeOwned>(&self) -> Option<T> {
        self.report.as_deref().and_then(|report| serde_json::from_slice(report).ok())
    }
}

/// One run that is asked, with `fail` of tests that all fail.
fn run(lab: &Lab<'_>, place: usize, door: &Door, fail: bool) -> Result<Told, RunError> {
    let mut seat = lab.seat(0);
    let (step, first) = (Step::Command(place), Attempt::First);
    let name = if fail { "probe-failing" } else { "probe" };
    let nothing = |exit| Ok(Told { exit, report: None, executed: None });
    if let Err(run) = lab.place(&mut seat, name, &[], step, (first, true))? {
        return nothing(run.exit);
    }
    let folder = seat.workspace.tmp().join("adequacy-probe");
    let report = folder.join("report.json");
    // Under an overlay mount, what is put there goes where what the command writes goes.
    let (there, written) = (seat.workspace.written(&folder), seat.workspace.written(&report));
    let put = fs::create_dir_all(&there)
        .and_then(|()| fs::write(there.join(format!("{MODULE}.py")), PLUGIN));
    if put.is_err() {
        lab.clean(&mut seat, false)?;
        return nothing(Exit::Lost("the probe cannot be written".to_owned()));
    }
    let usual = seat.environment.clone();
    let asking = door.probe(&usual, MODULE, &report);
    seat.environment = if fail { asking.with("ADEQUACY_PROBE_FAIL", "1") } else { asking };
    let log = lab.log_name(name, step, "");
    let run = lab.spawn(&mut seat, lab.argv(place), lab.limit(place), step, first, log);
    seat.environment = usual;
    let run = run?;
    let met = fs::symlink_metadata(&written).ok().filter(fs::Metadata::is_file);
    let report = met.filter(|met| met.len() <= LARGEST).and_then(|_| fs::read(&written).ok());
    lab.clean(&mut seat, false)?;
    let executed = lab.executed(place, &run.log);
    Ok(Told { exit: run.exit, report, executed })
}

impl Lab<'_> {
    /// How many tests a run of the command at `place` executed, where its runner's output tells.
    pub(super) fn executed(&self, place: usize, log: &str) -> Option<u64> {
        let runner = Runner::of(self.task.commands[place].argv.words())?;
        runner.executed(&fs::read(self.settings.logs.join(log)).ok()?)
    }
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
