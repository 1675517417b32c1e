//! Bundles: what is in which part, that the same run gives the same bytes, and what is refused.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::OnceLock;

use crate::harness::{Sandbox, append, names};

/// A sealed `price-task`, in this sandbox.
fn sealed() -> Sandbox {
    let sandbox = Sandbox::with("price-task");
    sandbox.seal(&[]).run().exits(0);
    sandbox
}

/// A sandbox with the bundle of `price-task` as `price.tar.zst`, which is made once.
pub(crate) fn bundled() -> Sandbox {
    static MADE: OnceLock<Vec<u8>> = OnceLock::new();
    let archive = MADE.get_or_init(|| {
        let sandbox = sealed();
        sandbox.call(["bundle", "tree", "-o", "price.tar.zst"]).run().exits(0);
        sandbox.bytes("price.tar.zst")
    });
    let sandbox = Sandbox::new();
    sandbox.write("price.tar.zst", archive);
    sandbox
}

/// The archive of [`bundled`] as the directory `b`.
pub(crate) fn unpack(sandbox: &Sandbox) {
    let root = sandbox.path("b");
    fs::create_dir(&root).expect("a free name");
    adequacy::bundle::unpack(&sandbox.path("price.tar.zst"), &root).expect("an archive of ours");
}

/// Every file below a folder: path and bytes, in path order.
fn files(root: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut todo = vec![root.to_owned()];
    while let Some(folder) = todo.pop() {
        for name in names(&folder) {
            let path = folder.join(name);
            if path.is_dir() && !path.is_symlink() {
                todo.push(path);
            } else if path.is_file() {
                let below = path.strip_prefix(root).expect("below").display().to_string();
                found.push((below, fs::read(path).expect("a file")));
            }
        }
    }
    found.sort();
    found
}

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

#[test]
fn nothing_of_the_verifier_is_in_the_agents_part() {
    let sandbox = sealed();
    sandbox.call(["bundle", "tree", "-o", "agent", "--agent"]).run().exits(0);
    sandbox.call(["bundle", "tree", "-o", "whole"]).run().exits(0);
    assert_eq!(
        names(&sandbox.path("agent")),
        ["contract.json", "contract.statement.json", "workspace"]
    );
    assert_eq!(
        names(&sandbox.path("whole/sealed")),
        ["adequacy.toml", "compile.json", "heldout", "protected", "reference"]
    );
    // Compared by path and bytes.
    let agent = files(&sandbox.path("agent"));
    let start = files(&sandbox.path("tree/start"));
    let of_start = |line: &str| start.iter().any(|(_, bytes)| holds(bytes, line));
    // What only the verifier may know: held-out lines, lines that the reference adds, mutants.
    let mut secrets = Vec::new();
    for path in ["heldout/more.py", "reference/price.py"] {
        let text = sandbox.read(&format!("tree/{path}"));
        let lines = text.lines().map(str::trim).filter(|line| line.len() > 8 && !of_start(line));
        secrets.extend(lines.map(str::to_owned));
    }
    for row in sandbox.lines("adequacy.out/mutants.jsonl") {
        secrets.push(row["id"].as_str().expect("an id").to_owned());
        secrets.push(row["operator"].as_str().expect("an operator").to_owned());
    }
    assert!(
        secrets.len() > 10 && secrets.contains(&"return sum(prices) - discount".to_owned()),
        "{secrets:?}"
    );
    for (path, bytes) in &agent {
        let found = secrets.iter().find(|secret| holds(bytes, secret));
        assert_eq!(found, None, "in {path}");
    }
    // It is the start tree, whole, and the sealed files.
    let in_workspace = agent.iter().filter_map(|(path, bytes)| {
        Some((path.strip_prefix("workspace/")?.to_owned(), bytes.clone()))
    });
    assert!(in_workspace.collect::<Vec<_>>() == start);
    assert_eq!(agent.len(), start.len() + 2, "no report and no row beside them");
    sandbox.call(["bundle", "verify", "agent"]).run().exits(10).says("not established");
}

#[test]
fn two_runs_give_the_same_bytes() {
    let sandbox = sealed();
    let bundle = |name: &str| {
        sandbox.call(["bundle", "tree", "-o", name]).run().exits(0);
    };
    bundle("one");
    bundle("one.tar.zst");
    // Another run, with other times and workers, and other modes of files.
    let file = sandbox.path("tree/start/price.py");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).expect("our own file");
    sandbox.call(["seal", "tree", "--baselines", "1", "-j", "1"]).run().exits(0);
    bundle("two");
    bundle("two.tar.zst");
    assert!(files(&sandbox.path("one")) == files(&sandbox.path("two")));
    assert!(sandbox.bytes("one.tar.zst") == sandbox.bytes("two.tar.zst"));
    for bundle in ["one", "two.tar.zst"] {
        sandbox.call(["bundle", "verify", bundle]).run().exits(0).says("valid");
    }
}

#[test]
fn a_bundle_that_was_touched_is_named_and_refused() {
    let sandbox = sealed();
    let bundle = |name: &str| {
        sandbox.call(["bundle", "tree", "-o", name]).run().exits(0);
    };
    let refused = |name: &str, code: &str, words: &str| {
        let ran = sandbox.call(["bundle", "verify", name]).run();
        ran.exits(1).says(code).tells(words);
    };
    bundle("extra");
    sandbox.write("extra/sealed/more.txt", "x");
    refused("extra", "bundle_files_differ", "`sealed/more.txt` is not listed");
    bundle("missing");
    fs::remove_file(sandbox.path("missing/workspace/price.py")).expect("it is there");
    refused("missing", "bundle_files_differ", "`workspace/price.py` is missing");
    bundle("held");
    append(&sandbox.path("held/sealed/heldout/more.py"), "#\n");
    refused("held", "bundle_files_differ", "`sealed/heldout/more.py` is another");
    bundle("vector");
    let text = sandbox.read("vector/sealed/compile.json").replacen("true", "false", 1);
    sandbox.write("vector/sealed/compile.json", text);
    refused("vector", "bundle_contract_differs", "the kill vector is not that of the mutants");
    bundle("contract");
    append(&sandbox.path("contract/contract.json"), "\n");
    refused("contract", "statement_subject_unbound", "SHA-256 of the record's bytes");
    sandbox.write("no.tar.zst", "no archive");
    refused("no.tar.zst", "bundle_unreadable", "is no zstd archive");
}

#[test]
fn a_run_whose_tree_changed_since_is_refused() {
    let sandbox = sealed();
    let call = |name: &str| sandbox.call(["bundle", "tree", "-o", name]).run();
    append(&sandbox.path("tree/start/price.py"), "# more\n");
    call("one").exits(11).tells("bundle_changed: a tree of the task is not what it was");
    sandbox.write("tree/start/price.py", sandbox.bytes_of("price-task/start/price.py"));
    append(&sandbox.path("tree/heldout/more.py"), "# more\n");
    call("two").exits(11).tells("bundle_changed");
    sandbox.write("tree/heldout/more.py", sandbox.bytes_of("price-task/heldout/more.py"));
    append(&sandbox.path("tree/adequacy.toml"), "[env.set]\nA = \"b\"\n");
    call("three").exits(11).tells("the task file is not what it was");
    assert!(["one", "two", "three"].iter().all(|name| !sandbox.path(name).exists()));
}

#[test]
fn what_is_no_sealed_run_of_the_task_is_refused() {
    let sandbox = Sandbox::with("price-task");
    let none = sandbox.call(["bundle", "tree", "-o", "b"]).run();
    none.exits(8).tells("is not a run directory");
    sandbox.measure(&[]).run().exits(0);
    sandbox.call(["bundle", "tree", "-o", "b"]).run().exits(11).tells("run `adequacy seal` first");
    let ran = sandbox.call(["bundle", "tree/reference", "-o", "b"]).run();
    ran.exits(11).tells("is of another task");
    let ran = sandbox.call(["bundle", "tree", "-o", "tree/start/b"]).run();
    ran.exits(2).tells("would stand inside");
    assert!(!sandbox.path("b").exists());
}

#[test]
fn nothing_that_looks_like_a_credential_is_published_before_a_person_said_what_it_is() {
    let sandbox = Sandbox::with("price-task");
    let key = format!("KEY = '{}{}'\n", "AKIA", "0123456789ABCDEF");
    sandbox.write("tree/start/notes.txt", &key).write("tree/reference/notes.txt", &key);
    sandbox.write("tree/heldout/notes.txt", format!("only here: {key}"));
    sandbox.seal(&["--operator", "binop-swap"]).run().exits(0);
    let bundle = |name: &str, more: &[&str]| {
        sandbox.call(["bundle", "tree", "-o", name].iter().chain(more)).run()
    };
    let ran = bundle("b", &[]);
    ran.exits(11).tells("3 places in the bundle look like credentials");
    for path in ["workspace/notes.txt", "sealed/heldout/notes.txt", "sealed/reference/notes.txt"] {
        ran.says(&format!("file = \"{path}\""));
    }
    assert!(!sandbox.path("b").exists());
    let classify = |what: &str| {
        let filled =
            ran.out.replace("classification = \"\"", &format!("classification = '{what}'"));
        sandbox.write("known.toml", filled);
    };
    classify("credential-shaped fixture of this test");
    bundle("b", &["--classified", "known.toml"]).exits(0);
    sandbox.call(["bundle", "verify", "b"]).run().exits(0).says("valid");
    // The same file answers a scan of what was published.
    sandbox.call(["evidence", "scan", "b", "--classified", "known.toml"]).run().exits(0);
    // Whose part it is decides what is looked at.
    let agent = sandbox.read("known.toml");
    let agent = agent.split("[[hit]]").filter(|hit| hit.contains("workspace/"));
    let agent = agent.map(|hit| format!("[[hit]]{hit}")).collect::<String>();
    sandbox.write("agent.toml", agent);
    bundle("a", &["--agent", "--classified", "agent.toml"]).exits(0);
    bundle("w", &["--classified", "agent.toml"]).exits(11).tells("2 places");
    classify("real credential");
    bundle("r", &["--classified", "known.toml"]).exits(11).tells("removed and revoked");
    classify("nothing at all");
    bundle("n", &["--classified", "known.toml"]).exits(11).tells("scan-classification-known");
    assert!(["r", "n", "w"].iter().all(|name| !sandbox.path(name).exists()));
}
