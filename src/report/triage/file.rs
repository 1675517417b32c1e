//! `survivors.toml` as it is read: strictly, so that a misspelt word is an error and no judgement.

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::value::Datetime;

use crate::base::Sha256;
use crate::report::terminal::escaped;

/// What a person says of a survivor.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Classification {
    /// Nothing yet.
    #[default]
    #[serde(rename = "")]
    None,
    /// No input can tell it from the original.
    Equivalent,
    /// A test is to be written.
    MissingTest,
    /// It may survive.
    Accepted,
}

impl Classification {
    /// Those that say something.
    pub const ALL: &[Self] = &[Self::Equivalent, Self::MissingTest, Self::Accepted];

    /// As it stands in the file.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Equivalent => "equivalent",
            Self::MissingTest => "missing-test",
            Self::Accepted => "accepted",
        }
    }
}

/// One `[[survivor]]` of the file. Only `key` and what people add mean something; the rest shows them
/// which mutant it is.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Judgement {
    /// The mutant's content key: it stays the same when lines around it move.
    pub key: Sha256,
    /// Its id in the run that it was last seen in.
    #[serde(default)]
    pub id: String,
    /// Its file.
    pub path: String,
    /// The function around it.
    #[serde(default)]
    pub function: String,
    /// Its line in that run, from 1.
    #[serde(default)]
    pub line: u32,
    /// What made it.
    #[serde(default)]
    pub operator: String,
    /// What it changes, for people.
    #[serde(default)]
    pub change: String,
    /// What a person says of it.
    #[serde(default)]
    pub classification: Classification,
    /// Why.
    #[serde(default)]
    pub reason: String,
    /// Who says so.
    #[serde(default)]
    pub by: String,
    /// Since when.
    pub date: Option<Datetime>,
}

impl Judgement {
    /// What it needs before it counts: who calls a mutant equivalent must say why, and sign.
    #[must_use]
    pub fn lacks(&self) -> Option<&'static str> {
        let blank = |text: &str| text.trim().is_empty();
        match self.classification {
            Classification::Equivalent if blank(&self.reason) || blank(&self.by) => {
                Some("needs `reason`, `by` and `date`")
            }
            Classification::Equivalent if self.date.and_then(|date| date.date).is_none() => {
                Some("needs a `date` such as 2026-01-31, without quotes")
            }
            Classification::Accepted if blank(&self.reason) => Some("needs `reason`"),
            _ => None,
        }
    }
}

impl fmt::Display for Judgement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, path, line, operator, .. } = self;
        write!(f, "`{}` {}:{line} {}", escaped(id), escaped(path), escaped(operator))
    }
}

/// Why the file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TriageError {
    /// It cannot be read or written.
    #[error("cannot use `{}`: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// It does not hold what it should.
    #[error("`{}`: {message}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong, and on which line.
        message: String,
    },
}

/// The file, with its text as people wrote it.
#[derive(Debug)]
pub struct TriageFile {
    /// Where it is.
    pub path: PathBuf,
    /// Its text; empty when there is no file yet.
    pub(super) text: String,
    /// What it says, in its order.
    pub judgements: Vec<Judgement>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    #[serde(default)]
    survivor: Vec<Judgement>,
}

impl TriageFile {
    /// Reads the file at `path`; one that is not there says nothing yet.
    ///
    /// # Errors
    /// [`TriageError`] when it cannot be read, a word in it is unknown, or it names a mutant twice.
    pub fn read(path: &Path) -> Result<Self, TriageError> {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(TriageError::Io { path: path.to_owned(), error }),
        };
        let malformed = |message: String| TriageError::Malformed { path: path.to_owned(), message };
        let document = toml::from_str::<Document>(&text)
            .map_err(|error| malformed(escaped(error.to_string().trim_end())))?;
        let mut seen = BTreeSet::new();
        let again = document.survivor.iter().find(|it| !seen.insert(it.key));
        if let Some(again) = again {
            return Err(malformed(format!("the key {} stands there twice; keep one", again.key)));
        }
        Ok(Self { path: path.to_owned(), text, judgements: document.survivor })
    }

    /// Its name without the directories, for people.
    #[must_use]
    pub fn name(&self) -> String {
        self.path.file_name().map_or_else(String::new, |name| name.display().to_string())
    }
}
