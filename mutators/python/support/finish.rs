//! From edits to mutations: order, duplicates, and what is refused.

use std::ops::Range;

use tree_sitter::Tree;

use super::edits::{Edit, Edits};
use super::layout;
use super::skip;
use super::walk::{Rule, Seen};
use crate::{Found, Mutation};

/// Orders the edits, drops those that must not be, and counts them.
pub(crate) fn finish(
    tree: &Tree,
    source: &[u8],
    rules: &'static [&'static Rule],
    edits: Edits<'_>,
    seen: Seen,
) -> Found {
    let Edits { mut list, too_long, unchanged, .. } = edits;
    list.sort_unstable_by(|a, b| {
        let key = |edit: &Edit| (edit.span.start, edit.span.end, edit.rule);
        key(a).cmp(&key(b)).then_with(|| a.replacement.cmp(&b.replacement))
    });
    let all = list.len();
    let list = without_duplicates(list);

    let unreadable = skip::merged(seen.unreadable);
    let covered = skip::covered(tree, source);
    let mark = if source.starts_with(layout::BOM) { layout::BOM.len() } else { 0 };
    let duplicate = number(all - list.len());
    let mut found = Found { too_long, unchanged, duplicate, ..Found::default() };
    found.mutations.reserve_exact(list.len());
    for edit in list {
        if touches(&unreadable, &edit.span) {
            found.unreadable += 1;
        } else if holds(&covered, edit.start) || holds(&covered, edit.span.start) {
            found.skipped += 1;
        } else if !ends_a_generator(&edit, &seen.yields) {
            let column = edit.column - if edit.row == 0 { mark.min(edit.column) } else { 0 };
            found.mutations.push(Mutation {
                operator: &rules[edit.rule].operator,
                span: edit.span,
                replacement: edit.replacement,
                line: number(edit.row + 1),
                column: number(column),
                function: edit.function,
            });
        }
    }
    found.functions = seen.functions;
    found.unreadable_lines = lines(source, &unreadable);
    found
}

/// Without the edits whose span and text an earlier operator has already; the list is sorted.
fn without_duplicates(list: Vec<Edit>) -> Vec<Edit> {
    let mut kept: Vec<Edit> = Vec::with_capacity(list.len());
    for edit in list {
        let mut same_span = kept.iter().rev().take_while(|earlier| earlier.span == edit.span);
        if !same_span.any(|earlier| earlier.replacement == edit.replacement) {
            kept.push(edit);
        }
    }
    kept
}

/// Whether `span` meets one of the ranges, which may be empty; touching is meeting.
fn touches(ranges: &[Range<usize>], span: &Range<usize>) -> bool {
    let first = ranges.partition_point(|range| range.end < span.start);
    ranges.get(first).is_some_and(|range| range.start <= span.end)
}

fn holds(ranges: &[Range<usize>], at: usize) -> bool {
    let first = ranges.partition_point(|range| range.end <= at);
    ranges.get(first).is_some_and(|range| range.start <= at)
}

/// Without its last `yield` a generator is a plain function and fails in every caller.
fn ends_a_generator(edit: &Edit, yields: &[Vec<usize>]) -> bool {
    let Some(yields) = edit.function.and_then(|function| yields.get(function as usize)) else {
        return false;
    };
    let (Some(first), Some(last)) = (yields.first(), yields.last()) else { return false };
    edit.span.start <= *first
        && *last < edit.span.end
        && !edit.replacement.windows(b"yield".len()).any(|word| word == b"yield")
}

/// The lines, from 1, that the ranges stand on.
fn lines(source: &[u8], ranges: &[Range<usize>]) -> Vec<u32> {
    let mut found: Vec<u32> = Vec::new();
    let (mut line, mut at) = (1, 0);
    let ends_line = |at: usize| match source[at] {
        b'\n' => true,
        b'\r' => source.get(at + 1) != Some(&b'\n'),
        _ => false,
    };
    for range in ranges {
        line += (at..range.start).filter(|&at| ends_line(at)).count();
        at = range.start;
        loop {
            if found.last() != Some(&number(line)) {
                found.push(number(line));
            }
            let Some(next) = (at..range.end).find(|&at| ends_line(at)) else { break };
            at = next + 1;
            line += 1;
        }
    }
    found
}

/// A count as the interface gives it; the largest value stands for any larger one.
fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
