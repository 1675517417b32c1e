//! The real command on a build that holds every mutant whose edit stands in the body of one function:
//! what is compiled once is chosen for each run. What stands of it is a pass and a failing test.

mod bench;
mod diagnostics;
mod lints;
mod objection;
mod schema;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rayon::prelude::*;

use self::bench::{Bench, Entered, What};
use self::schema::{Key, NONE, Schema};
use super::{Asked, Declined, Edits, Executor, Lab, Passed, RunError, Seat, Tier};
use crate::base::{Event, Sha256};
use crate::plan::Plan;
use crate::run::{Attempt, Exit, Run, Runner, Step};

/// Mutants that share a build, below which making and checking it costs more than it saves.
pub(super) const FEWEST: usize = 40;

/// What a run may take: so many times the slowest noting run, and more. A time-out is never final here.
const LIMIT: (u32, Duration) = (5, Duration::from_secs(2));

/// Runs that note which functions a command enters, so that it shows where this changes.
const FEWEST_NOTES: usize = 2;

/// A log as long as this may have lost its middle.
const LONGEST_LOG: usize = 200 << 10;

/// How a runner tells of failing tests.
struct Failing {
    status: i32,
    /// Of these words it writes one.
    said: &'static [&'static str],
    /// What it writes of a failure that is none of a test: a program ended by a signal, which a larger stack
    /// frame could be the cause of, and something that does not compile.
    otherwise: &'static [(&'static str, &'static str)],
}

const SIGNAL: &str = "a program ended by a signal";
const BUILD: &str = "a failing build";

const CARGO: Failing = Failing {
    status: 101,
    said: &["test failed, to rerun", "target failed:", "targets failed:"],
    otherwise: &[("(signal: ", SIGNAL), ("could not compile", BUILD)],
};

/// Where it is told to be silent of tests, it is of signals too: then nothing that it says tells.
const NEXTEST: Failing = Failing {
    status: 100,
    said: &["FAIL [", "FAIL\u{1b}[0m ["],
    otherwise: &[
        ("SIG", SIGNAL),
        ("ABORT", SIGNAL),
        ("XFAIL", "a program that did not start"),
        ("TIMEOUT", "a time limit of its own"),
        ("could not compile", BUILD),
    ],
};

/// What all workers know of the build.
struct Built {
    /// Number and function of each mutant.
    arms: BTreeMap<Key, (u32, usize)>,
    /// What is known of each command, by place.
    commands: BTreeMap<usize, Known>,
}

/// What is known of a command from its runs with no mutant chosen.
struct Known {
    /// The functions that it enters; `None` where that is not the same each time.
    entered: Option<Entered>,
    /// What a run of it may take here, where nothing is built again.
    limit: Duration,
}

/// For a command of cargo; the commands of one worker share its build.
struct OneBuild {
    built: Arc<Built>,
    bench: Arc<Mutex<Bench>>,
}

/// Builds the mutants at the places `todo` together for the commands at these places, and puts an
/// executor into every seat; or says why not.
pub(super) fn offer(
    lab: &Lab<'_>,
    plan: &Plan,
    todo: &[usize],
    commands: &[usize],
) -> Result<Result<(), String>, RunError> {
    let denied = match objection::of(lab, &lab.seat(0).environment) {
        Ok(denied) => denied,
        Err(why) => return Ok(Err(why)),
    };
    let schema = Schema::of(plan, todo, lab.snapshot, denied)?;
    if schema.len() < FEWEST {
        return Ok(Err("too few mutants stand in the body of a function to gain by it".to_owned()));
    }
    let name = format!("building {} mutants together", schema.len());
    lab.sink.tell(Event::Step { name: name.into(), total: None });
    let (mut benches, without) = match bench::all(lab, &schema, commands)? {
        Ok(found) => found,
        Err(why) => return Ok(Err(why)),
    };
    let mut known = BTreeMap::new();
    for &command in commands {
        match note(lab, &mut benches, command)? {
            Ok(noted) => known.insert(command, noted),
            Err(why) => return Ok(Err(why)),
        };
    }
    let while_building = benches.iter().flat_map(|bench| &bench.while_building);
    let while_building = while_building.collect::<BTreeSet<_>>();
    // What runs in a build script or a macro, the exact path runs mutated.
    let arms = schema.arms(&without).filter(|(_, _, function)| !while_building.contains(function));
    let arms = arms.map(|(key, number, function)| (key.clone(), (number, function))).collect();
    let built = Arc::new(Built { arms, commands: known });
    for (worker, bench) in benches.into_iter().enumerate() {
        let bench = Arc::new(Mutex::new(bench));
        let mut seat = lab.seat(worker);
        for &command in commands {
            let (built, bench) = (Arc::clone(&built), Arc::clone(&bench));
            seat.ladders[command].push(Box::new(OneBuild { built, bench }));
        }
    }
    Ok(Ok(()))
}

/// Runs a command with no mutant chosen, once for each worker and twice at the least.
fn note(
    lab: &Lab<'_>,
    benches: &mut [Bench],
    command: usize,
) -> Result<Result<Known, String>, RunError> {
    let times = FEWEST_NOTES.div_ceil(benches.len());
    let one = |bench: &mut Bench| {
        (0..times).map(|number| bench.note(lab, command, number)).collect::<Result<Vec<_>, _>>()
    };
    let noted = lab.pool.install(|| benches.par_iter_mut().map(one).collect::<Result<Vec<_>, _>>());
    let noted = noted?.into_iter().flatten().collect::<Result<Vec<_>, String>>();
    Ok(noted.map(|noted| {
        let is_same = noted.windows(2).all(|pair| pair[0].0 == pair[1].0);
        let slowest = noted.iter().map(|(_, wall)| *wall).max().unwrap_or_default();
        let limit = (slowest * LIMIT.0 + LIMIT.1).min(lab.limit(command));
        let entered = noted.into_iter().next().map(|(entered, _)| entered);
        Known { entered: entered.filter(|_| is_same), limit }
    }))
}

impl Built {
    /// What is run of a command for a mutant of a function; `None` where it does not enter that.
    fn what(&self, command: usize, number: u32, function: Option<usize>) -> Option<What> {
        let Some(entered) = &self.commands[&command].entered else {
            return Some(What::Chosen(number));
        };
        let is_in = |functions: &BTreeSet<usize>| function.is_none_or(|it| functions.contains(&it));
        match (is_in(&entered.programs), entered.documentation.as_ref().map(is_in)) {
            (_, Some(true)) | (true, None) => Some(What::Chosen(number)),
            (true, Some(false)) => Some(What::WithoutDocumentation(number)),
            (false, Some(false) | None) => None,
        }
    }
}

impl OneBuild {
    /// The number of the mutant, and its function; `None` for one that is not in the build.
    fn arm(&self, edits: &Edits) -> Option<(u32, Option<usize>)> {
        match edits {
            [] => Some((NONE, None)),
            [(path, text)] => {
                let (number, function) = self.built.arms.get(&(path.clone(), Sha256::of(text)))?;
                Some((*number, Some(*function)))
            }
            _ => None,
        }
    }
}

impl Executor for OneBuild {
    fn tier(&self) -> Tier {
        Tier::OneBuild
    }

    fn takes(&self, edits: &Edits) -> bool {
        self.arm(edits).is_some()
    }

    fn run(
        &mut self,
        lab: &Lab<'_>,
        _seat: &mut Seat,
        asked: Asked<'_>,
    ) -> Result<Result<Run, Passed>, RunError> {
        let Asked { name: (name, number), edits, command, .. } = asked;
        let step = Step::Command(command);
        let log = lab.log_name(&format!("{name}.{number}"), step, ".one-build");
        let declined = |why: String, wall: Duration, cpu: Duration| {
            let declined = Declined { executor: Tier::OneBuild, why, wall, cpu };
            Ok(Err(Passed { declined, to: Tier::Exact }))
        };
        let mut bench = self.bench.lock().expect("a worker that panics ends the run");
        let arm = self.arm(edits).filter(|_| bench.is_whole);
        let Some((number, function)) = arm else {
            return declined("its build is gone".to_owned(), Duration::ZERO, Duration::ZERO);
        };
        let Some(what) = self.built.what(command, number, function) else {
            return unreached(lab, step, log).map(Ok);
        };
        let run = bench.run(lab, step, what, self.built.commands[&command].limit, log)?.0;
        let unreached = matches!(what, What::WithoutDocumentation(_)) && run.passed();
        let run = Run { executor: Tier::OneBuild, unreached, ..run };
        let failing = match Runner::of(lab.argv(command).words()) {
            Some(Runner::CargoNextest) => &NEXTEST,
            _ => &CARGO,
        };
        let why = failing.doubt(&run.exit, &lab.settings.logs.join(&run.log));
        match why.or_else(|| (!bench.is_whole).then(|| "it left something behind".to_owned())) {
            None => Ok(Ok(run)),
            Some(why) => declined(why, run.wall, run.cpu),
        }
    }
}

/// The run of a command that does not enter the mutated function: it passes as it did before.
fn unreached(lab: &Lab<'_>, step: Step, log: String) -> Result<Run, RunError> {
    let text = b"not run: on the unmutated tree, no process of the command enters the function\n";
    let path = lab.settings.logs.join(&log);
    fs::write(&path, text).map_err(|error| RunError::Log { path, error })?;
    Ok(Run {
        step,
        attempt: Attempt::First,
        exit: Exit::Code(0),
        wall: Duration::ZERO,
        cpu: Duration::ZERO,
        log,
        log_sha256: Some(Sha256::of(text)),
        executor: Tier::OneBuild,
        declined: Vec::new(),
        unreached: true,
        outside_budget: Vec::new(),
        tests: None,
    })
}

impl Failing {
    /// Why an exit is for the exact path to judge. What stands: a pass, a failing test, and a time-out,
    /// which is made again alone, on the exact path, before it means anything.
    fn doubt(&self, exit: &Exit, log: &Path) -> Option<String> {
        match exit {
            Exit::Code(0) | Exit::TimedOut => None,
            Exit::Code(code) if *code == self.status => match fs::read(log) {
                Ok(text) if text.len() < LONGEST_LOG => {
                    let text = String::from_utf8_lossy(&text);
                    let otherwise = self.otherwise.iter().find(|(part, _)| text.contains(part));
                    let silent = "it does not say that a test failed".to_owned();
                    let is_said = self.said.iter().any(|part| text.contains(part));
                    otherwise.map(|(_, why)| (*why).to_owned()).or((!is_said).then_some(silent))
                }
                Ok(_) | Err(_) => Some("its output is not at hand in full".to_owned()),
            },
            other => Some(other.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_passes_failing_tests_and_time_outs_stand() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let path = folder.path().join("log");
        let long = "x".repeat(LONGEST_LOG);
        let failed = "error: test failed, to rerun pass `--lib`\n";
        let abort = "     SIGABRT [ 0.1s] a b\n        FAIL [ 0.1s] a c\n";
        let silent = Some("it does not say that a test failed");
        for (failing, exit, text, expected) in [
            (CARGO, Exit::Code(0), long.as_str(), None),
            (CARGO, Exit::TimedOut, "", None),
            (CARGO, Exit::Code(101), failed, None),
            (CARGO, Exit::Code(101), "error: doctest failed, to rerun pass `--doc`\n", None),
            (
                CARGO,
                Exit::Code(101),
                "Caused by:\n  process didn't exit successfully (signal: 6, SIGABRT: ..)\n",
                Some(SIGNAL),
            ),
            (CARGO, Exit::Code(101), "error: could not compile `a`\n", Some(BUILD)),
            (CARGO, Exit::Code(101), "error: no such thing\n", silent),
            (CARGO, Exit::Code(101), &long, Some("its output is not at hand in full")),
            (CARGO, Exit::Code(1), "", Some("exit 1")),
            (CARGO, Exit::Signal(11), "", Some("ended by signal 11")),
            (NEXTEST, Exit::Code(100), "        FAIL [ 0.1s] (1/1) a b\n", None),
            (NEXTEST, Exit::Code(100), "\u{1b}[31;1m   FAIL\u{1b}[0m [ 0.1s] a b\n", None),
            (NEXTEST, Exit::Code(100), abort, Some(SIGNAL)),
            (NEXTEST, Exit::Code(100), "test a ... FAILED\nerror: test run failed\n", silent),
            (NEXTEST, Exit::Code(101), "error: could not compile `a`\n", Some("exit 101")),
        ] {
            fs::write(&path, text).expect("a log");
            let doubt = failing.doubt(&exit, &path);
            assert_eq!(doubt.as_deref(), expected, "{exit:?} {text:.20}");
        }
    }
}
