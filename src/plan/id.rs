//! Names of mutants that last: they depend on the edit alone, not on the order or the run.

use std::fmt;
use std::str::FromStr;

use rayon::prelude::*;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Edit, Mutant, Plan};
use crate::base::Sha256;

/// Hex digits an id has unless two ids would be alike.
const DIGITS: usize = 12;

/// The first hex digits of the SHA-256 of the RFC 8785 list
/// `[operator, [[path, start, end, sha256 of the replacement], ...]]`: 12 of them, more where two
/// mutants would share those.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct MutantId {
    digest: [u8; 16],
    digits: u8,
}

impl MutantId {
    fn of(mutant: &Mutant, plan: &Plan) -> Self {
        let edit = |edit: &Edit| {
            let name = plan.files[edit.file as usize].name.as_str();
            (name, edit.start, edit.end, Sha256::of(&plan.replacement(edit)))
        };
        let edits = plan.edits(mutant).map(edit).collect::<Vec<_>>();
        // Text and small integers only: serde_json's bytes are the RFC 8785 bytes.
        let list = serde_json::to_vec(&(mutant.operator.name, edits)).expect("plain values");
        let digest = *Sha256::of(&list).as_raw();
        let mut kept = [0; 16];
        kept.copy_from_slice(&digest[..16]);
        Self { digest: kept, digits: 12 }
    }
}

/// Where mutants stand in sealed order, by their names.
#[derive(Debug)]
pub struct Places(Vec<(MutantId, u32)>);

impl FromIterator<MutantId> for Places {
    fn from_iter<T: IntoIterator<Item = MutantId>>(ids: T) -> Self {
        let mut sorted = ids.into_iter().zip(0..).collect::<Vec<_>>();
        sorted.sort_unstable();
        Self(sorted)
    }
}

impl Places {
    /// The place of the mutant whose id this shows.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<usize> {
        let id = id.parse::<MutantId>().ok()?;
        let at = self.0.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        Some(self.0[at].1 as usize)
    }
}

/// Names every mutant of `plan`; ids that share their first digits are lengthened until they differ.
pub(super) fn assign(plan: &mut Plan) {
    let mut mutants = std::mem::take(&mut plan.mutants);
    mutants.par_iter_mut().for_each(|mutant| mutant.id = MutantId::of(mutant, plan));
    lengthen(&mut mutants.iter_mut().map(|mutant| &mut mutant.id).collect::<Vec<_>>());
    mutants.iter_mut().for_each(|mutant| mutant.id.cut());
    plan.mutants = mutants;
}

fn lengthen(ids: &mut [&mut MutantId]) {
    ids.sort_unstable();
    for next in 1..ids.len() {
        let (known, rest) = ids.split_at_mut(next);
        let (one, other) = (&mut known[next - 1], &mut rest[0]);
        let same = (DIGITS..32).take_while(|&digits| one.prefix(digits) == other.prefix(digits));
        let digits = u8::try_from(DIGITS + same.count()).expect("at most 32 digits");
        // What comes first in order shares most with what stands beside it.
        (one.digits, other.digits) = (one.digits.max(digits), digits);
    }
}

impl MutantId {
    /// Forgets what it does not show, so that it is the same when it is read back.
    fn cut(&mut self) {
        self.digest = self.prefix(usize::from(self.digits));
    }

    fn prefix(&self, digits: usize) -> [u8; 16] {
        let mut kept = [0; 16];
        kept[..digits / 2].copy_from_slice(&self.digest[..digits / 2]);
        if digits % 2 == 1 {
            kept[digits / 2] = self.digest[digits / 2] & 0xf0;
        }
        kept
    }
}

impl fmt::Display for MutantId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hex = self.digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        f.write_str(&hex[..usize::from(self.digits)])
    }
}

/// The text is no id of a mutant.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("no id of a mutant: not 12 to 32 lowercase hex digits")]
pub struct MutantIdError;

impl FromStr for MutantId {
    type Err = MutantIdError;

    fn from_str(text: &str) -> Result<Self, MutantIdError> {
        let digits = u8::try_from(text.len()).map_err(|_| MutantIdError)?;
        if !(DIGITS..=32).contains(&text.len()) {
            return Err(MutantIdError);
        }
        let mut digest = [0; 16];
        for (at, digit) in text.bytes().enumerate() {
            let value = match digit {
                b'0'..=b'9' => digit - b'0',
                b'a'..=b'f' => digit - b'a' + 10,
                _ => return Err(MutantIdError),
            };
            digest[at / 2] |= if at % 2 == 0 { value << 4 } else { value };
        }
        Ok(Self { digest, digits })
    }
}

impl<'de> Deserialize<'de> for MutantId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl fmt::Debug for MutantId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for MutantId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clash_lengthens_both_and_only_those() {
        let id = |bytes: [u8; 8]| {
            let mut digest = [0; 16];
            digest[..8].copy_from_slice(&bytes);
            MutantId { digest, digits: 12 }
        };
        let mut ids =
            [id([1, 2, 3, 4, 5, 6, 0x70, 0]), id([1, 2, 3, 4, 5, 6, 0x71, 0]), id([9; 8])];
        lengthen(&mut ids.iter_mut().collect::<Vec<_>>());
        let shown = ids.map(|id| id.to_string());
        assert_eq!(shown, ["01020304050670", "01020304050671", "090909090909"]);
    }

    #[test]
    fn an_id_is_read_back_from_what_it_shows() {
        let digest = *b"0123456789abcdef";
        for digits in [12, 13, 31, 32] {
            let mut id = MutantId { digest, digits };
            id.cut();
            assert_eq!(id.to_string().parse(), Ok(id));
        }
        for text in ["", "0102030405", "01020304050G", "0102030405AB", &"0".repeat(33)] {
            assert_eq!(text.parse::<MutantId>(), Err(MutantIdError), "{text}");
        }
    }
}
