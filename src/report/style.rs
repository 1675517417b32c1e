//! Colour and width, as the reader's terminal has them.

use std::fmt::{self, Display};

/// Whether to colour, and how long lines may be. Nothing is ever said by colour alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    coloured: bool,
    width: usize,
}

/// Characters of a line where nobody says how many there is room for.
const WIDTH: usize = 78;

/// Never fewer than these: a cut that leaves nothing to read helps nobody.
const NARROWEST: usize = 20;

impl Style {
    /// Plain text.
    pub const PLAIN: Self = Self { coloured: false, width: WIDTH };

    /// Coloured when `terminal`, unless the environment's `NO_COLOR` is set and not empty.
    #[must_use]
    pub fn of(terminal: bool, no_color: Option<&std::ffi::OsStr>) -> Self {
        let coloured = terminal && no_color.is_none_or(std::ffi::OsStr::is_empty);
        Self { coloured, width: WIDTH }
    }

    /// For a terminal of this many columns.
    #[must_use]
    pub const fn columns(self, width: usize) -> Self {
        Self { width, ..self }
    }

    /// Characters that fit on a line beside `taken` others.
    #[must_use]
    pub fn room(self, taken: usize) -> usize {
        self.width.saturating_sub(taken).max(NARROWEST)
    }

    /// Red: something is wrong or gone.
    pub fn red<T: Display>(self, text: T) -> Painted<T> {
        self.paint("31", text)
    }

    /// Green: something is right or new.
    pub fn green<T: Display>(self, text: T) -> Painted<T> {
        self.paint("32", text)
    }

    /// Bold: a heading.
    pub fn bold<T: Display>(self, text: T) -> Painted<T> {
        self.paint("1", text)
    }

    /// Faint: for those who look twice.
    pub fn faint<T: Display>(self, text: T) -> Painted<T> {
        self.paint("2", text)
    }

    fn paint<T>(self, code: &'static str, text: T) -> Painted<T> {
        Painted { code: self.coloured.then_some(code), text }
    }
}

/// Text that may be coloured.
#[derive(Debug)]
pub struct Painted<T> {
    code: Option<&'static str>,
    text: T,
}

impl<T: Display> Display for Painted<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.code {
            Some(code) => write!(f, "\x1b[{code}m{}\x1b[0m", self.text),
            None => self.text.fmt(f),
        }
    }
}
