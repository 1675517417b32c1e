//! Python 3, read with tree-sitter.
//!
//! An operator is a file here, its `mod` line, and its line in the registry list; the first thirteen
//! are those of section 11 of the record rules, in its order.

mod argument_swap;
mod assign_none;
mod aug_assign;
mod aug_swap;
mod binop_drop;
mod binop_swap;
mod bitwise_swap;
mod boolean_flip;
mod boolop_drop;
mod boolop_swap;
mod bytes_mutate;
mod call_none;
mod call_unwrap;
mod case_drop;
mod collection_empty;
mod compare_boundary;
mod compare_chain;
mod compare_swap;
mod comprehension_filter;
mod conditional_branch;
mod control;
mod default_none;
mod except_widen;
mod function_swap;
mod functions;
mod guard_true;
mod handler_delete;
mod if_unwrap_body;
mod if_unwrap_else;
mod keyword_drop;
mod lambda_none;
mod loop_control;
mod loop_once;
mod loop_zero;
mod negate_condition;
mod none_falsy;
mod number_down;
mod number_shift;
mod raise_type;
mod return_none;
mod slice_bound;
mod stmt_delete;
mod string_empty;
mod string_mutate;
mod support;
mod try_unwrap;
mod unary_drop;
mod yield_none;

use std::ops::Range;

use self::support::edits::Edits;
use self::support::walk::Rule;
use self::support::{finish, parse, walk};
use crate::{Control, Found, Operator};

pub use self::functions::{CHEATS, CONSTANTS, DEGENERATE};
pub(crate) use self::functions::{bodies, cheats, outline, stub};

macro_rules! registry {
    ($($operator:ident,)*) => {
        static RULES: &[&Rule] = &[$(&$operator::RULE,)*];

        /// Every operator, in registry order.
        pub static OPERATORS: &[&Operator] = &[$(&$operator::RULE.operator,)*];
    };
}

registry! {
    compare_swap,
    binop_swap,
    boolop_swap,
    negate_condition,
    number_shift,
    return_none,
    string_mutate,
    call_none,
    stmt_delete,
    if_unwrap_body,
    if_unwrap_else,
    try_unwrap,
    handler_delete,
    compare_boundary,
    compare_chain,
    bitwise_swap,
    binop_drop,
    boolop_drop,
    aug_swap,
    aug_assign,
    unary_drop,
    none_falsy,
    conditional_branch,
    boolean_flip,
    number_down,
    string_empty,
    bytes_mutate,
    collection_empty,
    assign_none,
    yield_none,
    default_none,
    lambda_none,
    keyword_drop,
    argument_swap,
    call_unwrap,
    function_swap,
    slice_bound,
    comprehension_filter,
    loop_control,
    loop_zero,
    loop_once,
    guard_true,
    case_drop,
    except_widen,
    raise_type,
}

/// Places that are never mutated, one rule an entry.
pub(crate) const NEVER: &[&str] = support::never::RULES;

/// Mutations that would change nothing or always fail, and are therefore not made.
pub(crate) const NOT_GENERATED: &[&str] = &[
    "`|=` to `^=` (aug-swap): the same while a mask is built and no bit is set twice",
    "`[0:n]` to `[:n]` (slice-bound)",
    "deleting `pass`, `...`, a string that stands alone, or a bare annotation (stmt-delete)",
    "`None` in a place that holds `None` already (return-none, assign-none, yield-none, default-none, lambda-none)",
    "removing a unary `+` (unary-drop)",
    "removing the `not` of a condition that is nothing else (unary-drop): negate-condition makes the same",
    "a `break` after a body that always leaves the loop (loop-once)",
    "a float so large that one more or less is the same number (number-shift, number-down)",
    "an empty list as what a `for` goes through (collection-empty): loop-zero makes the same",
    "an edit that an operator earlier in the list makes with the same bytes",
];

pub(crate) fn mutations(source: &[u8], wanted: &dyn Fn(&Operator) -> bool) -> Found {
    let Some(tree) = parse::parse(source) else {
        return Found { unreadable_lines: vec![1], ..Found::default() };
    };
    let mut edits = Edits::new(source, RULES.len());
    let seen = walk::walk(&tree, source, RULES, wanted, &mut edits);
    finish::finish(&tree, source, RULES, edits, seen)
}

pub(crate) fn control(control: Control, source: &[u8]) -> Vec<(Range<usize>, Vec<u8>)> {
    control::edits(control, source)
}
