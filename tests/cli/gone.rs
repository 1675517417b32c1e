//! A reader of the answer that went away: what is sealed and the exit code do not hang on it.

use std::io;
use std::process::{Command, ExitStatus};

use crate::harness::Sandbox;

const SOURCE: &str = "def double(x):\n    return x + x\n";

/// Runs the program with a stdout that nobody reads.
fn unread(sandbox: &Sandbox, words: &[&str]) -> ExitStatus {
    let (reader, writer) = io::pipe().expect("a pipe");
    drop(reader);
    let mut command = Command::new(env!("CARGO_BIN_EXE_adequacy"));
    command.args(words).current_dir(sandbox.path("")).stdout(writer);
    command.status().expect("it starts")
}

fn sandbox(check: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("tree/double.py", SOURCE).write("tree/tests/check.py", check);
    sandbox
}

const SEAL: [&str; 9] =
    ["seal", "tree", "--baselines", "1", "-j", "1", "--", "python3", "tests/check.py"];

#[test]
fn a_seal_that_nobody_reads_about_is_sealed() {
    let sandbox = sandbox(
        "import sys; sys.path.insert(0, '.')\nimport double\nassert double.double(2) == 4\nassert double.double(3) == 6\n",
    );
    assert_eq!(unread(&sandbox, &SEAL).code(), Some(0));
    assert_eq!(sandbox.json("adequacy.out/sealed/contract.json")["contract_id"], "contract-tree");
}

#[test]
fn a_refusal_that_nobody_reads_about_is_one() {
    let sandbox = sandbox("import sys; sys.path.insert(0, '.')\nimport double\n");
    // Only kept from loading does the tree fail: nothing is killed.
    assert_eq!(
        unread(&sandbox, &[&SEAL[..6], &["--operator", "binop-swap"], &SEAL[6..]].concat()).code(),
        Some(1)
    );
    assert!(!sandbox.path("adequacy.out/sealed").exists());
}

#[test]
fn a_list_that_nobody_reads_ends_as_if_it_were_read() {
    let sandbox = sandbox("");
    assert_eq!(unread(&sandbox, &["list", "tree"]).code(), Some(0));
}
