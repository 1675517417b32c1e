//! Mutation operators: text in, edits out; no files, no processes.
//!
//! A language is one folder, an operator is one file in it, and the language's registry list names
//! every operator once. Nothing here reads a file or prints: the caller gives the bytes of a source
//! file and gets byte spans with their replacements. Sources are never reprinted.

use std::ops::Range;

mod docs;
mod outline;
pub mod patch;
pub mod python;
pub mod rust;

pub use docs::docs;
pub use outline::{Cheats, Definition, Outline, Statement, Unfit};

/// A language whose sources can be mutated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// Python 3.
    Python,
    /// Rust.
    Rust,
}

/// Where an operator comes from, which decides the profiles that use it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// The thirteen operators of profile `done/1`, and its cheats; in another language, those that do
    /// the same there.
    Done1,
    /// Operators beyond those; never part of a `done/1` class.
    Extra,
}

/// One mutation operator, as its registry describes it.
#[derive(Debug, PartialEq, Eq)]
pub struct Operator {
    /// Its name in records and reports, such as `compare-swap`.
    pub name: &'static str,
    /// Where it comes from.
    pub family: Family,
    /// Whether section 11 lists it among the statement operators, which `done/1` uses on changed
    /// lines only.
    pub statement: bool,
    /// One sentence: what it changes.
    pub summary: &'static str,
    /// One sentence: which weakness of a test suite a survivor shows.
    pub shows: &'static str,
    /// Pairs of source before and after, for the documentation; its tests check each of them.
    pub examples: &'static [(&'static str, &'static str)],
}

/// One edit of one source file: a byte span and what stands there instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mutation {
    /// The operator that made it.
    pub operator: &'static Operator,
    /// Bytes replaced; empty for an insertion.
    pub span: Range<usize>,
    /// The bytes that stand there instead. Never equal to the bytes replaced.
    pub replacement: Vec<u8>,
    /// Line (from 1) and UTF-8 byte column (from 0) of the syntax node that was mutated; for a
    /// small edit inside a big node, where the node starts.
    pub line: u32,
    /// See `line`.
    pub column: u32,
    /// Index into [`Found::functions`] of the innermost function around the node.
    pub function: Option<u32>,
}

/// A function or method definition in a source file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// Dotted name from the module down, such as `Cache.get` or `outer.inner`.
    pub name: String,
    /// The whole definition, decorators left out.
    pub span: Range<usize>,
}

/// What a source file offers.
#[derive(Debug, Default)]
pub struct Found {
    /// Every mutation, ordered by span start, span end, registry order, replacement bytes; no two alike.
    pub mutations: Vec<Mutation>,
    /// The functions, in source order.
    pub functions: Vec<Function>,
    /// Mutations left out because of a skip comment.
    pub skipped: u32,
    /// Mutations left out because their texts together would grow with the square of the file; only
    /// sources that nest expressions thousands deep have any.
    pub too_long: u32,
    /// Edits an operator made that change no byte, which are dropped.
    pub unchanged: u32,
    /// Edits that an operator earlier in the registry makes with the same bytes, which are dropped.
    pub duplicate: u32,
    /// Mutations refused because their span touches a part the grammar could not read.
    pub unreadable: u32,
    /// Lines (from 1) that the grammar could not read; line 1 alone, with nothing found, for a source
    /// that would have taken too long.
    pub unreadable_lines: Vec<u32>,
}

/// The languages, each with how its sources are recognised and mutated.
impl Language {
    /// Every language.
    pub const ALL: &'static [Self] = &[Self::Python, Self::Rust];

    /// The language a file name's ending tells, if any.
    #[must_use]
    pub fn of_file_name(name: &[u8]) -> Option<Self> {
        let ends = |end: &[u8]| name.ends_with(end);
        ends(b".py").then_some(Self::Python).or(ends(b".rs").then_some(Self::Rust))
    }

    /// The name used in messages and files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Python => "python",
            Self::Rust => "rust",
        }
    }

    /// Whether a source that is wrong makes a build fail, before anything runs.
    #[must_use]
    pub fn is_compiled(self) -> bool {
        match self {
            Self::Python => false,
            Self::Rust => true,
        }
    }

    /// The operators, in registry order.
    #[must_use]
    pub fn operators(self) -> &'static [&'static Operator] {
        match self {
            Self::Python => python::OPERATORS,
            Self::Rust => rust::OPERATORS,
        }
    }

    /// Every mutation of `source` by the operators that `wanted` accepts.
    #[must_use]
    pub fn mutations(self, source: &[u8], wanted: &dyn Fn(&Operator) -> bool) -> Found {
        match self {
            Self::Python => python::mutations(source, wanted),
            Self::Rust => rust::mutations(source, wanted),
        }
    }

    /// The definitions and statements of `source`.
    #[must_use]
    pub fn outline(self, source: &[u8]) -> Outline {
        match self {
            Self::Python => python::outline(source),
            Self::Rust => rust::outline(source),
        }
    }

    /// The cheats of profile `done/1` on the definitions that `wanted` accepts.
    #[must_use]
    pub fn cheats(
        self,
        source: &[u8],
        outline: &Outline,
        wanted: &dyn Fn(&Definition) -> bool,
    ) -> Cheats {
        match self {
            Self::Python => python::cheats(source, outline, wanted),
            Self::Rust => rust::cheats(source, outline, wanted),
        }
    }

    /// The definitions that `wanted` accepts, each with every body of one kind.
    #[must_use]
    pub fn bodies(
        self,
        source: &[u8],
        outline: &Outline,
        bodies: Bodies,
        wanted: &dyn Fn(&Definition) -> bool,
    ) -> Vec<Mutation> {
        match self {
            Self::Python => python::bodies(source, outline, bodies, wanted),
            Self::Rust => rust::bodies(source, outline, bodies, wanted),
        }
    }

    /// The body of a function that is there and does nothing: it raises, or it returns nothing.
    #[must_use]
    pub fn stub(self, raises: bool) -> &'static [u8] {
        match self {
            Self::Python => python::stub(raises),
            Self::Rust => rust::stub(raises),
        }
    }

    /// The edits of the controls for one file: places and texts, to be spliced like mutations.
    #[must_use]
    pub fn control(self, control: Control, source: &[u8]) -> Vec<(Range<usize>, Vec<u8>)> {
        match self {
            Self::Python => python::control(control, source),
            Self::Rust => rust::control(control, source),
        }
    }
}

/// Every operator: the registries of the languages, then the bodies, then the patches.
fn all() -> impl Iterator<Item = &'static Operator> {
    let bodies = [python::CHEATS, python::DEGENERATE, python::CONSTANTS];
    let bodies =
        bodies.into_iter().chain([rust::CHEATS, rust::DEGENERATE, rust::CONSTANTS]).flatten();
    let languages = Language::ALL.iter().flat_map(|language| language.operators());
    languages.chain(bodies).chain(patch::OPERATORS).copied()
}

/// The operator of this name, in any registry.
#[must_use]
pub fn operator(name: &str) -> Option<&'static Operator> {
    all().find(|operator| operator.name == name)
}

/// Where an operator stands among all: within a language, registry order.
#[must_use]
pub fn rank(operator: &Operator) -> Option<usize> {
    all().position(|other| other.name == operator.name)
}

/// Bodies that take the place of a function's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Bodies {
    /// Those of a function that is not written yet.
    Degenerate,
    /// Those that give one value whatever is asked.
    Constant,
}

/// A control edit: its effect on the commands is known beforehand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Control {
    /// The file raises as soon as it is loaded.
    RaiseAtLoad,
    /// A comment after the last line: no line moves.
    TrailingComment,
    /// A comment line near the top: lines move.
    CommentLine,
    /// Empty lines between the statements of a module: lines move.
    BlankLines,
    /// A space at the end of each line of code.
    TrailingSpaces,
    /// In each function where nothing can see it, a local variable under another name.
    RenamedLocals,
}

/// `source` with `edits` applied; they must be sorted and must not overlap.
#[must_use]
pub fn splice<'a>(
    source: &[u8],
    edits: impl IntoIterator<Item = (&'a Range<usize>, &'a [u8])>,
) -> Vec<u8> {
    let mut out = Vec::with_capacity(source.len() + 64);
    let mut at = 0;
    for (span, replacement) in edits {
        out.extend_from_slice(&source[at..span.start]);
        out.extend_from_slice(replacement);
        at = span.end;
    }
    out.extend_from_slice(&source[at..]);
    out
}
