//! Where a run writes: its output directory, its scratch directory, and what happens when there is no
//! room or no permission.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};

use crate::harness::{Call, Ran, Sandbox, names};

const ONE: [&str; 4] = ["--include", "calc.py", "--operator", "binop-swap"];

/// `measure` of the calc tree with its check, one mutant.
fn one<'a>(sandbox: &'a Sandbox, words: &[&str]) -> Call<'a> {
    let last = ["--", "python3", "check.py"];
    sandbox.measure(&[words, &ONE, &last].concat())
}

#[test]
fn two_engines_do_not_write_to_one_directory() {
    let sandbox = Sandbox::with("calc");
    one(&sandbox, &[]).run().exits(0);
    let before = sandbox.read("adequacy.out/run.json");
    // What another engine holds while it writes there.
    let held = fs::File::open(sandbox.path("adequacy.out/.adequacy-lock")).expect("a lock");
    held.lock().expect("nobody else has it");
    one(&sandbox, &[]).run().exits(8).tells("another run is writing to");
    one(&sandbox, &["--resume"]).run().exits(8).tells("another run is writing to");
    assert_eq!(sandbox.read("adequacy.out/run.json"), before);
    drop(held);
    one(&sandbox, &[]).run().exits(0);
}

#[test]
fn an_output_directory_that_is_not_ours_is_refused_and_untouched() {
    let sandbox = Sandbox::with("calc");
    sandbox.write("mine/notes.txt", "mine").write("file", "mine").write("torn/run.json", "{\"form");
    sandbox.write("other/run.json", "{\"format\": \"another-tool/1\"}");
    for place in ["mine", "file", "torn", "other"] {
        let ran = one(&sandbox, &["-o", place]).run();
        ran.exits(8).tells(&format!("/{place}` is not a run directory")).tells("`-o`");
        one(&sandbox, &["-o", place, "--resume"]).run().exits(8);
    }
    assert_eq!(sandbox.read("mine/notes.txt"), "mine");
    assert_eq!(names(&sandbox.path("mine")), ["notes.txt"]);
    assert_eq!(sandbox.read("file"), "mine");
    // Nor is what would be in the way of the earlier run's new name.
    one(&sandbox, &[]).run().exits(0);
    sandbox.write("adequacy.out.old/notes.txt", "mine");
    one(&sandbox, &[]).run().exits(8).tells("adequacy.out.old");
    assert_eq!(sandbox.read("adequacy.out.old/notes.txt"), "mine");
    assert_eq!(sandbox.json("adequacy.out/run.json")["state"], "finished");
}

#[test]
fn an_earlier_run_is_kept_under_its_old_name() {
    let sandbox = Sandbox::with("calc");
    for number in 1..=3 {
        one(&sandbox, &[]).run().exits(0);
        sandbox.write("adequacy.out/number", number.to_string());
    }
    assert_eq!(sandbox.read("adequacy.out/number"), "3");
    assert_eq!(sandbox.read("adequacy.out.old/number"), "2");
    assert_eq!(
        names(&sandbox.path("")),
        [".streams", "adequacy.out", "adequacy.out.old", "home", "tmp", "tree"]
    );
}

#[test]
fn nothing_to_resume_is_said() {
    let sandbox = Sandbox::with("calc");
    one(&sandbox, &["--resume"]).run().exits(8).tells("holds no run to resume");
    one(&sandbox, &["-o", "/proc/nowhere"]).run().exits(8).tells("/proc/nowhere");
}

#[test]
fn scratch_inside_the_tree_is_refused() {
    let sandbox = Sandbox::with("calc");
    sandbox.write("tree/tmp/keep", "");
    let scratch = sandbox.path("tree/tmp").display().to_string();
    one(&sandbox, &["--scratch", &scratch])
        .run()
        .exits(2)
        .tells("inside the tree")
        .tells("--scratch");
    std::os::unix::fs::symlink(&scratch, sandbox.path("alias")).expect("a link");
    one(&sandbox, &["--scratch", "alias"]).run().exits(2).tells("inside the tree");
    one(&sandbox, &[]).env("TMPDIR", &scratch).run().exits(2).tells("inside the tree");
    one(&sandbox, &["--scratch", "nowhere"]).run().exits(2).tells("nowhere");
    assert_eq!(names(&sandbox.path("tree/tmp")), ["keep"]);
}

#[test]
fn scratch_on_another_file_system_gives_the_same_outcomes() {
    let sandbox = Sandbox::with("calc");
    let words = ["--include", "calc.py", "--", "python3", "check.py"];
    sandbox.measure(&words).run().exits(0);
    let there = sandbox.outcomes();
    // Mostly a tmpfs; where it is not, the run is the same all the same.
    let shm = tempfile::Builder::new().prefix("cli-").tempdir_in("/dev/shm");
    let shm = shm.or_else(|_| tempfile::tempdir()).expect("a folder");
    let path = shm.path().display().to_string();
    sandbox.measure(&[&["--scratch", &path][..], &words].concat()).run().exits(0);
    assert_eq!(there, sandbox.outcomes());
    assert!(names(shm.path()).is_empty(), "scratch is left: {:?}", names(shm.path()));
}

/// The program with a scratch directory of `size` KiB: on a tmpfs of its own where this user may
/// mount one, else under a limit of that size for any one file it writes.
fn small_scratch<'a>(sandbox: &Sandbox, call: Call<'a>, size: u32) -> (Call<'a>, bool) {
    let small = sandbox.path("small").display().to_string();
    fs::create_dir_all(&small).expect("a folder");
    let mount = format!("mount -t tmpfs -o size={size}k none '{small}' && exec \"$0\" \"$@\"");
    let try_it = ["-rm", "sh", "-c", &mount];
    let can = Command::new("unshare").args(try_it).arg("true").stderr(Stdio::null()).status();
    if can.is_ok_and(|status| status.success()) {
        (call.through("unshare", &try_it), true)
    } else {
        let limit = format!("trap '' XFSZ; ulimit -f {}; exec \"$0\" \"$@\"", size * 2);
        (call.through("sh", &["-c", &limit]), false)
    }
}

#[test]
fn a_scratch_that_is_too_small_is_said_and_nothing_is_left() {
    let sandbox = Sandbox::with("calc");
    sandbox.write("tree/large.bin", vec![7; 8 << 20]);
    let call = one(&sandbox, &["--scratch", &sandbox.path("small").display().to_string()]);
    let (call, is_tmpfs) = small_scratch(&sandbox, call, 2048);
    let ran = call.run();
    ran.exits(9).tells("small").same(ran.out.as_str(), "");
    ran.tells(if is_tmpfs { "no space" } else { "File too large" });
    assert!(names(&sandbox.path("small")).is_empty());
    sandbox.json("adequacy.out/run.json");
}

#[test]
#[expect(clippy::print_stdout, reason = "what was not tested is said")]
fn a_mutant_that_fills_the_disk_is_never_killed_for_that() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "tree/product.py",
        "FILLS = False\nFAILS = False\nFILLS_TMP = False\nPASSES = False\n",
    );
    sandbox.write(
        "tree/check.py",
        "import os, sys, product\n\
         flags = [name for name, value in vars(product).items() if value is True]\n\
         place = {'FILLS': '.', 'FILLS_TMP': os.environ['TMPDIR']}.get(flags[0]) if flags else None\n\
         if place:\n\
         \x20   with open(os.path.join(place, 'large'), 'wb') as file:\n\
         \x20       for _ in range(64): file.write(b'x' * (1 << 20)); file.flush()\n\
         if 'FAILS' in flags: sys.exit(1)\n",
    );
    let small = sandbox.path("small").display().to_string();
    let words = ["--scratch", &small, "--include", "product.py", "--operator", "boolean-flip"];
    let first = ["measure", "tree", "--baselines", "1", "-j", "1"];
    let call = sandbox.call([&first, &words[..], &["--", "python3", "check.py"]].concat());
    let (call, is_tmpfs) = small_scratch(&sandbox, call, 16384);
    if !is_tmpfs {
        println!("a full disk cannot be had here: this user may mount no tmpfs");
        return;
    }
    let ran = call.run();
    ran.exits(6);
    let lines = sandbox.read("adequacy.out/outcomes.jsonl");
    ran.same(lines.matches("and the disk was full").count(), 4);
    let found = sandbox.outcomes();
    let found: Vec<_> = found.iter().filter_map(|line| line.split(": ").nth(1)).collect();
    let full = "undecided by command (lost)";
    ran.same(found, vec![full, "killed by command (exit)", full, "survived"]);
}

#[test]
#[expect(clippy::print_stdout, reason = "what was not tested is said")]
fn a_disk_that_fills_beside_another_worker_kills_nothing() {
    let sandbox = Sandbox::new();
    let flags = ["FILLS_A", "FAILS_A", "FILLS_B", "PASSES", "FILLS_C", "FAILS_B", "FILLS_D"];
    sandbox.write("tree/product.py", flags.map(|flag| format!("{flag} = False\n")).concat());
    // The disk stays full for a while, and has room again once that worker has cleaned up: a look at
    // it then no longer tells why a command beside it failed.
    sandbox.write(
        "tree/check.py",
        "import os, sys, time, product\n\
         flags = [name for name, value in vars(product).items() if value is True]\n\
         if flags and flags[0].startswith('FILLS'):\n\
         \x20   try:\n\
         \x20       with open('large', 'wb', 0) as file:\n\
         \x20           while True: file.write(b'x' * (1 << 20))\n\
         \x20   except OSError: time.sleep(0.3)\n\
         \x20   sys.exit(1)\n\
         with open('needed', 'wb', 0) as file: file.write(b'x' * (1 << 20))\n\
         if os.path.getsize('needed') < 1 << 20: sys.exit(2)\n\
         if flags and flags[0].startswith('FAILS'): sys.exit(3)\n",
    );
    let small = sandbox.path("small").display().to_string();
    let words = ["--scratch", &small, "--include", "product.py", "--operator", "boolean-flip"];
    let first = ["measure", "tree", "--baselines", "1", "-j", "2"];
    let call = sandbox.call([&first, &words[..], &["--", "python3", "check.py"]].concat());
    let (call, is_tmpfs) = small_scratch(&sandbox, call, 16384);
    if !is_tmpfs {
        println!("a full disk cannot be had here: this user may mount no tmpfs");
        return;
    }
    let ran = call.run();
    ran.exits(6);
    let found = sandbox.outcomes();
    assert_eq!(found.len(), flags.len(), "every mutant is decided: {found:?}");
    for (flag, line) in flags.iter().zip(&found) {
        let outcome = line.split(": ").nth(1).expect("an outcome");
        let own = match flag.split('_').next() {
            Some("FAILS") => outcome == "killed by command (exit)",
            Some("PASSES") => outcome == "survived",
            _ => false,
        };
        assert!(own || outcome.starts_with("undecided"), "{flag}: {line}");
    }
}

/// The program as an ordinary user, whom modes stop; root goes everywhere.
fn as_a_user(sandbox: &Sandbox, words: &[&str]) -> std::process::Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_adequacy"));
    if rustix::process::geteuid().is_root() {
        // The program's own place may be closed to that user.
        let program = sandbox.path("adequacy");
        fs::copy(env!("CARGO_BIN_EXE_adequacy"), &program).expect("room for the program");
        command = Command::new(program);
        command.uid(65534).gid(65534);
        let open = fs::Permissions::from_mode(0o755);
        fs::set_permissions(sandbox.path(""), open).expect("our own");
    }
    command.args(words).current_dir(sandbox.path("")).env_clear();
    command.stdin(Stdio::null()).output().expect("the program starts")
}

#[test]
fn what_cannot_be_read_is_named() {
    let sandbox = Sandbox::with("calc");
    sandbox.write("tree/secret.txt", "x").write("tree/closed/inner.txt", "x");
    let mode = |path: &str, mode| {
        fs::set_permissions(sandbox.path(path), fs::Permissions::from_mode(mode)).expect("ours");
    };
    mode("tree/secret.txt", 0);
    let output = as_a_user(&sandbox, &["list", "tree"]);
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(9), "{words}");
    assert!(words.contains("secret.txt") && words.contains("Permission denied"), "{words}");
    assert_eq!(output.stdout, b"");
    mode("tree/secret.txt", 0o644);
    mode("tree/closed", 0);
    let output = as_a_user(&sandbox, &["list", "tree"]);
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(9), "{words}");
    assert!(words.contains("closed"), "{words}");
    // The way out.
    let output = as_a_user(&sandbox, &["list", "tree", "--leave-out", "closed"]);
    assert_eq!(output.status.code(), Some(0));
    mode("tree/closed", 0o755);
}

#[test]
fn a_tree_that_changes_during_the_run_is_not_trusted() {
    let sandbox = Sandbox::with("calc");
    let original = sandbox.path("tree/calc.py");
    let check =
        format!("import calc\nassert calc.add(2, 3) == 5\nopen({original:?}, 'a').write('#\\n')\n");
    sandbox.write("tree/check.py", check);
    // Isolation would prevent it, see `isolation`.
    let ran: Ran<'_> = one(&sandbox, &["--isolation", "none"]).writes_tree().run();
    ran.exits(9).tells("calc.py").tells("changed").same(ran.out.as_str(), "");
}

#[test]
fn a_run_that_is_spoiled_is_never_gone_on_with() {
    let sandbox = Sandbox::with("calc");
    // A file that no mutant needs: that it changed shows only at the end.
    let data = sandbox.path("tree/data");
    let check = "import calc\nassert calc.add(2, 3) == 5\n";
    sandbox
        .write("tree/data", "")
        .write("tree/check.py", format!("{check}open({data:?}, 'a').write('x')\n"));
    // Nothing holds the command, so it can write there.
    let open = ["--isolation", "none"];
    one(&sandbox, &open).writes_tree().run().exits(9).tells("tree/data`");
    let before = sandbox.read("adequacy.out/run.json");
    assert_eq!(sandbox.json("adequacy.out/run.json")["state"], "spoiled");
    let ran = one(&sandbox, &["--resume"]).run();
    ran.exits(8).tells("is spoiled").tells("without --resume");
    assert_eq!(sandbox.read("adequacy.out/run.json"), before, "it was written to");
}

#[test]
fn a_run_directory_whose_parents_are_made_in_the_tree_is_no_part_of_it() {
    let sandbox = Sandbox::with("calc");
    sandbox.write("tree/check.sh", "test ! -e made && exec python3 check.py\n");
    let words = ["measure", ".", "--baselines", "1", "-j", "1", "-o", "made/for/this"];
    let words = words.iter().chain(&ONE).chain(&["--", "sh", "check.sh"]);
    let ran = sandbox.call(words).inside("tree").writes_tree().run();
    ran.exits(0).says("1 mutants: 1 killed");
    assert_eq!(sandbox.json("tree/made/for/this/run.json")["state"], "finished");
}

#[test]
fn a_run_of_another_format_is_moved_aside_and_never_gone_on_with() {
    let sandbox = Sandbox::with("calc");
    let old = "{\"format\": \"adequacy-run/1\"}";
    sandbox.write("adequacy.out/run.json", old);
    let ran = one(&sandbox, &["--resume"]).run();
    ran.exits(8).tells("is in the format `adequacy-run/1`").tells("without --resume");
    sandbox.call(["replay", "00"]).run().exits(8).tells("`adequacy-run/1`");
    one(&sandbox, &[]).run().exits(0);
    assert_eq!(sandbox.read("adequacy.out.old/run.json"), old);
    let run = sandbox.json("adequacy.out/run.json");
    assert_eq!(run["format"], "adequacy-run/2");
    // Times are plain seconds.
    let first = &run["baselines"][0][0];
    assert!(first["wall_s"].as_f64().is_some_and(|wall| wall > 0.0), "{first}");
    assert!(first["cpu_s"].is_f64() && first.get("wall").is_none(), "{first}");
    assert!(run["commands"][0]["limit_s"].as_f64().is_some_and(|limit| limit >= 10.0));
    let decided = &sandbox.lines("adequacy.out/outcomes.jsonl")[1]["runs"][0];
    assert!(decided["wall_s"].is_f64() && decided["cpu_s"].is_f64(), "{decided}");
}
