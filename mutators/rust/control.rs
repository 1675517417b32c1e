//! The control edits: their effect on a command is known beforehand.

use std::ops::Range;

use super::support::parse::{BOM, parsed};
use crate::Control;

const LOAD: &str = "compile_error!(\"adequacy control: this file is part of the build\");";
const TRAILING_COMMENT: &str = "// adequacy control: a comment after the last line";
const COMMENT_LINE: &str = "// adequacy control: a line that moves the lines below it";

/// The edits of one control: places and the texts to insert there.
pub(crate) fn edits(control: Control, source: &[u8]) -> Vec<(Range<usize>, Vec<u8>)> {
    match control {
        // Whatever is in a file, an item may follow.
        Control::RaiseAtLoad => vec![at_end(source, LOAD)],
        Control::TrailingComment => vec![at_end(source, TRAILING_COMMENT)],
        Control::CommentLine => vec![at_start(source)],
        Control::BlankLines => between_items(source),
        Control::TrailingSpaces => Vec::new(),
        Control::RenamedLocals => Vec::new(),
    }
}

fn newline(source: &[u8]) -> &'static str {
    let end = source.iter().position(|byte| *byte == b'\n');
    if end.is_some_and(|end| end > 0 && source[end - 1] == b'\r') { "\r\n" } else { "\n" }
}

fn at_end(source: &[u8], line: &str) -> (Range<usize>, Vec<u8>) {
    let end = newline(source);
    let is_whole = source.last().is_none_or(|last| *last == b'\n') || source == BOM.as_bytes();
    let text = if is_whole { format!("{line}{end}") } else { format!("{end}{line}") };
    (source.len()..source.len(), text.into_bytes())
}

/// Below a byte order mark and a `#!` line, which only count where they are.
fn at_start(source: &[u8]) -> (Range<usize>, Vec<u8>) {
    let end = newline(source);
    let mark = if source.starts_with(BOM.as_bytes()) { BOM.len() } else { 0 };
    let rest = &source[mark..];
    if !rest.starts_with(b"#!") || rest[2..].trim_ascii_start().starts_with(b"[") {
        return (mark..mark, format!("{COMMENT_LINE}{end}").into_bytes());
    }
    match rest.iter().position(|byte| *byte == b'\n') {
        Some(line) => {
            let at = mark + line + 1;
            (at..at, format!("{COMMENT_LINE}{end}").into_bytes())
        }
        None => (source.len()..source.len(), format!("{end}{COMMENT_LINE}").into_bytes()),
    }
}

/// An empty line before every item but the first.
fn between_items(source: &[u8]) -> Vec<(Range<usize>, Vec<u8>)> {
    let end = newline(source);
    let starts = parsed(source, |source, file| {
        file.items.iter().skip(1).map(|item| source.range(item).start).collect::<Vec<_>>()
    });
    let starts = starts.unwrap_or_default().into_iter();
    starts.map(|at| (at..at, end.as_bytes().to_vec())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Language, splice};

    fn controlled(control: Control, source: &str) -> String {
        let edits = Language::Rust.control(control, source.as_bytes());
        let edits = edits.iter().map(|(span, text)| (span, &text[..]));
        String::from_utf8(splice(source.as_bytes(), edits)).unwrap()
    }

    #[test]
    fn an_error_at_the_end_moves_no_line() {
        for (before, after) in [
            ("", format!("{LOAD}\n")),
            ("fn f() {}\n", format!("fn f() {{}}\n{LOAD}\n")),
            ("fn f() {}\r\n// c", format!("fn f() {{}}\r\n// c\r\n{LOAD}")),
            ("#!run", format!("#!run\n{LOAD}")),
        ] {
            assert_eq!(controlled(Control::RaiseAtLoad, before), after);
        }
        let after = format!("fn f() {{}}\n{TRAILING_COMMENT}\n");
        assert_eq!(controlled(Control::TrailingComment, "fn f() {}\n"), after);
    }

    #[test]
    fn lines_move_below_what_must_stay_first() {
        for (before, after) in [
            ("\u{feff}fn f() {}\n", format!("\u{feff}{COMMENT_LINE}\nfn f() {{}}\n")),
            ("#!run\r\nfn f() {}\r\n", format!("#!run\r\n{COMMENT_LINE}\r\nfn f() {{}}\r\n")),
            ("#!run", format!("#!run\n{COMMENT_LINE}")),
            ("#![a]\n//! Doc\n", format!("{COMMENT_LINE}\n#![a]\n//! Doc\n")),
        ] {
            assert_eq!(controlled(Control::CommentLine, before), after);
        }
        let before = "use a;\nfn f() {}\n/// Doc\n#[b] fn g() {}\n";
        let after = "use a;\n\nfn f() {}\n\n/// Doc\n#[b] fn g() {}\n";
        assert_eq!(controlled(Control::BlankLines, before), after);
    }
}
