//! `adequacy evidence`: validate records, check a run directory, and make the records that need a
//! person.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::fault::Fault;
use super::receipt::{print, read};
use super::{Exit, Streams};
use crate::base::{Sha256, Silent};
use crate::evidence::budget::{self, PathBudget};
use crate::evidence::static_scan::{self, ClassifiedHit};
use crate::evidence::{Kind, review};
use crate::recheck::recheck;
use crate::report::terminal::escaped;
use crate::tree::{self, Choice, Snapshot};

/// Check the evidence of a run, and records of the same shapes from anybody
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Make every digest, count and claim of a run directory again, and name each difference
    Verify {
        /// The run directory
        #[arg(default_value = "adequacy.out")]
        run: PathBuf,
        /// Also compare the tree that was measured with what the run lists
        #[arg(long, value_name = "DIR")]
        tree: Option<PathBuf>,
    },
    /// Name what is wrong with a record; print `valid` when nothing is
    Validate {
        /// The shape of the record
        kind: Kind,
        /// The record
        file: PathBuf,
        /// Refuse members that the shape does not know
        #[arg(long)]
        strict: bool,
    },
    /// Print the JSON Schema of a shape
    Schema {
        /// The shape
        kind: Kind,
    },
    /// Say whether a change touches exactly the paths of its budget
    Budget {
        /// The path budget
        budget: PathBuf,
        /// The tree before the change
        start: PathBuf,
        /// The tree after it
        after: PathBuf,
    },
    /// Print the skeleton of a review of a tree, or check a filled one against it
    Review {
        /// The tree under review
        tree: PathBuf,
        /// What the review is about
        #[arg(long, value_name = "AXIS", default_value = "correctness")]
        axis: String,
        /// Where the reviewer writes
        #[arg(long, value_name = "DIR", default_value = "./review")]
        wrote_only_in: String,
        /// The filled report
        #[arg(long, value_name = "FILE")]
        filled: Option<PathBuf>,
    },
    /// Find what looks like a credential, each hit with its place
    Scan {
        /// Files and directories
        #[arg(required = true)]
        paths: Vec<PathBuf>,
        /// Classifications, `[[hit]]` tables with file, pattern, offset and classification
        #[arg(long, value_name = "FILE")]
        classified: Option<PathBuf>,
    },
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> Result<Exit, Fault> {
    match &args.what {
        What::Verify { run, tree } => verify(run, tree.as_deref(), streams),
        What::Validate { kind, file, strict } => validate(*kind, file, *strict, streams),
        What::Schema { kind } => {
            print(kind.schema(), streams)?;
            Ok(Exit::Done)
        }
        What::Budget { budget, start, after } => compare(budget, start, after, streams),
        What::Review { tree, axis, wrote_only_in, filled } => {
            let files = files(tree)?;
            match filled {
                None => {
                    print(&review::skeleton(axis, wrote_only_in, &files), streams)?;
                    Ok(Exit::Done)
                }
                Some(file) => reviewed(file, &files, streams),
            }
        }
        What::Scan { paths, classified } => scan(paths, classified.as_deref(), streams),
    }
}

/// Says what is wrong, or `valid`.
fn answer(faults: &[crate::evidence::Fault], streams: &mut Streams<'_>) -> Result<Exit, Fault> {
    for fault in faults {
        writeln!(streams.out, "{}", escaped(&fault.to_string()))?;
    }
    if !faults.is_empty() {
        return Ok(Exit::No);
    }
    writeln!(streams.out, "valid")?;
    Ok(Exit::Done)
}

fn verify(run: &Path, tree: Option<&Path>, streams: &mut Streams<'_>) -> Result<Exit, Fault> {
    let faults = recheck(run, tree)?;
    if faults.is_empty() && tree.is_none() {
        let words = "the tree was not looked at; `--tree DIR` compares it";
        writeln!(streams.err, "note: {words}")?;
    }
    answer(&faults, streams)
}

fn validate(
    kind: Kind,
    file: &Path,
    strict: bool,
    streams: &mut Streams<'_>,
) -> Result<Exit, Fault> {
    let checked = match kind.validate(&read(file)?) {
        Ok(checked) => checked,
        Err(fault) => return answer(&[fault], streams),
    };
    let mut faults = checked.faults;
    if strict {
        faults.extend(checked.unknown);
    } else {
        let label = streams.err_style.red("warning:");
        for fault in &checked.unknown {
            writeln!(streams.err, "{label} {}", escaped(&fault.to_string()))?;
        }
    }
    answer(&faults, streams)
}

fn snapshot(root: &Path) -> Result<Snapshot, Fault> {
    Ok(tree::snapshot(root, &Choice::default(), &Silent)?)
}

fn files(root: &Path) -> Result<BTreeMap<String, Sha256>, Fault> {
    let snapshot = snapshot(root)?;
    let named = snapshot.files().filter_map(|(path, digest, _)| Some((path.as_str()?, *digest)));
    Ok(named.map(|(path, digest)| (path.to_owned(), digest)).collect())
}

/// Files by digest and links by what they say, each under its path, however odd.
fn states(root: &Path) -> Result<BTreeMap<String, String>, Fault> {
    let snapshot = snapshot(root)?;
    let mut states = BTreeMap::new();
    for entry in snapshot.entries() {
        let state = match &entry.kind {
            tree::Kind::Directory { .. } => continue,
            tree::Kind::File { sha256, mode, .. } => format!("{sha256} {}", mode & 0o111 != 0),
            tree::Kind::Link { target } => format!("-> {}", target.display()),
        };
        states.insert(entry.path.to_string(), state);
    }
    Ok(states)
}

fn compare(
    budget: &Path,
    start: &Path,
    after: &Path,
    streams: &mut Streams<'_>,
) -> Result<Exit, Fault> {
    let text = read(budget)?;
    let checked = match Kind::PathBudget.validate(&text) {
        Ok(checked) if checked.faults.is_empty() => checked,
        Ok(checked) => return answer(&checked.faults, streams),
        Err(fault) => return answer(&[fault], streams),
    };
    let budget = serde_json::from_value::<PathBudget>(checked.record)
        .map_err(|error| Fault::new(Exit::Usage, format!("the budget cannot be used: {error}")))?;
    let breach = budget::judge(&budget, &states(start)?, &states(after)?)
        .map_err(|error| Fault::new(Exit::Usage, format!("permitted_generated: {error}")))?;
    let lists = [
        ("changed", &breach.changed),
        ("appeared", &breach.appeared),
        ("went", &breach.went),
        ("untouched", &breach.untouched),
    ];
    for (what, paths) in lists {
        for path in paths {
            writeln!(streams.out, "{what}: {}", escaped(path))?;
        }
    }
    if breach.is_none() {
        writeln!(streams.out, "within the budget")?;
        return Ok(Exit::Done);
    }
    writeln!(streams.err, "on breach: {}", escaped(&budget.on_breach))?;
    Ok(Exit::No)
}

fn reviewed(
    file: &Path,
    files: &BTreeMap<String, Sha256>,
    streams: &mut Streams<'_>,
) -> Result<Exit, Fault> {
    let checked = match Kind::Review.validate(&read(file)?) {
        Ok(checked) => checked,
        Err(fault) => return answer(&[fault], streams),
    };
    let mut faults = checked.faults;
    faults.extend(review::moved(&checked.record, files));
    let kind = checked.record["result_kind"].as_str().unwrap_or("product-verdict").to_owned();
    let blocking = |finding: &&Value| finding["severity"] == "blocking";
    let findings = checked.record["findings"].as_array().map_or(&[][..], Vec::as_slice);
    let blocking = findings.iter().filter(blocking).count();
    writeln!(streams.err, "{}: {blocking} of {} findings block", escaped(&kind), findings.len())?;
    answer(&faults, streams)
}

fn scan(
    paths: &[PathBuf],
    classified: Option<&Path>,
    streams: &mut Streams<'_>,
) -> Result<Exit, Fault> {
    let known = classifications(classified)?;
    let mut scan = static_scan::StaticScan::default();
    for path in paths {
        if path.is_dir() {
            let snapshot = snapshot(path)?;
            for (name, ..) in snapshot.files() {
                scan.add(&name.to_string(), &snapshot.read(name)?, &known);
            }
        } else {
            let text = fs::read(path).map_err(|error| {
                Fault::new(Exit::Usage, format!("cannot read `{}`: {error}", path.display()))
            })?;
            scan.add(&path.to_string_lossy(), &text, &known);
        }
    }
    let record = serde_json::to_value(&scan).expect("plain values");
    print(&record, streams)?;
    for hit in &scan.open {
        let (file, pattern) = (escaped(&hit.file), &hit.pattern);
        writeln!(streams.err, "unclassified: {file}, offset {}: {pattern}", hit.offset)?;
    }
    Ok(if scan.faults().is_empty() { Exit::Done } else { Exit::No })
}

/// The places that a file of classifications names; none without one.
pub(super) fn classifications(file: Option<&Path>) -> Result<Vec<ClassifiedHit>, Fault> {
    let Some(path) = file else { return Ok(Vec::new()) };
    let text = String::from_utf8_lossy(&read(path)?).into_owned();
    static_scan::classifications(&text)
        .map_err(|why| Fault::new(Exit::Usage, format!("`{}`: {why}", path.display())))
}
