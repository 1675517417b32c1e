//! Rust, read with syn.
//!
//! An operator is a file here, its `mod` line, and its line in the registry list.

mod arithmetic_swap;
mod arm_delete;
mod assign_op_swap;
mod bit_swap;
mod body_value;
mod control;
mod field_delete;
mod functions;
mod guard_replace;
mod integer_shift;
mod logic_swap;
mod question_unwrap;
mod range_end;
mod relation_swap;
mod return_delete;
mod shift_swap;
mod statement_delete;
mod support;
mod unary_remove;

use std::ops::Range;

use self::support::edits::Edits;
use self::support::finish;
use self::support::parse::{Unreadable, parsed};
use self::support::walk::{Rule, Site, Visitor, walk};
use crate::{Control, Found, Operator};

pub use self::functions::{
    BuildOutline, CHEATS, CONSTANTS, Conditional, DEGENERATE, ExternCrates, Host, Module, Parent,
    build_outline, cargo_mutants_names, denied, extern_crates, hosts, syntax,
};
pub(crate) use self::functions::{bodies, cheats, outline, stub};

macro_rules! registry {
    ($($operator:ident,)*) => {
        static RULES: &[&Rule] = &[$(&$operator::RULE,)*];

        /// Every operator, in registry order.
        pub static OPERATORS: &[&Operator] = &[$(&$operator::RULE.operator,)*];
    };
}

registry! {
    body_value,
    relation_swap,
    arithmetic_swap,
    logic_swap,
    integer_shift,
    statement_delete,
    bit_swap,
    shift_swap,
    assign_op_swap,
    unary_remove,
    arm_delete,
    guard_replace,
    field_delete,
    return_delete,
    range_end,
    question_unwrap,
}

/// Places that are never mutated, one rule an entry.
pub(crate) const NEVER: &[&str] = &[
    "tests: what has an attribute whose name ends in `test` (or is `bench`, `proptest`, `quickcheck`, `test_case`, `test_matrix`), and what `#[cfg(test)]` keeps for tests",
    "what `#[mutants::skip]` marks, also inside `#[cfg_attr(..)]`",
    "`unsafe` functions and blocks: what goes wrong there may do anything, and the verdict with it",
    "the size given to `with_capacity`, which no test can see",
    "patterns, types, array lengths, generic arguments, attributes and the discriminants of enums",
    "macro definitions, and arguments of macros other than `assert`, `assert_eq`, `assert_ne`, `format`, `vec`, `write` and `writeln` of the standard library",
    "the body of a function that is only `todo!()`, `unimplemented!()`, `unreachable!()` or `panic!()` (body-value)",
    "a file that syn cannot read, and one that nests deeper than people write",
];

/// Mutations that would change nothing or never build, and are therefore not made.
pub(crate) const NOT_GENERATED: &[&str] = &[
    "`|=` to `^=` (assign-op-swap): the same while a mask is built and no bit is set twice",
    "`+` between texts to anything else (arithmetic-swap, assign-op-swap)",
    "`Default::default()` in `default` itself and in a `const fn` (body-value)",
    "a value of a type parameter without a `Default` bound (body-value)",
    "`&&` in a chain with `let` (logic-swap), and a guard that binds with `let` (guard-replace)",
    "an arm of a `match` without a `_`, and one with a guard, which guard-replace turns off (arm-delete)",
    "more than twelve values for one result, such as those of a large tuple (body-value)",
    "an edit that an operator earlier in the list makes with the same bytes",
];

pub(crate) fn mutations(bytes: &[u8], wanted: &dyn Fn(&Operator) -> bool) -> Found {
    let wanted = RULES.iter().map(|rule| wanted(&rule.operator)).collect::<Vec<_>>();
    let found = parsed(bytes, |source, file| {
        let mut asking = Asking { wanted: &wanted, edits: Edits::new(source) };
        let seen = walk(source, file, &mut asking);
        finish::finish(RULES, asking.edits, seen.functions, &seen.covered)
    });
    found.unwrap_or_else(|Unreadable(line)| Found {
        unreadable_lines: vec![line],
        ..Found::default()
    })
}

/// Asks the wanted rules at every place.
struct Asking<'a> {
    wanted: &'a [bool],
    edits: Edits<'a>,
}

impl Visitor for Asking<'_> {
    fn site(&mut self, site: &Site<'_>, function: Option<u32>) {
        for (place, rule) in RULES.iter().enumerate().filter(|(place, _)| self.wanted[*place]) {
            self.edits.set_origin(place, function);
            (rule.edits)(site, &mut self.edits);
        }
    }
}

pub(crate) fn control(control: Control, source: &[u8]) -> Vec<(Range<usize>, Vec<u8>)> {
    control::edits(control, source)
}
