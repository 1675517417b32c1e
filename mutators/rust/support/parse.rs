//! From bytes to a syntax tree, on a stack that nested sources cannot exhaust.

use std::ops::Range;
use std::str::FromStr as _;

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use syn::File;
use syn::spanned::Spanned;

/// The mark some editors put at the start of UTF-8 files.
pub(crate) const BOM: &str = "\u{feff}";

/// Delimiters nested this deep are refused: the parser calls itself for each of them.
const DEEPEST: usize = 256;

/// Punctuation of one statement or list element; each may nest the tree once more.
const LONGEST: usize = 4000;

/// Enough for the two limits, also without optimisation. Pages nobody touches cost nothing.
const STACK: usize = 256 << 20;

/// Words that begin an item or statement, so that nothing before them nests what follows.
const BEGINNINGS: &[&str] = &[
    "const", "enum", "fn", "impl", "let", "mod", "pub", "static", "struct", "trait", "type", "use",
];

/// A source and where the parsed part of it begins: behind a byte order mark and a `#!` line.
pub(crate) struct Source<'s> {
    pub(crate) text: &'s str,
    base: usize,
    /// Spans of the tokens, delimiters apart, in source order; what stands between is white space
    /// and comments. Only kept where a comment may ask for something.
    pub(crate) tokens: Vec<Range<usize>>,
}

impl Source<'_> {
    /// The bytes of a node.
    pub(crate) fn range(&self, node: &impl Spanned) -> Range<usize> {
        self.range_of(node.span())
    }

    /// The bytes of a span.
    pub(crate) fn range_of(&self, span: Span) -> Range<usize> {
        // Not `Span::start`, whose columns count characters.
        let range = span.byte_range();
        range.start + self.base..range.end + self.base
    }

    /// What was parsed: without a byte order mark and a `#!` line.
    pub(crate) fn parsed_text(&self) -> &str {
        &self.text[self.base..]
    }

    /// The text of a node.
    pub(crate) fn text_of(&self, node: &impl Spanned) -> &str {
        &self.text[self.range(node)]
    }
}

/// The line, from 1, at which a source cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unreadable(pub(crate) u32);

/// Gives `work` the syntax tree of a source.
pub(crate) fn parsed<T: Send>(
    bytes: &[u8],
    work: impl FnOnce(&Source<'_>, &File) -> T + Send,
) -> Result<T, Unreadable> {
    let text = str::from_utf8(bytes).map_err(|error| line_of(bytes, error.valid_up_to()))?;
    // A thread of its own has its own table of spans too, which would otherwise grow and grow.
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK);
        let thread = thread.spawn_scoped(scope, || parse(text, work));
        // Without a thread nothing can be read; the caller names the file.
        thread.map_err(|_| Unreadable(1))?.join().expect("the parser does not panic")
    })
}

fn parse<T>(text: &str, work: impl FnOnce(&Source<'_>, &File) -> T) -> Result<T, Unreadable> {
    let base = beginning(text);
    let mut source = Source { text, base, tokens: Vec::new() };
    let at = |span: Span| line_of(text.as_bytes(), base + span.byte_range().start);
    let tokens = TokenStream::from_str(&text[base..]).map_err(|error| at(error.span()))?;
    let keeps = text.contains(super::skip::MARK);
    check(&tokens, |span| {
        if keeps {
            source.tokens.push(shifted(span, base));
        }
    })
    .map_err(at)?;
    let file = syn::parse2::<File>(tokens).map_err(|error| at(error.span()))?;
    Ok(work(&source, &file))
}

fn shifted(span: Span, base: usize) -> Range<usize> {
    let range = span.byte_range();
    range.start + base..range.end + base
}

/// Where the parsed part begins; as the compiler sees it, `#![` is no `#!` line.
fn beginning(text: &str) -> usize {
    let marked = text.strip_prefix(BOM).unwrap_or(text);
    let mark = text.len() - marked.len();
    let is_line = marked.strip_prefix("#!").is_some_and(|rest| !rest.trim_start().starts_with('['));
    if !is_line {
        return mark;
    }
    mark + marked.find('\n').unwrap_or(marked.len())
}

fn line_of(bytes: &[u8], at: usize) -> Unreadable {
    let lines = bytes[..at.min(bytes.len())].iter().filter(|byte| **byte == b'\n').count();
    Unreadable(u32::try_from(lines + 1).unwrap_or(u32::MAX))
}

/// Hands over the spans of all tokens, and refuses what would nest too deep for the parser.
fn check(tokens: &TokenStream, mut token: impl FnMut(Span)) -> Result<(), Span> {
    let mut open = vec![(tokens.clone().into_iter(), None, 0_usize)];
    while let Some((rest, close, length)) = open.last_mut() {
        let Some(next) = rest.next() else {
            close.take().into_iter().for_each(&mut token);
            open.pop();
            continue;
        };
        match next {
            TokenTree::Group(group) => {
                let visible = group.delimiter() != Delimiter::None;
                if visible {
                    token(group.span_open());
                }
                let end = visible.then(|| group.span_close());
                if open.len() > DEEPEST {
                    return Err(group.span());
                }
                open.push((group.stream().into_iter(), end, 0));
            }
            TokenTree::Punct(punct) => {
                token(punct.span());
                *length = if matches!(punct.as_char(), ';' | ',') { 0 } else { *length + 1 };
                if *length > LONGEST {
                    return Err(punct.span());
                }
            }
            TokenTree::Ident(ident) => {
                token(ident.span());
                if BEGINNINGS.iter().any(|word| ident == word) {
                    *length = 0;
                } else if ident == "else" {
                    *length += 1;
                }
            }
            TokenTree::Literal(literal) => token(literal.span()),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_byte_ranges_of_the_whole_text() {
        for before in ["", "\u{feff}", "#!/usr/bin/env run\n", "\u{feff}#!x\r\n", "// \u{e9}\r\n"] {
            let text = format!("{before}fn caf\u{e9}() {{ \"\u{1f980}\"; a + b }}\r\n");
            let sum = parsed(text.as_bytes(), |source, file| {
                let syn::Item::Fn(function) = &file.items[0] else { panic!("a function") };
                let syn::Stmt::Expr(sum, None) = &function.block.stmts[1] else { panic!("a sum") };
                (source.range(sum), source.text_of(sum).to_owned())
            });
            let at = text.find("a + b").unwrap();
            assert_eq!(sum, Ok((at..at + 5, "a + b".to_owned())), "{text:?}");
        }
        assert_eq!(parsed(b"#![no_std]\nfn f() {}\n", |_, file| file.attrs.len()), Ok(1));
    }

    #[test]
    fn what_cannot_be_read_is_named_by_its_line() {
        let line = |text: &[u8]| parsed(text, |_, _| ()).unwrap_err();
        assert_eq!(line(b"fn f() {\n  1 +\n}\n"), Unreadable(3));
        assert_eq!(line(b"#!run\n\nfn f( {}\n"), Unreadable(3));
        assert_eq!(line(b"\n\xff"), Unreadable(2));
    }

    #[test]
    fn deep_sources_are_refused_and_end_nothing() {
        let nested = |open: &str, close: &str, depth: usize| {
            format!("\nfn f() {{ {}x{} }}", open.repeat(depth), close.repeat(depth))
        };
        let read = |text: &str| parsed(text.as_bytes(), |_, _| ());
        for (open, close, most) in [
            ("(", ")", 200),
            ("!", "", 3900),
            ("a + ", "", 3900),
            ("if a {} else ", "", 3900),
            ("a.b(", ")", 200),
        ] {
            let (good, bad) = (nested(open, close, most), nested(open, close, 100_000));
            let good = if open.starts_with("if") { good.replace('x', "{}") } else { good };
            assert_eq!(read(&good), Ok(()), "{open}");
            assert_eq!(read(&bad), Err(Unreadable(2)), "{open}");
        }
    }
}
