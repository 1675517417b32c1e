//! A mutant as far as counting it goes: taken from a plan, or read back from `mutants.jsonl`.

use serde::Deserialize;

use super::{Class, Fate, MutantId, Plan, UNCHANGED};

/// What counting needs to know of a mutant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Planned<'a> {
    /// The set it belongs to.
    pub class: Class,
    /// Its file.
    pub path: &'a str,
    /// Line of the mutated node, from 1.
    pub line: u32,
    /// UTF-8 byte column of the mutated node, from 0.
    pub column: u32,
    /// Whether it counts.
    pub fate: FateKind,
}

/// A [`Fate`] without its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FateKind {
    /// It is run and counted.
    Counted,
    /// It does not compile.
    Unviable,
    /// It compiles to the original's code.
    Equivalent,
    /// It compiles to another mutant's code.
    Duplicate,
    /// The sampler left it out.
    NotSampled,
    /// Its line is as it was.
    Unchanged,
}

/// A line of `mutants.jsonl` as far as counting its mutant goes.
#[derive(Debug, Deserialize)]
pub struct PlannedRow {
    /// The mutant's name.
    pub id: MutantId,
    class: Class,
    path: String,
    line: u32,
    column: u32,
    not_counted: Option<String>,
}

impl Plan {
    /// Its mutants in sealed order, as far as counting them goes.
    pub fn planned(&self) -> impl Iterator<Item = Planned<'_>> + Clone {
        self.mutants.iter().map(|mutant| Planned {
            class: mutant.class,
            path: &self.file(mutant).name,
            line: mutant.line,
            column: mutant.column,
            fate: mutant.fate.kind(),
        })
    }
}

impl PlannedRow {
    /// Whether the mutant is run and counted.
    #[must_use]
    pub const fn is_counted(&self) -> bool {
        self.not_counted.is_none()
    }

    /// The mutant; `None` when the line gives no reason of this program's for not counting it.
    #[must_use]
    pub fn planned(&self) -> Option<Planned<'_>> {
        let fate = match self.not_counted.as_deref() {
            None => FateKind::Counted,
            Some(why) => FateKind::of_reason(why)?,
        };
        let Self { class, line, column, .. } = *self;
        Some(Planned { class, path: &self.path, line, column, fate })
    }
}

impl Fate {
    /// It without its words.
    #[must_use]
    pub const fn kind(&self) -> FateKind {
        match self {
            Self::Counted => FateKind::Counted,
            Self::Unviable(_) => FateKind::Unviable,
            Self::Equivalent => FateKind::Equivalent,
            Self::Duplicate(_) => FateKind::Duplicate,
            Self::NotSampled => FateKind::NotSampled,
            Self::Unchanged => FateKind::Unchanged,
        }
    }
}

impl FateKind {
    /// What [`Fate::reason`] puts into words.
    fn of_reason(why: &str) -> Option<Self> {
        match why.split(':').next()? {
            "unviable" => Some(Self::Unviable),
            "equivalent" => Some(Self::Equivalent),
            "duplicate" => Some(Self::Duplicate),
            "not sampled" => Some(Self::NotSampled),
            UNCHANGED => Some(Self::Unchanged),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::MutantId;

    #[test]
    fn the_words_of_every_fate_are_read_back() {
        let all = [
            Fate::Unviable("line 1: invalid: syntax".into()),
            Fate::Equivalent,
            Fate::Duplicate(7),
            Fate::NotSampled,
            Fate::Unchanged,
        ];
        for fate in all {
            let words = fate.reason(|_| MutantId::default()).expect("it says why");
            assert_eq!(FateKind::of_reason(&words), Some(fate.kind()), "{words}");
        }
        assert_eq!(Fate::Counted.reason(|_| MutantId::default()), None);
        assert_eq!(FateKind::of_reason("something else"), None);
    }
}
