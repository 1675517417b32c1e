//! `adequacy vectors`: write the conformance corpus, or replay one.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::verify::read_pair;
use super::{Exit, member};
use crate::base::Sha256;
use crate::base::canonical;
use crate::report::terminal::plain;
use crate::vectors::check::{Entry, Manifest, answer};
use crate::vectors::files;

/// Write the conformance corpus of the done-contract predicate, or replay one
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Write this project's corpus into a new or empty folder
    #[command(after_help = "Example:\n  adequacy vectors generate new-corpus")]
    Generate {
        /// The folder
        dir: PathBuf,
    },
    /// Replay a corpus through this reader and print every disagreement
    #[command(after_help = "Example:\n  adequacy vectors check vectors-done-contract")]
    Check {
        /// The folder that holds MANIFEST.json
        dir: PathBuf,
    },
}

pub(crate) fn run(args: &Args, out: &mut dyn Write, err: &mut dyn Write) -> Exit {
    let done = match &args.command {
        Command::Generate { dir } => generate(dir, out, err),
        Command::Check { dir } => check(dir, out, err),
    };
    done.unwrap_or(Exit::Resources)
}

fn generate(dir: &Path, out: &mut dyn Write, err: &mut dyn Write) -> io::Result<Exit> {
    let shown = plain(dir.as_os_str().as_bytes());
    let is_free = match fs::read_dir(dir) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    };
    if !is_free {
        writeln!(err, "error: `{shown}` is not an empty folder; name one that is, or a new one")?;
        return Ok(Exit::Output);
    }
    let files = files();
    for (path, bytes) in &files {
        let path = dir.join(path);
        let folder = path.parent().expect("a file lies in a folder");
        if let Err(error) = fs::create_dir_all(folder).and_then(|()| fs::write(&path, bytes)) {
            let shown = plain(path.as_os_str().as_bytes());
            writeln!(err, "error: `{shown}` cannot be written: {error}")?;
            return Ok(Exit::Output);
        }
    }
    writeln!(out, "{} files in `{shown}`", files.len())?;
    Ok(Exit::Done)
}

fn check(dir: &Path, out: &mut dyn Write, err: &mut dyn Write) -> io::Result<Exit> {
    let manifest = match member::read(&dir.join("MANIFEST.json")) {
        Ok(bytes) => bytes,
        Err(error) => {
            writeln!(err, "error: {error}")?;
            return Ok(Exit::Refused);
        }
    };
    let manifest = match Manifest::parse(&manifest) {
        Ok(manifest) => manifest,
        Err(error) => {
            writeln!(out, "{error}")?;
            return Ok(Exit::No);
        }
    };
    let mut faults = 0;
    for name in unnamed_folders(dir, &manifest) {
        faults += 1;
        writeln!(out, "cases/{name}: the manifest does not name it")?;
    }
    let mut agreeing = 0;
    for entry in &manifest.entries {
        match replay(&dir.join("cases").join(&entry.id), entry) {
            Ok(()) => agreeing += 1,
            Err(fault) => writeln!(out, "{}: {fault}", plain(entry.id.as_bytes()))?,
        }
    }
    let total = manifest.entries.len();
    writeln!(out, "{total} members: {agreeing} agree, {} do not", total - agreeing)?;
    Ok(if agreeing == total && faults == 0 { Exit::Done } else { Exit::No })
}

/// What lies in `cases` beside the members, as shown.
fn unnamed_folders(dir: &Path, manifest: &Manifest) -> Vec<String> {
    let named: BTreeSet<&[u8]> = manifest.entries.iter().map(|entry| entry.id.as_bytes()).collect();
    let found = names(&dir.join("cases")).unwrap_or_default(); // a missing folder fails every member
    found.iter().filter(|name| !named.contains(name.as_slice())).map(|name| plain(name)).collect()
}

fn names(dir: &Path) -> io::Result<BTreeSet<Vec<u8>>> {
    fs::read_dir(dir)?.map(|entry| Ok(entry?.file_name().as_bytes().to_vec())).collect()
}

fn replay(folder: &Path, entry: &Entry) -> Result<(), String> {
    let found = names(folder).map_err(|error| format!("its folder cannot be read: {error}"))?;
    let named: BTreeSet<Vec<u8>> =
        entry.files.iter().map(|(name, _)| name.clone().into_bytes()).collect();
    if found != named {
        return Err("its files are not those the manifest names".to_owned());
    }
    for (name, digest) in &entry.files {
        let bytes = member::read(&folder.join(name)).map_err(|error| error.to_string())?;
        if Sha256::of(&bytes) != *digest {
            return Err(format!("{} has another digest", plain(name.as_bytes())));
        }
    }
    let pair = read_pair(&folder.join("statement.json"), &folder.join("contract.json"));
    let got = match &pair {
        Ok((statement, contract)) => answer(Ok((statement, contract))),
        Err(error) => answer(Err(error.code())),
    };
    if got == entry.expected {
        return Ok(());
    }
    let shown = |value| match canonical::to_vec(value) {
        Ok(bytes) => plain(&bytes),
        Err(error) => error.to_string(),
    };
    Err(format!("expected {}, got {}", shown(&entry.expected), shown(&got)))
}
