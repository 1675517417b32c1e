//! What is left by engines that are killed, and that engines beside each other do not meet.

use std::fs;
use std::thread::sleep;
use std::time::Duration;

use rustix::process::Signal;

use crate::harness::{Call, Sandbox, Started, names, outcome_lines};

/// Four mutants: A and C are killed. The command waits at the place that the file `at` in STATE names:
/// a mutant, its second answer, or the unmutated tree.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    let check = "\
wait_at() {
  if test \"$(cat \"$STATE/at\" 2>/dev/null)\" = \"$1\"; then
    (sleep 600 &)
    : > \"$STATE/waits\"
    while test -e \"$STATE/at\"; do sleep 0.02; done
  fi
}
echo x > left; echo x > \"$HOME/left\"; echo x > \"$TMPDIR/left\"
grep -q '^raise' product.py && { wait_at load; exit 1; }
grep -q True product.py || wait_at unmutated
for name in A B C D; do
  if grep -q \"^$name = True\" product.py; then
    echo x >> \"$STATE/$name\"
    wait_at \"$name$(wc -l < \"$STATE/$name\")\"
  fi
done
! grep -q '^[AC] = True' product.py
";
    sandbox.write("tree/product.py", "A = False\nB = False\nC = False\nD = False\n");
    sandbox.write("tree/check.sh", check).write("home/kept", "kept").write("state/x", "");
    let task = "contract_id = 'contract-recovery'\n\
                [[acceptance]]\nid = 'unit'\nargv = ['sh', 'check.sh']\n\
                [mutate]\noperators = ['boolean-flip']\n";
    sandbox.write("tree/adequacy.toml", task);
    sandbox
}

fn seal<'a>(sandbox: &'a Sandbox, words: &[&str]) -> Call<'a> {
    let first = ["seal", "tree", "--baselines", "1", "-j", "1", "--confirm", "all"];
    let state = ["--env", "STATE", "--allow-write", "state"];
    let call = sandbox.call(first.iter().chain(&state).chain(words));
    call.env("STATE", sandbox.path("state"))
}

/// A run that stands at this place.
fn standing<'a>(sandbox: &'a Sandbox, place: &str, words: &[&str]) -> Started<'a> {
    sandbox.write("state/at", format!("{place}\n"));
    let mut started = seal(sandbox, words).start();
    started.until(place, || sandbox.path("state/waits").exists());
    started
}

/// Kills the engine and waits until nothing of it lives.
fn kill(sandbox: &Sandbox, started: Started<'_>) {
    started.signal(Signal::KILL);
    started.wait().dies_of(9);
    for _ in 0..3000 {
        if sandbox.processes().is_empty() {
            return;
        }
        sleep(Duration::from_millis(10));
    }
    panic!("processes are left: {:#?}", sandbox.processes());
}

fn go_on(sandbox: &Sandbox) {
    for name in ["at", "waits"] {
        fs::remove_file(sandbox.path(&format!("state/{name}"))).expect("it is there");
    }
}

type End = (Vec<Vec<u8>>, Vec<String>);

fn end(sandbox: &Sandbox) -> End {
    let names = ["mutants.jsonl", "sealed/contract.json", "sealed/contract.statement.json"];
    let bytes = names.map(|name| sandbox.bytes(&format!("adequacy.out/{name}"))).to_vec();
    (bytes, sandbox.outcomes())
}

#[test]
fn an_engine_that_is_killed_at_any_step_leaves_nothing_and_is_gone_on_with() {
    let whole = {
        let sandbox = sandbox();
        seal(&sandbox, &[]).run().exits(0);
        end(&sandbox)
    };
    for place in ["unmutated", "load", "A1", "A2", "B2", "D1"] {
        let sandbox = sandbox();
        let started = standing(&sandbox, place, &[]);
        kill(&sandbox, started);
        let mounts = fs::read_to_string("/proc/self/mountinfo").expect("the mounts");
        let root = sandbox.path("").display().to_string();
        assert!(!mounts.contains(root.trim_end_matches('/')), "{place}: a mount is left");
        // Whatever the command wrote is in the scratch directory, or where it was let.
        assert_eq!(names(&sandbox.path("home")), ["kept"], "{place}");
        assert_eq!(names(&sandbox.path("tree")), ["adequacy.toml", "check.sh", "product.py"]);
        assert_eq!(sandbox.scratch().len(), 1, "{place}");
        go_on(&sandbox);
        // `run` checks that the scratch directory of the killed run is gone too.
        let ran = seal(&sandbox, &["--resume"]).run();
        ran.exits(0).tells("which a run left that was killed").same(end(&sandbox), whole.clone());
    }
}

#[test]
fn engines_in_one_tree_do_not_meet() {
    let sandbox = sandbox();
    let first = standing(&sandbox, "B1", &["-o", "first"]);
    // The other begins and ends while the first stands.
    let second = sandbox.path("second-state");
    fs::create_dir(&second).expect("a new folder");
    let words = ["seal", "tree", "--baselines", "1", "-j", "1", "--confirm", "all", "-o", "second"];
    let open = ["--env", "STATE", "--allow-write", "second-state"];
    let ran = sandbox.call(words.iter().chain(&open)).env("STATE", &second).start().wait();
    ran.exits(0).never_says("which a run left");
    assert_eq!(sandbox.scratch().len(), 1, "that of the first");
    fs::remove_file(sandbox.path("state/at")).expect("it is there");
    first.wait().nothing_left().exits(0);
    assert_eq!(outcome_lines(&sandbox, "first"), outcome_lines(&sandbox, "second"));
    let contract = |run: &str| sandbox.bytes(&format!("{run}/sealed/contract.json"));
    assert!(contract("first") == contract("second"));
}

#[test]
fn what_dead_runs_left_is_found_and_that_of_live_ones_is_not() {
    let sandbox = sandbox();
    let dead = standing(&sandbox, "A1", &["-o", "dead"]);
    let left = sandbox.scratch();
    kill(&sandbox, dead);
    go_on(&sandbox);
    // Not ours: without a lock nobody can tell whose it is.
    sandbox.write("tmp/adequacy-of-others/file", "mine").write("tmp/other/lock", "mine");
    let live = standing(&sandbox, "A2", &["-o", "live", "--scratch", "home"]);
    let lives = names(&sandbox.path("home"));
    let lives = lives.iter().find(|name| name.starts_with("adequacy-")).expect("its scratch");
    fs::create_dir(sandbox.path("both")).expect("a new folder");
    let expected = format!("{}\n", sandbox.path("tmp").join(&left[0]).display());
    let clean = |words: &[&str]| sandbox.call(["clean"].iter().chain(words)).start().wait();
    let ran = clean(&["--dry-run"]);
    ran.exits(0).same(ran.out.as_str(), &expected);
    let ran = clean(&[]);
    ran.exits(0).same(ran.out.as_str(), &expected);
    let ran = clean(&[]);
    ran.exits(0).same(ran.out.as_str(), "");
    assert_eq!(names(&sandbox.path("tmp")), ["adequacy-of-others", "other"]);
    let ran = clean(&["--scratch", "home"]);
    ran.exits(0).same(ran.out.as_str(), "");
    assert!(sandbox.path("home").join(lives).join("golden").exists(), "it was removed");
    clean(&["--scratch", "nowhere"]).exits(9).tells("nowhere");
    fs::remove_dir_all(sandbox.path("tmp/adequacy-of-others")).expect("ours");
    fs::remove_dir_all(sandbox.path("tmp/other")).expect("ours");
    fs::remove_file(sandbox.path("state/at")).expect("it is there");
    live.wait().nothing_left().exits(0);
}
