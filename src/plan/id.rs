//! Names of mutants that last: they depend on the edit alone, not on the order or the run.

use std::collections::HashMap;
use std::fmt;

use rayon::prelude::*;
use serde::{Serialize, Serializer};

use super::{Edit, Mutant, Plan, PlanFile};
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
    fn of(mutant: &Mutant, files: &[PlanFile]) -> Self {
        let edit = |edit: &Edit| {
            let name = files[edit.file as usize].name.as_str();
            (name, edit.start, edit.end, Sha256::of(&edit.replacement))
        };
        let edits = mutant.edits().map(edit).collect::<Vec<_>>();
        // Text and small integers only: serde_json's bytes are the RFC 8785 bytes.
        let list = serde_json::to_vec(&(mutant.operator.name, edits)).expect("plain values");
        let digest = *Sha256::of(&list).as_raw();
        let mut kept = [0; 16];
        kept.copy_from_slice(&digest[..16]);
        Self { digest: kept, digits: 12 }
    }
}

/// Names every mutant of `plan`; ids that share their first digits are lengthened until they differ.
pub(super) fn assign(plan: &mut Plan) {
    let files = &plan.files;
    plan.mutants.par_iter_mut().for_each(|mutant| mutant.id = MutantId::of(mutant, files));
    lengthen(plan.mutants.iter_mut().map(|mutant| &mut mutant.id).collect());
}

fn lengthen(mut clashing: Vec<&mut MutantId>) {
    for digits in DIGITS..32 {
        let mut shared = HashMap::<[u8; 16], u32>::new();
        for id in &clashing {
            *shared.entry(id.prefix(digits)).or_default() += 1;
        }
        clashing.retain(|id| shared[&id.prefix(digits)] > 1);
        for id in &mut clashing {
            id.digits = u8::try_from(digits + 1).expect("at most 32 digits");
        }
        if clashing.is_empty() {
            break;
        }
    }
}

impl MutantId {
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
        lengthen(ids.iter_mut().collect());
        let shown = ids.map(|id| id.to_string());
        assert_eq!(shown, ["01020304050670", "01020304050671", "090909090909"]);
    }
}
