//! `try-unwrap`.

use super::support::edits::Edits;
use super::support::syntax::{Kind, kind, parts};
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "try-unwrap",
        family: Family::Done1,
        statement: true,
        summary: "A `try` loses its handlers; its block, `else` and `finally` run one after the other",
        shows: "No test raises inside the `try`",
        examples: &[
            ("try:\n    a()\nexcept E:\n    b()\n", "if True:\n    a()\n"),
            (
                "try:\n    a()\nexcept E:\n    b()\nfinally:\n    c()\n",
                "if True:\n    a()\nif True:\n    c()\n",
            ),
        ],
    },
    kinds: &[Kind::TryStatement],
    edits,
};

// Each block keeps its indentation under an `if True:`, so that nothing has to be indented anew.
fn edits(site: &Site<'_, '_>, out: &mut Edits<'_>) {
    let node = site.node;
    let clauses: Vec<_> = parts(node).filter(|part| kind(*part).is_clause()).collect();
    if !clauses.iter().any(|clause| kind(*clause) == Kind::ExceptClause) {
        return;
    }
    let mut pieces: Vec<&[u8]> = vec![b"if True"];
    let mut kept_from = node.start_byte() + b"try".len();
    let mut end = node.end_byte();
    for (index, clause) in clauses.iter().enumerate() {
        let keyword: &[u8] = match kind(*clause) {
            Kind::ElseClause => b"else",
            Kind::FinallyClause => b"finally",
            _ => b"",
        };
        if keyword.is_empty() {
            pieces.push(&site.source[kept_from..clause.start_byte()]);
            kept_from =
                clauses.get(index + 1).map_or(node.end_byte(), tree_sitter::Node::start_byte);
        } else {
            pieces.extend([&site.source[kept_from..clause.start_byte()], b"if True"]);
            kept_from = clause.start_byte() + keyword.len();
            end = kept_from;
        }
    }
    if clauses.last().is_some_and(|last| kind(*last) == Kind::ExceptClause)
        && let Some(last) = pieces.last_mut()
    {
        *last = last.trim_ascii_end();
    }
    out.replace(node, node.start_byte()..end, &pieces);
}

#[cfg(test)]
mod tests {
    use crate::python::support::testing::mutants;

    #[test]
    fn with_every_clause() {
        let source = "def f():\n\ttry : # c\n\t\ta = '''\n x'''\n\texcept E as e:\n\t\tb\n\texcept:\n\t\tc\n\telse:\n\t\td\n\tfinally:\n\t\te\n\tg\n";
        assert_eq!(
            mutants("try-unwrap", source),
            [
                "def f():\n\tif True : # c\n\t\ta = '''\n x'''\n\tif True:\n\t\td\n\tif True:\n\t\te\n\tg\n"
            ]
        );
        assert_eq!(mutants("try-unwrap", "try: a\nexcept* E: b"), ["if True: a"]);
        assert_eq!(
            mutants("try-unwrap", "try:\r\n  a # c\r\n  # d\r\nexcept E: b\r\nf\r\n"),
            ["if True:\r\n  a # c\r\n  # d\r\nf\r\n"]
        );
    }

    #[test]
    fn without_handlers_there_is_nothing_to_lose() {
        assert!(mutants("try-unwrap", "try: a\nfinally: b\n").is_empty());
    }

    #[test]
    fn nested_ones_apart() {
        let source = "try:\n  try: a\n  except E: b\nexcept F: c\n";
        assert_eq!(
            mutants("try-unwrap", source),
            ["if True:\n  try: a\n  except E: b\n", "try:\n  if True: a\nexcept F: c\n",]
        );
    }
}
