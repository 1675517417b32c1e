//! The proof that nothing a command started is alive any more.

/// No process of the last run is alive. Only what ended them can make one; a workspace takes it
/// before it trusts what it finds on disk.
#[derive(Debug)]
pub struct Certificate(());

impl Certificate {
    /// For the code that has waited for every process of a run.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "the spawner of this stage will be its one caller")
    )]
    pub(in crate::run) const fn new() -> Self {
        Self(())
    }

    /// Uses it up: the next run needs its own.
    pub(in crate::run) fn spend(self) {}
}
