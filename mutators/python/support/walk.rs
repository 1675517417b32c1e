//! The single walk over a tree: asks the operators at every node that may be mutated.

use std::cell::{Cell, OnceCell};
use std::ops::Range;

use tree_sitter::{Node, Tree};

use super::edits::Edits;
use super::never::{self, Access};
use super::syntax::{Field, KIND_COUNT, Kind, field, kind, parts, text};
use crate::{Function, Operator};

/// An operator with the code that finds its sites.
pub(crate) struct Rule {
    pub(crate) operator: Operator,
    /// The node kinds it is asked about.
    pub(crate) kinds: &'static [Kind],
    /// Adds the edits this operator has for one node.
    pub(crate) edits: fn(&Site<'_, '_>, &mut Edits<'_>),
}

/// A node that may be mutated, and what stands around it.
pub(crate) struct Site<'a, 't> {
    pub(crate) source: &'t [u8],
    pub(crate) node: Node<'t>,
    pub(crate) kind: Kind,
    frames: &'a [Frame<'t>],
    arguments: OnceCell<Vec<Node<'t>>>,
}

impl<'t> Site<'_, 't> {
    /// The ancestors, parent first.
    pub(crate) fn ancestors(&self) -> impl Iterator<Item = Node<'t>> {
        self.frames.iter().rev().map(|frame| frame.node)
    }

    /// The kind of the parent.
    pub(crate) fn parent_kind(&self) -> Kind {
        self.frames.last().map_or(Kind::Other, |frame| kind(frame.node))
    }

    /// The parent, unless this is the root.
    pub(crate) fn parent(&self) -> Option<Node<'t>> {
        self.frames.last().map(|frame| frame.node)
    }

    /// Whether this is the first question of this kind about the ancestor at `depth`, where 0 is
    /// the parent. Only one operator asks: call-none.
    pub(crate) fn is_first_below(&self, depth: usize) -> bool {
        let frame = self.frames.len().checked_sub(depth + 1).map(|index| &self.frames[index]);
        frame.is_some_and(|frame| !frame.is_asked.replace(true))
    }

    /// The arguments of this call; empty unless they stand in a list.
    pub(crate) fn arguments(&self) -> &[Node<'t>] {
        self.arguments.get_or_init(|| match field(self.node, Field::Arguments) {
            Some(list) if kind(list) == Kind::ArgumentList && list.named_child_count() > 0 => {
                parts(list).collect()
            }
            _ => Vec::new(),
        })
    }

    /// The bytes of a node.
    pub(crate) fn text(&self, node: Node<'_>) -> &'t [u8] {
        text(self.source, node)
    }
}

/// A node on the way from the root to where the walk stands.
struct Frame<'t> {
    node: Node<'t>,
    access: Access,
    scope: Scope,
    /// See `Site::is_first_below`.
    is_asked: Cell<bool>,
}

/// The definitions around a place.
#[derive(Clone, Copy, Default)]
struct Scope {
    /// Index of the innermost function.
    function: Option<u32>,
    /// The same, but nothing inside a lambda or a class, whose `yield` is not the function's.
    generator: Option<u32>,
    /// Index of the innermost class or function in `Walk::names`.
    name: Option<usize>,
}

/// What the walk saw.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) functions: Vec<Function>,
    /// For each function the places of its own `yield` expressions, ascending.
    pub(crate) yields: Vec<Vec<usize>>,
    /// The bytes the grammar could not read, see `is_unreadable`.
    pub(crate) unreadable: Vec<Range<usize>>,
}

struct Walk<'s, 'w> {
    source: &'s [u8],
    rules: &'static [&'static Rule],
    by_kind: &'w [Vec<usize>; KIND_COUNT],
    has_errors: bool,
    /// Dotted names of the classes and functions.
    names: Vec<String>,
    seen: Seen,
}

/// Walks `tree` once; the rules that `wanted` accepts add to `edits`.
pub(crate) fn walk<'s>(
    tree: &'s Tree,
    source: &'s [u8],
    rules: &'static [&'static Rule],
    wanted: &dyn Fn(&Operator) -> bool,
    edits: &mut Edits<'s>,
) -> Seen {
    let mut by_kind = [const { Vec::new() }; KIND_COUNT];
    for (index, rule) in rules.iter().enumerate().filter(|(_, rule)| wanted(&rule.operator)) {
        for kind in rule.kinds {
            by_kind[*kind as usize].push(index);
        }
    }
    let mut walk = Walk {
        source,
        rules,
        by_kind: &by_kind,
        has_errors: tree.root_node().has_error(),
        names: Vec::new(),
        seen: Seen::default(),
    };
    let mut frames: Vec<Frame<'s>> = Vec::new();
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let access = walk.visit(node, &frames, edits);
        if let Some(access) = access
            && cursor.goto_first_child()
        {
            let scope = walk.scope_inside(node, access, &frames);
            frames.push(Frame { node, access, scope, is_asked: Cell::new(false) });
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return walk.seen;
            }
            frames.pop();
        }
    }
}

impl<'s> Walk<'s, '_> {
    /// Asks the rules about `node`; what may be mutated below it, if its children are to be visited.
    fn visit(
        &mut self,
        node: Node<'s>,
        frames: &[Frame<'s>],
        edits: &mut Edits<'s>,
    ) -> Option<Access> {
        let kind = kind(node);
        if kind == Kind::Other && !self.has_errors {
            return Some(Access::ALL);
        }
        let parent = frames.last();
        let scope = parent.map_or_else(Scope::default, |frame| frame.scope);
        if self.has_errors && is_unreadable(node, kind, parent) {
            self.seen.unreadable.push(node.byte_range());
        }
        if kind == Kind::Yield
            && let Some(function) = scope.generator
        {
            self.seen.yields[function as usize].push(node.start_byte());
        }
        let access = match parent {
            Some(parent) if parent.access.withholds(node) => Access::NOTHING,
            _ => never::access(self.source, node, kind, parent.map(|frame| frame.node)),
        };
        if access.site {
            let site = Site { source: self.source, node, kind, frames, arguments: OnceCell::new() };
            for &rule in &self.by_kind[kind as usize] {
                edits.set_origin(rule, scope.function);
                (self.rules[rule].edits)(&site, edits);
            }
        }
        (access.inside || self.has_errors && node.has_error()).then_some(access)
    }

    /// The scope of what stands inside `node`; a definition opens one.
    fn scope_inside(&mut self, node: Node<'s>, access: Access, frames: &[Frame<'s>]) -> Scope {
        let mut scope = frames.last().map_or_else(Scope::default, |frame| frame.scope);
        let kind = kind(node);
        match kind {
            Kind::FunctionDefinition | Kind::ClassDefinition if access.inside => {}
            Kind::Lambda => return Scope { generator: None, ..scope },
            _ => return scope,
        }
        let own = field(node, Field::Name).map_or(&b""[..], |name| text(self.source, name));
        let own = String::from_utf8_lossy(own);
        let name = match scope.name {
            Some(outer) => format!("{}.{own}", self.names[outer]),
            None => own.into_owned(),
        };
        scope.name = Some(self.names.len());
        scope.generator = None;
        if kind == Kind::FunctionDefinition {
            scope.function = u32::try_from(self.seen.functions.len()).ok();
            scope.generator = scope.function;
            self.seen.functions.push(Function { name: name.clone(), span: node.byte_range() });
            self.seen.yields.push(Vec::new());
        }
        self.names.push(name);
        scope
    }
}

/// Whether the grammar could not make sense of `node`: a token it made up, or what stands loose in
/// an ERROR node. Whole statements in an ERROR node were read well before or after the fault, which
/// may be all of the file.
fn is_unreadable(node: Node<'_>, kind: Kind, parent: Option<&Frame<'_>>) -> bool {
    if node.is_error() {
        return node.child_count() == 0;
    }
    let is_loose = || parent.is_some_and(|parent| parent.node.is_error());
    node.is_missing() || !kind.is_statement() && kind != Kind::Comment && is_loose()
}
