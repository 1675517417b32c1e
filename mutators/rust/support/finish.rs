//! From edits to mutations: order, duplicates, and what is left out.

use std::ops::Range;

use super::edits::{Edit, Edits};
use super::parse::{BOM, Source};
use super::walk::Rule;
use crate::{Found, Function, Mutation};

/// Orders the edits, drops those that must not be, and counts them.
pub(crate) fn finish(
    rules: &'static [&'static Rule],
    edits: Edits<'_>,
    functions: Vec<Function>,
    covered: &[Range<usize>],
) -> Found {
    let lines = Lines::of(edits.source());
    let Edits { mut list, unchanged, .. } = edits;
    list.sort_by(|a, b| {
        let key = |edit: &Edit| (edit.span.start, edit.span.end, edit.rule);
        key(a).cmp(&key(b)).then_with(|| a.replacement.cmp(&b.replacement))
    });
    let mut found = Found { unchanged, functions, ..Found::default() };
    let mut kept: Vec<Edit> = Vec::with_capacity(list.len());
    for edit in list {
        let mut same_span = kept.iter().rev().take_while(|earlier| earlier.span == edit.span);
        if same_span.any(|earlier| earlier.replacement == edit.replacement) {
            found.duplicate += 1;
        } else {
            kept.push(edit);
        }
    }
    for edit in kept {
        let holds =
            |range: &Range<usize>| range.contains(&edit.start) || range.contains(&edit.span.start);
        if covered.iter().any(holds) {
            found.skipped += 1;
            continue;
        }
        let (line, column) = lines.place(edit.start);
        found.mutations.push(Mutation {
            operator: &rules[edit.rule].operator,
            span: edit.span,
            replacement: edit.replacement.into_bytes(),
            line,
            column,
            function: edit.function,
        });
    }
    found
}

/// Where the lines of a source start.
pub(crate) struct Lines(Vec<usize>);

impl Lines {
    pub(crate) fn of(source: &Source<'_>) -> Self {
        let text = source.text;
        let first = if text.starts_with(BOM) { BOM.len() } else { 0 };
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Self(std::iter::once(first).chain(ends.map(|(at, _)| at + 1)).collect())
    }

    /// Line from 1 and byte column from 0, the byte order mark left aside.
    pub(crate) fn place(&self, at: usize) -> (u32, u32) {
        let line = self.0.partition_point(|start| *start <= at).max(1);
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        (number(line), number(at.saturating_sub(self.0[line - 1])))
    }
}
