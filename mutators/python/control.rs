//! The control edits: their effect on a command is known beforehand.

use std::ops::Range;

use tree_sitter::Node;

use super::functions::renamed_locals;
use super::support::layout;
use super::support::strings;
use super::support::syntax::{Kind, children, kind, only_part, unparenthesized};
use super::support::{parse, syntax};
use crate::Control;

/// Raises what `except Exception` does not catch, in one simple statement without a name of its own.
const RAISE: &[u8] =
    b"raise type('AdequacyLoadControl', (BaseException,), {})('raised when this file is loaded')";
const TRAILING_COMMENT: &[u8] = b"# adequacy control: a comment after the last line";
const COMMENT_LINE: &[u8] = b"# adequacy control: a line that moves the lines below it";

/// The edits of one control: places and the texts to insert there.
pub(crate) fn edits(control: Control, source: &[u8]) -> Vec<(Range<usize>, Vec<u8>)> {
    let one = |(at, text): (usize, Vec<u8>)| vec![(at..at, text)];
    match control {
        Control::RaiseAtLoad => one(raise_at_load(source)),
        Control::TrailingComment => one(at_end(source, TRAILING_COMMENT)),
        Control::CommentLine => one(comment_line(source)),
        Control::BlankLines => blank_lines(source),
        Control::TrailingSpaces => trailing_spaces(source),
        Control::RenamedLocals => renamed_locals(source),
    }
}

/// An empty line before every statement of the module that starts a line, but the first.
fn blank_lines(source: &[u8]) -> Vec<(Range<usize>, Vec<u8>)> {
    let Some(tree) = parse::parse(source) else { return Vec::new() };
    let newline = layout::newline(source);
    let starts = children(tree.root_node()).filter(|child| kind(*child) != Kind::Comment);
    let starts = starts.filter(|child| child.is_named() && child.start_position().column == 0);
    starts.skip(1).map(|child| child.start_byte()).map(|at| (at..at, newline.to_vec())).collect()
}

/// A space at the end of every line of code; not where it would be content, nor behind a backslash.
fn trailing_spaces(source: &[u8]) -> Vec<(Range<usize>, Vec<u8>)> {
    let Some(tree) = parse::parse(source) else { return Vec::new() };
    let mut strings = Vec::<Range<usize>>::new();
    let mut todo = vec![tree.root_node()];
    while let Some(node) = todo.pop() {
        if kind(node) == Kind::String {
            strings.push(node.byte_range());
        } else {
            todo.extend(children(node));
        }
    }
    strings.sort_unstable_by_key(|range| range.start);
    let in_string = |at: usize| {
        let next = strings.partition_point(|range| range.start < at);
        next > 0 && at < strings[next - 1].end
    };
    let ends = (0..source.len()).filter(|&at| matches!(source[at], b'\n' | b'\r'));
    let is_code =
        |&at: &usize| at > 0 && !matches!(source[at - 1], b'\n' | b'\r' | b'\\') && !in_string(at);
    ends.filter(is_code).map(|at| (at..at, b" ".to_vec())).collect()
}

fn raise_at_load(source: &[u8]) -> (usize, Vec<u8>) {
    let Some(tree) = parse::parse(source) else { return at_end(source, RAISE) };
    let mut prelude: Option<Node<'_>> = None;
    for child in children(tree.root_node()) {
        match kind(child) {
            Kind::Comment => {}
            Kind::FutureImportStatement => prelude = Some(child),
            Kind::ExpressionStatement if prelude.is_none() && is_docstring(child) => {
                prelude = Some(child);
            }
            // A semicolon between two statements.
            _ if !child.is_named() && !child.is_error() && !child.is_missing() => {}
            _ if prelude.is_none() => {
                let end = layout::newline(source);
                return (child.start_byte(), [RAISE, end].concat());
            }
            _ => break,
        }
    }
    match prelude {
        // On the same line, so that no line moves and what follows after a semicolon still may.
        Some(last) => (last.end_byte(), [b"; ", RAISE].concat()),
        None => at_end(source, RAISE),
    }
}

fn is_docstring(statement: Node<'_>) -> bool {
    only_part(statement).map(unparenthesized).is_some_and(|value| {
        matches!(syntax::kind(value), Kind::String | Kind::ConcatenatedString)
            && !strings::has_interpolation(value)
    })
}

fn at_end(source: &[u8], line: &[u8]) -> (usize, Vec<u8>) {
    let end = layout::newline(source);
    let text = match source.last() {
        None | Some(b'\n' | b'\r') => [line, end].concat(),
        Some(_) if source == layout::BOM => [line, end].concat(),
        Some(_) => [end, line].concat(),
    };
    (source.len(), text)
}

/// The comment stands below the lines that only count where they are: `#!`, and a coding line,
/// which Python looks for in the first two lines (PEP 263).
fn comment_line(source: &[u8]) -> (usize, Vec<u8>) {
    let end = layout::newline(source);
    let start = if source.starts_with(layout::BOM) { layout::BOM.len() } else { 0 };
    let (first, second) = (line(source, start), line(source, line(source, start).end));
    let first_text = source[first.clone()].trim_ascii();
    let kept = if is_coding_line(&source[second.clone()])
        && (first_text.is_empty() || first_text.starts_with(b"#"))
    {
        second.end
    } else if first_text.starts_with(b"#!") || is_coding_line(&source[first.clone()]) {
        first.end
    } else {
        start
    };
    match source[start..kept].last() {
        Some(last) if !matches!(last, b'\n' | b'\r') => (kept, [end, COMMENT_LINE].concat()),
        _ => (kept, [COMMENT_LINE, end].concat()),
    }
}

/// The line that starts at `start`, its line end included.
fn line(source: &[u8], start: usize) -> Range<usize> {
    let text_end = layout::line_end(source, start);
    let length = match source[text_end..] {
        [b'\r', b'\n', ..] => 2,
        [_, ..] => 1,
        [] => 0,
    };
    start..text_end + length
}

fn is_coding_line(line: &[u8]) -> bool {
    line.trim_ascii_start().starts_with(b"#")
        && line.windows(b"coding:".len()).any(|word| word == b"coding:" || word == b"coding=")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Language, splice};

    fn controlled(control: Control, source: &str) -> String {
        let edits = Language::Python.control(control, source.as_bytes());
        let edits = edits.iter().map(|(span, text)| (span, &text[..]));
        String::from_utf8(splice(source.as_bytes(), edits)).unwrap()
    }

    #[test]
    fn the_raise_is_the_first_statement_that_may_be_one() {
        let raise = str::from_utf8(RAISE).unwrap();
        for (before, after) in [
            ("", format!("{raise}\n")),
            ("# only a comment", format!("# only a comment\n{raise}")),
            ("x = 1\n", format!("{raise}\nx = 1\n")),
            ("\u{feff}def f(): pass\r\n", format!("\u{feff}{raise}\r\ndef f(): pass\r\n")),
            (
                "#!/usr/bin/python\n# coding: utf-8\n'''doc\nstring'''  # c\nx\n",
                format!("#!/usr/bin/python\n# coding: utf-8\n'''doc\nstring'''; {raise}  # c\nx\n"),
            ),
            (
                "'doc'\nfrom __future__ import a\n# c\nfrom __future__ import (b,\n  c)\nimport d\n",
                format!(
                    "'doc'\nfrom __future__ import a\n# c\nfrom __future__ import (b,\n  c); {raise}\nimport d\n"
                ),
            ),
            ("'doc'; x = 1", format!("'doc'; {raise}; x = 1")),
            ("from __future__ import a;\n", format!("from __future__ import a; {raise};\n")),
            ("f'{x}'\n", format!("{raise}\nf'{{x}}'\n")),
            ("'a'.b\n", format!("{raise}\n'a'.b\n")),
        ] {
            assert_eq!(controlled(Control::RaiseAtLoad, before), after);
        }
    }

    #[test]
    fn layout_changes_nothing_that_is_content() {
        for (control, before, after) in [
            (
                Control::BlankLines,
                "'doc'\nx = 1; y = 2\n@a\ndef f():\n    z\n# c\nq\n",
                "'doc'\n\nx = 1; y = 2\n\n@a\ndef f():\n    z\n# c\n\nq\n",
            ),
            (Control::BlankLines, "x\r\ny\r\n", "x\r\n\r\ny\r\n"),
            (
                Control::TrailingSpaces,
                "x = '''a\nb'''\ny = 1 + \\\n  2  # c\n\nz",
                "x = '''a\nb''' \ny = 1 + \\\n  2  # c \n\nz",
            ),
            (
                Control::RenamedLocals,
                "def f():\n    x = 1\n    return x\n",
                "def f():\n    x_renamed = 1\n    return x_renamed\n",
            ),
        ] {
            assert_eq!(controlled(control, before), after);
        }
    }

    #[test]
    fn the_trailing_comment_moves_no_line() {
        let comment = str::from_utf8(TRAILING_COMMENT).unwrap();
        for (before, after) in [
            ("", format!("{comment}\n")),
            ("x\n", format!("x\n{comment}\n")),
            ("x\r\n", format!("x\r\n{comment}\r\n")),
            ("if x:\n\ty", format!("if x:\n\ty\n{comment}")),
            ("if x:\n\ty\n\t", format!("if x:\n\ty\n\t\n{comment}")),
            ("x  # c", format!("x  # c\n{comment}")),
        ] {
            assert_eq!(controlled(Control::TrailingComment, before), after);
        }
    }

    #[test]
    fn the_comment_line_leaves_the_lines_that_count_where_they_are() {
        let comment = str::from_utf8(COMMENT_LINE).unwrap();
        for (before, after) in [
            ("", format!("{comment}\n")),
            ("'doc'\n", format!("{comment}\n'doc'\n")),
            ("\u{feff}x\r\n", format!("\u{feff}{comment}\r\nx\r\n")),
            ("#!/bin/sh\nx\n", format!("#!/bin/sh\n{comment}\nx\n")),
            ("#!/bin/sh", format!("#!/bin/sh\n{comment}")),
            ("# coding=latin-1\nx\n", format!("# coding=latin-1\n{comment}\nx\n")),
            (
                "#!/bin/sh\n# -*- coding: utf-8 -*-\nx\n",
                format!("#!/bin/sh\n# -*- coding: utf-8 -*-\n{comment}\nx\n"),
            ),
            (
                "\n# vim: fileencoding=utf-8\nx\n",
                format!("\n# vim: fileencoding=utf-8\n{comment}\nx\n"),
            ),
            ("x\n# coding: late\n", format!("{comment}\nx\n# coding: late\n")),
            ("# a\n# b\n", format!("{comment}\n# a\n# b\n")),
        ] {
            assert_eq!(controlled(Control::CommentLine, before), after);
        }
    }
}
