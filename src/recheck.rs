//! A stranger's second look at a run directory: every digest, count and claim in it made again from
//! what it rests on.
//!
//! What is caught is any one file that was changed without redoing the rest. Who rewrites all of it
//! can make a run that never happened: only running it again, as `audit` does, catches that.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use serde_json::{Value, json};

use crate::base::{RelPath, Sha256, Silent};
use crate::evidence::{Fault, Kind, manifest};
use crate::measure::evidence::{self as records, BASELINE, INSTALL, MANIFEST, Unsmooth, VERDICT};
use crate::measure::receipt::{self as claims, Act};
use crate::measure::{Line, OutputDir, OutputError, RunFile};
use crate::receipt::validate;
use crate::report::{ReportError, RunLog};
use crate::run::Run;
use crate::task::Solution;
use crate::tree::{self, Choice};
use crate::verify;

/// What is wrong in a run directory; empty when every claim in it can be made again. With `tree` the
/// mutated tree is compared with what the run lists.
///
/// # Errors
/// [`ReportError`] when the directory is none of a run, or a file cannot be read at all.
pub fn recheck(folder: &Path, tree: Option<&Path>) -> Result<Vec<Fault>, ReportError> {
    let output = OutputDir::existing(folder).map_err(|error| match error {
        OutputError::NotOurs(path) => ReportError::NoRun(path),
        other => other.into(),
    })?;
    let mut faults = Vec::new();
    let receipt = read_receipt(&output, &mut faults);
    if let Some(receipt) = &receipt {
        files(&output, receipt, &mut faults)?;
    }
    let log = match RunLog::read(folder) {
        Ok(log) => log,
        Err(error @ (ReportError::NoRun(_) | ReportError::NoPlan(_))) => return Err(error),
        Err(error) => {
            faults.push(Fault::new("run_damaged", "", error.to_string()));
            return Ok(faults);
        }
    };
    let (lines, _) = output.read_outcomes(&log.run)?;
    logs(&output, &log.run, &lines, &mut faults);
    sources(&log, &mut faults);
    let files = listed(&output, &log.run, &mut faults);
    let mut unsmooth = Unsmooth::default();
    lines.iter().for_each(|line| unsmooth.add(line));
    evidence(&output, &log.run, &unsmooth, &files, &mut faults);
    let contract = sealed(&output, &log, &mut faults);
    if let Some(receipt) = &receipt {
        claimed(receipt, &log.run, contract, &output, &mut faults)?;
    }
    if let Some(tree) = tree {
        compare_tree(tree, &log.run, &files, &mut faults);
    }
    Ok(faults)
}

fn read_receipt(output: &OutputDir, faults: &mut Vec<Fault>) -> Option<Value> {
    let text = match fs::read(output.receipt()) {
        Ok(text) => text,
        Err(error) => {
            faults.push(Fault::new("receipt_missing", "receipt.json", error.to_string()));
            return None;
        }
    };
    let verdict = validate(&text);
    let at = |fault: Fault| Fault { at: format!("receipt.json{}", fault.at), ..fault };
    faults.extend(verdict.faults.into_iter().map(at));
    serde_json::from_slice(&text).ok()
}

/// The files that the receipt rests on are there, as they were, and no others.
fn files(output: &OutputDir, receipt: &Value, faults: &mut Vec<Fault>) -> Result<(), OutputError> {
    let found = output.digests()?;
    let none = serde_json::Map::new();
    let said = receipt["files"].as_object().unwrap_or(&none);
    for (path, digest) in said {
        match found.get(path) {
            None => faults.push(Fault::new("file_missing", path, "the receipt rests on it")),
            Some(own) if Some(own.to_string().as_str()) == digest.as_str() => {}
            Some(_) => {
                faults.push(Fault::new(
                    "file_changed",
                    path,
                    "not the bytes that the receipt names",
                ));
            }
        }
    }
    let more = found.keys().filter(|path| !said.contains_key(*path));
    faults
        .extend(more.map(|path| Fault::new("file_unlisted", path, "the receipt does not name it")));
    Ok(())
}

/// Every output is the one that the run that wrote it names.
fn logs(output: &OutputDir, run: &RunFile, lines: &[Line], faults: &mut Vec<Fault>) {
    let controls = run.controls.iter().flat_map(|controls| controls.runs.values().flatten());
    let start = run.start.iter().flat_map(|start| start.rounds.iter().flatten());
    let others = run.variants.iter().flat_map(|variant| &variant.runs);
    let mutants = lines.iter().flat_map(|line| &line.runs);
    let all =
        run.baselines.iter().flatten().chain(controls).chain(start).chain(others).chain(mutants);
    for Run { log, log_sha256, .. } in all {
        let Some(digest) = log_sha256 else { continue };
        let at = format!("logs/{log}");
        match fs::read(output.logs().join(log)) {
            Ok(text) if Sha256::of(&text) == *digest => {}
            Ok(_) => {
                faults.push(Fault::new("log_changed", at, "not the output that the run names"));
            }
            Err(error) => faults.push(Fault::new("log_missing", at, error.to_string())),
        }
    }
}

fn sources(log: &RunLog, faults: &mut Vec<Fault>) {
    let missing = log.missing.iter();
    faults.extend(missing.map(|path| Fault::new("source_missing", path, "no file in sources/")));
}

/// The files of the manifest, which is the one that its record describes and holds what was mutated.
fn listed(output: &OutputDir, run: &RunFile, faults: &mut Vec<Fault>) -> BTreeMap<String, Sha256> {
    let at = format!("evidence/{MANIFEST}");
    let text = match fs::read(output.evidence().join(MANIFEST)) {
        Ok(text) => text,
        Err(error) => {
            faults.push(Fault::new("evidence_missing", at, error.to_string()));
            return BTreeMap::new();
        }
    };
    let files = manifest::read(&text).unwrap_or_else(|fault| {
        faults.push(Fault { at: format!("{at} {}", fault.at), ..fault });
        BTreeMap::new()
    });
    if let Some(record) = shaped(output, Kind::Baseline, BASELINE, faults) {
        let about = format!("evidence/{BASELINE}");
        if record["manifest_sha256"] != json!(Sha256::of(&text).to_string()) {
            faults.push(Fault::new(
                "manifest_differs",
                about.as_str(),
                "its digest is not the list's",
            ));
        }
        if record["files"] != json!(files.len()) {
            faults.push(Fault::new(
                "manifest_differs",
                about,
                "it counts other files than the list",
            ));
        }
    }
    for (path, digest) in &run.sources {
        if files.get(&format!("tree/{path}")) != Some(digest) {
            let what = format!("it does not list `{path}` as it was mutated");
            faults.push(Fault::new("manifest_differs", at.as_str(), what));
        }
    }
    files
}

/// A record of the evidence, if it is one of its shape.
fn shaped(output: &OutputDir, kind: Kind, name: &str, faults: &mut Vec<Fault>) -> Option<Value> {
    let at = format!("evidence/{name}");
    let text = match fs::read(output.evidence().join(name)) {
        Ok(text) => text,
        Err(error) => {
            faults.push(Fault::new("evidence_missing", at, error.to_string()));
            return None;
        }
    };
    match kind.validate(&text) {
        Ok(checked) => {
            let all = checked.faults.into_iter().chain(checked.unknown);
            faults.extend(all.map(|fault| Fault { at: format!("{at}{}", fault.at), ..fault }));
            Some(checked.record)
        }
        Err(fault) => {
            faults.push(Fault { at, ..fault });
            None
        }
    }
}

/// Every record is the one that follows from the run.
fn evidence(
    output: &OutputDir,
    run: &RunFile,
    unsmooth: &Unsmooth,
    files: &BTreeMap<String, Sha256>,
    faults: &mut Vec<Fault>,
) {
    if run.task.setup.is_some() {
        // What it found cannot be made again without running it again.
        shaped(output, Kind::FrozenInstall, INSTALL, faults);
    }
    for (kind, name, expected) in records::records(run, unsmooth, files) {
        let Some(found) = shaped(output, kind, &name, faults) else { continue };
        let at = format!("evidence/{name}");
        let dropped = |record: &Value| record["process_failures"] == json!([]);
        if name == VERDICT && dropped(&found) && !dropped(&expected) {
            let what = "it names no process failure, and the run had some";
            faults.push(Fault::new("process_failures_dropped", at.as_str(), what));
        }
        differences(&expected, &found, &at, "evidence_differs", faults);
    }
}

/// What was sealed holds, and says what the run found: the digest of the contract.
fn sealed(output: &OutputDir, log: &RunLog, faults: &mut Vec<Fault>) -> Option<Sha256> {
    let read = |name: &str| fs::read(output.sealed().join(name)).ok();
    let contract = read("contract.json")?;
    let at = "sealed/contract.json";
    let digest = Sha256::of(&contract);
    let Some(statement) = read("contract.statement.json") else {
        faults.push(Fault::new(
            "statement_missing",
            "sealed/contract.statement.json",
            "no Statement",
        ));
        return Some(digest);
    };
    if let Err(code) = verify::verify(&statement, &contract) {
        faults.push(Fault::new("contract_refused", at, code.to_string()));
        return Some(digest);
    }
    let record = serde_json::from_slice::<Value>(&contract).unwrap_or_default();
    let totals = log.count.totals();
    let vector = totals.kill_vector_sha256.to_string();
    let pairs = [
        ("mutants", json!(totals.mutants)),
        ("killed", json!(totals.killed)),
        ("kill_vector_sha256", json!(vector)),
    ];
    for (name, expected) in pairs {
        let found = &record["adequacy"][name];
        if !found.is_null() && *found != expected {
            let what = format!("adequacy.{name} is {found}, and the run gives {expected}");
            faults.push(Fault::new("contract_differs", at, what));
        }
    }
    Some(digest)
}

/// The receipt claims what follows from the run, and no more.
fn claimed(
    receipt: &Value,
    run: &RunFile,
    contract: Option<Sha256>,
    output: &OutputDir,
    faults: &mut Vec<Fault>,
) -> Result<(), OutputError> {
    let seals = receipt["run"]["command"] == "seal";
    let merges = receipt["run"]["command"] == "merge";
    let elsewhere =
        receipt["measured"]["contract_sha256"].as_str().and_then(|text| text.parse().ok());
    let act = Act {
        command: if seals {
            "seal"
        } else if merges {
            "merge"
        } else {
            "measure"
        },
        // A contract that was sealed to another place is not here to be looked at.
        contract: contract.or(elsewhere).filter(|_| seals),
        durable: receipt["terminal"]["durable_ref"].as_str().map(str::to_owned),
    };
    let mut expected = claims::of(run, &act, &output.digests()?);
    let mut found = receipt.clone();
    // The stamp has a rule of its own; the files were compared one by one.
    for value in [&mut expected, &mut found] {
        if let Some(terminal) = value["terminal"].as_object_mut() {
            terminal.remove("stamp");
            terminal.remove("receipt_complete");
        }
        if let Some(members) = value.as_object_mut() {
            members.remove("files");
        }
    }
    differences(&expected, &found, "receipt.json", "receipt_differs", faults);
    Ok(())
}

/// The tree as it is now against what the run lists.
fn compare_tree(
    root: &Path,
    run: &RunFile,
    files: &BTreeMap<String, Sha256>,
    faults: &mut Vec<Fault>,
) {
    let task = &run.task;
    let below = task.file.as_ref().and_then(|file| file.strip_prefix(&task.tree).ok());
    let task_file = below.and_then(|path| RelPath::new(path.as_os_str().as_bytes()).ok());
    // A patch is applied to the tree that the task names, so that this one is the start.
    let lane = if matches!(task.solution, Solution::Patch(_)) { "start" } else { "tree" };
    let choice = Choice { task_file, ..run.choice.clone() };
    let snapshot = match tree::snapshot(root, &choice, &Silent) {
        Ok(snapshot) => snapshot,
        Err(error) => return faults.push(Fault::new("tree_unread", "", error.to_string())),
    };
    let (mut now, mut omitted) = (BTreeMap::new(), Vec::new());
    records::list(lane, &snapshot, &mut now, &mut omitted);
    let prefix = format!("{lane}/");
    let before = files.iter().filter(|(path, _)| path.starts_with(&prefix));
    let before = before.collect::<BTreeMap<_, _>>();
    for (path, digest) in &before {
        match now.get(*path) {
            None => faults.push(Fault::new(
                "tree_went",
                path.as_str(),
                "in the manifest, not in the tree",
            )),
            Some(own) if own == *digest => {}
            Some(_) => {
                faults.push(Fault::new(
                    "tree_changed",
                    path.as_str(),
                    "not the bytes of the manifest",
                ));
            }
        }
    }
    let new = now.keys().filter(|path| !before.contains_key(path));
    faults.extend(
        new.map(|path| Fault::new("tree_appeared", path, "in the tree, not in the manifest")),
    );
}

/// Where two values differ, each place once.
fn differences(expected: &Value, found: &Value, at: &str, code: &str, faults: &mut Vec<Fault>) {
    match (expected, found) {
        (Value::Object(expected), Value::Object(found)) => {
            for (name, value) in expected {
                let at = format!("{at}/{name}");
                differences(value, found.get(name).unwrap_or(&Value::Null), &at, code, faults);
            }
            let more = found.keys().filter(|name| !expected.contains_key(*name));
            faults.extend(
                more.map(|name| {
                    Fault::new(code, format!("{at}/{name}"), "the run does not say so")
                }),
            );
        }
        (Value::Array(expected), Value::Array(found)) if expected.len() == found.len() => {
            for (place, (expected, found)) in expected.iter().zip(found).enumerate() {
                differences(expected, found, &format!("{at}/{place}"), code, faults);
            }
        }
        (expected, found) if expected == found => {}
        (expected, found) => {
            faults.push(Fault::new(code, at, format!("{found}, and the run gives {expected}")));
        }
    }
}
