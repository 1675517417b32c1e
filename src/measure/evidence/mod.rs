//! The evidence of a run, below `evidence/`: written through the same shapes that anybody's records are
//! validated against.

mod unsmooth;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

pub use unsmooth::Unsmooth;

use super::{MeasureError, OutputDir, OutputError, RunFile, TaskTrees};
use crate::base::Sha256;
use crate::evidence::{Kind, budget, manifest};
use crate::run::sandbox::Workspaces;
use crate::run::{Exit, Left, Run, Runner, Step, permitted};
use crate::tree::{self, Reason, Snapshot};

/// The list of digests, below `evidence/`.
pub const MANIFEST: &str = "baseline.sha256";

/// What the list leaves out and why, below `evidence/`.
pub const BASELINE: &str = "baseline.json";

/// What is known before the first mutant: what everything was, and what may change.
pub(super) fn begin(
    output: &OutputDir,
    trees: &TaskTrees,
    run: &RunFile,
) -> Result<(), OutputError> {
    let mut files = BTreeMap::new();
    let mut omitted = Vec::new();
    let start = trees.start.as_ref().map(|start| ("start", start));
    let heldout = trees.heldout.as_ref().map(|heldout| ("heldout", heldout));
    for (lane, snapshot) in [("tree", &trees.base)].into_iter().chain(start).chain(heldout) {
        list(lane, snapshot, &mut files, &mut omitted);
    }
    for left_out in trees.named().left_out() {
        omitted.push(
            json!({"glob": format!("tree/{}", left_out.path), "why": left_out.reason.to_string()}),
        );
    }
    let git = trees.named().left_out().iter().any(|it| it.reason == Reason::VersionControl);
    let text = manifest::write(&files);
    let record = json!({
        "lane": "tree",
        "root_kind": if git { "git" } else { "copied-no-git" },
        "files": files.len(),
        "omitted": omitted,
        "manifest_sha256": Sha256::of(text.as_bytes()).to_string(),
    });
    output.write_evidence(MANIFEST, text.as_bytes())?;
    write(output, Kind::Baseline, BASELINE, &record)?;
    let budget = serde_json::to_value(path_budget(run)).expect("plain values");
    write(output, Kind::PathBudget, BUDGET, &budget)
}

/// The record of `[setup]`, below `evidence/`.
pub const INSTALL: &str = "frozen-install.json";

/// Writes the record of `[setup]`, if there is one.
pub(super) fn install(output: &OutputDir, record: Option<&Value>) -> Result<(), OutputError> {
    record.map_or(Ok(()), |record| write(output, Kind::FrozenInstall, INSTALL, record))
}

/// The files of a tree, each under the name of its lane; what no line can name is named beside them.
pub fn list(
    lane: &str,
    snapshot: &Snapshot,
    files: &mut BTreeMap<String, Sha256>,
    omitted: &mut Vec<Value>,
) {
    for entry in snapshot.entries() {
        let path = format!("{lane}/{}", entry.path);
        let why = match &entry.kind {
            tree::Kind::File { sha256, .. } if manifest::can_hold(&entry.path) => {
                files.insert(path, *sha256);
                continue;
            }
            tree::Kind::Directory { .. } => continue,
            tree::Kind::File { .. } => {
                "its name is no text of one line; the tree's digest covers it"
            }
            tree::Kind::Link { .. } => "a link; the tree's digest covers where it points",
        };
        omitted.push(json!({"glob": path, "why": why}));
    }
}

/// What a command may leave in its private copy. Every copy is brought back after every run, so that
/// nothing it writes there reaches another mutant.
fn path_budget(run: &RunFile) -> budget::PathBudget {
    let act = |act: &str, enforced_by: &str| budget::ForbiddenAct {
        act: act.to_owned(),
        enforced_by: enforced_by.to_owned(),
    };
    let isolation = &run.isolation;
    let network = if offline(run) { isolation.network.as_str() } else { NOT_ENFORCED };
    let files =
        if isolation.files.contains("not prevented") { NOT_ENFORCED } else { &isolation.files };
    let signals = match run.isolation.processes.as_str() {
        "a subreaper ends them" => NOT_ENFORCED,
        held => held,
    };
    let copies = &isolation.workspaces;
    let inside = if copies == Workspaces::Copy.words() {
        format!(
            "undone before the next run ({copies}), and seen of good runs of the unmutated tree alone"
        )
    } else {
        format!("seen after each run, told by path, and undone before the next ({copies})")
    };
    budget::PathBudget {
        allowed_existing: Vec::new(),
        allowed_new: Vec::new(),
        permitted_generated: permitted(&run.task),
        forbidden_acts: vec![
            act("writing outside the lane", files),
            act("writing in the lane outside of this budget", &inside),
            act("process-wide signals", signals),
            act("transfer, commit, push or publication", network),
            act("account, billing or visibility changes", network),
            act("live-provider calls", network),
        ],
        on_breach: "every process of the run is ended, the path is told beside the run, and the copy is \
                    brought back or thrown away before it is used again; a change of the tree itself \
                    ends all of it"
            .to_owned(),
    }
}

/// The paths outside of its budget that the commands of a run did not leave as they were.
fn breached(run: &RunFile) -> Vec<String> {
    let Left { changed, appeared, went } = &run.left;
    let state = |state: bool| move |path: &String| (path.clone(), state);
    let before = changed.iter().chain(went).map(state(false)).collect::<BTreeMap<_, _>>();
    let after = changed.iter().chain(appeared).map(state(true)).collect::<BTreeMap<_, _>>();
    let breach = budget::judge(&path_budget(run), &before, &after);
    breach.map_or_else(
        // No pattern of the task is one: then nothing is permitted.
        |_| before.into_keys().chain(after.into_keys()).collect(),
        |breach| [breach.changed, breach.appeared, breach.went].concat(),
    )
}

const NOT_ENFORCED: &str = "not enforced";

/// Whether commands could reach no network but a loopback of their own.
fn offline(run: &RunFile) -> bool {
    run.isolation.network != "the host's"
        && run.isolation_before.iter().all(|before| before.network != "the host's")
}

/// Writes what is known once every mutant is decided.
///
/// # Errors
/// [`MeasureError`] when a file cannot be read or written.
pub fn finish(output: &OutputDir, run: &RunFile) -> Result<(), MeasureError> {
    let mut unsmooth = Unsmooth::default();
    output.each_outcome(run, |line| unsmooth.add(&line))?;
    Ok(write_records(output, run, &unsmooth)?)
}

/// Writes the records that follow from a run and what was seen of its verdicts.
pub(super) fn write_records(
    output: &OutputDir,
    run: &RunFile,
    unsmooth: &Unsmooth,
) -> Result<(), OutputError> {
    let files = manifest::read(&output.read_evidence(MANIFEST)?).unwrap_or_default();
    for (kind, name, record) in records(run, unsmooth, &files) {
        write(output, kind, &name, &record)?;
    }
    Ok(())
}

/// The records that follow from a run, its verdicts and its manifest: shape, name below `evidence/`,
/// content. The same input gives the same records, so that anybody can make them again.
#[must_use]
pub fn records(
    run: &RunFile,
    unsmooth: &Unsmooth,
    files: &BTreeMap<String, Sha256>,
) -> Vec<(Kind, String, Value)> {
    let budget = serde_json::to_value(path_budget(run)).expect("plain values");
    let mut records = vec![(Kind::PathBudget, BUDGET.to_owned(), budget)];
    for place in 0..run.commands.len() {
        let name = |scenario: &str| format!("gates/{scenario}-{place:03}.json");
        records.push((Kind::GateResult, name("baseline"), on_baseline(run, place)));
        if let (Some(start), Some(digest)) = (&run.start, run.start_sha256) {
            let record = gate(run, place, "start", digest, of(&start.rounds, place));
            records.push((Kind::GateResult, name("start"), record));
        }
    }
    records.push((Kind::FinalVerdict, VERDICT.to_owned(), verdict(run, unsmooth, files)));
    records
}

/// The path budget, below `evidence/`.
const BUDGET: &str = "path-budget.json";

/// The final verdict, below `evidence/`.
pub const VERDICT: &str = "final-verdict.json";

/// The runs of the command at this place.
fn of(rounds: &[Vec<Run>], place: usize) -> impl Iterator<Item = &Run> + Clone {
    rounds.iter().flatten().filter(move |run| run.step == Step::Command(place))
}

fn on_baseline(run: &RunFile, place: usize) -> Value {
    let runs = of(&run.baselines, place);
    let mut record = gate(run, place, "baseline", run.base_sha256, runs);
    let source = run.commands[place].runner.and_then(Runner::source_of_totals);
    if let (Some(Some(tests)), Some(source)) = (run.tests.get(place), source) {
        record["tests"] = tests.tests.into();
        record["passed"] = tests.passed.into();
        record["failed"] = tests.failed.into();
        record["pending"] = tests.pending.into();
        record["parsed_from"] = source.into();
    }
    record
}

/// `runs` are those of the command in that scenario.
fn gate<'r>(
    run: &RunFile,
    place: usize,
    scenario: &str,
    tree: Sha256,
    runs: impl Iterator<Item = &'r Run> + Clone,
) -> Value {
    let outside = runs.clone().flat_map(|run| &run.outside_budget).collect::<BTreeSet<_>>();
    let last = runs.last();
    let command = &run.commands[place];
    let (proves, does_not) = match (scenario, last.map(|run| &run.exit)) {
        _ if run.flaky.contains(&command.id) => {
            ("nothing: it gave two answers on the unmutated tree", "whether it accepts that tree")
        }
        ("start", _) => {
            ("what the command says of the tree that an agent gets", "anything about a solution")
        }
        (_, Some(Exit::Code(0))) => (
            "that the command accepts the unmutated tree, in a private copy, each time",
            "that it refuses a wrong one: that is what the mutants show; or that a clean installation works",
        ),
        _ => ("what the command says of the unmutated tree", "that this tree is right"),
    };
    json!({
        "gate": command.id,
        "scenario": scenario,
        "proves": proves,
        "does_not_prove": does_not,
        "argv": command.argv,
        "cwd": ".",
        "tree_sha256": tree.to_string(),
        "exit": match last.map(|run| &run.exit) {
            Some(Exit::Code(code)) => json!(code),
            _ => Value::Null,
        },
        "tests": null,
        "passed": null,
        "failed": null,
        "pending": null,
        "live_provider_calls": if offline(run) { json!(false) } else { json!("unknown") },
        "parsed_from": "none",
        "outside_budget": outside,
    })
}

/// What the run is judged by, its parts apart.
fn verdict(run: &RunFile, unsmooth: &Unsmooth, files: &BTreeMap<String, Sha256>) -> Value {
    let (changed, added, removed) = change(files);
    let totals = run.totals.as_ref();
    let gates = run.gates.iter().map(|(name, pass)| (name.clone(), json!({"pass": pass})));
    json!({
        "status": "measured-in-private-copies",
        "scope": totals.map_or_else(
            || "no mutant was decided".to_owned(),
            |totals| format!(
                "{} of {} mutants of this tree refused by these commands, in this environment",
                totals.killed, totals.mutants
            ),
        ),
        "candidate": {
            "lane": "tree",
            "git_metadata": files.keys().any(|path| path.starts_with("tree/.git/")),
            "changed_paths": changed,
            "added_paths": added,
            "removed_paths": removed,
            "source_pins": run.sources.iter().map(|(path, digest)| (path.clone(), digest.to_string().into()))
                .collect::<serde_json::Map<_, _>>(),
        },
        "authorization": {
            "frozen_install": run.task.setup.is_some(),
            "live_provider_call": !offline(run),
            "transfer": false,
            "publication": false,
            "account_change": false,
            "billing_change": false,
        },
        "gates": gates.collect::<serde_json::Map<_, _>>(),
        "reviews": [],
        "process_failures": process_failures(run, unsmooth),
        "residual_risks": residual_risks(run, unsmooth),
        "skipped_gates": skipped_gates(run),
        "not_authorized_by_this_verdict":
            ["transfer", "commit", "push", "publication", "signing", "account change", "billing change"],
    })
}

/// The paths that a right solution changes, adds and removes, by the manifest.
fn change(files: &BTreeMap<String, Sha256>) -> (Vec<String>, Vec<String>, Vec<String>) {
    let lane = |lane: &str| {
        let files = files.iter();
        let below =
            files.filter_map(|(path, digest)| Some((path.strip_prefix(lane)?.to_owned(), *digest)));
        below.collect::<BTreeMap<_, _>>()
    };
    let (tree, start) = (lane("tree/"), lane("start/"));
    if start.is_empty() {
        return (Vec::new(), Vec::new(), Vec::new());
    }
    let only = |one: &BTreeMap<String, Sha256>, other: &BTreeMap<String, Sha256>| {
        one.keys().filter(|path| !other.contains_key(*path)).cloned().collect()
    };
    let differs =
        |(path, digest): &(&String, &Sha256)| start.get(*path).is_some_and(|it| it != *digest);
    let changed = tree.iter().filter(differs).map(|(path, _)| path.clone()).collect();
    (changed, only(&tree, &start), only(&start, &tree))
}

/// What did not go smoothly on the way, whatever came of it. Empty only when nothing did.
#[must_use]
pub fn process_failures(run: &RunFile, unsmooth: &Unsmooth) -> Vec<String> {
    let mut failures = Vec::new();
    if run.resumed {
        failures.push(format!(
            "the run was broken off and resumed; {} verdicts are taken over",
            run.taken_over
        ));
    }
    match unsmooth.reused.count() {
        0 => {}
        count => failures.push(format!("{count} verdicts are those of an earlier run (`--reuse`)")),
    }
    if run.sentinels.failures > 0 {
        failures.push(format!(
            "{} of {} runs of the unmutated tree between the mutants failed",
            run.sentinels.failures, run.sentinels.runs
        ));
    }
    for id in &run.flaky {
        failures.push(format!("`{id}` gave two answers on the unmutated tree and was let through"));
    }
    if let Some(check) = run.executors.spot_check.as_ref().filter(|it| !it.differences.is_empty()) {
        failures.push(format!(
            "the exact path did not give a verdict of a faster executor; {} mutants were decided again",
            check.made_again
        ));
    }
    match unsmooth.again {
        0 => {}
        count => failures.push(format!("{count} mutants were run again before they were decided")),
    }
    match unsmooth.lost {
        0 => {}
        count => failures.push(format!("runs of {count} mutants were lost")),
    }
    for allowed in &run.allowed {
        failures.push(format!("a person let `{allowed}` through"));
    }
    failures
}

fn residual_risks(run: &RunFile, unsmooth: &Unsmooth) -> Vec<Value> {
    let mut risks = vec![risk(
        "mutants stand for wrong solutions; real ones may differ from all of them".to_owned(),
        "solutions of other agents, judged by people",
    )];
    if let Some(totals) = &run.totals {
        if totals.survived > 0 {
            risks.push(risk(
                format!(
                    "{} mutants survive: the commands accept these wrong solutions",
                    totals.survived
                ),
                "a test that refuses each, or a triaged reason",
            ));
        }
        if totals.undecided > 0 {
            risks.push(risk(format!("{} mutants are undecided", totals.undecided), "another run"));
        }
    }
    if let Some(sampled) = &run.sampler {
        risks.push(risk(
            format!(
                "a sample of at most {} of {} mutants was run",
                sampled.limit, sampled.population
            ),
            "a run without a limit",
        ));
    }
    for path in breached(run) {
        risks.push(risk(
            format!("the commands do not leave `{path}` of their own copy as it was"),
            "`run_writes` of that command, where it is meant to",
        ));
    }
    risks.extend(unsmooth.strays());
    if !offline(run) {
        risks.push(risk(
            "commands could reach the network, so that their answers may hang on it".to_owned(),
            "a run with `--net loopback`",
        ));
    }
    risks
}

/// A risk that is left, and what would settle it.
fn risk(risk: impl Into<String>, settled_by: &str) -> Value {
    json!({"risk": risk.into(), "settled_by": settled_by})
}

fn skipped_gates(run: &RunFile) -> Vec<Value> {
    let mut skipped = vec![json!({
        "gate": "live-provider acceptance",
        "why": "no authorization",
        "needs": "explicit approval and an account",
    })];
    let cheats = "cheat_class_survived";
    if run.task.solution.is_change() && !run.gates.contains_key(cheats) {
        skipped.push(json!({
            "gate": cheats,
            "why": "not judged: nothing keeps a cheat apart from an honest function",
            "needs": "an isolated twin of the visible command, or a threshold in [gates]",
        }));
    }
    skipped
}

/// Writes a record that its own shape accepts.
fn write(output: &OutputDir, kind: Kind, name: &str, record: &Value) -> Result<(), OutputError> {
    let mut text = serde_json::to_vec_pretty(record).expect("plain values");
    text.push(b'\n');
    debug_assert!(
        kind.validate(&text)
            .is_ok_and(|checked| checked.faults.is_empty() && checked.unknown.is_empty()),
        "{kind:?}: {:?}",
        kind.validate(&text).map(|checked| (checked.faults, checked.unknown))
    );
    output.write_evidence(name, &text)
}
