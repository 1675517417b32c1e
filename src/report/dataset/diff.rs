//! What two summaries of the same tasks differ in.

use std::collections::BTreeMap;

use super::{Numbers, TaskRow};
use crate::base::Sha256;
use crate::measure::ClassTotals;
use crate::plan::Class;

/// A task that is not the same in two summaries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Difference {
    /// It is in the new one alone.
    Added(String),
    /// It is in the old one alone.
    Gone(String),
    /// It is in both, with these differences.
    Changed(String, Vec<String>),
}

/// The tasks that differ, in the order of their names. CPU time, and what else hangs on a clock or on
/// how often a tree was run, is no difference.
#[must_use]
pub fn diff(old: &[TaskRow], new: &[TaskRow]) -> Vec<Difference> {
    let by_id = |rows: &[TaskRow]| rows.iter().map(|row| (row.id.clone(), row.clone())).collect();
    let (mut old, new): (BTreeMap<_, _>, BTreeMap<_, _>) = (by_id(old), by_id(new));
    let mut found = Vec::new();
    for (id, after) in new {
        match old.remove(&id) {
            None => found.push((id.clone(), Difference::Added(id))),
            Some(before) => {
                let words = changes(&before, &after);
                if !words.is_empty() {
                    found.push((id.clone(), Difference::Changed(id, words)));
                }
            }
        }
    }
    found.extend(old.into_keys().map(|id| (id.clone(), Difference::Gone(id))));
    found.sort_by(|(one, _), (other, _)| one.cmp(other));
    found.into_iter().map(|(_, difference)| difference).collect()
}

fn changes(before: &TaskRow, after: &TaskRow) -> Vec<String> {
    let mut words = Vec::new();
    let mut compare = |what: &str, before: String, after: String| {
        if before != after {
            words.push(format!("{what}: {before} -> {after}"));
        }
    };
    let exit = |row: &TaskRow| or_none(row.exit);
    compare("exit", exit(before), exit(after));
    let state = |row: &TaskRow| match row.state {
        None => "no run".to_owned(),
        Some(state) => format!("{state:?}").to_lowercase(),
    };
    compare("run", state(before), state(after));
    match (&before.numbers, &after.numbers) {
        (Some(before), Some(after)) => numbers(before, after, &mut compare),
        (None, None) => {}
        (before, after) => {
            let word = |it: &Option<Numbers>| if it.is_some() { "measured" } else { "none" };
            compare("numbers", word(before).to_owned(), word(after).to_owned());
        }
    }
    words
}

fn numbers(before: &Numbers, after: &Numbers, compare: &mut impl FnMut(&str, String, String)) {
    compare("program", before.tool.clone(), after.tool.clone());
    let digest = |it: &Numbers| or_none(it.contract_sha256.as_ref().map(Sha256::to_string));
    compare("contract", digest(before), digest(after));
    for class in Class::ALL {
        let counts = |it: &Numbers| match it.classes.get(class) {
            None => "none".to_owned(),
            Some(ClassTotals { mutants, killed, undecided: 0 }) => {
                format!("{killed} of {mutants} killed")
            }
            Some(ClassTotals { mutants, killed, undecided }) => {
                format!("{killed} of {mutants} killed, {undecided} undecided")
            }
        };
        compare(class.name(), counts(before), counts(after));
    }
    let unviable = |it: &Numbers| it.unviable.to_string();
    compare("unviable", unviable(before), unviable(after));
    let names = before.gates.keys().chain(after.gates.keys());
    for name in names.collect::<std::collections::BTreeSet<_>>() {
        let gate = |it: &Numbers| match it.gates.get(name) {
            None => "not judged",
            Some(true) => "passes",
            Some(false) => "fails",
        };
        compare(&format!("gate {name}"), gate(before).to_owned(), gate(after).to_owned());
    }
    let allowed = |it: &Numbers| or_none(Some(it.allowed.join(" ")).filter(|it| !it.is_empty()));
    compare("let through", allowed(before), allowed(after));
}

fn or_none(value: Option<impl std::fmt::Display>) -> String {
    value.map_or_else(|| "none".to_owned(), |value| value.to_string())
}

#[cfg(test)]
mod tests {
    use super::super::testing::row;
    use super::*;

    #[test]
    fn only_what_is_no_matter_of_clocks_differs() {
        let mut slower = row("a", (4, 3, 0));
        let numbers = slower.numbers.as_mut().expect("it has some");
        (numbers.cpu_s, numbers.unmutated_runs, numbers.flake_bound) = (9.0, 99, 0.03);
        assert_eq!(diff(&[row("a", (4, 3, 0))], &[slower]), []);
    }

    #[test]
    fn what_differs_is_named_by_task() {
        let old = [row("a", (4, 3, 0)), row("b", (2, 2, 0)), row("c", (1, 1, 0))];
        let mut undecided = row("b", (2, 1, 1));
        undecided.exit = Some(6);
        let new = [TaskRow::without("c", String::new()), undecided, row("d", (1, 1, 0))];
        let changed = |id: &str, words: &[&str]| {
            Difference::Changed(id.to_owned(), words.iter().map(|it| (*it).to_owned()).collect())
        };
        let b = [
            "exit: 0 -> 6",
            "change: 2 of 2 killed -> 1 of 2 killed, 1 undecided",
            "gate undecided: passes -> fails",
        ];
        let c = ["exit: 0 -> none", "run: finished -> no run", "numbers: measured -> none"];
        assert_eq!(
            diff(&old, &new),
            [
                Difference::Gone("a".to_owned()),
                changed("b", &b),
                changed("c", &c),
                Difference::Added("d".to_owned()),
            ]
        );
    }
}
