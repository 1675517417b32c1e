//! What holds for the mutations of any source, made of pieces of Python and of anything.

use std::collections::BTreeSet;

use adequacy_mutators::{Control, Language, splice};
use proptest::prelude::*;

const PIECES: &[&str] = &[
    "x",
    "1",
    "0x1f",
    "2.5",
    "'a'",
    "f'{x + 1:>{w}}'",
    "rb'\\d'",
    "'''\n a'''",
    " ",
    "\t",
    "\n",
    "\n    ",
    "\r\n",
    "\\\n",
    "\u{c}",
    "\u{feff}",
    "é",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    ";",
    "=",
    "==",
    "+=",
    " + ",
    "-",
    "**",
    "/",
    "*",
    "@",
    " and ",
    " or ",
    " not ",
    " is None",
    " in ",
    " if ",
    " else ",
    "if x:",
    "elif y:",
    "else:",
    "while x:",
    "for a in b:",
    "try:",
    "except E as e:",
    "finally:",
    "with a as b:",
    "def f(a: int = 1, /, *b, c=None) -> R:",
    "async def g():",
    "class A(B, m=C):",
    "match x:",
    "case 1 | A():",
    "lambda x: ",
    "return ",
    "yield ",
    "await ",
    "raise E(x)",
    "assert x, y",
    "del x",
    "global x",
    "pass",
    "break",
    "continue",
    "import a",
    "from a import *",
    "from __future__ import b",
    "f(a, b=c, *d, **e)",
    "a[1:2, ::3]",
    "[i for i in j if k]",
    "log.info('a')",
    "__all__ = ['a']",
    "type X = Y",
    "# c",
    "# adequacy: skip",
    "\"\"\"doc\"\"\"",
    "@d(1)\n",
    "x: int = 2",
    "None",
    "True",
    "...",
];

fn source() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        20 => proptest::sample::select(PIECES).prop_map(|piece| piece.as_bytes().to_vec()),
        1 => proptest::collection::vec(any::<u8>(), 0..4),
    ];
    proptest::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn mutations_are_sound(source in source()) {
        let found = Language::Python.mutations(&source, &|_| true);
        let mut seen = BTreeSet::new();
        let mut last = None;
        for mutation in &found.mutations {
            let span = mutation.span.clone();
            prop_assert!(span.start <= span.end && span.end <= source.len());
            prop_assert_ne!(&source[span.clone()], &mutation.replacement[..]);
            prop_assert!(seen.insert((span.start, span.end, mutation.replacement.clone())));

            let registry = Language::Python.operators();
            let rank = registry.iter().position(|known| known.name == mutation.operator.name);
            let key = (span.start, span.end, rank, mutation.replacement.clone());
            prop_assert!(last.as_ref().is_none_or(|last| *last < key));
            last = Some(key);

            let mutant = splice(&source, [(&span, &mutation.replacement[..])]);
            let back = span.start..span.start + mutation.replacement.len();
            prop_assert_eq!(splice(&mutant, [(&back, &source[span.clone()])]), source.clone());

            prop_assert!(mutation.line >= 1);
            if let Some(function) = mutation.function {
                prop_assert!((function as usize) < found.functions.len());
            }
        }
        for function in &found.functions {
            prop_assert!(function.span.end <= source.len());
        }
        prop_assert!(found.functions.is_sorted_by_key(|function| function.span.start));
        prop_assert!(found.unreadable_lines.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn asking_for_one_operator_gives_its_part(source in source(), index in any::<prop::sample::Index>()) {
        let one = index.get(Language::Python.operators());
        let all = Language::Python.mutations(&source, &|_| true).mutations;
        let alone = Language::Python.mutations(&source, &|known| known.name == one.name).mutations;
        prop_assert!(alone.iter().all(|mutation| mutation.operator.name == one.name));
        let of_one: Vec<_> = all.iter().filter(|mutation| mutation.operator.name == one.name).collect();
        // Of two operators that make the same mutant, the first in the registry keeps it.
        prop_assert!(of_one.iter().all(|mutation| alone.contains(mutation)));
        for mutation in &alone {
            let mut same = all.iter().filter(|other| other.span == mutation.span);
            prop_assert!(same.any(|other| other.replacement == mutation.replacement));
        }
    }

    #[test]
    fn controls_only_insert(source in source()) {
        for control in [Control::RaiseAtLoad, Control::TrailingComment, Control::CommentLine] {
            let edits = Language::Python.control(control, &source);
            prop_assert_eq!(edits.len(), 1);
            let (span, text) = &edits[0];
            prop_assert!(span.is_empty() && span.end <= source.len() && !text.is_empty());
        }
    }
}
