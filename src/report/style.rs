//! Colour and width, as the reader's terminal has them.

use std::fmt::{self, Display};

/// Whether to colour, and how long lines may be. Nothing is ever said by colour alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    coloured: bool,
    width: usize,
    /// Whether longer lines are broken: those of a file or a pipe are for programs, too.
    folds: bool,
}

/// Characters of a line where nobody says how many there is room for.
const WIDTH: usize = 78;

/// Never fewer than these: a cut that leaves nothing to read helps nobody.
const NARROWEST: usize = 20;

impl Style {
    /// Plain text.
    pub const PLAIN: Self = Self { coloured: false, width: WIDTH, folds: false };

    /// Coloured when `terminal`, unless the environment's `NO_COLOR` is set and not empty.
    #[must_use]
    pub fn of(terminal: bool, no_color: Option<&std::ffi::OsStr>) -> Self {
        let coloured = terminal && no_color.is_none_or(std::ffi::OsStr::is_empty);
        Self { coloured, width: WIDTH, folds: false }
    }

    /// For a terminal of this many columns.
    #[must_use]
    pub const fn columns(self, width: usize) -> Self {
        Self { width, folds: true, ..self }
    }

    /// Characters that fit on a line beside `taken` others.
    #[must_use]
    pub fn room(self, taken: usize) -> usize {
        self.width.saturating_sub(taken).max(NARROWEST)
    }

    /// Lines of prose as a terminal shows them: broken between words, what goes on indented.
    #[must_use]
    pub fn fold(self, text: &str) -> String {
        if !self.folds {
            return text.to_owned();
        }
        let mut folded = String::new();
        for line in text.split_inclusive('\n') {
            let mut taken = 0;
            for word in line.split_inclusive(' ') {
                let length = word.trim_end().chars().count();
                if taken > 2 && taken + length > self.room(0) {
                    folded.truncate(folded.trim_end_matches(' ').len());
                    folded.push_str("\n  ");
                    taken = 2;
                }
                folded.push_str(word);
                taken += word.chars().count();
            }
        }
        folded
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_broken_between_words_for_a_terminal_alone() {
        let text = "Commands were held so: by nothing at all\n  short\nx\n";
        assert_eq!(Style::PLAIN.fold(text), text);
        let folded = "Commands were held so:\n  by nothing at all\n  short\nx\n";
        assert_eq!(Style::PLAIN.columns(24).fold(text), folded);
        let long = "a-word-that-is-longer-than-all-of-the-line and\n";
        let folded = "a-word-that-is-longer-than-all-of-the-line\n  and\n";
        assert_eq!(Style::PLAIN.columns(24).fold(long), folded);
    }
}
