//! What hostile commands do to a workspace, and that a reset undoes all of it.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

use super::*;

#[path = "../../../../tests/exec/attacks.rs"]
mod list;

pub(super) use list::PRELUDE;
use list::{ATTACKS, MAY_DO_NOTHING};

#[test]
fn every_attack_is_undone() {
    as_each_user(|| {
        let (_directory, tree) = source();
        let mut python = Forking::start();
        for base in bases() {
            let (_scratch, _golden, mut workspace) = made(&base, &tree);
            let before = describe(&workspace);
            assert!(before.contains("deep.txt") && before.contains("dangling"), "{before}");
            for (name, text) in ATTACKS {
                python.run(&workspace, &format!("{PRELUDE}{text}"));
                let after = describe(&workspace);
                assert!(MAY_DO_NOTHING.contains(name) || after != before, "{name} does nothing");
                workspace.reset(Certificate::new()).unwrap();
                assert_eq!(describe(&workspace), before, "after: {name}, in {base:?}");
            }
        }
    });
}

#[test]
fn looks_are_trusted_only_where_they_cannot_be_forged() {
    let (_directory, tree) = source();
    for base in bases() {
        let kind = rustix::fs::statfs(&base).unwrap().f_type as u64;
        let scratch = Scratch::create(&base, &[tree.root()]).unwrap();
        // Only these can be trusted, and of ext4 only what keeps fine times; tmpfs never.
        if ![0xEF53, 0x5846_5342, 0x9123_683E].contains(&kind) {
            assert_eq!(scratch.soundness(), Soundness::Content, "{base:?}");
        }
    }
}

#[test]
fn contents_tell_what_looks_do_not_whatever_the_file_system() {
    // As on tmpfs: what is seen of the file is still what was noted, only its bytes are others.
    let (_directory, tree) = source();
    let (_scratch, _golden, mut workspace) = made(&std::env::temp_dir(), &tree);
    let before = describe(&workspace);
    fs::write(workspace.tree().join("a.py"), "x = 9\n").unwrap();
    let index = workspace.listing.find(b"tree/a.py").unwrap();
    let root = workspace.open().unwrap();
    let met = crate::tree::stat_at(root.as_fd(), c"tree/a.py").unwrap();
    workspace.seen[index].as_mut().unwrap().met = met;
    workspace.soundness = Soundness::Content;
    workspace.reset(Certificate::new()).unwrap();
    assert_eq!(describe(&workspace), before);
}

#[test]
fn a_process_that_kept_a_file_open_writes_into_an_orphan() {
    let (_directory, tree) = source();
    for base in bases() {
        let (_scratch, _golden, mut workspace) = made(&base, &tree);
        let before = describe(&workspace);
        let text = "f = open('a.py', 'r+'); f.write('1'); f.flush(); print(flush=True); input(); f.write('2'); f.flush()";
        let mut survivor = Command::new("python3")
            .args(["-ISc", text])
            .current_dir(workspace.tree())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        BufReader::new(survivor.stdout.take().unwrap()).read_line(&mut String::new()).unwrap();
        workspace.reset(Certificate::new()).unwrap();
        survivor.stdin.take().unwrap().write_all(b"\n").unwrap();
        assert!(survivor.wait().unwrap().success());
        assert_eq!(describe(&workspace), before);
    }
}
