//! Operators that undo a change instead of editing a syntax node; the same in every language.

use crate::{Family, Operator};

const fn operator(
    name: &'static str,
    family: Family,
    summary: &'static str,
    shows: &'static str,
) -> Operator {
    Operator { name, family, statement: false, summary, shows, examples: &[] }
}

/// The whole change is undone.
pub static NULL_PATCH: Operator = operator(
    "null-patch",
    Family::Done1,
    "Every changed source file is what it was before the change",
    "Doing nothing is accepted",
);

/// One hunk is undone.
pub static HUNK_REVERT: Operator = operator(
    "hunk-revert",
    Family::Done1,
    "One hunk of the change is undone",
    "The change is accepted without that part",
);

/// The change is undone, its new names stay and raise.
pub static STUB_RAISE: Operator = operator(
    "stub-raise",
    Family::Extra,
    "The change is undone, but its new names and signatures are there, with bodies that raise",
    "The commands test that names exist, not what they do",
);

/// The change is undone, its new names stay and return nothing.
pub static STUB_NONE: Operator = operator(
    "stub-none",
    Family::Extra,
    "The change is undone, but its new names and signatures are there, with bodies that return nothing",
    "The commands test that names exist, not what they do",
);

/// One file of the change is undone.
pub static FILE_REVERT: Operator = operator(
    "file-revert",
    Family::Extra,
    "One changed source file is what it was before the change",
    "The change is accepted without that file",
);

/// All of them, in the order of their classes.
pub static OPERATORS: &[&Operator] =
    &[&NULL_PATCH, &HUNK_REVERT, &STUB_RAISE, &STUB_NONE, &FILE_REVERT];
