//! Help for the tests of this stage and the next.

use std::path::Path;
use std::process::Command;

use super::{Kind, Snapshot};
use crate::base::RelPath;
use rustix::process::{Gid, Uid, geteuid};
use rustix::thread::{set_thread_gid, set_thread_groups, set_thread_uid};

/// Makes the listing say that the file at `path` has this many bytes.
pub(crate) fn claim_size(snapshot: &mut Snapshot, path: &RelPath, claimed: u64) {
    let entry = snapshot.entries.iter_mut().find(|entry| entry.path == *path);
    match entry.map(|entry| &mut entry.kind) {
        Some(Kind::File { size, .. }) => *size = claimed,
        other => panic!("no file: {other:?}"),
    }
}

/// Runs `test` as an ordinary user: as the present one or, if that is root, as nobody.
pub(crate) fn as_ordinary_user(test: impl FnOnce() + Send) {
    if !geteuid().is_root() {
        return test();
    }
    // The user of a thread is its own, and that of what it starts; hence a pool of its own.
    let become_ordinary = |_| {
        set_thread_groups(&[]).unwrap();
        set_thread_gid(Gid::from_raw(65534)).unwrap();
        set_thread_uid(Uid::from_raw(65534)).unwrap();
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).start_handler(become_ordinary);
    pool.build().unwrap().install(test);
}

/// What `text` prints, run by `python3` in `directory`.
pub(crate) fn python(directory: &Path, text: &str, arguments: &[&Path]) -> String {
    let mut command = Command::new("python3");
    command.args(["-ISc", text]).args(arguments).current_dir(directory);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{text}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}
