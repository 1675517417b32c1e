//! Which tests of a command make it end in two ways, where its tests are named one by one.

use std::collections::BTreeMap;

use super::MeasureError;
use crate::base::{Event, Sink};
use crate::run::junit;
use crate::run::{Lab, Red, RunError};
use crate::task::Command;

/// Further runs of a command that has given two answers, to see which of its tests do.
const RUNS: usize = 5;

/// The tests that give two answers, by the id of their command, of the commands at these places; told
/// to `sink`. A command without `ids`, or whose runner writes no report of its tests, has no entry.
///
/// # Errors
/// [`MeasureError`] when the run itself cannot go on.
pub(super) fn find(
    lab: &Lab<'_>,
    commands: &[Command],
    places: impl IntoIterator<Item = usize>,
    sink: &dyn Sink,
) -> Result<BTreeMap<String, Vec<String>>, MeasureError> {
    let mut found = BTreeMap::new();
    for place in places {
        let Command { id, ids: Some(ids), .. } = &commands[place] else { continue };
        let mut rounds = Vec::new();
        for _ in 0..RUNS {
            let report = lab.report(place, &[])?;
            rounds.extend(report.and_then(|text| junit::tests(&text).ok()));
        }
        if rounds.is_empty() {
            continue;
        }
        let answers = |test: &String| {
            let name = junit::name_of(test);
            rounds.iter().map(move |round| round.get(&name).copied())
        };
        let differs =
            |test: &&String| answers(test).any(|answer| Some(answer) != answers(test).next());
        let flaky = ids.iter().filter(differs).cloned().collect::<Vec<_>>();
        let names = flaky.iter().map(|test| format!("`{test}`")).collect::<Vec<_>>().join(", ");
        sink.tell(Event::Warning(if flaky.is_empty() {
            format!("`{id}`: none of its tests gave two answers in {RUNS} further runs")
        } else {
            format!("`{id}`: these tests gave two answers in {RUNS} further runs: {names}")
        }));
        found.insert(id.clone(), flaky);
    }
    Ok(found)
}

/// Names the tests before a run is refused because a command gives two answers.
pub(super) fn of_red(
    lab: &Lab<'_>,
    commands: &[Command],
    error: RunError,
    sink: &dyn Sink,
) -> MeasureError {
    if let RunError::Red(red) = &error
        && let Red { flaky: true, id, .. } = &**red
    {
        let place = commands.iter().position(|command| command.id == *id);
        if let Err(worse) = find(lab, commands, place, sink) {
            return worse;
        }
    }
    error.into()
}
