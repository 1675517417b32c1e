//! What stands where in a source file, and what can take the place of a function.

use std::ops::Range;

use crate::{Mutation, Operator};

/// The definitions and statements of a source file.
#[derive(Debug, Default)]
pub struct Outline {
    /// Every function and method at any depth, in source order.
    pub definitions: Vec<Definition>,
    /// Every statement at any depth, in source order.
    pub statements: Vec<Statement>,
    /// Line (from 1) of the first part that the grammar could not read; what stands there is missing.
    pub unreadable: Option<u32>,
}

/// A function or method definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// Dotted name from the module down, such as `Cache.get` or `outer.inner`; in
    /// Rust `module::Type::method` or `<Type as Trait>::method`.
    pub name: String,
    /// The whole definition with its decorators.
    pub span: Range<usize>,
    /// From the definition's own first byte, decorators left out, to its body.
    pub header: Range<usize>,
    /// Its body, without the line end after it.
    pub body: Range<usize>,
    /// Line of the header, from 1.
    pub first: u32,
    /// Line of the last byte of the body.
    pub last: u32,
    /// UTF-8 byte column of the header, from 0.
    pub column: u32,
    /// Whether its calls give something to wait for.
    pub is_async: bool,
    /// Why no cheat takes its place; `None` when one can.
    pub unfit: Option<Unfit>,
}

/// A statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Statement {
    /// Its first line, from 1.
    pub first: u32,
    /// Its last line.
    pub last: u32,
    /// Whether it holds a block of statements.
    pub is_compound: bool,
}

/// Why no cheat takes the place of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unfit {
    /// A descriptor that is no plain callable.
    Property,
    /// It returns nothing, or nothing but `None`, which the cheats would return too.
    ReturnsNone,
    /// The language itself looks at what it returns, so that any cheat fails everywhere.
    Protocol,
    /// It gives values one by one.
    Generator,
    /// It is used as a context, not called for a value.
    ContextManager,
    /// It can run while the program is compiled, where nothing can be remembered.
    Constant,
    /// No value of its result type is known.
    NoValue,
}

impl Unfit {
    /// The reason, for people and files.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Property => "a property or another descriptor",
            Self::ReturnsNone => "returns nothing but None",
            Self::Protocol => "a method whose result the interpreter checks",
            Self::Generator => "a generator",
            Self::ContextManager => "a context manager",
            Self::Constant => "a `const fn`",
            Self::NoValue => "gives a type of which no value is known",
        }
    }
}

/// The cheats on the functions of a file.
#[derive(Debug, Default)]
pub struct Cheats {
    /// Their edits, in the order of [`Found::mutations`](crate::Found::mutations).
    pub mutations: Vec<Mutation>,
    /// The functions none was made for: place in [`Outline::definitions`], and why.
    pub uncovered: Vec<(usize, Unfit)>,
}

/// An edit of the whole of `span` by `operator`, at the place of `definition`.
pub(crate) fn mutation(
    operator: &'static Operator,
    span: Range<usize>,
    replacement: Vec<u8>,
    (place, definition): (usize, &Definition),
) -> Mutation {
    Mutation {
        operator,
        span,
        replacement,
        line: definition.first,
        column: definition.column,
        function: u32::try_from(place).ok(),
    }
}
