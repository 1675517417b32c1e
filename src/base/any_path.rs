//! Paths of the system in JSON: text, or a list of bytes where that would lose some. For
//! `#[serde(with = "any_path")]`.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    Text(String),
    Bytes(Vec<u8>),
}

impl From<&Path> for Written {
    fn from(path: &Path) -> Self {
        let bytes = || Self::Bytes(path.as_os_str().as_bytes().to_vec());
        path.to_str().map_or_else(bytes, |text| Self::Text(text.to_owned()))
    }
}

impl From<Written> for PathBuf {
    fn from(written: Written) -> Self {
        match written {
            Written::Text(text) => text.into(),
            Written::Bytes(bytes) => OsString::from_vec(bytes).into(),
        }
    }
}

/// Writes a path.
///
/// # Errors
/// Those of the serializer.
pub fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    Written::from(path).serialize(serializer)
}

/// Reads a path.
///
/// # Errors
/// Neither text nor a list of bytes.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathBuf, D::Error> {
    Written::deserialize(deserializer).map(PathBuf::from)
}

/// The same for a path that may be missing.
pub mod optional {
    use super::{Deserialize, Deserializer, PathBuf, Serialize, Serializer, Written};

    /// Writes a path, or null.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn serialize<S: Serializer>(
        path: &Option<PathBuf>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        path.as_deref().map(Written::from).serialize(serializer)
    }

    /// Reads a path, or null.
    ///
    /// # Errors
    /// Neither null, text nor a list of bytes.
    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<PathBuf>, D::Error> {
        Ok(Option::<Written>::deserialize(deserializer)?.map(PathBuf::from))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Both {
        #[serde(with = "super")]
        one: PathBuf,
        #[serde(with = "super::optional")]
        maybe: Option<PathBuf>,
    }

    #[test]
    fn every_path_comes_back() {
        let odd = PathBuf::from(OsString::from_vec(b"/r\xff".to_vec()));
        for (both, text) in [
            (Both { one: "/a b".into(), maybe: None }, r#"{"one":"/a b","maybe":null}"#),
            (
                Both { one: odd.clone(), maybe: Some(odd) },
                r#"{"one":[47,114,255],"maybe":[47,114,255]}"#,
            ),
        ] {
            assert_eq!(serde_json::to_string(&both).expect("plain values"), text);
            assert_eq!(serde_json::from_str::<Both>(text).expect("its own text"), both);
        }
    }
}
