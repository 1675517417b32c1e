//! Places that are never mutated, because no test could tell or every test would.

use tree_sitter::Node;

use super::edits::is_word;
use super::strings;
use super::syntax::{Field, Kind, field, fields, kind, only_part, parts, text, unparenthesized};

/// The names of loggers as section 11 of the record rules lists them.
const LOGGERS: &[&[u8]] = &[b"logging", b"logger", b"log", b"LOGGER", b"LOG", b"_logger", b"_log"];

/// Names whose assigned value describes the module instead of deciding what it does.
const METADATA: &[&[u8]] = &[
    b"__all__",
    b"__author__",
    b"__copyright__",
    b"__credits__",
    b"__date__",
    b"__doc__",
    b"__docformat__",
    b"__email__",
    b"__license__",
    b"__maintainer__",
    b"__status__",
    b"__title__",
    b"__url__",
    b"__version__",
    b"__version_info__",
    b"VERSION",
];

/// The rules as the documentation states them.
pub(crate) const RULES: &[&str] = &[
    "docstrings, and any statement that is only a string",
    "annotations: of parameters, results and assignments, `type` statements, type parameters, and a bare `name: type` statement",
    "`import`, `from ... import` and `from __future__` statements",
    "everything inside a call of a method of `logging`, `logger`, `log`, `LOGGER`, `LOG`, `_logger` or `_log`, and the statement that is only such a call",
    "`__all__`, also when added to, and assignments of module metadata (`__version__`, `VERSION`, `__author__`, ...)",
    "decorators with their arguments",
    "the header of `if __name__ == \"__main__\":` and the whole of `if TYPE_CHECKING:`, an `else` left aside",
    "patterns of `case`; their guards and blocks are sites",
    "targets after `as`",
    "the `/`, `*` and `**` of signatures and calls, and the `*` of `except*`",
    "the braces, format specifications, conversions and `=` of f-strings; their expressions are sites, also those nested in a format specification",
    "an edit that would take the last `yield` out of a generator, which makes it a different kind of function",
    "anything that touches a part of the file the grammar cannot read",
];

/// What may be mutated at and below a node.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Access {
    /// The node itself.
    pub(crate) site: bool,
    /// What stands inside it.
    pub(crate) inside: bool,
    /// The ids of children that are left out with all they hold.
    withheld: [usize; 2],
}

impl Access {
    pub(crate) const ALL: Self = Self { site: true, inside: true, withheld: [0; 2] };
    const NODE_ALONE: Self = Self { site: true, inside: false, withheld: [0; 2] };
    pub(crate) const NOTHING: Self = Self { site: false, inside: false, withheld: [0; 2] };

    /// Whether `child`, a child of this node, is left out.
    pub(crate) fn withholds(&self, child: Node<'_>) -> bool {
        !self.inside || self.withheld[0] != 0 && self.withheld.contains(&child.id())
    }

    /// Not the node and not these children, but the others.
    fn without(children: [Option<Node<'_>>; 2]) -> Self {
        let withheld = children.map(|child| child.map_or(0, |child| child.id()));
        Self { site: false, inside: true, withheld }
    }
}

/// What may be mutated at and below `node`.
pub(crate) fn access(
    source: &[u8],
    node: Node<'_>,
    kind: Kind,
    parent: Option<Node<'_>>,
) -> Access {
    let is_never = match kind {
        Kind::AsPatternTarget
        | Kind::CasePattern
        | Kind::Comment
        | Kind::Decorator
        | Kind::ExecStatement
        | Kind::FutureImportStatement
        | Kind::ImportFromStatement
        | Kind::ImportStatement
        | Kind::PrintStatement
        | Kind::StringContent
        | Kind::Type
        | Kind::TypeAliasStatement
        | Kind::TypeParameter => true,
        Kind::Call => is_withheld_call(source, node),
        Kind::ExpressionStatement => is_withheld_statement(source, node, parent),
        Kind::IfStatement | Kind::ElifClause => return of_condition(source, node),
        Kind::String if !strings::may_hold_expressions(source, node) => return Access::NODE_ALONE,
        _ => false,
    };
    if is_never { Access::NOTHING } else { Access::ALL }
}

/// A logging call as section 11 defines it, or a call that edits `__all__`.
pub(crate) fn is_withheld_call(source: &[u8], call: Node<'_>) -> bool {
    let first = source[call.byte_range()].split(|byte| !is_word(*byte)).next().unwrap_or(b"");
    if !first.is_empty() && !is_withheld_name(first) {
        return false;
    }
    let Some(mut function) = field(call, Field::Function).map(unparenthesized) else {
        return false;
    };
    let mut attributes = 0;
    while kind(function) == Kind::Attribute {
        let Some(object) = field(function, Field::Object).map(unparenthesized) else {
            return false;
        };
        function = object;
        attributes += 1;
    }
    attributes > 0 && kind(function) == Kind::Identifier && is_withheld_name(text(source, function))
}

fn is_withheld_name(name: &[u8]) -> bool {
    LOGGERS.contains(&name) || name == b"__all__"
}

fn is_withheld_statement(source: &[u8], statement: Node<'_>, parent: Option<Node<'_>>) -> bool {
    let Some(value) = only_part(statement).map(unparenthesized) else { return false };
    match kind(value) {
        Kind::String | Kind::ConcatenatedString => !strings::has_interpolation(value),
        Kind::Call => is_withheld_call(source, value),
        Kind::Assignment => {
            let in_module = parent.is_some_and(|parent| kind(parent) == Kind::Module);
            is_withheld_assignment(source, value, in_module)
        }
        Kind::AugmentedAssignment => {
            field(value, Field::Left).is_some_and(|left| text(source, left) == b"__all__")
        }
        _ => false,
    }
}

/// An annotation without a value, or module metadata.
fn is_withheld_assignment(source: &[u8], assignment: Node<'_>, in_module: bool) -> bool {
    let Some(mut value) = field(assignment, Field::Right) else { return true };
    let mut names: Vec<&[u8]> = Vec::new();
    let mut target = assignment;
    loop {
        names.extend(field(target, Field::Left).map(|left| text(source, left)));
        if kind(value) != Kind::Assignment {
            break;
        }
        target = value;
        let Some(inner) = field(target, Field::Right) else { break };
        value = inner;
    }
    let is_version = in_module && kind(value) == Kind::String;
    names.iter().any(|name| METADATA.contains(name) || is_version && *name == b"version")
}

fn of_condition(source: &[u8], node: Node<'_>) -> Access {
    let Some(condition) = field(node, Field::Condition) else { return Access::ALL };
    let tested = unparenthesized(condition);
    match kind(tested) {
        Kind::ComparisonOperator
            if parts(tested).any(|part| text(source, part) == b"__name__")
                && fields(tested, Field::Operators)
                    .iter()
                    .all(|operator| operator.kind() == "==") =>
        {
            Access::without([Some(condition), None])
        }
        Kind::Identifier | Kind::Attribute if is_type_checking(source, tested) => {
            Access::without([Some(condition), field(node, Field::Consequence)])
        }
        _ => Access::ALL,
    }
}

fn is_type_checking(source: &[u8], name: Node<'_>) -> bool {
    let last = field(name, Field::Attribute).unwrap_or(name);
    text(source, last) == b"TYPE_CHECKING"
}
