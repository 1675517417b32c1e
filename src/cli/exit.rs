//! How the program ends: every exit code, in one list.

/// An exit code (`docs/exit-codes.md`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Done; survivors alone are no failure.
    Done = 0,
    /// The answer is no: invalid, a gate failed, contradicted, not accepted.
    No = 1,
    /// The command line or the task file is wrong.
    Usage = 2,
    /// The baseline is red or flaky.
    Baseline = 3,
    /// A command cannot start.
    CannotStart = 4,
    /// There is nothing to do.
    NothingToDo = 5,
    /// Undecided mutants are left.
    Undecided = 6,
    /// A control failed.
    Control = 7,
    /// The output directory, or file, is not ours to write.
    Output = 8,
    /// A resource is missing: disk, memory, a closed output.
    Resources = 9,
    /// The question could not be answered.
    NotEstablished = 10,
    /// The input was refused, so nothing was judged.
    Refused = 11,
    /// A fault of this program.
    Internal = 70,
    /// Interrupted.
    Interrupted = 130,
}

impl Exit {
    /// The code as the system sees it.
    #[must_use]
    pub const fn code(self) -> u8 {
        self as u8
    }
}
