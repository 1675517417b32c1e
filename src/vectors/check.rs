//! Replaying a corpus, whoever wrote it.

use super::{SUITE, corpus_digest};
use crate::base::Sha256;
use crate::base::code::Code;
use crate::base::json::{Document, Value};
use crate::verify;

/// A manifest that a corpus can be replayed by.
#[derive(Debug, Clone, PartialEq)]
pub struct Manifest {
    /// The members, in the manifest's order; at least one.
    pub entries: Vec<Entry>,
}

/// What a manifest says of a member.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The member's name; its folder is `cases/<id>`.
    pub id: String,
    /// The answer it declares, such as `{"contract": {"verdict": "valid"}}`.
    pub expected: Value,
    /// The names of its files and their digests.
    pub files: Vec<(String, Sha256)>,
}

/// Why a manifest is not one.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum ManifestError {
    /// Not strict JSON.
    #[error("the manifest is not strict JSON: {0}")]
    Json(#[from] crate::base::json::Fault),
    /// A member of the manifest is missing or of another type.
    #[error("the manifest has no usable `{0}`")]
    Missing(&'static str),
    /// Another suite of rules.
    #[error("the manifest is of the suite `{}`, not `{SUITE}`", .0.escape_debug())]
    Suite(String),
    /// The list of members was changed.
    #[error("the manifest's corpusDigest is not the digest of its vectors")]
    Digest,
    /// Nothing to replay.
    #[error("the manifest names no members")]
    Empty,
    /// Two members with one name, or a folder that is not `cases/<id>`.
    #[error("the member `{}` is named twice or does not lie in a folder of its name", .0.escape_debug())]
    Path(String),
}

impl Manifest {
    /// Reads a manifest and checks its digest.
    ///
    /// # Errors
    /// [`ManifestError`].
    pub fn parse(bytes: &[u8]) -> Result<Self, ManifestError> {
        let document = Document::parse(bytes)?;
        let manifest = document.root().to_value();
        let suite = text(&manifest, "suite")?;
        if suite != SUITE {
            return Err(ManifestError::Suite(suite.to_owned()));
        }
        let vectors = manifest.get("vectors").ok_or(ManifestError::Missing("vectors"))?;
        if text(&manifest, "corpusDigest")?.parse() != Ok(corpus_digest(vectors)) {
            return Err(ManifestError::Digest);
        }
        let Value::Array(vectors) = vectors else { return Err(ManifestError::Missing("vectors")) };
        if vectors.is_empty() {
            return Err(ManifestError::Empty);
        }
        let entries = vectors.iter().map(entry).collect::<Result<Vec<_>, _>>()?;
        let mut ids: Vec<&str> = entries.iter().map(|entry| entry.id.as_str()).collect();
        ids.sort_unstable();
        if let Some(pair) = ids.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(ManifestError::Path(pair[0].to_owned()));
        }
        Ok(Self { entries })
    }
}

fn text<'v>(value: &'v Value, name: &'static str) -> Result<&'v str, ManifestError> {
    value.get(name).and_then(Value::as_str).ok_or(ManifestError::Missing(name))
}

fn entry(value: &Value) -> Result<Entry, ManifestError> {
    let id = text(value, "id")?.to_owned();
    let is_name = !id.is_empty() && !id.contains(['/', '\0']) && id != "." && id != "..";
    if !is_name || text(value, "path")? != format!("cases/{id}") {
        return Err(ManifestError::Path(id));
    }
    let expected = value.get("expected").ok_or(ManifestError::Missing("expected"))?.clone();
    let Some(Value::Object(files)) = value.get("files") else {
        return Err(ManifestError::Missing("files"));
    };
    let digest = |(name, digest): &(String, Value)| {
        let digest = digest.as_str().and_then(|digest| digest.parse().ok());
        Ok((name.clone(), digest.ok_or(ManifestError::Missing("files"))?))
    };
    let files = files.iter().map(digest).collect::<Result<_, ManifestError>>()?;
    Ok(Entry { id, expected, files })
}

/// The answer of this reader to a member, in a manifest's words. `files` are the Statement's and the
/// record's bytes, or the code that stands for their not being had.
#[must_use]
pub fn answer(files: Result<(&[u8], &[u8]), Code>) -> Value {
    match files.and_then(|(statement, contract)| verify::verify(statement, contract)) {
        Ok(_) => Value::object([("contract", Value::object([("verdict", "valid".into())]))]),
        Err(code) if code.is_unread() => Value::object([("refused", code.text().into())]),
        Err(code) => {
            let verdict = [("code", code.text().into()), ("verdict", "invalid".into())];
            Value::object([("contract", Value::object(verdict))])
        }
    }
}
