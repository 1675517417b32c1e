//! The words of a command.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A command's words: at least one, the first not empty, no NUL byte. Never a shell line.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
pub struct Argv(Vec<String>);

/// The words are not a command.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum ArgvError {
    /// There is no first word.
    #[error("a command needs a first word that is not empty")]
    Empty,
    /// A word holds a NUL byte, which no program can be given.
    #[error("a command's words must not hold a NUL byte")]
    Nul,
    /// The first word would read as an environment assignment.
    #[error(
        "a command's first word must not hold `=`: readers take it for an environment assignment (contract_acceptance_argv)"
    )]
    Assignment,
}

impl Argv {
    /// Checks the words of a command.
    ///
    /// # Errors
    /// [`ArgvError`] when the first word is missing, empty or holds `=`, or any word holds NUL.
    pub fn new(words: Vec<String>) -> Result<Self, ArgvError> {
        let first = words.first().filter(|word| !word.is_empty()).ok_or(ArgvError::Empty)?;
        if words.iter().any(|word| word.contains('\0')) {
            return Err(ArgvError::Nul);
        }
        if first.contains('=') {
            return Err(ArgvError::Assignment);
        }
        Ok(Self(words))
    }

    /// The program: the first word.
    #[must_use]
    pub fn program(&self) -> &str {
        &self.0[0]
    }

    /// All words.
    #[must_use]
    pub fn words(&self) -> &[String] {
        &self.0
    }
}

impl TryFrom<Vec<String>> for Argv {
    type Error = ArgvError;

    fn try_from(words: Vec<String>) -> Result<Self, ArgvError> {
        Self::new(words)
    }
}

impl From<Argv> for Vec<String> {
    fn from(argv: Argv) -> Self {
        argv.0
    }
}

impl fmt::Display for Argv {
    /// A line a shell would take, quoted where needed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, word) in self.0.iter().enumerate() {
            if at > 0 {
                f.write_str(" ")?;
            }
            let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:@%+,".contains(c);
            if !word.is_empty() && word.chars().all(plain) {
                f.write_str(word)?;
            } else if word.chars().any(char::is_control) {
                write!(f, "$'{}'", word.escape_default())?;
            } else {
                write!(f, "'{}'", word.replace('\'', "'\\''"))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn argv(words: &[&str]) -> Result<Argv, ArgvError> {
        Argv::new(words.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn bad_words_are_refused() {
        assert_eq!(argv(&[]), Err(ArgvError::Empty));
        assert_eq!(argv(&["", "a"]), Err(ArgvError::Empty));
        assert_eq!(argv(&["a", "b\0"]), Err(ArgvError::Nul));
        assert_eq!(argv(&["A=b", "c"]), Err(ArgvError::Assignment));
        assert!(argv(&["a", "", "b=c"]).is_ok());
    }

    #[test]
    fn display_is_a_shell_line() {
        let shown = argv(&["sh", "-c", "it's $x", "", "\x1b"]).map(|argv| argv.to_string());
        assert_eq!(shown.as_deref(), Ok("sh -c 'it'\\''s $x' '' $'\\u{1b}'"));
    }
}
