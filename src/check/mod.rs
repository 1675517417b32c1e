//! Conductor of `check`: does a final tree do what a contract asks for?
//!
//! The one who made the tree is asked nothing. With a bundle the protected and the held-out files are
//! put back as they were sealed into a fresh copy, and every command runs there; a contract alone has
//! nothing to put back. The answer has parts that are never made into one number.

mod answer;
mod change;
mod collection;
mod commands;
mod ids;
mod links;
pub(crate) mod place;
mod protected;
mod python;
mod receipt;
mod restore;

use std::path::{Path, PathBuf};
use std::time::Duration;

pub use answer::{
    AdequacyPart, Answer, Change, CollectionPart, CommandPart, ContractPart, ProtectedPart,
    Verdict, Word,
};

pub use change::{ChangePart, ClassPart, Survivor};

use crate::base::{RelPath, Sha256, Sink};
use crate::bundle::{self, Bundle, BundleError};
use crate::envelope::PublicKey;
use crate::measure::{self, MeasureError};
use crate::run::{RunError, Spawner};
use crate::tree::{self, Choice, ProtectedError, Snapshot, TreeError};
use crate::verify;

/// The time limit of a command where nothing states one.
pub const TIMEOUT: Duration = Duration::from_secs(900);

/// How a tree is checked.
#[derive(Debug, Clone)]
pub struct Options {
    /// Time limit of a command where the bundle states none.
    pub timeout: Duration,
    /// Names of further variables that commands see.
    pub env: Vec<String>,
    /// Where copies are made.
    pub scratch: PathBuf,
    /// Bytes of output at which a command is stopped, where no bundle says.
    pub output_limit: u64,
    /// Run no command: each is unknown.
    pub no_commands: bool,
    /// The key that the contract must be sealed under.
    pub key: Option<PublicKey>,
    /// A checkout of the commit that a bundle by reference names.
    pub workspace: Option<PathBuf>,
    /// A tree whose left-out directories the copies link to; without one the final tree's own.
    pub links_from: Option<PathBuf>,
    /// How mutants of the final tree's change are run, where they are asked for; what is measured does
    /// not come from here.
    pub mutate_change: Option<measure::Options>,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// The final tree is not there.
    #[error("the final tree `{}` is no directory", .0.display())]
    NoTree(PathBuf),
    /// A tree cannot be read or written.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// A protected path cannot be looked at.
    #[error(transparent)]
    Protected(#[from] ProtectedError),
    /// The bundle cannot be read.
    #[error(transparent)]
    Bundle(#[from] BundleError),
    /// The commands cannot be run.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The final tree is not what it was when the check began.
    #[error(
        "the final tree, or what the copies link to, changed while it was checked: `{0}`; check it again \
         when nothing writes to it"
    )]
    Changed(String),
    /// The mutants of the change cannot be run.
    #[error(transparent)]
    Change(Box<MeasureError>),
    /// Processes of the check live on.
    #[error("processes of the check are still alive: {0:?}")]
    Survivors(Vec<i32>),
}

/// Checks the tree at `final_tree` against a bundle, or against a contract with its Statement beside it.
///
/// # Errors
/// [`CheckError`] when the check itself cannot be made. What the contract or the bundle is refused for
/// stands in the answer.
pub fn check(
    subject: &Path,
    final_tree: &Path,
    options: &Options,
    spawner: &Spawner,
    sink: &dyn Sink,
) -> Result<Answer, CheckError> {
    let root = final_tree.canonicalize().ok().filter(|root| root.is_dir());
    let root = root.ok_or_else(|| CheckError::NoTree(final_tree.to_owned()))?;
    let (bundle, contract) = match open(subject, options) {
        Ok(opened) => opened,
        Err(error) => {
            let Some(code) = error.code() else { return Err(error.into()) };
            return Ok(Answer::refused(code, error.to_string()));
        }
    };
    let choice = bundle.compile.as_ref().map(|compile| compile.choice.clone()).unwrap_or_default();
    let before = listing(&root, &choice, sink)?;
    let protected = protected::judge(&bundle, &root)?;
    // Before anything of the tree runs, which could write to the bundle.
    let mut collection = collection::judge(&bundle, before.as_ref(), &choice)?;
    let from = options.links_from.as_deref().map(|from| listing(from, &choice, sink));
    let from = from.transpose()?.flatten();
    let links = links::of(&bundle, from.as_ref().or(before.as_ref()));
    if options.links_from.is_none() {
        collection.add_linked(&links);
    }
    let links = links.into_iter().map(|link| (link.path, link.target)).collect::<Vec<_>>();
    let watched = measure::fingerprint(&links)?;
    let (mut commands, places) = commands::parts(&bundle, options, spawner);
    let fresh = || restore::fresh(&bundle, before.as_ref(), &options.scratch);
    let fresh = (!places.is_empty()).then(fresh).transpose()?;
    if let Some(fresh) = &fresh {
        let which = (commands.as_mut_slice(), places.as_slice());
        commands::run(which, (&bundle, fresh), &links, options, spawner, sink)?;
    }
    let change = match &options.mutate_change {
        Some(how) => {
            let (about, links) = ((&bundle, fresh.as_ref()), from.or(before.clone()));
            let run_by = (spawner, sink);
            Some(change::measure(about, &commands, links, options, how, run_by)?)
        }
        None => None,
    };
    let survivors = spawner.survivors();
    if !survivors.is_empty() {
        return Err(CheckError::Survivors(survivors));
    }
    let after = listing(&root, &choice, &crate::base::Silent)?;
    unchanged((before.as_ref(), after.as_ref()), &links, &watched)?;
    let adequacy = AdequacyPart::of(&bundle.record);
    let restored = fresh.is_some().then_some(bundle.compile.is_some());
    let answer = Answer::of(contract, protected, commands, restored, adequacy, collection);
    let tree_sha256 = before.as_ref().map(|tree| tree.digest().to_string());
    Ok(Answer { change, tree_sha256, ..answer })
}

/// The bundle and what its contract part says.
fn open(subject: &Path, options: &Options) -> Result<(Bundle, ContractPart), BundleError> {
    let file = subject.is_file() && !bundle::is_archive(subject);
    // A contract by its own name stands in a folder with its Statement.
    let folder = match subject.parent() {
        Some(above) if file && above.as_os_str().is_empty() => Path::new("."),
        Some(above) if file => above,
        _ => subject,
    };
    if file && subject.file_name().is_none_or(|name| name != bundle::CONTRACT) {
        return Err(BundleError::Unreadable {
            path: subject.to_owned(),
            what: format!("is neither a bundle nor a file named {}", bundle::CONTRACT),
        });
    }
    let mut bundle = bundle::open(folder, &options.scratch)?;
    if let Some(checkout) = &options.workspace {
        bundle.fill(checkout, &options.scratch)?;
    }
    let origin = match &options.key {
        None => None,
        Some(key) => {
            let envelope = bundle.member.envelope.as_ref();
            let envelope = envelope.ok_or_else(|| BundleError::Unreadable {
                path: folder.join(bundle::ENVELOPE),
                what: "does not exist, and a key was given".to_owned(),
            })?;
            verify::verify_envelope(envelope, &bundle.member.contract, key)?;
            Some(key.to_string())
        }
    };
    let contract = ContractPart::valid(&bundle, origin);
    Ok((bundle, contract))
}

/// The final tree as it is copied; `None` when it holds no file that is.
fn listing(root: &Path, choice: &Choice, sink: &dyn Sink) -> Result<Option<Snapshot>, TreeError> {
    match tree::snapshot(root, choice, sink) {
        Ok(snapshot) => Ok(Some(snapshot)),
        Err(TreeError::NoFiles { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The final tree, before and after, and what the copies link to are as they were.
fn unchanged(
    (before, after): (Option<&Snapshot>, Option<&Snapshot>),
    links: &[(RelPath, PathBuf)],
    watched: &measure::Fingerprint,
) -> Result<(), CheckError> {
    if let Some(path) = first_change(before, after) {
        return Err(CheckError::Changed(path.to_string()));
    }
    match watched.first_difference(&measure::fingerprint(links)?) {
        Some(path) => Err(CheckError::Changed(path)),
        None => Ok(()),
    }
}

fn first_change(before: Option<&Snapshot>, after: Option<&Snapshot>) -> Option<RelPath> {
    match (before, after) {
        (Some(before), Some(after)) => before.first_difference(after).cloned(),
        (Some(one), None) | (None, Some(one)) => {
            one.entries().first().map(|entry| entry.path.clone())
        }
        (None, None) => None,
    }
}

/// The paths that a contract protects, for those that lie below them.
fn is_protected(bundle: &Bundle, path: &RelPath) -> bool {
    bundle.record.protected_paths.iter().any(|entry| {
        let above = RelPath::new(entry.path.as_bytes()).expect("the record's rules");
        let excluded = || {
            let items = entry.exclude.iter().flatten();
            let below = path.as_bytes().get(above.as_bytes().len() + 1..).unwrap_or_default();
            items.into_iter().any(|item| match RelPath::new(item.as_bytes()) {
                Ok(whole) if item.contains('/') => path.is_under(&whole),
                _ => below.split(|&byte| byte == b'/').any(|segment| segment == item.as_bytes()),
            })
        };
        path.is_under(&above) && !excluded()
    })
}

/// A digest of nothing: what a producer may seal for a directory that is not there.
fn is_of_nothing(sha256: &Sha256) -> bool {
    *sha256 == Sha256::of(b"")
}
