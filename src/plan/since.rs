//! The mutants at lines that differ from what the files held before.

use std::collections::{BTreeMap, HashMap};

use super::change::Changed;
use super::{Fate, MutantId, Plan, PlanFile};
use crate::base::RelPath;
use crate::tree::{Snapshot, TreeError};

/// What files held before, by path; one that is not named is new.
pub type Before = BTreeMap<RelPath, Vec<u8>>;

impl Plan {
    /// Takes out the mutants of files none of whose mutants is at a line that differs from `before`.
    ///
    /// # Errors
    /// [`TreeError`] when a source can no longer be read as it was.
    pub fn keep_changed_files(
        &mut self,
        before: &Before,
        snapshot: &Snapshot,
    ) -> Result<(), TreeError> {
        let at_change = self.at_change(before, snapshot)?;
        let mut is_changed = vec![false; self.files.len()];
        for (mutant, at_change) in self.mutants.iter().zip(at_change) {
            is_changed[mutant.edit.file as usize] |= at_change;
        }
        self.mutants.retain(|mutant| is_changed[mutant.edit.file as usize]);
        self.tell_files();
        Ok(())
    }

    /// Leaves out of the count, once they are judged, the mutants at lines that are as they were. They
    /// stay in the plan, since which of several alike a mutant is depends on them all. Where one that is
    /// left out stood for others of the same code, the first of those at a changed line counts instead.
    ///
    /// # Errors
    /// [`TreeError`] when a source can no longer be read as it was.
    pub fn leave_unchanged(
        &mut self,
        before: &Before,
        snapshot: &Snapshot,
    ) -> Result<(), TreeError> {
        let at_change = self.at_change(before, snapshot)?;
        let counted = |(mutant, at_change): (&super::Mutant, &bool)| {
            (*at_change && mutant.fate == Fate::Counted).then_some((mutant.id, mutant.id))
        };
        let all = self.mutants.iter().zip(&at_change);
        let mut stands_for = all.filter_map(counted).collect::<HashMap<MutantId, MutantId>>();
        for (mutant, at_change) in self.mutants.iter_mut().zip(at_change) {
            match (&mutant.fate, at_change) {
                (_, false) => mutant.fate = Fate::Unchanged,
                (Fate::Duplicate(of), true) => {
                    let first = *stands_for.entry(*of).or_insert(mutant.id);
                    let is_first = first == mutant.id;
                    mutant.fate = if is_first { Fate::Counted } else { Fate::Duplicate(first) };
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// For each mutant, whether its line differs from `before`; where lines were taken away, the lines of
    /// the next statement and of the header around do.
    fn at_change(&self, before: &Before, snapshot: &Snapshot) -> Result<Vec<bool>, TreeError> {
        let changed = |file: &PlanFile| match before.get(&file.path) {
            None => Ok(None),
            Some(before) => {
                let after = file.source(snapshot)?;
                let outline = file.language.outline(&after);
                Ok(Some(Changed::between(before, &after, &outline)))
            }
        };
        let changed = self.files.iter().map(changed).collect::<Result<Vec<_>, TreeError>>()?;
        let holds = |mutant: &super::Mutant| {
            let changed = changed[mutant.edit.file as usize].as_ref();
            changed.is_none_or(|changed| changed.holds(mutant.line))
        };
        Ok(self.mutants.iter().map(holds).collect())
    }
}
