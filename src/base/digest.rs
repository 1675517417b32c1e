//! A SHA-256 digest as a value.

use std::str::FromStr;
use std::{fmt, io};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::Digest as _;

/// A SHA-256 digest; shown, read and serialised as 64 lowercase hex digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sha256([u8; 32]);

/// The text is not a digest.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("not 64 lowercase hex digits")]
pub struct DigestError;

impl Sha256 {
    /// The digest of `bytes`.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(sha2::Sha256::digest(bytes).into())
    }

    /// The digest that 32 raw bytes spell.
    #[must_use]
    pub const fn from_raw(raw: [u8; 32]) -> Self {
        Self(raw)
    }

    /// The 32 raw bytes.
    #[must_use]
    pub const fn as_raw(&self) -> &[u8; 32] {
        &self.0
    }
}

/// A digest of bytes that come one after the other, so that they need not be held together.
#[derive(Debug, Clone, Default)]
pub struct Digesting(sha2::Sha256);

impl Digesting {
    /// Takes up what comes next.
    pub fn add(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The digest of all that came.
    #[must_use]
    pub fn done(self) -> Sha256 {
        Sha256(self.0.finalize().into())
    }
}

impl io::Write for Digesting {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.add(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl fmt::Display for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Sha256 {
    type Err = DigestError;

    fn from_str(text: &str) -> Result<Self, DigestError> {
        let nibble = |byte: u8| match byte {
            b'0'..=b'9' => Ok(byte - b'0'),
            b'a'..=b'f' => Ok(byte - b'a' + 10),
            _ => Err(DigestError),
        };
        let bytes = text.as_bytes();
        if bytes.len() != 64 {
            return Err(DigestError);
        }
        let mut raw = [0; 32];
        for (slot, pair) in raw.iter_mut().zip(bytes.chunks_exact(2)) {
            *slot = nibble(pair[0])? << 4 | nibble(pair[1])?;
        }
        Ok(Self(raw))
    }
}

impl Serialize for Sha256 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Sha256 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_empty_string_has_its_well_known_digest() {
        let text = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(Sha256::of(b"").to_string(), text);
        assert_eq!(text.parse(), Ok(Sha256::of(b"")));
    }

    #[test]
    fn bytes_in_pieces_have_the_digest_of_the_whole() {
        let mut digesting = Digesting::default();
        digesting.add(b"ab");
        io::copy(&mut &b"cd"[..], &mut digesting).expect("memory is read");
        assert_eq!(digesting.done(), Sha256::of(b"abcd"));
    }

    #[test]
    fn only_64_lowercase_hex_digits_parse() {
        for text in ["", "e3", &"E".repeat(64), &"0".repeat(65), &"é".repeat(32)] {
            assert_eq!(text.parse::<Sha256>(), Err(DigestError), "{text}");
        }
    }
}
