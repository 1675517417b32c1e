//! The real command on a build that holds every mutant whose edit stands in the body of one function:
//! what is compiled once is chosen for each run. What stands of it is a pass and a failing test.

mod bench;
mod diagnostics;
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
use crate::run::{Attempt, Exit, Run, Step};

/// Mutants that share a build, below which making and checking it costs more than it saves.
pub(super) const FEWEST: usize = 40;

/// A log as long as this may have lost its middle.
const LONGEST_LOG: usize = 200 << 10;

/// The status of cargo for failing tests, and for much else.
const FAILED: i32 = 101;

/// What cargo writes of a failure that is none of a test: a program ended by a signal, which a larger
/// stack frame could be the cause of, and something that does not compile.
const NOT_A_TEST: &[(&[u8], &str)] =
    &[(b"(signal: ", "a program ended by a signal"), (b"could not compile", "a failing build")];

/// What all workers know of the build.
struct Built {
    /// Number and function of each mutant.
    arms: BTreeMap<Key, (u32, usize)>,
    /// The functions that each command enters, by place.
    entered: BTreeMap<usize, Entered>,
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
    if let Some(why) = objection::of(lab, &lab.seat(0).environment) {
        return Ok(Err(why));
    }
    let schema = Schema::of(plan, todo, lab.snapshot)?;
    if schema.len() < FEWEST {
        return Ok(Err("too few mutants stand in the body of a function to gain by it".to_owned()));
    }
    let name = format!("building {} mutants together", schema.len());
    lab.sink.tell(Event::Step { name: name.into(), total: None });
    let (first, without) = match bench::find(lab, &schema, commands)? {
        Ok(found) => found,
        Err(why) => return Ok(Err(why)),
    };
    let others = (1..lab.seats.len()).into_par_iter();
    let others = others.map(|worker| Bench::make(lab, worker, &schema, &without, commands));
    let others = lab.pool.install(|| others.collect::<Result<Vec<_>, RunError>>())?;
    let mut benches = vec![first];
    for other in others {
        match other {
            Ok(bench) => benches.push(bench),
            Err(why) => return Ok(Err(why)),
        }
    }
    let mut entered = BTreeMap::<_, Entered>::new();
    let mut while_building = BTreeSet::<usize>::new();
    for bench in &benches {
        while_building.extend(&bench.while_building);
        for (command, functions) in &bench.entered {
            entered.entry(*command).or_default().add(functions);
        }
    }
    // What runs in a build script or a macro, the exact path runs mutated.
    let arms = schema.arms(&without).filter(|(_, _, function)| !while_building.contains(function));
    let arms = arms.map(|(key, number, function)| (key.clone(), (number, function))).collect();
    let built = Arc::new(Built { arms, entered });
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
        let entered = &self.built.entered[&command];
        let is_in = |functions: &BTreeSet<usize>| function.is_none_or(|it| functions.contains(&it));
        let what = match (is_in(&entered.programs), is_in(&entered.documentation)) {
            (_, true) => What::Chosen(number),
            (true, false) => What::WithoutDocumentation(number),
            (false, false) => return unreached(lab, step, log).map(Ok),
        };
        let run = bench.run(lab, step, what, log)?.0;
        let unreached = matches!(what, What::WithoutDocumentation(_)) && run.passed();
        let run = Run { executor: Tier::OneBuild, unreached, ..run };
        let why = doubt(&run.exit, &lab.settings.logs.join(&run.log));
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
    })
}

/// Why an exit is for the exact path to judge. What stands: a pass, a failing test, and a time-out,
/// which is made again alone, on the exact path, before it means anything.
fn doubt(exit: &Exit, log: &Path) -> Option<String> {
    match exit {
        Exit::Code(0) | Exit::TimedOut => None,
        Exit::Code(FAILED) => match fs::read(log) {
            Ok(text) if text.len() < LONGEST_LOG => {
                let holds = |part: &[u8]| text.windows(part.len()).any(|window| window == part);
                let found = NOT_A_TEST.iter().find(|(part, _)| holds(part));
                found.map(|(_, why)| (*why).to_owned())
            }
            Ok(_) | Err(_) => Some("its output is not at hand in full".to_owned()),
        },
        other => Some(other.to_string()),
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
        for (exit, text, expected) in [
            (Exit::Code(0), long.as_str(), None),
            (Exit::TimedOut, "", None),
            (Exit::Code(101), "error: test failed, to rerun pass `--lib`\n", None),
            (
                Exit::Code(101),
                "Caused by:\n  process didn't exit successfully (signal: 6, SIGABRT: ..)\n",
                Some("a program ended by a signal"),
            ),
            (Exit::Code(101), "error: could not compile `a`\n", Some("a failing build")),
            (Exit::Code(101), &long, Some("its output is not at hand in full")),
            (Exit::Code(1), "", Some("exit 1")),
            (Exit::Signal(11), "", Some("ended by signal 11")),
        ] {
            fs::write(&path, text).expect("a log");
            assert_eq!(doubt(&exit, &path).as_deref(), expected, "{exit:?} {text:.20}");
        }
    }
}
