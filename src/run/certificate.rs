//! The certificate that nothing of a run lives.

/// Shows that no process of a command's run lives: the kernel said so (`waitpid` on the subreaper
/// of the run gave `ECHILD`, or the init of its PID namespace was reaped), or nothing was ever started.
///
/// A workspace may be reset or used again only with one in hand: a process that still lives could
/// write into it without a trace. A worker between two children is none that could: it waits for the
/// engine and holds nothing open for writing (`executor/worker`). Only this stage can make one. It says nothing about processes
/// that a service outside the run started on its behalf (a container daemon, `at`, `cron`).
#[derive(Debug)]
pub struct Certificate(());

impl Certificate {
    /// To be called only where the kernel has just said that no child is left.
    pub(in crate::run) const fn new() -> Self {
        Self(())
    }

    /// Uses the certificate up: what it vouched for ends with the next process.
    pub(in crate::run) const fn spend(self) {
        let Self(()) = self;
    }
}
