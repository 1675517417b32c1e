//! New survivors into the file, with everything that people wrote left as it stands.

use std::fs;

use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, Value, value};

use super::super::group::survivors;
use super::super::ratchet::content_keys;
use super::{Triage, TriageError, TriageFile};
use crate::base::Sha256;
use crate::report::text::short;
use crate::report::{Entry, RunLog};

/// Characters of what a mutant changes.
const ROOM: usize = 160;

/// The name of the tables.
const TABLE: &str = "survivor";

/// What a new file begins with.
const HEAD: &str = "\
# The survivors of a run of `adequacy`, for people to judge. `adequacy triage` adds new ones and changes
# nothing that people write here; `adequacy gate --require-triaged` fails while one is not judged.
#
# classification = \"equivalent\"    no input can tell it from the original: needs reason, by and date
# classification = \"missing-test\"  a test is to be written
# classification = \"accepted\"      it may survive: needs reason
# by = \"Name\"
# date = 2026-01-31                 without quotes
";

/// What an update did.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Edited {
    /// Survivors that were added.
    pub added: usize,
    /// Stale entries that were taken out.
    pub removed: usize,
}

impl TriageFile {
    /// Adds the survivors of `log` that the file does not name, the most telling first, follows those
    /// that moved, and with `prune` takes out the stale ones.
    ///
    /// # Errors
    /// [`TriageError`] when the file cannot be edited or written.
    pub fn update(&self, log: &RunLog, prune: bool) -> Result<Edited, TriageError> {
        let keys = content_keys(log);
        let keyed = keys.iter().zip(&log.entries);
        let known = self.keys();
        let mut document = self.document()?;
        let tables =
            document.entry(TABLE).or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()));
        let Some(tables) = tables.as_array_of_tables_mut() else {
            let message = format!("`{TABLE}` is no list of `[[{TABLE}]]` tables; write it as such");
            return Err(TriageError::Malformed { path: self.path.clone(), message });
        };
        let mut edited = Edited::default();
        let head = tables.get(0).map(head).unwrap_or_default();
        if prune {
            let stale = Triage::of(self, log).stale;
            let stale = stale.iter().map(|(it, _)| it.key.to_string()).collect::<Vec<_>>();
            let is_stale = |table: &Table| {
                text(table, "key").is_some_and(|key| stale.iter().any(|it| it == key))
            };
            let before = tables.len();
            tables.retain(|table| !is_stale(table));
            edited.removed = before - tables.len();
        }
        for table in tables.iter_mut() {
            let key = text(table, "key").map(str::to_owned);
            let found = keyed.clone().find(|(found, _)| Some(found.to_string()) == key);
            if let Some((_, entry)) = found {
                follow(table, "id", (*entry.row.id).into());
                follow(table, "line", i64::from(entry.row.line).into());
            }
        }
        let by_id = keyed.map(|(key, entry)| (&*entry.row.id, key));
        let by_id = by_id.collect::<std::collections::HashMap<_, _>>();
        for entry in survivors(log).into_iter().flat_map(|group| group.survivors) {
            let key = by_id[&*entry.row.id];
            if !known.contains(key) {
                tables.push(table(log, entry, key));
                edited.added += 1;
            }
        }
        keep_head(&mut document, &head);
        self.write(&document)?;
        Ok(edited)
    }

    fn document(&self) -> Result<DocumentMut, TriageError> {
        self.text.parse::<DocumentMut>().map_err(|error| TriageError::Malformed {
            path: self.path.clone(),
            message: error.to_string(),
        })
    }

    fn write(&self, document: &DocumentMut) -> Result<(), TriageError> {
        let head = if self.text.is_empty() { HEAD } else { "" };
        let text = format!("{head}{document}");
        if text == self.text {
            return Ok(());
        }
        fs::write(&self.path, text)
            .map_err(|error| TriageError::Io { path: self.path.clone(), error })
    }
}

/// What stands at the top of the file, before a blank line: the text before the first table that is not
/// about that table alone.
fn head(first: &Table) -> String {
    let before = first.decor().prefix().and_then(|text| text.as_str()).unwrap_or_default();
    before.rfind("\n\n").map_or_else(String::new, |end| before[..end + 2].to_owned())
}

/// Puts the top of the file back where it went with the first table.
fn keep_head(document: &mut DocumentMut, head: &str) {
    let tables = document.get_mut(TABLE).and_then(Item::as_array_of_tables_mut);
    match tables.and_then(|tables| tables.get_mut(0)) {
        Some(first) => {
            let before = first.decor().prefix().and_then(|text| text.as_str()).unwrap_or_default();
            if !before.starts_with(head) {
                let whole = format!("{head}{}", before.trim_start_matches('\n'));
                first.decor_mut().set_prefix(whole);
            }
        }
        None => {
            let whole = format!("{head}{}", document.trailing().as_str().unwrap_or_default());
            document.remove(TABLE);
            document.set_trailing(whole);
        }
    }
}

/// A member that is text.
fn text<'a>(table: &'a Table, name: &str) -> Option<&'a str> {
    table.get(name).and_then(Item::as_str)
}

/// Gives a member that is there another value, and leaves the comment beside it.
fn follow(table: &mut Table, name: &str, mut new: Value) {
    let Some(old) = table.get_mut(name).and_then(Item::as_value_mut) else { return };
    let same = match (&*old, &new) {
        (Value::String(old), Value::String(new)) => old.value() == new.value(),
        (Value::Integer(old), Value::Integer(new)) => old.value() == new.value(),
        _ => false,
    };
    if !same {
        *new.decor_mut() = old.decor().clone();
        *old = new;
    }
}

/// A survivor that nobody has judged.
fn table(log: &RunLog, entry: &Entry, key: &Sha256) -> Table {
    let row = &entry.row;
    let change = row.in_words().unwrap_or_else(|| {
        let (before, after) = row.lines(log.source(entry));
        format!("{} -> {}", short(&before, ROOM), short(&after, ROOM))
    });
    let mut table = Table::new();
    table.decor_mut().set_prefix("\n");
    for (name, text) in [
        ("key", key.to_string()),
        ("id", row.id.to_string()),
        ("path", row.path.to_string()),
        ("function", row.place_name().to_owned()),
    ] {
        table.insert(name, value(text));
    }
    table.insert("line", value(i64::from(row.line)));
    table.insert("operator", value(row.operator.to_string()));
    table.insert("change", value(short(&change, 2 * ROOM + 20)));
    table.insert("classification", value(""));
    table.insert("reason", value(""));
    table
}
