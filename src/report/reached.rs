//! Which tests enter the function of a mutant, as far as that was seen.

use super::entry::Entry;
use super::log::RunLog;
use crate::run::Reach;

/// The tests of a command that enter a mutant's function.
pub(super) struct Reached<'a> {
    /// Place of the command.
    pub(super) command: usize,
    /// Id of the command.
    pub(super) id: &'a str,
    /// Numbers of the tests, ascending.
    pub(super) tests: Vec<usize>,
    all: &'a Reach,
}

/// The commands of which it is known, in sealed order; none for a mutant that is in no one function.
pub(super) fn reached<'a>(log: &'a RunLog, entry: &Entry) -> Vec<Reached<'a>> {
    let row = &entry.row;
    let (Some(function), true, true) = (&row.function, row.line > 0, row.more.is_empty()) else {
        return Vec::new();
    };
    let name = function.rsplit('.').next().unwrap_or(function);
    let commands = log.run.commands.iter().enumerate();
    let known = commands.filter_map(|(command, it)| {
        let all = log.tests.get(&it.id)?;
        let tests = all.tests_of(&row.path, row.line, name).collect();
        Some(Reached { command, id: &it.id, tests, all })
    });
    known.collect()
}

impl Reached<'_> {
    /// The names of the first few.
    pub(super) fn names(&self, most: usize) -> Vec<&str> {
        self.tests.iter().take(most).map(|&number| self.all.tests[number].0.as_str()).collect()
    }

    /// One sentence, with the names of the first few.
    pub(super) fn words(&self, most: usize) -> String {
        let (id, names) = (self.id, self.names(most).join(", "));
        match self.tests.len() {
            0 => format!("no test of `{id}` enters its function"),
            1 => format!("one test of `{id}` enters its function: {names}"),
            count if count > most => {
                format!("{count} tests of `{id}` enter its function: {names} and more")
            }
            count => format!("{count} tests of `{id}` enter its function: {names}"),
        }
    }
}
