//! Survivors as a person reads them: by function, the most telling first.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::entry::Entry;
use super::log::RunLog;
use crate::measure::ClassTotals;
use crate::plan::Class;

/// The survivors of one function.
#[derive(Debug)]
pub struct Group<'a> {
    /// The file.
    pub path: &'a str,
    /// The function, or what stands for none.
    pub function: &'a str,
    /// Whether no command even loads the file.
    pub not_reached: bool,
    /// How the function's mutants fared.
    pub tally: ClassTotals,
    /// Its survivors, the most telling first.
    pub survivors: Vec<&'a Entry>,
}

/// The survivors of a run by function. The most telling come first: those that undo or cheat more,
/// then functions of which less was killed, then those with more survivors, then by place.
#[must_use]
pub fn survivors(log: &RunLog) -> Vec<Group<'_>> {
    let mut by_function = BTreeMap::<(&str, &str), Vec<&Entry>>::new();
    for entry in log.survivors() {
        by_function.entry((&entry.row.path, entry.row.place_name())).or_default().push(entry);
    }
    let mut groups = by_function
        .into_iter()
        .map(|((path, function), mut survivors)| {
            survivors.sort_by_key(|it| (telling(it.row.class), it.row.line, it.row.span));
            let key = (path.to_owned(), function.to_owned());
            let not_reached = log.run.not_reached.iter().any(|file| file == path);
            let tally = log.count.by_function[&key];
            Group { path, function, not_reached, tally, survivors }
        })
        .collect::<Vec<_>>();
    groups.sort_by_cached_key(|group| {
        let first = group.survivors[0];
        let killed = group.tally.killed * 1000 / group.tally.mutants.max(1);
        let count = Reverse(group.survivors.len());
        (telling(first.row.class), killed, count, group.path, first.row.line)
    });
    groups
}

/// How much a survivor of a class says, the most first.
const fn telling(class: Class) -> u8 {
    match class {
        Class::NullPatch => 0,
        Class::StubPatch => 1,
        Class::FileRevert => 2,
        Class::HunkRevert => 3,
        Class::Cheat => 4,
        Class::CheatExtra => 5,
        Class::Degenerate => 6,
        Class::Change => 7,
        Class::Extra => 8,
        Class::Function => 9,
        Class::Full => 10,
        Class::Rest => 11,
    }
}
