//! From bytes to a tree.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::LazyLock;

use tree_sitter::{Language, ParseOptions, Parser, Tree};

/// Progress reports a parse may make for every byte of the source before it is given up. Error
/// recovery on hostile input can take time quadratic in its length; sound sources stay far below.
const REPORTS_PER_BYTE: usize = 1;

static LANGUAGE: LazyLock<Language> = LazyLock::new(|| tree_sitter_python::LANGUAGE.into());

pub(crate) fn language() -> &'static Language {
    &LANGUAGE
}

/// The tree of `source`, or nothing when the parse was given up.
pub(crate) fn parse(source: &[u8]) -> Option<Tree> {
    let text = with_line_feeds(source);
    let mut parser = Parser::new();
    parser.set_language(language()).expect("the grammar fits the library it is built with");
    let mut reports = 10_000 + source.len() * REPORTS_PER_BYTE;
    let mut progress = |_: &tree_sitter::ParseState| {
        reports = reports.saturating_sub(1);
        if reports == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    parser.parse_with_options(&mut |at, _| text.get(at..).unwrap_or(&[]), None, Some(options))
}

/// `source` with every carriage return that stands alone as a line feed, which is how Python reads
/// it and the grammar does not; every byte keeps its place.
fn with_line_feeds(source: &[u8]) -> Cow<'_, [u8]> {
    let lone = |at: usize| source[at] == b'\r' && source.get(at + 1) != Some(&b'\n');
    if !(0..source.len()).any(lone) {
        return Cow::Borrowed(source);
    }
    let byte = |at: usize| if lone(at) { b'\n' } else { source[at] };
    Cow::Owned((0..source.len()).map(byte).collect())
}
