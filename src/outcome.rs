//! Stage 5: from what processes did to what it means. The one place where a verdict is made.
//!
//! Every exit has its arm; there is no default. [`run`](crate::run) sees to it that an exit which
//! needs a second run has one; an exit that still lacks it is undecided here, never a kill.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::run::exit::{KILL, is_second_hand};
use crate::run::{Exit, Label, Run, Runner, Step, answers};

/// What a mutant's runs mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "outcome")]
pub enum Outcome {
    /// A command that passed on the baseline ran to its end and failed.
    Killed {
        /// How it failed; never changes the verdict.
        reason: Reason,
        /// Place of the first command that killed.
        command: usize,
    },
    /// Every command exited 0.
    Survived,
    /// No command killed, and one gave no answer that can be trusted.
    Undecided {
        /// What happened.
        why: Doubt,
        /// Place of the first such command.
        command: usize,
    },
    /// The product alone does not build.
    Unviable,
    /// The code is in no build that the commands make.
    NotBuilt,
}

/// How a command failed on a mutant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// An ordinary failing status.
    Exit,
    /// A recognised runner could not collect its tests.
    Collection,
    /// A recognised runner found no tests.
    NoTests,
    /// A recognised runner broke or was called wrongly.
    Harness,
    /// The product builds and its tests do not; of what is never unviable, the product either.
    Build,
    /// A signal, twice.
    Crash,
    /// The time limit, and twice that limit alone.
    TimeOut,
    /// A memory limit that was set, and twice that limit alone.
    Resource,
}

/// Why a command's exit decides nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Doubt {
    /// It could not be started.
    NotStarted,
    /// It wrote more than the output limit.
    OutputLimit,
    /// It met the limit on the size of a file.
    FileSizeLimit,
    /// It held more memory than the limit.
    MemoryLimit,
    /// It had more processes than the limit.
    ProcessLimit,
    /// It was killed from outside, as by the kernel when memory runs out.
    KilledFromOutside,
    /// Two runs gave two answers.
    TwoAnswers,
    /// The run itself broke: a full disk, a lost helper, a failing unmutated tree.
    Lost,
    /// A second run was needed and not made.
    NotRepeated,
    /// From a clean start it refused what it had accepted, or accepted what it had refused.
    Flaky,
}

/// What one command's runs mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It accepted the tree.
    Passed,
    /// It refused the tree.
    Failed(Reason),
    /// We cannot tell.
    Unclear(Doubt),
}

/// What is known of a mutant's commands beside their exits.
#[derive(Debug, Clone, Copy)]
pub struct Terms<'a> {
    /// The runners of the commands, in sealed order.
    pub runners: &'a [Option<Runner>],
    /// Places of commands that gave two answers on the unmutated tree and were let through: their
    /// failures show nothing.
    pub flaky: &'a BTreeSet<usize>,
    /// Whether a mutant whose product does not build is unviable; else its commands were run all the
    /// same and decide.
    pub must_build: bool,
}

/// The meaning of a mutant's runs, in the order they were made. Where a step gave a second answer from a
/// clean start, that must be the first one again: else nothing is known of the mutant.
#[must_use]
pub fn judge(runs: &[Run], terms: &Terms<'_>) -> Outcome {
    if let Some(doubt) = unconfirmed(runs, terms.runners) {
        return doubt;
    }
    let Terms { runners, flaky, must_build } = *terms;
    match verdict_of(runs, Step::Build, None) {
        Some(Verdict::Failed(_)) if must_build => return Outcome::Unviable,
        Some(Verdict::Failed(_)) => {}
        Some(Verdict::Unclear(why)) => return Outcome::Undecided { why, command: 0 },
        Some(Verdict::Passed) | None => {}
    }
    let mut is_built = true;
    for product in runs.iter().filter(|run| matches!(run.step, Step::Product(_))) {
        match verdict_of(runs, product.step, None) {
            Some(Verdict::Failed(_)) if must_build => return Outcome::Unviable,
            Some(Verdict::Failed(_)) => is_built = false,
            Some(Verdict::Unclear(why)) => return Outcome::Undecided { why, command: 0 },
            Some(Verdict::Passed) | None => {}
        }
    }
    let mut doubt = None;
    for (command, runner) in runners.iter().enumerate() {
        match verdict_of(runs, Step::Command(command), *runner) {
            Some(Verdict::Failed(_)) if flaky.contains(&command) => {
                let why = Doubt::TwoAnswers;
                doubt = doubt.or(Some(Outcome::Undecided { why, command }));
            }
            Some(Verdict::Failed(reason)) => {
                let tests = verdict_of(runs, Step::Tests(command), None);
                let built = is_built && !matches!(tests, Some(Verdict::Failed(_)));
                let reason = if reason == Reason::Exit && !built { Reason::Build } else { reason };
                return Outcome::Killed { reason, command };
            }
            Some(Verdict::Unclear(why)) => {
                doubt = doubt.or(Some(Outcome::Undecided { why, command }));
            }
            Some(Verdict::Passed) => {}
            None => doubt = doubt.or(Some(Outcome::Undecided { why: Doubt::Lost, command })),
        }
    }
    doubt.unwrap_or(Outcome::Survived)
}

/// The first step whose second answer is not its first.
fn unconfirmed(runs: &[Run], runners: &[Option<Runner>]) -> Option<Outcome> {
    let (_, second) = answers(runs);
    let commands = runners.iter().enumerate();
    let commands = commands.map(|(place, runner)| (place, Step::Command(place), *runner));
    let builds = runs.iter().map(|run| run.step);
    let builds = builds.filter(|step| matches!(step, Step::Build | Step::Product(_)));
    builds.map(|step| (0, step, None)).chain(commands).find_map(|(command, step, runner)| {
        let first = verdict_of(runs, step, runner)?;
        let why = repeated(first, of_step(second, step, runner)?)?;
        Some(Outcome::Undecided { why, command })
    })
}

/// What is wrong with a second answer, if it is not the first one again.
fn repeated(first: Verdict, second: Verdict) -> Option<Doubt> {
    use Verdict::{Failed, Passed, Unclear};
    match (first, second) {
        (Passed, Passed) | (Failed(_), Failed(_)) => None,
        (Passed, Failed(_)) | (Failed(_), Passed) => Some(Doubt::Flaky),
        (Unclear(why), _) | (Passed | Failed(_), Unclear(why)) => Some(why),
    }
}

/// What the runs of one step mean, those of a second answer left out; `None` when it was not run.
#[must_use]
pub fn verdict_of(runs: &[Run], step: Step, runner: Option<Runner>) -> Option<Verdict> {
    of_step(answers(runs).0, step, runner)
}

fn of_step(runs: &[Run], step: Step, runner: Option<Runner>) -> Option<Verdict> {
    let mut exits = runs.iter().filter(|run| run.step == step).map(|run| &run.exit);
    let first = exits.next()?;
    Some(verdict(first, exits.next(), runner))
}

fn verdict(first: &Exit, again: Option<&Exit>, runner: Option<Runner>) -> Verdict {
    use Verdict::{Failed, Passed, Unclear};
    match (first, again) {
        (Exit::Code(0), _) => Passed,
        (Exit::Code(code), again) if is_second_hand(*code) => match again {
            None => Unclear(Doubt::NotRepeated),
            Some(Exit::Code(same)) if same == code => Failed(Reason::Exit),
            Some(_) => Unclear(Doubt::TwoAnswers),
        },
        (Exit::Code(code), _) => Failed(reason(*code, runner)),
        (Exit::Signal(_) | Exit::TimedOut, None) => Unclear(Doubt::NotRepeated),
        (Exit::Signal(_), Some(Exit::Signal(KILL))) => Unclear(Doubt::KilledFromOutside),
        (Exit::Signal(first), Some(Exit::Signal(_))) if *first != KILL => Failed(Reason::Crash),
        (Exit::TimedOut, Some(Exit::TimedOut)) => Failed(Reason::TimeOut),
        (Exit::TimedOut, Some(Exit::Code(0))) => Passed,
        (Exit::Signal(_) | Exit::TimedOut, Some(Exit::Code(code)))
            if *code != 0 && !is_second_hand(*code) =>
        {
            Failed(reason(*code, runner))
        }
        (Exit::Signal(_) | Exit::TimedOut, Some(_)) => Unclear(Doubt::TwoAnswers),
        // Once more than a limit is no answer, and a second one does not take it back.
        (Exit::OutputLimit, _) => Unclear(Doubt::OutputLimit),
        (Exit::FileSizeLimit, _) => Unclear(Doubt::FileSizeLimit),
        (Exit::MemoryLimit, Some(Exit::MemoryLimit)) => Failed(Reason::Resource),
        (Exit::MemoryLimit, Some(Exit::Code(code))) if *code != 0 && !is_second_hand(*code) => {
            Failed(reason(*code, runner))
        }
        // It needs more than it may have: that it passes with twice as much does not take that back.
        (Exit::MemoryLimit, _) => Unclear(Doubt::MemoryLimit),
        (Exit::ProcessLimit, _) => Unclear(Doubt::ProcessLimit),
        (Exit::NotStarted(_) | Exit::Starved(_), None) => Unclear(Doubt::NotStarted),
        (Exit::Lost(_) | Exit::Interrupted, None) => Unclear(Doubt::Lost),
        // No answer the first time: the second run stands for the first.
        (
            Exit::NotStarted(_) | Exit::Starved(_) | Exit::Lost(_) | Exit::Interrupted,
            Some(second),
        ) => verdict(second, None, runner),
    }
}

fn reason(code: i32, runner: Option<Runner>) -> Reason {
    match runner.map_or(Label::Ordinary, |runner| runner.label(code)) {
        Label::Ordinary => Reason::Exit,
        Label::Collection => Reason::Collection,
        Label::NoTests => Reason::NoTests,
        Label::Harness => Reason::Harness,
    }
}

impl Reason {
    /// The word used in files and summaries.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Exit => "exit",
            Self::Collection => "collection",
            Self::NoTests => "no-tests",
            Self::Harness => "harness",
            Self::Build => "build",
            Self::Crash => "crash",
            Self::TimeOut => "time-out",
            Self::Resource => "resource",
        }
    }
}

impl Doubt {
    /// What happened, for people.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::NotStarted => "could not be started",
            Self::OutputLimit => "wrote more than the output limit",
            Self::FileSizeLimit => "met the limit on the size of a file",
            Self::MemoryLimit => "held more memory than the limit",
            Self::ProcessLimit => "had more processes than the limit",
            Self::KilledFromOutside => "was killed from outside",
            Self::TwoAnswers => "gave two answers",
            Self::Lost => "its run broke",
            Self::NotRepeated => "needed a second run that was not made",
            Self::Flaky => "accepted it once and refused it once",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::exit::is_failure;
    use crate::run::{Attempt, Tier};
    use std::time::Duration;

    fn run(step: Step, exit: Exit) -> Run {
        Run {
            step,
            attempt: Attempt::First,
            exit,
            wall: Duration::ZERO,
            cpu: Duration::ZERO,
            log: String::new(),
            log_sha256: None,
            executor: Tier::Exact,
            declined: Vec::new(),
            unreached: false,
            outside_budget: Vec::new(),
            tests: None,
        }
    }

    fn judged(
        runs: &[Run],
        runners: &[Option<Runner>],
        flaky: &[usize],
        must_build: bool,
    ) -> Outcome {
        let flaky = &flaky.iter().copied().collect();
        judge(runs, &Terms { runners, flaky, must_build })
    }

    fn of(exits: &[Exit]) -> Verdict {
        verdict(&exits[0], exits.get(1), Some(Runner::Pytest))
    }

    #[test]
    fn every_row_of_the_verdict_table() {
        use Verdict::{Failed, Passed, Unclear};
        let lost = || Exit::Lost("gone".to_owned());
        let no_start = || Exit::NotStarted("no".to_owned());
        for (exits, expected) in [
            (vec![Exit::Code(0)], Passed),
            (vec![Exit::Code(1)], Failed(Reason::Exit)),
            (vec![Exit::Code(2)], Failed(Reason::Collection)),
            (vec![Exit::Code(3)], Failed(Reason::Harness)),
            (vec![Exit::Code(4)], Failed(Reason::Harness)),
            (vec![Exit::Code(5)], Failed(Reason::NoTests)),
            (vec![Exit::Code(123)], Failed(Reason::Exit)),
            (vec![Exit::Code(124)], Unclear(Doubt::NotRepeated)),
            (vec![Exit::Code(127), Exit::Code(127)], Failed(Reason::Exit)),
            (vec![Exit::Code(137), Exit::Code(0)], Unclear(Doubt::TwoAnswers)),
            (vec![Exit::Code(137), Exit::Code(139)], Unclear(Doubt::TwoAnswers)),
            (vec![Exit::Signal(11)], Unclear(Doubt::NotRepeated)),
            (vec![Exit::Signal(11), Exit::Signal(11)], Failed(Reason::Crash)),
            (vec![Exit::Signal(11), Exit::Signal(6)], Failed(Reason::Crash)),
            (vec![Exit::Signal(11), Exit::Code(0)], Unclear(Doubt::TwoAnswers)),
            (vec![Exit::Signal(11), Exit::Code(1)], Failed(Reason::Exit)),
            (vec![Exit::Signal(9), Exit::Signal(9)], Unclear(Doubt::KilledFromOutside)),
            (vec![Exit::Signal(9), Exit::Signal(11)], Unclear(Doubt::TwoAnswers)),
            (vec![Exit::Signal(9), Exit::Code(0)], Unclear(Doubt::TwoAnswers)),
            (vec![Exit::TimedOut], Unclear(Doubt::NotRepeated)),
            (vec![Exit::TimedOut, Exit::TimedOut], Failed(Reason::TimeOut)),
            (vec![Exit::TimedOut, Exit::Code(0)], Passed),
            (vec![Exit::TimedOut, Exit::Code(1)], Failed(Reason::Exit)),
            (vec![Exit::TimedOut, Exit::Code(137)], Unclear(Doubt::TwoAnswers)),
            (vec![Exit::TimedOut, lost()], Unclear(Doubt::TwoAnswers)),
            (vec![Exit::OutputLimit], Unclear(Doubt::OutputLimit)),
            (vec![Exit::FileSizeLimit], Unclear(Doubt::FileSizeLimit)),
            (vec![Exit::MemoryLimit], Unclear(Doubt::MemoryLimit)),
            (vec![Exit::MemoryLimit, Exit::MemoryLimit], Failed(Reason::Resource)),
            (vec![Exit::MemoryLimit, Exit::Code(0)], Unclear(Doubt::MemoryLimit)),
            (vec![Exit::MemoryLimit, Exit::Code(1)], Failed(Reason::Exit)),
            (vec![Exit::MemoryLimit, Exit::TimedOut], Unclear(Doubt::MemoryLimit)),
            (vec![Exit::ProcessLimit], Unclear(Doubt::ProcessLimit)),
            (vec![Exit::Signal(11), Exit::FileSizeLimit], Unclear(Doubt::TwoAnswers)),
            (vec![Exit::TimedOut, Exit::MemoryLimit], Unclear(Doubt::TwoAnswers)),
            (vec![lost(), Exit::ProcessLimit], Unclear(Doubt::ProcessLimit)),
            (vec![no_start()], Unclear(Doubt::NotStarted)),
            (vec![no_start(), no_start()], Unclear(Doubt::NotStarted)),
            (vec![lost()], Unclear(Doubt::Lost)),
            (vec![lost(), Exit::Code(1)], Failed(Reason::Exit)),
            (vec![lost(), Exit::Signal(11)], Unclear(Doubt::NotRepeated)),
        ] {
            assert_eq!(of(&exits), expected, "{exits:?}");
        }
    }

    #[test]
    fn a_run_stops_at_what_is_a_failure_here_and_at_nothing_else() {
        let codes = [0, 1, 2, 123, 124, 127, 137, 255].map(Exit::Code);
        let signals = [6, KILL, 11].map(Exit::Signal);
        let others = [
            Exit::TimedOut,
            Exit::OutputLimit,
            Exit::FileSizeLimit,
            Exit::MemoryLimit,
            Exit::ProcessLimit,
            Exit::NotStarted("no".to_owned()),
            Exit::Starved("no".to_owned()),
            Exit::Interrupted,
            Exit::Lost("gone".to_owned()),
        ];
        let all = codes.into_iter().chain(signals).chain(others).collect::<Vec<_>>();
        for first in &all {
            for again in all.iter().map(Some).chain([None]) {
                let failed = matches!(verdict(first, again, None), Verdict::Failed(_));
                assert_eq!(is_failure(first, again), failed, "{first:?} {again:?}");
            }
        }
    }

    #[test]
    fn a_kill_by_any_command_decides_and_a_doubt_does_not_hide_it() {
        let runners = [None, None];
        let (first, second) = (Step::Command(0), Step::Command(1));
        let killed = Outcome::Killed { reason: Reason::Exit, command: 1 };
        let doubt = Outcome::Undecided { why: Doubt::OutputLimit, command: 0 };
        for (exits, expected) in [
            ([Exit::OutputLimit, Exit::Code(1)], killed),
            ([Exit::OutputLimit, Exit::Code(0)], doubt),
            ([Exit::Code(0), Exit::Code(0)], Outcome::Survived),
            ([Exit::Code(0), Exit::Code(1)], killed),
        ] {
            let [one, two] = exits;
            assert_eq!(judged(&[run(first, one), run(second, two)], &runners, &[], true), expected);
        }
        let missing = Outcome::Undecided { why: Doubt::Lost, command: 1 };
        assert_eq!(judged(&[run(first, Exit::Code(0))], &runners, &[], true), missing);
    }

    #[test]
    fn two_different_answers_decide_nothing() {
        let again = |exit| Run { attempt: Attempt::Confirm, ..run(Step::Command(0), exit) };
        let first = |exit| run(Step::Command(0), exit);
        let other = || run(Step::Command(1), Exit::Code(1));
        let doubt = |why| Outcome::Undecided { why, command: 0 };
        let killed = Outcome::Killed { reason: Reason::Exit, command: 0 };
        let lost = || Exit::Lost("gone".to_owned());
        for (runs, expected) in [
            (vec![first(Exit::Code(1)), again(Exit::Code(1))], killed),
            (vec![first(Exit::Code(1)), again(Exit::Code(0))], doubt(Doubt::Flaky)),
            // Another way to fail is a failure all the same.
            (vec![first(Exit::Code(1)), again(Exit::Code(2))], killed),
            (vec![first(Exit::Code(1)), again(Exit::OutputLimit)], doubt(Doubt::OutputLimit)),
            // A second answer may need a second run of its own.
            (vec![first(Exit::Code(1)), again(lost())], doubt(Doubt::Lost)),
            (vec![first(Exit::Code(1)), again(lost()), first(Exit::Code(1))], killed),
            (vec![first(Exit::Code(1)), again(Exit::TimedOut)], doubt(Doubt::NotRepeated)),
            // Not even the kill of another command stands beside it.
            (vec![first(Exit::Code(1)), other(), again(Exit::Code(0))], doubt(Doubt::Flaky)),
        ] {
            let found = judged(&runs, &[None], &[], true);
            assert_eq!(found, expected, "{runs:?}");
        }
        let passed = |attempt| Run { attempt, ..run(Step::Command(1), Exit::Code(0)) };
        let runs = [first(Exit::Code(0)), passed(Attempt::First), again(Exit::Code(0))];
        let both = [&runs[..], &[passed(Attempt::Confirm)]].concat();
        assert_eq!(judged(&both, &[None, None], &[], true), Outcome::Survived);
        let flips = Run { exit: Exit::Code(1), ..passed(Attempt::Confirm) };
        let flipped = [&runs[..], &[flips]].concat();
        let flaky = Outcome::Undecided { why: Doubt::Flaky, command: 1 };
        assert_eq!(judged(&flipped, &[None, None], &[], true), flaky);
        let build = |code, attempt| Run { attempt, ..run(Step::Build, Exit::Code(code)) };
        let runs = [build(1, Attempt::First), build(0, Attempt::Confirm)];
        assert_eq!(judged(&runs, &[None], &[], true), doubt(Doubt::Flaky));
    }

    #[test]
    fn a_failure_of_a_flaky_command_is_no_kill_and_hides_none() {
        let (first, second) = (Step::Command(0), Step::Command(1));
        let doubt = Outcome::Undecided { why: Doubt::TwoAnswers, command: 0 };
        let killed = Outcome::Killed { reason: Reason::Exit, command: 1 };
        for (codes, expected) in
            [([1, 0], doubt), ([0, 0], Outcome::Survived), ([0, 1], killed), ([1, 1], killed)]
        {
            let [one, two] = codes.map(Exit::Code);
            let runs = [run(first, one), run(second, two)];
            assert_eq!(judged(&runs, &[None, None], &[0], true), expected, "{codes:?}");
        }
    }

    #[test]
    fn a_product_that_does_not_build_is_no_kill() {
        let runs = [run(Step::Build, Exit::Code(1))];
        assert_eq!(judged(&runs, &[None], &[], true), Outcome::Unviable);
        let runs = [run(Step::Build, Exit::TimedOut)];
        let doubt = Outcome::Undecided { why: Doubt::NotRepeated, command: 0 };
        assert_eq!(judged(&runs, &[None], &[], true), doubt);
        assert_eq!(judged(&runs, &[None], &[], false), doubt);
        let killed = Outcome::Killed { reason: Reason::Exit, command: 0 };
        let runs = [run(Step::Build, Exit::Code(1)), run(Step::Command(0), Exit::Code(1))];
        assert_eq!(judged(&runs, &[None], &[], false), killed);
        let runs = [run(Step::Build, Exit::Code(1)), run(Step::Command(0), Exit::Code(0))];
        assert_eq!(judged(&runs, &[None], &[], false), Outcome::Survived);
    }

    #[test]
    fn tests_that_do_not_build_kill_and_a_product_that_does_not_is_no_kill() {
        let (product, command, tests) = (Step::Product(0), Step::Command(0), Step::Tests(0));
        let killed = |reason| Outcome::Killed { reason, command: 0 };
        for (codes, must_build, expected) in [
            (vec![(product, 101)], true, Outcome::Unviable),
            (vec![(product, 0), (command, 0)], true, Outcome::Survived),
            (vec![(product, 0), (command, 101), (tests, 0)], true, killed(Reason::Exit)),
            (vec![(product, 0), (command, 101), (tests, 101)], true, killed(Reason::Build)),
            (vec![(product, 101), (command, 101), (tests, 101)], false, killed(Reason::Build)),
            (vec![(product, 0), (Step::Product(1), 101)], true, Outcome::Unviable),
        ] {
            let runs = codes.into_iter().map(|(step, code)| run(step, Exit::Code(code)));
            let runs = runs.collect::<Vec<_>>();
            assert_eq!(judged(&runs, &[None], &[], must_build), expected, "{runs:?}");
        }
        let doubt = Outcome::Undecided { why: Doubt::NotRepeated, command: 0 };
        assert_eq!(judged(&[run(product, Exit::TimedOut)], &[None], &[], true), doubt);
    }
}
