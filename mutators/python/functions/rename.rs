//! A local variable under another name, where nothing can see the difference.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use tree_sitter::Node;

use super::super::support::parse;
use super::super::support::syntax::{Field, Kind, children, field, kind, text};

/// Calls through which code reads the names of variables.
const MIRRORS: &[&[u8]] = &[b"locals", b"vars", b"dir", b"eval", b"exec", b"globals", b"getattr"];

/// What stands behind the old name.
const SUFFIX: &[u8] = b"_renamed";

/// Whether an expression of an f-string is shown with its own text, as in `f'{x=}'`.
fn shows_itself(source: &[u8], interpolation: Node<'_>) -> bool {
    children(interpolation).any(|child| text(source, child) == b"=")
}

/// For each function that allows it, one of its local variables renamed wherever it stands.
pub(crate) fn renamed_locals(source: &[u8]) -> Vec<(Range<usize>, Vec<u8>)> {
    let Some(tree) = parse::parse(source) else { return Vec::new() };
    let mut edits = Vec::new();
    let mut todo = vec![tree.root_node()];
    while let Some(node) = todo.pop() {
        if kind(node) == Kind::FunctionDefinition
            && let Some(places) = of_function(source, node)
        {
            edits.extend(places.into_iter().map(|at| (at..at, SUFFIX.to_vec())));
            continue;
        }
        todo.extend(children(node));
    }
    edits.sort_unstable_by_key(|(span, _)| span.start);
    edits
}

/// Where the names of one local variable end; `None` when the function has none that can be renamed.
fn of_function(source: &[u8], function: Node<'_>) -> Option<Vec<usize>> {
    let body = field(function, Field::Body)?;
    let mut uses = BTreeMap::<&[u8], Vec<usize>>::new();
    let mut assigned = BTreeSet::new();
    let mut todo = vec![body];
    while let Some(node) = todo.pop() {
        match kind(node) {
            // A scope of its own may see the variable; other statements change what a name is.
            Kind::FunctionDefinition
            | Kind::ClassDefinition
            | Kind::Lambda
            | Kind::GlobalStatement
            | Kind::NonlocalStatement
            | Kind::MatchStatement
            | Kind::DeleteStatement
            | Kind::ImportStatement
            | Kind::ImportFromStatement
            | Kind::ExceptClause => return None,
            Kind::Interpolation if shows_itself(source, node) => return None,
            Kind::Identifier => {
                let name = text(source, node);
                if MIRRORS.contains(&name) {
                    return None;
                }
                uses.entry(name).or_default().push(node.end_byte());
                continue;
            }
            Kind::Assignment => {
                let left = field(node, Field::Left)?;
                if kind(left) == Kind::Identifier {
                    assigned.insert(text(source, left));
                }
            }
            Kind::Attribute => {
                todo.extend(field(node, Field::Object));
                continue;
            }
            Kind::KeywordArgument => {
                todo.extend(field(node, Field::Value));
                continue;
            }
            _ => {}
        }
        todo.extend(children(node));
    }
    // A name in the header is a parameter, or may be.
    let header = &source[function.start_byte()..body.start_byte()];
    let in_header = |name: &[u8]| header.windows(name.len()).any(|window| window == name);
    let free = |name: &&&[u8]| !in_header(name) && !uses.contains_key(&[name, SUFFIX].concat()[..]);
    let name = assigned.iter().find(free)?;
    let mut places = uses.remove(*name)?;
    places.sort_unstable();
    Some(places)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::splice;

    fn renamed(source: &str) -> String {
        let edits = renamed_locals(source.as_bytes());
        let edits = edits.iter().map(|(span, text)| (span, &text[..]));
        String::from_utf8(splice(source.as_bytes(), edits)).expect("text stays text")
    }

    #[test]
    fn a_local_is_renamed_wherever_it_stands() {
        assert_eq!(
            renamed("def f(a):\n    b = a.b\n    g(b=b)\n    return [b for a in b] + [f'{b}']\n"),
            "def f(a):\n    b_renamed = a.b\n    g(b=b_renamed)\n    \
             return [b_renamed for a in b_renamed] + [f'{b_renamed}']\n"
        );
        // A parameter is seen from outside, and so is a name of the module.
        let source = "x = 1\ndef f(a):\n    a = 2\n    return a, x\n";
        assert_eq!(renamed(source), source);
    }

    #[test]
    fn where_something_may_see_the_name_it_stays() {
        for body in [
            "x = 1\n    return locals()",
            "x = 1\n    return f'{x=}'",
            "global x\n    x = 1",
            "x = 1\n    def g(): return x",
            "x = 1\n    del x",
            "x = 1\n    import x",
            "self.x = 1",
            "x = x_renamed",
        ] {
            let source = format!("def f(self):\n    {body}\n");
            assert_eq!(renamed(&source), source);
        }
    }
}
