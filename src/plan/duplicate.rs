//! Mutants of compiled languages that are the same text as the original or as an earlier mutant. No
//! compiler is asked: equal text is equal code, and more would cost a build each.

use std::collections::HashMap;

use adequacy_mutators::Language;

use super::{Class, Fate, MutantId, Plan};
use crate::base::Sha256;
use crate::tree::{Snapshot, TreeError};

/// Marks the mutants of Rust files that are not counted for that.
///
/// # Errors
/// [`TreeError`] when a source can no longer be read as it was.
pub fn mark(plan: &mut Plan, snapshot: &Snapshot) -> Result<(), TreeError> {
    for file in 0..plan.files.len() {
        if plan.files[file].language != Language::Rust {
            continue;
        }
        let source = plan.files[file].source(snapshot)?;
        let original = Sha256::of(&source);
        let mut seen = HashMap::<Sha256, MutantId>::new();
        for place in plan.files[file].mutants.clone() {
            let mutant = &mut plan.mutants[place as usize];
            if !mutant.more.is_empty() {
                continue;
            }
            let text = Sha256::of(&mutant.edit.apply(&source));
            let fate = match seen.get(&text) {
                Some(earlier) => Fate::Duplicate(*earlier),
                None if text == original => Fate::Equivalent,
                None => Fate::Counted,
            };
            seen.entry(text).or_insert(mutant.id);
            if mutant.class != Class::NullPatch {
                mutant.fate = fate;
            }
        }
    }
    Ok(())
}
