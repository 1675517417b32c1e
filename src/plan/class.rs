//! The sets that mutants belong to, in sealed order.

use serde::{Deserialize, Serialize};

/// The set a mutant belongs to. The first six are those of section 11 of the record rules; those
/// after them are ours, and stand in no gate of that section.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// The whole change undone.
    NullPatch,
    /// One hunk of it undone.
    HunkRevert,
    /// An operator at a changed line.
    Change,
    /// A function that the change touches answers dishonestly.
    Cheat,
    /// An operator in a function that the change touches, off the changed lines.
    Function,
    /// An operator elsewhere in a file that the change writes.
    Rest,
    /// The change undone, its new names left in place.
    StubPatch,
    /// One of several changed files undone.
    FileRevert,
    /// A touched function gives one value whatever it is asked.
    CheatExtra,
    /// An operator beyond section 11 at a changed line.
    Extra,
    /// All operators on the chosen files: a tree without a start has this one class.
    Full,
    /// A function of a start tree without a right solution does nothing.
    Degenerate,
}

impl Class {
    /// Every class, in sealed order.
    pub const ALL: &[Self] = &[
        Self::NullPatch,
        Self::HunkRevert,
        Self::Change,
        Self::Cheat,
        Self::Function,
        Self::Rest,
        Self::StubPatch,
        Self::FileRevert,
        Self::CheatExtra,
        Self::Extra,
        Self::Full,
        Self::Degenerate,
    ];

    /// Its name in records and files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NullPatch => "null_patch",
            Self::HunkRevert => "hunk_revert",
            Self::Change => "change",
            Self::Cheat => "cheat",
            Self::Function => "function",
            Self::Rest => "rest",
            Self::StubPatch => "stub_patch",
            Self::FileRevert => "file_revert",
            Self::CheatExtra => "cheat_extra",
            Self::Extra => "extra",
            Self::Full => "full",
            Self::Degenerate => "degenerate",
        }
    }

    /// Whether it is a set of a change, which records count by.
    #[must_use]
    pub const fn is_set(self) -> bool {
        !matches!(self, Self::Full | Self::Degenerate)
    }

    /// Whether a mutant of it is always run: that it does not build is the commands' answer.
    #[must_use]
    pub const fn is_never_unviable(self) -> bool {
        matches!(
            self,
            Self::NullPatch
                | Self::HunkRevert
                | Self::StubPatch
                | Self::FileRevert
                | Self::CheatExtra
                | Self::Degenerate
        )
    }

    /// Whether its mutants are pieces of an earlier text, which are compared by their syntax.
    #[must_use]
    pub const fn is_undone(self) -> bool {
        matches!(self, Self::NullPatch | Self::HunkRevert | Self::StubPatch | Self::FileRevert)
    }

    /// Whether every command is run on a mutant of it, and none of them may stay undecided.
    #[must_use]
    pub const fn is_decisive(self) -> bool {
        matches!(self, Self::NullPatch | Self::HunkRevert | Self::Change | Self::Cheat)
    }

    /// Whether a limit samples it.
    #[must_use]
    pub const fn is_sampled(self) -> bool {
        matches!(self, Self::Function | Self::Rest | Self::Full | Self::Degenerate)
    }
}
