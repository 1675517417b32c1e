//! The commands that read records, as a person meets them: output, messages, exit codes.
#![cfg(feature = "engine")]

mod batch;
mod files;
mod keys;
mod vectors;

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a run of the program left.
pub(crate) struct Ran {
    pub(crate) exit: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// Runs the program; arguments may be anything a path is.
pub(crate) fn adequacy<A: AsRef<OsStr>>(words: impl IntoIterator<Item = A>) -> Ran {
    let ran = Command::new(env!("CARGO_BIN_EXE_adequacy"))
        .args(words)
        .output()
        .expect("the program starts");
    Ran {
        exit: ran.status.code(),
        out: String::from_utf8(ran.stdout).expect("output is UTF-8"),
        err: String::from_utf8(ran.stderr).expect("messages are UTF-8"),
    }
}

/// A member of the committed corpus.
pub(crate) fn member(id: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors-done-contract/cases").join(id)
}

/// A folder that holds a copy of a member.
pub(crate) fn put(folder: &Path, id: &str) -> PathBuf {
    fs::create_dir_all(folder).expect("a scratch folder");
    for name in ["contract.json", "statement.json"] {
        fs::copy(member(id).join(name), folder.join(name)).expect("a member's file");
    }
    folder.to_owned()
}

pub(crate) fn make_fifo(path: &Path) {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    mknodat(CWD, path, FileType::Fifo, Mode::from_raw_mode(0o600), 0).expect("a FIFO can be made");
}
