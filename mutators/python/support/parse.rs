//! From bytes to a tree.

use std::borrow::Cow;
use std::sync::LazyLock;

use tree_sitter::{Language, Parser, Tree};

use super::layout;
use super::skip::is_skip_comment;

/// Lines in a row, nothing but comments or nothing but a backslash, that the grammar's scanner may
/// meet: it looks through all that are left at each of them, so that time grows with the square.
const LONGEST_RUN: usize = 200;

static LANGUAGE: LazyLock<Language> = LazyLock::new(|| tree_sitter_python::LANGUAGE.into());

pub(crate) fn language() -> &'static Language {
    &LANGUAGE
}

/// The tree of `source`, in which every node stands at its bytes of `source`; nothing for a source
/// that would take too long.
pub(crate) fn parse(source: &[u8]) -> Option<Tree> {
    let text = with_line_feeds(source);
    let text = without_long_runs(&text)?;
    let mut parser = Parser::new();
    parser.set_language(language()).expect("the grammar fits the library it is built with");
    parser.parse(&text, None)
}

/// `source` with every carriage return that stands alone as a line feed, which is how Python reads
/// it and the grammar does not.
fn with_line_feeds(source: &[u8]) -> Cow<'_, [u8]> {
    let lone = |at: usize| source[at] == b'\r' && source.get(at + 1) != Some(&b'\n');
    if !source.contains(&b'\r') || !(0..source.len()).any(lone) {
        return Cow::Borrowed(source);
    }
    let byte = |at: usize| if lone(at) { b'\n' } else { source[at] };
    Cow::Owned((0..source.len()).map(byte).collect())
}

/// `text` with blanks for the comments of long runs of comment lines; nothing if it has a long run
/// of empty continuation lines, for which there is no such remedy.
fn without_long_runs(text: &[u8]) -> Option<Cow<'_, [u8]>> {
    let mut comments = Run::default();
    let mut continuations = Run::default();
    for line in text.split(|byte| *byte == b'\n') {
        let line = line.trim_ascii();
        comments.count(line.is_empty(), line.starts_with(b"#"));
        continuations.count(line.is_empty(), line == b"\\");
    }
    if continuations.longest > LONGEST_RUN {
        return None;
    }
    let is_long = comments.longest > LONGEST_RUN;
    Some(if is_long { Cow::Owned(blanked(text)) } else { Cow::Borrowed(text) })
}

/// The longest run of lines of one kind, blank lines between them allowed.
#[derive(Default)]
struct Run {
    current: usize,
    longest: usize,
}

impl Run {
    fn count(&mut self, is_blank: bool, belongs: bool) {
        if belongs {
            self.current += 1;
            self.longest = self.longest.max(self.current);
        } else if !is_blank {
            self.current = 0;
        }
    }
}

/// `text` with blanks for every comment that has a line of its own, but for skip comments.
fn blanked(text: &[u8]) -> Vec<u8> {
    let mut blanked = text.to_vec();
    let mut quotes: &[u8] = b"";
    let mut kept = 0..0;
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        at += match rest[0] {
            b'\\' => 2,
            // A string in single quotes ends with its line at the latest.
            b'\n' => {
                if quotes.len() == 1 {
                    quotes = b"";
                }
                1
            }
            b'#' if quotes.is_empty() => {
                let length = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
                let has_own_line = layout::indentation(text, at).is_some();
                if has_own_line && is_skip_comment(&rest[..length]) {
                    // Of several before one statement the last says it all.
                    if blanked[kept.end..at].iter().all(u8::is_ascii_whitespace) {
                        blanked[kept].fill(b' ');
                    }
                    kept = at..at + length;
                } else if has_own_line {
                    blanked[at..at + length].fill(b' ');
                }
                length
            }
            quote @ (b'"' | b'\'') if quotes.is_empty() => {
                let length = if rest.starts_with(&[quote; 3]) { 3 } else { 1 };
                quotes = &rest[..length];
                length
            }
            _ if !quotes.is_empty() && rest.starts_with(quotes) => {
                let length = quotes.len();
                quotes = b"";
                length
            }
            _ => 1,
        };
    }
    blanked
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Language;

    fn blank(text: &str) -> String {
        String::from_utf8(blanked(text.as_bytes())).unwrap()
    }

    #[test]
    fn only_comments_on_lines_of_their_own_are_blanked() {
        assert_eq!(blank("# a\n x  # b\n # c"), "   \n x  # b\n    ");
        assert_eq!(blank("'''\n# a\n'''\n# b\n"), "'''\n# a\n'''\n   \n");
        assert_eq!(blank("x = '\\'#'\n# b\n"), "x = '\\'#'\n   \n");
        assert_eq!(blank("x = 'unfinished\n# b\n"), "x = 'unfinished\n   \n");
        assert_eq!(blank("\"\"\"'\"\"\"\n# b\n"), "\"\"\"'\"\"\"\n   \n");
        let skip = "# adequacy: skip\n";
        let gone = " ".repeat(skip.len() - 1);
        assert_eq!(blank(&format!("{skip}x\n{skip}")), format!("{skip}x\n{skip}"));
        assert_eq!(
            blank(&format!("{skip}\n  {skip}{skip}")),
            format!("{gone}\n\n  {gone}\n{skip}")
        );
    }

    #[test]
    fn many_comment_lines_change_nothing_but_the_time() {
        let many = format!("def f():\n    x = 1\n{}    return x\n", "    # c\n".repeat(30_000));
        let few = format!("def f():\n    x = 1\n{}    return x\n", "    # c\n".repeat(2));
        let texts = |source: &str| {
            let found = Language::Python.mutations(source.as_bytes(), &|_| true);
            assert!(found.unreadable_lines.is_empty());
            let mutations = found.mutations.into_iter();
            mutations.map(|one| (one.operator.name, one.replacement)).collect::<Vec<_>>()
        };
        assert_eq!(texts(&many), texts(&few));
        assert!(!texts(&few).is_empty());
    }

    #[test]
    fn many_empty_continuation_lines_are_refused() {
        let source = format!("x = 1{}\n", " \\\n".repeat(100_000));
        let found = Language::Python.mutations(source.as_bytes(), &|_| true);
        assert!(found.mutations.is_empty());
        assert_eq!(found.unreadable_lines, [1]);
    }

    #[test]
    fn a_lone_carriage_return_ends_a_line() {
        let source = b"x = 1\ry = 2\r";
        let found = Language::Python.mutations(source, &|operator| operator.name == "number-shift");
        let lines: Vec<_> = found.mutations.iter().map(|mutation| mutation.line).collect();
        assert_eq!(lines, [1, 2]);
        assert_eq!(found.unreadable_lines, [0; 0]);
    }
}
