//! The tests of isolation once more as an ordinary user: root has powers that hide what fails for
//! others, and the other way round.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use crate::bench::note;

/// By convention nobody's.
const USER: u32 = 65534;

#[test]
fn all_of_it_holds_for_an_ordinary_user() {
    if !rustix::process::geteuid().is_root() {
        note("we are an ordinary user: the other tests have just shown it");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let copy = |from: &Path, name: &str| {
        let to = folder.path().join(name);
        fs::copy(from, &to).expect("a copy that anybody can start");
        fs::set_permissions(&to, fs::Permissions::from_mode(0o755)).expect("its mode");
        to
    };
    let tests = copy(&std::env::current_exe().expect("our own file"), "tests");
    let helper = copy(&crate::bench::helper(), "adequacy");
    let scratch = folder.path().join("tmp");
    fs::create_dir(&scratch).expect("a folder");
    for path in [folder.path(), &scratch] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("its mode");
    }
    chown(&scratch, Some(USER), Some(USER)).expect("root may give it away");
    let done = Command::new(&tests)
        .args(["escapes::", "others::", "workspaces::", "writers::", "--test-threads", "2"])
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("HOME", &scratch)
        .env("TMPDIR", &scratch)
        .env("ADEQUACY_TEST_HELPER", &helper)
        .current_dir(&scratch)
        .uid(USER)
        .gid(USER)
        .output()
        .expect("the tests start");
    let out = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success(), "{out}\n{}", String::from_utf8_lossy(&done.stderr));
    assert!(out.contains("40 passed; 0 failed; 0 ignored"), "{out}");
}
