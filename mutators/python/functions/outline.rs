//! The definitions and statements of a source.

use std::ops::Range;

use tree_sitter::Node;

use super::super::support::layout;
use super::super::support::parse;
use super::super::support::syntax::{
    Field, Kind, children, field, is_none, kind, only_part, parts, text, unparenthesized,
};
use crate::outline::{Definition, Outline, Statement, Unfit};

/// Decorators that make a descriptor of a function which cannot be bound again as a callable.
const PROPERTIES: &[&[u8]] = &[b"property", b"cached_property", b"setter", b"getter", b"deleter"];

/// Decorators that make a context manager of a generator.
const CONTEXTS: &[&[u8]] = &[b"contextmanager", b"asynccontextmanager"];

/// Methods whose result the interpreter checks, or which make the object itself.
const PROTOCOL: &[&[u8]] = &[b"__init__", b"__new__", b"__len__", b"__bool__", b"__hash__"];

pub(crate) fn outline(source: &[u8]) -> Outline {
    let mut outline = Outline::default();
    let Some(tree) = parse::parse(source) else {
        return Outline { unreadable: Some(1), ..outline };
    };
    let has_errors = tree.root_node().has_error();
    // With an explicit stack: sources nest as deep as they like.
    let mut todo = vec![(tree.root_node(), None::<usize>)];
    let mut names = Vec::<String>::new();
    while let Some((node, around)) = todo.pop() {
        let mut inside = around;
        if has_errors && outline.unreadable.is_none() && (node.is_error() || node.is_missing()) {
            outline.unreadable = Some(lines(node).0);
        }
        match kind(node) {
            Kind::FunctionDefinition | Kind::ClassDefinition => {
                let own = field(node, Field::Name).map_or(&b""[..], |name| text(source, name));
                let own = String::from_utf8_lossy(own);
                let name = around.map_or(own.clone().into(), |at| format!("{}.{own}", names[at]));
                if kind(node) == Kind::FunctionDefinition
                    && let Some(definition) = definition(source, node, name.clone())
                {
                    outline.definitions.push(definition);
                }
                inside = Some(names.len());
                names.push(name);
            }
            _ => {}
        }
        if let Some(statement) = statement(node) {
            outline.statements.push(statement);
        }
        let below = children(node).map(|child| (child, inside)).collect::<Vec<_>>();
        todo.extend(below.into_iter().rev());
    }
    outline
}

/// As Python's own syntax tree counts them: an `elif` is a statement in the `else` of the one
/// before, and a decorated definition starts at its `def`.
fn statement(node: Node<'_>) -> Option<Statement> {
    let kind = kind(node);
    let is_compound = kind.is_compound_statement() || kind == Kind::ElifClause;
    if !(kind.is_statement() || is_compound) || kind == Kind::DecoratedDefinition {
        return None;
    }
    let (first, last) = lines(node);
    // `match` holds cases, not statements.
    Some(Statement { first, last, is_compound: is_compound && kind != Kind::MatchStatement })
}

fn lines(node: Node<'_>) -> (u32, u32) {
    let line = |row: usize| u32::try_from(row + 1).unwrap_or(u32::MAX);
    let end = node.end_position();
    // A node that ends with a line end ends on the line before.
    let last = if end.column == 0 { end.row.saturating_sub(1) } else { end.row };
    (line(node.start_position().row), line(last.max(node.start_position().row)))
}

fn definition(source: &[u8], node: Node<'_>, name: String) -> Option<Definition> {
    let body = field(node, Field::Body)?;
    let around = node.parent().filter(|parent| kind(*parent) == Kind::DecoratedDefinition);
    let (first, last) = lines(node);
    let column = node.start_position().column;
    let mark = if first == 1 && source.starts_with(layout::BOM) { layout::BOM.len() } else { 0 };
    let is_async = children(node).next().is_some_and(|word| text(source, word) == b"async");
    Some(Definition {
        span: trimmed(source, around.unwrap_or(node).start_byte()..node.end_byte()),
        header: node.start_byte()..body.start_byte(),
        body: trimmed(source, body.byte_range()),
        first,
        last,
        column: u32::try_from(column.saturating_sub(mark)).unwrap_or(u32::MAX),
        is_async,
        unfit: unfit(source, node, around, body),
        name,
    })
}

/// Without white space at the end: the grammar gives a block the carriage return after it.
fn trimmed(source: &[u8], span: Range<usize>) -> Range<usize> {
    span.start..span.start + source[span].trim_ascii_end().len()
}

fn unfit(
    source: &[u8],
    node: Node<'_>,
    decorated: Option<Node<'_>>,
    body: Node<'_>,
) -> Option<Unfit> {
    let decorators = decorated.into_iter().flat_map(children);
    let decorators = decorators.filter(|child| kind(*child) == Kind::Decorator);
    let names = decorators.filter_map(|decorator| decorator_name(source, decorator));
    let names = names.collect::<Vec<_>>();
    let own = field(node, Field::Name).map_or(&b""[..], |name| text(source, name));
    let seen = Results::of(body);
    if names.iter().any(|name| PROPERTIES.contains(name)) {
        Some(Unfit::Property)
    } else if names.iter().any(|name| CONTEXTS.contains(name)) {
        Some(Unfit::ContextManager)
    } else if PROTOCOL.contains(&own) {
        Some(Unfit::Protocol)
    } else if seen.yields {
        Some(Unfit::Generator)
    } else if !seen.returns_a_value {
        Some(Unfit::ReturnsNone)
    } else {
        None
    }
}

/// The last part of a decorator's name, its arguments left out.
fn decorator_name<'s>(source: &'s [u8], decorator: Node<'_>) -> Option<&'s [u8]> {
    let mut expression = unparenthesized(only_part(decorator)?);
    if kind(expression) == Kind::Call {
        expression = unparenthesized(field(expression, Field::Function)?);
    }
    match kind(expression) {
        Kind::Attribute => field(expression, Field::Attribute).map(|name| text(source, name)),
        Kind::Identifier => Some(text(source, expression)),
        _ => None,
    }
}

/// What a body gives back, nested definitions left aside.
#[derive(Default)]
struct Results {
    returns_a_value: bool,
    yields: bool,
}

impl Results {
    fn of(body: Node<'_>) -> Self {
        let mut seen = Self::default();
        let mut todo = vec![body];
        while let Some(node) = todo.pop() {
            match kind(node) {
                Kind::FunctionDefinition | Kind::ClassDefinition | Kind::Lambda => continue,
                Kind::Yield => seen.yields = true,
                Kind::ReturnStatement => {
                    seen.returns_a_value |= parts(node).any(|value| !is_none(value));
                }
                _ => {}
            }
            todo.extend(children(node));
        }
        seen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "\
import os

@property
def size(self):
    return self._size

class Box:
    async def get(self, key):
        def inner():
            return 1
        if key:
            return inner()
        elif self:
            return None
        return key

    def __len__(self): return 3

def nothing():
    return

def each():
    yield 1

@contextlib.contextmanager
def held():
    yield
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
                ("size", 4, 5, 0, false, Some(Unfit::Property)),
                ("Box.get", 8, 15, 4, true, None),
                ("Box.get.inner", 9, 10, 8, false, None),
                ("Box.__len__", 17, 17, 4, false, Some(Unfit::Protocol)),
                ("nothing", 19, 20, 0, false, Some(Unfit::ReturnsNone)),
                ("each", 22, 23, 0, false, Some(Unfit::Generator)),
                ("held", 26, 27, 0, false, Some(Unfit::ContextManager)),
            ]
        );
        let size = &outline.definitions[0];
        assert_eq!(&SOURCE[size.header.clone()], "def size(self):\n    ");
        assert_eq!(&SOURCE[size.body.clone()], "return self._size");
        assert!(SOURCE[size.span.clone()].starts_with("@property"));
    }

    #[test]
    fn statements_as_python_counts_them() {
        let outline = outline(SOURCE.as_bytes());
        let compound = outline.statements.iter().filter(|it| it.is_compound);
        let compound = compound.map(|it| (it.first, it.last)).collect::<Vec<_>>();
        let expected = [
            (4, 5),
            (7, 17),
            (8, 15),
            (9, 10),
            (11, 14),
            (13, 14),
            (17, 17),
            (19, 20),
            (22, 23),
            (26, 27),
        ];
        assert_eq!(compound, expected);
        let simple = outline.statements.iter().filter(|it| !it.is_compound).map(|it| it.first);
        assert_eq!(simple.collect::<Vec<_>>(), [1, 5, 10, 12, 14, 15, 17, 20, 23, 27]);
    }
}
