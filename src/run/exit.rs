//! How a command's process ended.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What the process did, never what that means; `outcome` alone decides the meaning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Exit {
    /// It ended by itself with this status, 0 to 255.
    Code(i32),
    /// A signal of this number ended it, and we did not send it.
    Signal(i32),
    /// It was still running at the time limit, and was ended.
    TimedOut,
    /// Its output passed the limit, and it was ended.
    OutputLimit,
    /// It met the limit on the size of a file. When it failed after writing more than that in all,
    /// it is taken to have met it.
    FileSizeLimit,
    /// Its processes together held more memory than the limit, and were ended.
    MemoryLimit,
    /// It had more processes than the limit, and they were ended.
    ProcessLimit,
    /// Its program cannot be started: why. Trying again gives the same.
    NotStarted(String),
    /// The system had no process, memory or file handle left to start it, or its file was open for
    /// writing: why. Trying again with fewer workers may go well.
    Starved(String),
    /// The run was interrupted from our side before the command ended.
    Interrupted,
    /// We do not know what it did, or cannot vouch for it: why. The helper died, the log could not
    /// be written, or processes of the command would not end.
    Lost(String),
}

/// What the kernel sends when memory runs out, and anybody can send: never a mutant's own doing.
pub const KILL: i32 = 9;

/// Statuses that shells and launchers give for what befell another program: 124 to 127, 128 + n.
#[must_use]
pub const fn is_second_hand(code: i32) -> bool {
    code >= 124
}

/// Whether one or two runs of a step, with these exits, can be nothing but a failure, so that nothing
/// after them need run. What a failure means is for `outcome`; a test there holds this to its table.
pub(crate) fn is_failure(first: &Exit, again: Option<&Exit>) -> bool {
    let is_ordinary =
        |exit: &Exit| matches!(exit, Exit::Code(code) if *code != 0 && !is_second_hand(*code));
    match (first, again) {
        (Exit::Code(code), Some(Exit::Code(same))) if is_second_hand(*code) => code == same,
        (Exit::Code(_), _) => is_ordinary(first),
        (Exit::Signal(one), Some(Exit::Signal(other))) => *one != KILL && *other != KILL,
        (Exit::TimedOut, Some(Exit::TimedOut)) | (Exit::MemoryLimit, Some(Exit::MemoryLimit)) => {
            true
        }
        (Exit::OutputLimit | Exit::FileSizeLimit | Exit::ProcessLimit, _) | (_, None) => false,
        (_, Some(second)) => is_ordinary(second),
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "exit {code}"),
            Self::Signal(number) => write!(f, "ended by signal {number}"),
            Self::TimedOut => f.write_str("still running at the time limit"),
            Self::OutputLimit => f.write_str("more output than the limit"),
            Self::FileSizeLimit => f.write_str("met the limit on the size of a file"),
            Self::MemoryLimit => f.write_str("more memory than the limit"),
            Self::ProcessLimit => f.write_str("more processes than the limit"),
            Self::NotStarted(why) => write!(f, "cannot start: {why}"),
            Self::Starved(why) => write!(f, "could not start for want of resources: {why}"),
            Self::Interrupted => f.write_str("interrupted"),
            Self::Lost(why) => write!(f, "lost: {why}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_exit_survives_the_run_log() {
        let all = [
            (Exit::Code(101), r#"{"code":101}"#),
            (Exit::Signal(9), r#"{"signal":9}"#),
            (Exit::TimedOut, r#""timed_out""#),
            (Exit::OutputLimit, r#""output_limit""#),
            (Exit::FileSizeLimit, r#""file_size_limit""#),
            (Exit::MemoryLimit, r#""memory_limit""#),
            (Exit::ProcessLimit, r#""process_limit""#),
            (Exit::NotStarted("no".into()), r#"{"not_started":"no"}"#),
            (Exit::Starved("no".into()), r#"{"starved":"no"}"#),
            (Exit::Interrupted, r#""interrupted""#),
            (Exit::Lost("no".into()), r#"{"lost":"no"}"#),
        ];
        for (exit, text) in all {
            assert_eq!(serde_json::to_string(&exit).expect("an exit is JSON"), text);
            assert_eq!(serde_json::from_str::<Exit>(text).expect("its own text"), exit);
        }
    }
}
