//! A mutant of a plan as it is read back: the line of `mutants.jsonl`, and how it is kept.

use std::collections::HashSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::place::Source;
use crate::plan::{Class, readable};

/// A line of `mutants.jsonl` as it is read back; its members are those of [`Row`](crate::plan::Row).
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanRow {
    /// The mutant's name.
    pub id: String,
    /// The set it belongs to.
    pub class: Class,
    /// What made it.
    pub operator: String,
    /// Its file.
    pub path: String,
    /// The innermost function around it.
    pub function: Option<String>,
    /// First byte replaced, and the byte after the last.
    pub span: [u32; 2],
    /// Line of the mutated node, from 1; 0 where it has no one place.
    pub line: u32,
    /// UTF-8 byte column of the mutated node, from 0.
    pub column: u32,
    /// The bytes replaced, as text.
    pub before: String,
    /// What stands there instead, as text.
    pub after: String,
    /// What it changes in further files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub more: Vec<Further>,
    /// Why it is not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_counted: Option<String>,
}

/// An edit of a file that is not the mutant's own.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Further {
    /// The file.
    pub path: String,
    /// First byte replaced, and the byte after the last.
    pub span: [u32; 2],
    /// What stands there instead, as text.
    pub after: String,
}

/// A mutant of a plan. A run has many, and most of what their lines say is alike: names are kept once, and of
/// what stands in the place of something only where it differs.
#[derive(Debug)]
pub struct Row {
    /// The mutant's name.
    pub id: Box<str>,
    /// The set it belongs to.
    pub class: Class,
    /// What made it.
    pub operator: Arc<str>,
    /// Its file.
    pub path: Arc<str>,
    /// The innermost function around it.
    pub function: Option<Arc<str>>,
    /// First byte replaced, and the byte after the last.
    pub span: [u32; 2],
    /// Line of the mutated node, from 1; 0 where it has no one place.
    pub line: u32,
    /// UTF-8 byte column of the mutated node, from 0.
    pub column: u32,
    /// The bytes replaced, as text.
    pub before: Arc<str>,
    after: After,
    /// What it changes in further files.
    pub more: Box<[Further]>,
    /// Why it is not counted.
    pub not_counted: Option<Arc<str>>,
}

/// Names and texts that many mutants have, each kept once while a run is read.
#[derive(Debug, Default)]
pub(super) struct Shared(HashSet<Arc<str>>);

impl Shared {
    pub(super) fn one(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.0.get(text) {
            return Arc::clone(known);
        }
        let new = Arc::<str>::from(text);
        self.0.insert(Arc::clone(&new));
        new
    }
}

/// What stands in the place of a text: how much of that stays at both ends, and what is between.
#[derive(Debug)]
struct After {
    head: u32,
    tail: u32,
    between: Box<str>,
}

impl After {
    fn of(before: &str, after: &str) -> Self {
        let same = |one: (char, char)| one.0 == one.1;
        let length = |(one, _): (char, char)| one.len_utf8();
        let head = before.chars().zip(after.chars()).take_while(|&one| same(one));
        let head = head.map(length).sum::<usize>();
        let (rest, own) = (&before[head..], &after[head..]);
        let tail = rest.chars().rev().zip(own.chars().rev()).take_while(|&one| same(one));
        let tail = tail.map(length).sum::<usize>();
        let small = |length| u32::try_from(length).expect("a source is smaller than 4 GiB");
        Self { head: small(head), tail: small(tail), between: own[..own.len() - tail].into() }
    }

    fn in_place_of(&self, before: &str) -> String {
        let (head, tail) = (self.head as usize, before.len() - self.tail as usize);
        [&before[..head], &self.between, &before[tail..]].concat()
    }
}

/// What stands for the function of a mutant that is in none.
const NO_FUNCTION: &str = "(module)";

impl Row {
    pub(super) fn of(line: PlanRow, shared: &mut Shared) -> Self {
        Self {
            id: line.id.into(),
            class: line.class,
            operator: shared.one(&line.operator),
            path: shared.one(&line.path),
            function: line.function.map(|name| shared.one(&name)),
            span: line.span,
            line: line.line,
            column: line.column,
            after: After::of(&line.before, &line.after),
            before: shared.one(&line.before),
            more: line.more.into(),
            not_counted: line.not_counted.map(|why| shared.one(&why)),
        }
    }

    /// The line of `mutants.jsonl` that it was.
    #[must_use]
    pub fn whole(&self) -> PlanRow {
        PlanRow {
            id: self.id.to_string(),
            class: self.class,
            operator: self.operator.to_string(),
            path: self.path.to_string(),
            function: self.function.as_deref().map(str::to_owned),
            span: self.span,
            line: self.line,
            column: self.column,
            before: self.before.to_string(),
            after: self.after(),
            more: self.more.to_vec(),
            not_counted: self.not_counted.as_deref().map(str::to_owned),
        }
    }

    /// What stands in the place of the bytes replaced, as text.
    #[must_use]
    pub fn after(&self) -> String {
        self.after.in_place_of(&self.before)
    }

    /// Whether `source` holds what the mutant replaces.
    pub(super) fn fits(&self, source: &Source) -> bool {
        source
            .bytes
            .get(self.span[0] as usize..self.span[1] as usize)
            .is_some_and(|bytes| readable(bytes) == *self.before)
    }

    /// Line to show a person: 1 for a mutant that has no one place.
    #[must_use]
    pub fn shown_line(&self) -> u32 {
        self.line.max(1)
    }

    /// Its function, or what stands for none.
    #[must_use]
    pub fn place_name(&self) -> &str {
        self.function.as_deref().unwrap_or(NO_FUNCTION)
    }

    /// One sentence on what it does: for sets whose text shows less than they mean.
    #[must_use]
    pub fn in_words(&self) -> Option<String> {
        in_words(self.class, &self.operator, self.function.as_deref(), 1 + self.more.len())
    }

    /// The lines of `source` that it touches, before and after; what it replaces alone where the
    /// source is not at hand.
    #[must_use]
    pub fn lines(&self, source: Option<&Source>) -> (String, String) {
        let Some(source) = source else { return (self.before.to_string(), self.after()) };
        let (head, tail) = source.around(self.span);
        let (head, tail) = (readable(head), readable(tail));
        (format!("{head}{}{tail}", self.before), format!("{head}{}{tail}", self.after()))
    }
}

/// What a mutant does that stands for more than its text shows: a whole change, a whole function.
pub(super) fn in_words(
    class: Class,
    operator: &str,
    function: Option<&str>,
    files: usize,
) -> Option<String> {
    use Class::{Cheat, CheatExtra, Degenerate, FileRevert, NullPatch, StubPatch};
    let summary = adequacy_mutators::operator(operator).map_or(operator, |found| found.summary);
    let function = function.unwrap_or(NO_FUNCTION);
    match class {
        Cheat | CheatExtra | Degenerate => Some(format!("{function}: {summary}")),
        NullPatch | StubPatch | FileRevert => {
            Some(format!("({files} {}) {summary}", if files == 1 { "file" } else { "files" }))
        }
        Class::HunkRevert
        | Class::Change
        | Class::Function
        | Class::Rest
        | Class::Extra
        | Class::Full => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_in_the_place_of_a_text_is_given_back() {
        let before = "f(a, aa)é";
        for after in
            ["", "f", "f(a, aa)é", "f(aa)é", "f(a, a, aa)é", "f(a, aa)è", "g(a, aa)é", "éé", "x"]
        {
            assert_eq!(After::of(before, after).in_place_of(before), after);
            assert_eq!(After::of(after, before).in_place_of(after), before);
        }
        assert_eq!(&*After::of(before, "f(a, b, aa)é").between, "b, ");
    }
}
