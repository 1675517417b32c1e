//! `loop-once`.

use super::support::edits::Edits;
use super::support::layout;
use super::support::syntax::{Field, Kind, children, field, kind, parts};
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "loop-once",
        family: Family::Extra,
        statement: false,
        summary: "A loop ends after its first turn",
        shows: "No test needs a second turn",
        examples: &[
            ("for a in b:\n    c()\n", "for a in b:\n    c()\n    break\n"),
            ("while a: b()\n", "while a: b(); break\n"),
        ],
    },
    kinds: &[Kind::ForStatement, Kind::WhileStatement],
    edits,
};

fn edits(site: &Site<'_, '_>, out: &mut Edits<'_>) {
    let Some(body) = field(site.node, Field::Body) else { return };
    let (Some(first), Some(last)) = (parts(body).next(), parts(body).last()) else { return };
    // Nothing runs after these.
    if matches!(
        kind(last),
        Kind::BreakStatement
            | Kind::ContinueStatement
            | Kind::RaiseStatement
            | Kind::ReturnStatement
    ) {
        return;
    }
    let Some(colon) = children(site.node).find(|child| child.kind() == ":") else { return };
    let after = site.source[colon.end_byte()..].iter().find(|byte| !matches!(byte, b' ' | b'\t'));
    // Anything else than a line end or a comment starts the body, a backslash continues the line.
    let is_on_header_line = !matches!(after, Some(b'\r' | b'\n' | b'#'));
    if is_on_header_line {
        let at = last.end_byte();
        out.replace(site.node, at..at, &[b"; break"]);
    } else {
        let line = layout::line_start(site.source, first.start_byte());
        let newline = layout::newline_before(site.source, line);
        let indentation = &site.source[line..first.start_byte()];
        let at = layout::line_end(site.source, last.end_byte());
        out.replace(site.node, at..at, &[newline, indentation, b"break"]);
    }
}

#[cfg(test)]
mod tests {
    use crate::python::support::testing::mutants;

    #[test]
    fn the_break_stands_where_the_body_does() {
        assert_eq!(
            mutants("loop-once", "for a in b:\r\n\t  c;  # c\r\n\t  # d\r\ne\r\n"),
            ["for a in b:\r\n\t  c;  # c\r\n\t  break\r\n\t  # d\r\ne\r\n"]
        );
        assert_eq!(mutants("loop-once", "while a:\n  if b: c"), ["while a:\n  if b: c\n  break"]);
        assert_eq!(
            mutants("loop-once", "for a in b:\n  x = '''\ny'''; d\n"),
            ["for a in b:\n  x = '''\ny'''; d\n  break\n"]
        );
        assert_eq!(
            mutants("loop-once", "for a in b: c; d;  # e\n"),
            ["for a in b: c; d; break;  # e\n"]
        );
        assert!(mutants("loop-once", "for a in b:\n  c\n  return d\n").is_empty());
    }

    #[test]
    fn a_body_that_starts_after_a_continued_header() {
        assert_eq!(
            mutants("loop-once", "for a in b: \\\n  c\nd\n"),
            ["for a in b: \\\n  c; break\nd\n"]
        );
    }
}
