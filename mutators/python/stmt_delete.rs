//! `stmt-delete`.

use super::support::edits::Edits;
use super::support::syntax::{Field, Kind, field, kind, only_part};
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "stmt-delete",
        family: Family::Done1,
        statement: true,
        summary: "A statement becomes `pass`",
        shows: "No test depends on what the statement does",
        examples: &[
            ("def f():\n    a()\n    b()\n", "def f():\n    a()\n    pass\n"),
            ("if a:\n    b()\nelif c:\n    d()\n", "if a:\n    b()\nelse: pass\n"),
        ],
    },
    kinds: &[
        Kind::AssertStatement,
        Kind::BreakStatement,
        Kind::ClassDefinition,
        Kind::ContinueStatement,
        Kind::DecoratedDefinition,
        Kind::DeleteStatement,
        Kind::ElifClause,
        Kind::ExpressionStatement,
        Kind::ForStatement,
        Kind::FunctionDefinition,
        Kind::GlobalStatement,
        Kind::IfStatement,
        Kind::MatchStatement,
        Kind::NonlocalStatement,
        Kind::RaiseStatement,
        Kind::ReturnStatement,
        Kind::TryStatement,
        Kind::WhileStatement,
        Kind::WithStatement,
    ],
    edits,
};

fn edits(site: &Site<'_, '_>, out: &mut Edits<'_>) {
    let node = site.node;
    match (site.kind, site.parent()) {
        // Python reads `elif` as an `if` inside the `else` of the one before it.
        (Kind::ElifClause, Some(statement)) => {
            out.replace(node, node.start_byte()..statement.end_byte(), &[b"else: pass"]);
        }
        (_, Some(parent)) if !matches!(kind(parent), Kind::Block | Kind::Module) => {}
        // Deleting `...` changes nothing.
        (Kind::ExpressionStatement, _)
            if only_part(node).is_some_and(|part| kind(part) == Kind::Ellipsis) => {}
        (Kind::DecoratedDefinition, _) => {
            let definition = field(node, Field::Definition).unwrap_or(node);
            out.replace(definition, node.byte_range(), &[b"pass"]);
        }
        _ => out.replace(node, node.byte_range(), &[b"pass"]),
    }
}

#[cfg(test)]
mod tests {
    use crate::python::support::testing::{mutants, places};

    #[test]
    fn simple_statements_of_one_line() {
        assert_eq!(
            mutants("stmt-delete", "x = 1; del y; pass\n"),
            ["pass; del y; pass\n", "x = 1; pass; pass\n"]
        );
        assert_eq!(mutants("stmt-delete", "if a: b"), ["pass", "if a: pass"]);
        assert_eq!(
            mutants("stmt-delete", "for a in b:\r\n\tbreak\r\n"),
            ["pass\r\n", "for a in b:\r\n\tpass\r\n"]
        );
    }

    #[test]
    fn blocks_go_as_a_whole() {
        let source = "class A:\n\t@d\n\tasync def f(self):\n\t\treturn '''\nx'''\n\n\ty = 1\n";
        assert_eq!(
            mutants("stmt-delete", source),
            [
                "pass\n",
                "class A:\n\tpass\n\n\ty = 1\n",
                "class A:\n\t@d\n\tasync def f(self):\n\t\tpass\n\n\ty = 1\n",
                "class A:\n\t@d\n\tasync def f(self):\n\t\treturn '''\nx'''\n\n\tpass\n",
            ]
        );
        assert_eq!(places("stmt-delete", "@d\ndef f(): pass\n"), [(2, 0)]);
    }

    #[test]
    fn an_elif_takes_the_rest_of_the_chain_with_it() {
        assert_eq!(
            mutants("stmt-delete", "if a: pass\nelif b: pass\nelif c: pass\nelse: pass\n"),
            ["pass\n", "if a: pass\nelse: pass\n", "if a: pass\nelif b: pass\nelse: pass\n",]
        );
        assert_eq!(places("stmt-delete", "if a: pass\nelif b: pass\n"), [(1, 0), (2, 0)]);
    }

    #[test]
    fn what_has_no_effect_or_is_never_a_site_stays() {
        for source in [
            "pass\n",
            "...\n",
            "'doc'\n",
            "x: int\n",
            "import a\n",
            "from a import b\n",
            "__all__ = []\n",
            "logger.info(x)\n",
            "if __name__ == '__main__': pass\n",
            "if TYPE_CHECKING: x = 1\n",
            "match x:\n    case 1: pass\n",
        ] {
            let made = mutants("stmt-delete", source);
            assert!(
                made.is_empty() || source.starts_with("match") && made == ["pass\n"],
                "{source}"
            );
        }
    }

    #[test]
    fn a_generator_keeps_its_last_yield() {
        assert!(
            mutants("stmt-delete", "async def f():\n    yield 1\n")
                .iter()
                .all(|made| made == "pass\n")
        );
        assert_eq!(mutants("stmt-delete", "def f():\n    yield 1\n    yield 2\n").len(), 3);
        assert_eq!(mutants("stmt-delete", "def f():\n    g(lambda: (yield))\n").len(), 2);
    }
}
