//! What a stage tells the outside while it works. No stage knows a console.

use std::borrow::Cow;
use std::time::Duration;

/// Something worth telling a person.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// A step of the run begins; `total` units of work where that is known.
    Step {
        /// What is being done, as a person would say it, such as `running the unmutated tree`.
        name: Cow<'static, str>,
        /// Units of work to come.
        total: Option<u64>,
    },
    /// `done` units of the current step are finished, `killed` of them by a kill.
    Progress {
        /// Units finished so far.
        done: u64,
        /// Kills among them.
        killed: u64,
    },
    /// One run of the unmutated tree ended well.
    Baseline {
        /// Which round, from 1.
        round: u32,
        /// Wall time of all commands.
        wall: Duration,
    },
    /// Something a person should know, which stops nothing.
    Warning(String),
    /// A fact about the run that explains its result, such as what was left out of the copy.
    Note(String),
}

/// Receives the events of a run, from any thread.
pub trait Sink: Sync {
    /// Takes one event; must not block for long.
    fn tell(&self, event: Event);
}

/// A sink that drops everything.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Sink for Silent {
    fn tell(&self, _: Event) {}
}
