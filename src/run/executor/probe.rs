//! Asks a pytest command, on the unmutated tree, whether stopping early can change more than how long
//! it runs: two runs that are judged by nothing else, with a plugin of ours that tells what it finds.

use serde::Deserialize;

use super::{Lab, RunError, sharpened};
use crate::run::Exit;
use crate::run::asking::Question;

/// The plugin.
const PLUGIN: &str = include_str!("adequacy_probe.py");

/// The oldest pytest that is asked.
const OLDEST: u32 = 6;

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
    let question = Question {
        name: if fail { "probe-failing" } else { "probe" },
        module: "adequacy_probe",
        plugin: PLUGIN,
        told: b"",
        words: sharpened::WORDS,
        variables: if fail { &[("ADEQUACY_PROBE_FAIL", "1")] } else { &[] },
    };
    let (exit, report) = lab.ask(place, &question)?;
    Ok((exit, report.and_then(|text| serde_json::from_slice(&text).ok())))
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
