//! The definitions and statements of a source.

use std::ops::Range;

use super::super::support::finish::Lines;
use super::super::support::parse::{Source, Unreadable, parsed};
use super::super::support::types::returned;
use super::super::support::values;
use super::super::support::walk::{Met, Site, Visitor, walk};
use crate::outline::{Definition, Outline, Statement, Unfit};

pub(crate) fn outline(bytes: &[u8]) -> Outline {
    let outline = parsed(bytes, |source, file| {
        let mut found = Outlining { source, lines: Lines::of(source), outline: Outline::default() };
        walk(source, file, &mut found);
        found.outline
    });
    outline
        .unwrap_or_else(|Unreadable(line)| Outline { unreadable: Some(line), ..Outline::default() })
}

struct Outlining<'s> {
    source: &'s Source<'s>,
    lines: Lines,
    outline: Outline,
}

impl Visitor for Outlining<'_> {
    fn site(&mut self, _: &Site<'_>, _: Option<u32>) {}

    fn function(&mut self, met: &Met<'_>) {
        let signature = met.body.signature;
        let body = self.source.range(met.body.block);
        let attributes = met.attributes.first().map(|first| self.source.range(first).start);
        let (first, column) = self.lines.place(met.span.start);
        self.outline.definitions.push(Definition {
            name: met.name.to_owned(),
            span: attributes.unwrap_or(met.span.start).min(met.span.start)..body.end,
            header: met.span.start..body.start,
            first,
            last: self.lines.place(body.end - 1).0,
            column,
            body,
            is_async: signature.asyncness.is_some(),
            unfit: unfit(met),
        });
    }

    fn statement(&mut self, span: Range<usize>, is_compound: bool) {
        let (first, last) = (self.lines.place(span.start).0, self.lines.place(span.end - 1).0);
        self.outline.statements.push(Statement { first, last, is_compound });
    }
}

fn unfit(met: &Met<'_>) -> Option<Unfit> {
    let signature = met.body.signature;
    if returned(&signature.output).is_none() {
        Some(Unfit::ReturnsNone)
    } else if signature.constness.is_some() {
        Some(Unfit::Constant)
    } else if values::of_function(&signature.output, met.body.place).is_empty() {
        Some(Unfit::NoValue)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "\
#[inline]
pub async fn f(a: u8) -> u8 {
    if a > 1 {
        return 2;
    }
    let b = a;
    b
}
impl A for B<u8> {
    /// Doc.
    fn g(&self) {}
    const fn h() -> u8 { 1 }
}
mod m { pub(crate) fn i() -> Box<dyn C> { fn j() -> u8 { 2 } k() } }
#[test]
fn t() {}
";

    #[test]
    fn definitions_with_their_lines_and_what_stands_against_a_cheat() {
        let outline = outline(SOURCE.as_bytes());
        let shown = outline
            .definitions
            .iter()
            .map(|it| (it.name.as_str(), it.first, it.last, it.column, it.is_async, it.unfit));
        assert_eq!(
            shown.collect::<Vec<_>>(),
            [
                ("f", 2, 8, 0, true, None),
                ("<B as A>::g", 11, 11, 4, false, Some(Unfit::ReturnsNone)),
                ("<B as A>::h", 12, 12, 4, false, Some(Unfit::Constant)),
                ("m::i", 14, 14, 8, false, Some(Unfit::NoValue)),
                ("m::i::j", 14, 14, 42, false, None),
            ]
        );
        let first = &outline.definitions[0];
        assert_eq!(&SOURCE[first.header.clone()], "pub async fn f(a: u8) -> u8 ");
        assert!(SOURCE[first.span.clone()].starts_with("#[inline]"));
        assert!(
            SOURCE[first.body.clone()].starts_with('{')
                && SOURCE[first.body.clone()].ends_with('}')
        );
        let statements = outline.statements.iter().map(|it| (it.first, it.last, it.is_compound));
        assert_eq!(
            statements.take(4).collect::<Vec<_>>(),
            [(3, 5, true), (4, 4, false), (6, 6, false), (7, 7, false)]
        );
    }
}
