//! The mutants at lines that differ from what the files held before, and those that changed tests run.

use std::collections::{BTreeMap, HashMap};

use adequacy_mutators::Language;

use super::change::Changed;
use super::{Fate, Plan, PlanFile};
use crate::base::RelPath;
use crate::tree::{Snapshot, TreeError};

/// What files held before, by path; one that is not named is new.
pub type Before = BTreeMap<RelPath, Vec<u8>>;

/// The lines that mutants are kept at.
#[derive(Debug, Default)]
pub struct Kept {
    /// Those that differ from what the files held.
    pub before: Before,
    /// More of them, by the first and last of each stretch.
    pub more: BTreeMap<RelPath, Vec<(u32, u32)>>,
}

/// The first and last of the lines of `after` that a change from `before` touches, stretch by stretch;
/// where lines were taken away, the next statement and the header around it.
#[must_use]
pub fn changed_lines(language: Language, before: &[u8], after: &[u8]) -> Vec<(u32, u32)> {
    let changed = Changed::between(before, after, &language.outline(after));
    changed.ranges().iter().map(|lines| (*lines.start(), *lines.end())).collect()
}

impl Plan {
    /// Takes out the mutants of files none of whose mutants is kept.
    ///
    /// # Errors
    /// [`TreeError`] when a source can no longer be read as it was.
    pub fn keep_changed_files(
        &mut self,
        kept: &Kept,
        snapshot: &Snapshot,
    ) -> Result<(), TreeError> {
        let is_kept = self.is_kept(kept, snapshot)?;
        let mut is_changed = vec![false; self.files.len()];
        for (mutant, is_kept) in self.mutants.iter().zip(is_kept) {
            is_changed[mutant.edit.file as usize] |= is_kept;
        }
        self.mutants.retain(|mutant| is_changed[mutant.edit.file as usize]);
        self.tell_files();
        Ok(())
    }

    /// Leaves out of the count, once they are judged, the mutants that are not kept. They
    /// stay in the plan, since which of several alike a mutant is depends on them all. Where one that is
    /// left out stood for others of the same code, the first of those that are kept counts instead.
    ///
    /// # Errors
    /// [`TreeError`] when a source can no longer be read as it was.
    pub fn leave_unchanged(&mut self, kept: &Kept, snapshot: &Snapshot) -> Result<(), TreeError> {
        let is_kept = self.is_kept(kept, snapshot)?;
        // Those that do not count, each with the mutant that counts instead.
        let mut instead = HashMap::new();
        for (place, is_kept) in (0..).zip(is_kept) {
            let fate = match &self.mutants[place as usize].fate {
                _ if !is_kept => Fate::Unchanged,
                Fate::Duplicate(of) if self.mutants[*of as usize].fate != Fate::Counted => {
                    let first = *instead.entry(*of).or_insert(place);
                    if first == place { Fate::Counted } else { Fate::Duplicate(first) }
                }
                _ => continue,
            };
            self.mutants[place as usize].fate = fate;
        }
        Ok(())
    }

    /// For each mutant, whether its line is one of those.
    fn is_kept(&self, kept: &Kept, snapshot: &Snapshot) -> Result<Vec<bool>, TreeError> {
        let changed = |file: &PlanFile| match kept.before.get(&file.path) {
            None => Ok(None),
            Some(before) => {
                let after = file.source(snapshot)?;
                let outline = file.language.outline(&after);
                Ok(Some(Changed::between(before, &after, &outline)))
            }
        };
        let changed = self.files.iter().map(changed).collect::<Result<Vec<_>, TreeError>>()?;
        let more = self.files.iter().map(|file| kept.more.get(&file.path));
        let more = more.map(|lines| lines.map_or(&[][..], Vec::as_slice)).collect::<Vec<_>>();
        let holds = |mutant: &super::Mutant| {
            let (file, line) = (mutant.edit.file as usize, mutant.line);
            changed[file].as_ref().is_none_or(|changed| changed.holds(line))
                || more[file].iter().any(|&(first, last)| (first..=last).contains(&line))
        };
        Ok(self.mutants.iter().map(holds).collect())
    }
}
