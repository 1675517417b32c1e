//! Asks a pytest command, on the unmutated tree, whether stopping early can change more than how long
//! it runs: two runs that are judged by nothing else, with a plugin of ours that tells what it finds.

use std::fs;

use serde::Deserialize;

use super::{Lab, RunError, sharpened};
use crate::run::{Attempt, Exit, Step};

/// The plugin.
const PLUGIN: &str = include_str!("adequacy_probe.py");

/// Name of the plugin's module.
const MODULE: &str = "adequacy_probe";

/// The oldest pytest that is asked.
const OLDEST: u32 = 6;

/// Largest report that is read.
const LARGEST: u64 = 1 << 20;

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

/// Whether the command at `place` may be sharpened; if not, why.
pub(super) fn pytest(lab: &Lab<'_>, place: usize) -> Result<Result<(), String>, RunError> {
    let (exit, found) = ask(lab, place, false)?;
    if exit != Exit::Code(0) {
        let why =
            format!("the unmutated tree does not pass when pytest is told to stop early: {exit}");
        return Ok(Err(why));
    }
    let Some(found) = found else {
        return Ok(Err("the command does not load a plugin from its environment".to_owned()));
    };
    if let Some(why) = objection(&found) {
        return Ok(Err(why));
    }
    // The other half: where tests fail, the status says so.
    let (exit, _) = ask(lab, place, true)?;
    Ok(match exit {
        Exit::Code(1) => Ok(()),
        other => Err(format!("with every test failing it does not end with exit 1 but: {other}")),
    })
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

/// One run with the plugin, with `fail` of tests that all fail.
fn ask(lab: &Lab<'_>, place: usize, fail: bool) -> Result<(Exit, Option<Found>), RunError> {
    let mut seat = lab.seat(0);
    let (step, first) = (Step::Command(place), Attempt::First);
    let name = if fail { "probe-failing" } else { "probe" };
    if let Err(run) = lab.place(&mut seat, name, &[], step, (first, true))? {
        return Ok((run.exit, None));
    }
    let folder = seat.workspace.tmp().join("adequacy-probe");
    let report = folder.join("report.json");
    let put = fs::create_dir_all(&folder)
        .and_then(|()| fs::write(folder.join(format!("{MODULE}.py")), PLUGIN));
    let (Ok(()), Some(folder), Some(told)) = (put, folder.to_str(), report.to_str()) else {
        lab.clean(&mut seat, false)?;
        return Ok((Exit::Lost("the probe cannot be written".to_owned()), None));
    };
    let usual = seat.environment.clone();
    let mut asking = sharpened::environment(&usual, &format!(" -p {MODULE}"))
        .with("ADEQUACY_PROBE", told)
        .with("PYTHONPATH", &first_on_path(folder, &usual));
    if fail {
        asking = asking.with("ADEQUACY_PROBE_FAIL", "1");
    }
    seat.environment = asking;
    let log = lab.log_name(name, step, "");
    let run = lab.spawn(&mut seat, lab.argv(place), lab.limit(place), step, first, log);
    seat.environment = usual;
    let run = run?;
    let met = fs::symlink_metadata(&report).ok().filter(fs::Metadata::is_file);
    let text = met.filter(|met| met.len() <= LARGEST).and_then(|_| fs::read(&report).ok());
    lab.clean(&mut seat, false)?;
    Ok((run.exit, text.and_then(|text| serde_json::from_slice(&text).ok())))
}

fn first_on_path(folder: &str, usual: &crate::run::Environment) -> String {
    match usual.get("PYTHONPATH") {
        Some(own) => format!("{folder}:{}", own.to_string_lossy()),
        None => folder.to_owned(),
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
}
