//! Colour, where the reader is a terminal that wants it.

use std::fmt::{self, Display};

/// Whether to colour. Nothing is ever said by colour alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    coloured: bool,
}

impl Style {
    /// Plain text.
    pub const PLAIN: Self = Self { coloured: false };

    /// Coloured when `terminal`, unless the environment's `NO_COLOR` is set and not empty.
    #[must_use]
    pub fn of(terminal: bool, no_color: Option<&std::ffi::OsStr>) -> Self {
        Self { coloured: terminal && no_color.is_none_or(std::ffi::OsStr::is_empty) }
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
