//! `adequacy keygen`: a key to sign envelopes with.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use super::Exit;
use crate::base::Sha256;
use crate::envelope::{PublicKey, SecretKey};
use crate::report::terminal::plain;

/// Make an Ed25519 key: its seed goes into a new file, its public key to the output
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Where the seed goes: 64 hex digits and a newline, readable by you alone; never overwritten
    file: PathBuf,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write, err: &mut dyn Write) -> Exit {
    let (exit, error) = match make(&args.file) {
        Ok(key) => match writeln!(out, "{key}") {
            Ok(()) => return Exit::Done,
            Err(error) => (Exit::Resources, error),
        },
        Err(error) => (Exit::Output, error),
    };
    let path = plain(args.file.as_os_str().as_bytes());
    // Nothing is left to be told elsewhere when this cannot be written.
    let _ = writeln!(err, "error: no key was made in `{path}`: {error}");
    exit
}

fn make(path: &Path) -> io::Result<PublicKey> {
    let mut seed = [0; 32];
    getrandom::fill(&mut seed).map_err(io::Error::other)?;
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    writeln!(file, "{}", Sha256::from_raw(seed))?;
    file.sync_all()?;
    Ok(SecretKey::from_seed(&seed).public())
}
