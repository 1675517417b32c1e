//! `# adequacy: skip`: which comments ask for it and what each covers.

use std::ops::Range;

use tree_sitter::{Node, Tree};

use super::layout;
use super::syntax::{Field, Kind, children, field, kind, text};

const MARK: &[u8] = b"adequacy:";

/// Whether a comment asks to leave something alone. It may stand among other notes, as in
/// `# noqa # adequacy: skip - only for speed`.
pub(crate) fn is_skip_comment(comment: &[u8]) -> bool {
    comment.split(|byte| *byte == b'#').any(|note| {
        let note = note.trim_ascii().strip_prefix(MARK).map(<[u8]>::trim_ascii_start);
        note.and_then(|note| note.strip_prefix(b"skip"))
            .is_some_and(|rest| rest.first().is_none_or(|byte| !byte.is_ascii_alphanumeric()))
    })
}

/// A statement, or a clause of one.
struct Unit {
    start: usize,
    /// Where its header ends; for a simple statement, where it ends.
    header_end: usize,
    /// Where the block of its header ends.
    block_end: usize,
    /// Where all of it ends, later clauses included.
    end: usize,
}

impl Unit {
    fn of(node: Node<'_>, kind: Kind) -> Option<Self> {
        if !kind.is_statement() && !kind.is_clause() {
            return None;
        }
        let end = node.end_byte();
        let mut header_end = end;
        if kind.is_compound_statement() || kind.is_clause() {
            let definition = children(node).find(|child| {
                matches!(
                    super::syntax::kind(*child),
                    Kind::FunctionDefinition | Kind::ClassDefinition
                )
            });
            let headed = if kind == Kind::DecoratedDefinition { definition? } else { node };
            let colon = children(headed).find(|child| child.kind() == ":")?;
            header_end = colon.end_byte();
        }
        let block = match kind {
            Kind::IfStatement => field(node, Field::Consequence),
            Kind::ForStatement | Kind::WhileStatement | Kind::TryStatement => {
                field(node, Field::Body)
            }
            _ => None,
        };
        let block_end = block.map_or(end, |block| block.end_byte());
        Some(Self { start: node.start_byte(), header_end, block_end, end })
    }
}

/// The bytes that skip comments cover, ascending and apart.
///
/// A comment inside a statement or a header covers that statement or that header's block; after
/// one, on the same line, the same; on a line of its own, all of the next statement.
pub(crate) fn covered(tree: &Tree, source: &[u8]) -> Vec<Range<usize>> {
    if !source.windows(MARK.len()).any(|word| word == MARK) {
        return Vec::new();
    }
    let (units, comments) = units_and_comments(tree, source);
    let mut by_header: Vec<&Unit> = units.iter().collect();
    by_header.sort_by_key(|unit| unit.header_end);
    let mut found = Vec::new();
    for (at, inside) in comments {
        if let Some(unit) = inside {
            found.push(units[unit].start..units[unit].block_end);
        } else if layout::indentation(source, at).is_some() {
            let next = units.partition_point(|unit| unit.start <= at);
            found.extend(units.get(next).map(|unit| unit.start..unit.end));
        } else {
            let line = layout::line_start(source, at);
            let first = by_header.partition_point(|unit| unit.header_end < line);
            let on_line = by_header[first..].iter().take_while(|unit| unit.header_end <= at);
            found.extend(on_line.map(|unit| unit.start..unit.block_end));
        }
    }
    merged(found)
}

/// Every unit by start, and every skip comment with the unit whose header it stands in.
fn units_and_comments(tree: &Tree, source: &[u8]) -> (Vec<Unit>, Vec<(usize, Option<usize>)>) {
    let mut units: Vec<Unit> = Vec::new();
    let mut comments = Vec::new();
    let mut around: Vec<Option<usize>> = Vec::new();
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let kind = kind(node);
        let mut innermost = around.last().copied().flatten();
        if kind == Kind::Comment && is_skip_comment(text(source, node)) {
            let at = node.start_byte();
            comments.push((at, innermost.filter(|unit| at < units[*unit].header_end)));
        }
        if let Some(unit) = Unit::of(node, kind) {
            innermost = Some(units.len());
            units.push(unit);
        }
        if cursor.goto_first_child() {
            around.push(innermost);
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return (units, comments);
            }
            around.pop();
        }
    }
}

/// The same bytes in ascending ranges that neither meet nor overlap.
pub(crate) fn merged(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_by_key(|range| (range.start, range.end));
    let mut merged: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}
