//! The flags of isolation: what they prevent, what they say, and what is kept of it.

use std::fs;

use serde_json::json;

use crate::harness::{Sandbox, note};

/// A tree whose command writes where `TARGET` says, does not mind if it cannot, and judges one
/// mutant.
fn writer(target: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("tree/product.py", "X = 1 + 1\n").write("outside/file", "precious");
    let target = sandbox.path(target);
    let check = format!(
        "echo changed > '{}' || echo stopped\ngrep -q '^X = 1 + 1' product.py\n",
        target.display()
    );
    sandbox.write("tree/check.sh", check);
    sandbox
}

const CHECK: [&str; 5] = ["--operator", "binop-swap", "--", "sh", "check.sh"];

/// Whether some sandbox works on this machine, by its own word.
fn can_be_held(sandbox: &Sandbox) -> bool {
    let ran = sandbox.measure(&[&["--require-sandbox"], &CHECK[..]].concat()).run();
    ran.exits_one_of(&[0, 7, 11]) != 11
}

#[test]
fn the_source_tree_and_the_rest_of_the_system_cannot_be_written() {
    for target in ["outside/file", "tree/product.py", "home/file", "adequacy.out/run.json"] {
        let sandbox = writer(target);
        if !can_be_held(&sandbox) {
            note("no sandbox here; what is written is only noticed, see `storage`");
            continue;
        }
        // The copies see the source as it is, and it stays so: the harness compares the tree.
        let ran = sandbox.measure(&CHECK).run();
        ran.exits_one_of(&[0, 7]);
        ran.tells("isolation: processes: ").tells("files: written only in the workspace");
        assert_eq!(sandbox.read("outside/file"), "precious");
        assert!(!sandbox.path("home/file").exists());
        let isolation = &sandbox.json("adequacy.out/run.json")["isolation"];
        let files = isolation["files"].as_str().expect("words");
        assert!(files.starts_with("written only in the workspace"), "{files}");
        assert_eq!(isolation["allow_write"], json!([]));
    }
}

#[test]
fn a_place_that_a_flag_names_is_written_and_kept_for_replay() {
    let sandbox = writer("outside/file");
    let words = [&["--allow-write", "outside"], &CHECK[..]].concat();
    sandbox.measure(&words).run().exits_one_of(&[0, 7]);
    assert_eq!(sandbox.read("outside/file"), "changed\n");
    let run = sandbox.json("adequacy.out/run.json");
    assert_eq!(run["isolation"]["allow_write"], json!([sandbox.path("outside")]));
    let id = sandbox.lines("adequacy.out/mutants.jsonl")[0]["id"].clone();
    fs::write(sandbox.path("outside/file"), "precious").expect("our own file");
    sandbox.call(["replay", id.as_str().expect("an id")]).run().exits(0);
    assert_eq!(sandbox.read("outside/file"), "changed\n");
}

#[test]
fn without_isolation_that_is_said_and_kept() {
    let sandbox = writer("outside/file");
    let ran = sandbox.measure(&[&["--isolation", "none"], &CHECK[..]].concat()).run();
    ran.tells("isolation: processes: a subreaper ends them; network: the host's; files: private");
    assert_eq!(sandbox.read("outside/file"), "changed\n");
    assert_eq!(
        sandbox.json("adequacy.out/run.json")["isolation"],
        json!({
            "processes": "a subreaper ends them",
            "network": "the host's",
            "files": "private HOME, TMPDIR and workspace; other writes are not prevented",
            "allow_write": [],
            "workspaces": "brought back after each command",
        })
    );
    // A run that is gone on with says both.
    let words = [&["--resume", "--allow-write", "outside"], &CHECK[..]].concat();
    sandbox.measure(&words).run().exits_one_of(&[0, 7]);
    let run = sandbox.json("adequacy.out/run.json");
    assert_eq!(run["isolation"]["allow_write"], json!([sandbox.path("outside")]));
    assert_eq!(run["isolation_before"][0]["processes"], "a subreaper ends them");
    assert_eq!(run["isolation_before"].as_array().map(Vec::len), Some(1));
}

#[test]
fn rather_nothing_than_less_than_was_asked_for() {
    let sandbox = writer("outside/file");
    for words in [
        &["--isolation", "none", "--require-sandbox"][..],
        &["--isolation", "landlock", "--net", "loopback"],
        &["--isolation", "none", "--net", "none"],
    ] {
        let ran = sandbox.measure(&[words, &CHECK].concat()).run();
        ran.exits(11).tells("cannot be had here").tells("`--isolation`");
        assert!(!sandbox.path("adequacy.out").exists());
    }
    assert_eq!(sandbox.read("outside/file"), "precious");
}

#[test]
fn where_namespaces_are_forbidden_that_is_said_or_refused() {
    let sandbox = writer("outside/file");
    // A user namespace can forbid further ones; where even the first is forbidden, so are ours.
    let forbid = "echo 0 > /proc/sys/user/max_user_namespaces && exec \"$@\"";
    let possible = std::process::Command::new("unshare").args(["-Ur", "true"]).status();
    let possible = possible.is_ok_and(|status| status.success());
    let call = |words: &[&str]| {
        let call = sandbox.measure(&[words, &CHECK].concat());
        if possible { call.through("unshare", &["-Ur", "sh", "-c", forbid, "sh"]) } else { call }
    };
    for words in [
        &["--require-sandbox"][..],
        &["--isolation", "namespaces"],
        &["--net", "loopback"],
        &["--net", "none"],
    ] {
        call(words).run().exits(11).tells("cannot be had here: namespaces and Landlock: ");
    }
    let ran = call(&[]).run();
    ran.exits_one_of(&[0, 7]);
    ran.tells("network: the host's").tells("(no more than that: namespaces and Landlock: ");
    let isolation = &sandbox.json("adequacy.out/run.json")["isolation"];
    assert_eq!(isolation["network"], "the host's");
}

#[test]
fn places_that_no_command_may_write_are_refused() {
    let sandbox = writer("outside/file");
    for (place, why) in [
        ("tree", "the source tree"),
        ("tree/product.py", "the source tree"),
        ("/", "the source tree"),
        ("tmp", "`--scratch`"),
        ("no/such/place", "No such file"),
    ] {
        let ran = sandbox.measure(&[&["--allow-write", place], &CHECK[..]].concat()).run();
        ran.exits(2).tells(&format!("--allow-write {place}")).tells(why);
    }
    fs::create_dir(sandbox.path("adequacy.out")).expect("a folder");
    let ran = sandbox.measure(&[&["--allow-write", "adequacy.out"], &CHECK[..]].concat()).run();
    ran.exits(2).tells("the run directory");
}

#[test]
fn a_mutant_that_meets_a_limit_is_undecided_and_twice_that_of_memory_is_killed() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "tree/product.py",
        "FILE = False\nMEMORY = False\nMORE = False\nPROCESSES = False\n",
    );
    let check = "import os, time, product\n\
                 if product.FILE: open('big', 'wb').write(b'x' * 3000000)\n\
                 if product.MEMORY: held = b'x' * (300 << 20); time.sleep(1)\n\
                 if product.MORE: held = b'x' * (500 << 20); time.sleep(60)\n\
                 if product.PROCESSES:\n    for _ in range(60):\n        \
                 if os.fork() == 0: time.sleep(60)\n    time.sleep(60)\n";
    sandbox.write("tree/check.py", check);
    let limits = ["--max-file-size", "2000000", "--memory", "200000000", "--processes", "30"];
    let words = [
        "--include",
        "product.py",
        "--operator",
        "boolean-flip",
        "--env",
        "PYTHONDONTWRITEBYTECODE",
    ];
    let words = [&limits[..], &words, &["--", "python3", "check.py"]].concat();
    let ran = sandbox.measure(&words).env("PYTHONDONTWRITEBYTECODE", "1").run();
    ran.exits(6);
    let found = sandbox.outcomes();
    let found = found.iter().filter_map(|line| line.split(": ").nth(1)).collect::<Vec<_>>();
    ran.same(
        found,
        vec![
            "undecided by command (file-size-limit)",
            "undecided by command (memory-limit)",
            "killed by command (resource)",
            "undecided by command (process-limit)",
        ],
    );
    let limits = &sandbox.json("adequacy.out/run.json")["limits"];
    let expected = json!({"file_size": 2_000_000, "memory": 200_000_000, "processes": 30});
    assert_eq!(*limits, expected);
}

#[test]
fn copies_below_shared_memory_are_held_too() {
    let sandbox = writer("outside/file");
    let Ok(scratch) = tempfile::tempdir_in("/dev/shm") else {
        note("no shared memory here that can be written: copies are never made there");
        return;
    };
    let path = scratch.path().to_str().expect("a UTF-8 path");
    let held = can_be_held(&sandbox);
    for isolation in ["auto", "landlock"] {
        let words = ["--isolation", isolation, "--scratch", path];
        let ran = sandbox.measure(&[&words[..], &CHECK].concat()).run();
        ran.exits_one_of(if held { &[0, 7] } else { &[0, 7, 11] });
        assert_eq!(sandbox.read("outside/file") == "precious", held);
        assert_eq!(fs::read_dir(scratch.path()).expect("the folder").count(), 0);
    }
}
