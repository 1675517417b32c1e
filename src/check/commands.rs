//! The contract's commands on the fresh copy, through the spawner of every run.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use super::answer::{CommandPart, Verdict};
use super::place::{self, HELD_OUT};
use super::restore::Fresh;
use super::{CheckError, Options, ids};
use crate::base::{Argv, RelPath, Silent, Sink};
use crate::bundle::{Bundle, HELDOUT};
use crate::contract::{Acceptance, Probe};
use crate::outcome::{self, Verdict as Meant};
use crate::run::workspace::Sources;
use crate::run::{Lab, Run, RunError, Runner, Settings, Spawner, Step};
use crate::task::{Command, Mutate, Prepatch, Role, SealedPlace, Solution, Task};
use crate::tree::{self, Choice, Snapshot};

/// Lines of output that stand beside a verdict.
const LINES: usize = 12;

/// What is known of each command before one runs, and the places of those that can be run.
pub(super) fn parts(
    bundle: &Bundle,
    options: &Options,
    spawner: &Spawner,
) -> (Vec<CommandPart>, Vec<usize>) {
    let mut parts = bundle.record.acceptance.iter().map(unknown).collect::<Vec<_>>();
    let mut places = Vec::new();
    for (place, command) in bundle.record.acceptance.iter().enumerate() {
        match why_not(command, bundle, options, spawner) {
            Some(why) => parts[place].evidence = why,
            None => places.push(place),
        }
    }
    (parts, places)
}

/// Runs the commands at these places; says of each what came of it.
pub(super) fn run(
    (parts, places): (&mut [CommandPart], &[usize]),
    (bundle, fresh): (&Bundle, &Fresh),
    links: &[(RelPath, PathBuf)],
    options: &Options,
    spawner: &Spawner,
    sink: &dyn Sink,
) -> Result<(), CheckError> {
    let Some(tree) = &fresh.tree else { return Ok(()) };
    let task = task(bundle, tree, places, options.timeout, &options.env);
    let heldout = heldout(bundle)?;
    let settings = Settings {
        jobs: 1,
        baselines: 1,
        scratch: options.scratch.clone(),
        logs: fresh.logs.clone(),
        output_limit: bundle.compile.as_ref().map_or(options.output_limit, |it| it.output_limit),
        full_matrix: true,
        flaky: None,
    };
    let sources = Sources { tree, heldout: heldout.as_ref(), links, bytecode: None };
    let lab = match Lab::open(&task, sources, &settings, spawner, sink) {
        Ok(lab) => lab.at_sealed_places(),
        Err(RunError::Red(_)) => {
            for &place in places {
                parts[place].evidence = "[setup] does not pass in the copy".to_owned();
            }
            return Ok(());
        }
        Err(error) => return Err(error.into()),
    };
    let edits = edits(fresh, tree)?;
    let runs = lab.control("check", &edits, true)?;
    for (number, &place) in places.iter().enumerate() {
        let command = &bundle.record.acceptance[place];
        let part = &mut parts[place];
        judge(part, &runs, number, &task, &fresh.logs);
        if let Some(ids) = command.ids.as_ref().filter(|_| part.verdict == Verdict::Pass) {
            by_ids(part, ids, lab.report(number, &edits)?);
        }
        let flaky = bundle.compile.as_ref().is_some_and(|it| it.flaky.contains(&command.id));
        if flaky && part.verdict == Verdict::Fail {
            part.verdict = Verdict::Unknown;
            part.evidence.push_str(", and it gave two answers on the right solution too");
        }
    }
    Ok(())
}

fn unknown(command: &Acceptance) -> CommandPart {
    let probe = command.probe.map(|probe| match probe {
        Probe::Determinism => "determinism",
        Probe::TypeStrict => "type_strict",
        Probe::ImportSideEffects => "import_side_effects",
    });
    let evidence = "the final tree holds no file to run it on".to_owned();
    let (id, output) = (command.id.clone(), String::new());
    CommandPart { id, probe, verdict: Verdict::Unknown, evidence, output }
}

/// Why a command cannot be run here as it was sealed.
fn why_not(
    command: &Acceptance,
    bundle: &Bundle,
    options: &Options,
    spawner: &Spawner,
) -> Option<String> {
    if options.no_commands {
        return Some("not run: `--no-commands`".to_owned());
    }
    if let Some(seal) = &command.seal {
        let task = bundle.compile.as_ref().map(|compile| &compile.task);
        let path = task.map_or_else(place::callers_path, place::search_path);
        let (argv, scratch) = (&command.argv, &options.scratch);
        if let Some(why) = place::why_not(seal, argv, spawner.sandbox(), scratch, &path) {
            return Some(why);
        }
    }
    if bundle.compile.is_none() && command.argv.iter().any(|word| word.contains(HELD_OUT)) {
        return Some("it needs held-out files, and only the bundle has them".to_owned());
    }
    Argv::new(command.argv.clone()).err().map(|error| error.to_string())
}

/// The task that runs the commands at these places of the contract.
pub(super) fn task(
    bundle: &Bundle,
    tree: &Snapshot,
    places: &[usize],
    timeout: Duration,
    env: &[String],
) -> Task {
    let compile = bundle.compile.as_ref().map(|compile| &compile.task);
    let commands = places.iter().map(|&place| {
        let sealed = &bundle.record.acceptance[place];
        let known = compile.and_then(|task| task.commands.iter().find(|it| it.id == sealed.id));
        Command {
            id: sealed.id.clone(),
            argv: Argv::new(sealed.argv.clone()).expect("others are not run"),
            timeout: known.and_then(|command| command.timeout).or(Some(timeout)),
            role: known.map_or(Role::Visible, |command| command.role),
            ids: None,
            run_writes: None,
            probe: None,
            in_process_twin_of: None,
            prepatch: Prepatch::Fail,
            // Its program was found to be the sealed one.
            seal: sealed
                .seal
                .as_ref()
                .map(|seal| SealedPlace { cwd: seal.cwd.clone(), exe: String::new() }),
        }
    });
    let passed = compile.map(|task| task.env_pass.clone()).unwrap_or_default();
    Task {
        file: None,
        tree: tree.root().to_owned(),
        solution: Solution::Tree,
        heldout: None,
        must_pass: Vec::new(),
        known_wrong: Vec::new(),
        contract_id: bundle.record.contract_id.clone(),
        task: None,
        commands: commands.collect(),
        protected: Vec::new(),
        mutate: Mutate::default(),
        env_set: compile.map(|task| task.env_set.clone()).unwrap_or_default(),
        env_pass: [passed.as_slice(), env].concat(),
        image: None,
        setup: compile.and_then(|task| task.setup.clone()),
        build: compile.and_then(|task| task.build.clone()),
        gates: Default::default(),
    }
}

/// The task with every command that has good words, for what these name.
pub(super) fn named_in(bundle: &Bundle, tree: &Snapshot) -> Task {
    let all = bundle.record.acceptance.iter().enumerate();
    let good = all.filter(|(_, command)| Argv::new(command.argv.clone()).is_ok());
    let places = good.map(|(place, _)| place).collect::<Vec<_>>();
    task(bundle, tree, &places, Duration::ZERO, &[])
}

fn heldout(bundle: &Bundle) -> Result<Option<Snapshot>, CheckError> {
    let root: PathBuf = bundle.root.join(HELDOUT);
    if bundle.compile.is_none() || !root.is_dir() {
        return Ok(None);
    }
    let everything = Choice { all: true, ..Choice::default() };
    Ok(Some(tree::snapshot(&root, &everything, &Silent)?))
}

/// What is written before each command: the sealed files once more, so that neither `[setup]` nor an
/// earlier command has a say in them. Never nothing: on a tree with edits the run takes over no
/// bytecode, which the tree's own code could have put there for the next command to load.
fn edits(fresh: &Fresh, tree: &Snapshot) -> Result<Vec<(RelPath, Vec<u8>)>, CheckError> {
    if !fresh.sealed.is_empty() {
        return Ok(fresh.sealed.clone());
    }
    let first = tree.files().next().map(|(path, ..)| path.clone());
    let first = first.expect("a listing holds a file");
    let bytes = tree.read(&first)?;
    Ok(vec![(first, bytes)])
}

fn judge(part: &mut CommandPart, runs: &[Run], number: usize, task: &Task, logs: &std::path::Path) {
    let step = Step::Command(number);
    let runner = Runner::of(task.commands[number].argv.words());
    let last = runs.iter().rfind(|run| run.step == step);
    let output = last.and_then(|run| fs::read(logs.join(&run.log)).ok()).unwrap_or_default();
    let exit = last.map(|run| run.exit.to_string()).unwrap_or_default();
    (part.verdict, part.evidence) = match outcome::verdict_of(runs, step, runner) {
        Some(Meant::Passed) => match runner.and_then(|runner| runner.executed(&output)) {
            Some(0) => (Verdict::Unknown, format!("{exit}, but its runner ran no test")),
            _ => (Verdict::Pass, exit),
        },
        Some(Meant::Failed(reason)) => {
            let reason = reason.word();
            let beside = if reason == "exit" { String::new() } else { format!(" ({reason})") };
            (Verdict::Fail, format!("{exit}{beside}"))
        }
        Some(Meant::Unclear(doubt)) => (Verdict::Unknown, format!("it {} ({exit})", doubt.words())),
        None => (Verdict::Unknown, "[build] does not pass in the copy".to_owned()),
    };
    if part.verdict != Verdict::Pass {
        part.output = tail(&output);
    }
}

/// A command with ids passes when its runner says that exactly these tests did.
fn by_ids(part: &mut CommandPart, ids: &[String], report: Option<Vec<u8>>) {
    let Some(report) = report else {
        part.verdict = Verdict::Unknown;
        part.evidence.push_str(", but no report of its runner says which tests ran");
        return;
    };
    match ids::compare(ids, &report) {
        Ok(None) => part.evidence.push_str(&format!(", exactly its {} tests", ids.len())),
        Ok(Some(differs)) => {
            part.verdict = Verdict::Fail;
            part.evidence.push_str(&format!(", but of its tests {differs}"));
        }
        Err(why) => {
            part.verdict = Verdict::Unknown;
            part.evidence.push_str(&format!(", but {why}"));
        }
    }
}

/// The last lines of an output.
fn tail(output: &[u8]) -> String {
    let text = String::from_utf8_lossy(output);
    let lines = text.lines().collect::<Vec<_>>();
    lines[lines.len().saturating_sub(LINES)..].join("\n")
}
