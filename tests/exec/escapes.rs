//! Commands whose processes try to outlive them. Afterwards nothing lives.

use std::ffi::OsStr;
use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use adequacy::run::exit::Exit;
use adequacy::run::spawn::Finished;

use rustix::process::{Pid, Signal, kill_process};

use crate::bench::{Bench, at_every_level, levels, wait_until};

/// A Python prelude: `daemon(body)` runs `body` in a process of a new session whose parent is
/// gone; it writes its pid to `escaped` first, so that a test knows that it ran.
const PRELUDE: &str = "
import os, signal, sys, time
open('namespace', 'w').write(os.readlink('/proc/self/ns/pid'))
def told():
    with open('escaped.new', 'w') as file: file.write(f'{os.getpid()}\\n')
    os.rename('escaped.new', 'escaped')
def daemon(body):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            told()
            body()
            os._exit(0)
        os._exit(0)
    os.wait()
    while not os.path.exists('escaped'): time.sleep(0.001)
def forever():
    while True: time.sleep(60)
";

/// Runs a Python body that must be stopped by the time limit, with one that is long enough for its
/// escapee to come up on this machine at this moment. `LIMIT` in the body is the limit in seconds.
fn python_too_long(bench: &mut Bench, body: &str) -> Finished {
    for limit in [1, 5, 25, 125] {
        bench.limit = Duration::from_secs(limit);
        let done = bench.run(&["python3", "-c", &format!("{PRELUDE}LIMIT = {limit}\n{body}")]);
        if bench.work().join("escaped").exists() {
            return nothing_left(bench, done);
        }
    }
    panic!("python3 does not come up")
}

/// Runs a Python body after [`PRELUDE`] and checks that its escapee ran and is gone.
fn python(bench: &Bench, body: &str) -> Finished {
    let done = bench.run(&["python3", "-c", &format!("{PRELUDE}{body}")]);
    nothing_left(bench, done)
}

fn nothing_left(bench: &Bench, done: Finished) -> Finished {
    let escaped = fs::read_to_string(bench.work().join("escaped")).expect("the escapee ran");
    // In a PID namespace they are numbers of another kind.
    if !bench.spawner.sandbox().namespaces {
        let pids: Vec<_> = escaped.lines().map(str::to_owned).collect();
        assert_eq!(bench.alive(&pids), [""; 0], "{}", bench.log());
    }
    bench.nothing_left();
    done
}

#[test]
fn a_command_that_ends_leaves_nothing_behind() {
    for body in [
        "if os.fork() == 0: told(); forever()\nwhile not os.path.exists('escaped'): pass",
        "if os.fork() == 0: os.setsid(); told(); forever()\nwhile not os.path.exists('escaped'): pass",
        "daemon(forever)",
        "daemon(lambda: [[signal.signal(s, signal.SIG_IGN) for s in (1, 2, 3, 15)], forever()])",
        "daemon(lambda: os.kill(os.getpid(), signal.SIGSTOP))",
        // Nothing of ours is left in its environment.
        "daemon(lambda: os.execve('/bin/sh', ['sh', '-c', 'sleep 600; :'], {}))",
    ] {
        at_every_level(|bench| {
            let done = python(&bench, &format!("{body}\nsys.exit(4)"));
            assert_eq!(done.exit, Exit::Code(4), "{body}\n{}", bench.log());
            assert!(done.certificate.is_some(), "{body}");
        });
    }
}

#[test]
fn the_leaders_status_decides_though_a_daemon_holds_the_pipe() {
    let body = "daemon(lambda: [signal.signal(15, signal.SIG_IGN), \
                print('x' * 100000, flush=True), forever()])\nprint('done')";
    at_every_level(|mut bench| {
        bench.limit = Duration::from_secs(3600);
        assert_eq!(python(&bench, body).exit, Exit::Code(0));
        assert!(bench.log().contains("done\n"));
    });
}

#[test]
fn a_process_that_forks_and_leaves_its_session_again_and_again_is_caught() {
    let hop = "def hop():\n  while True:\n    if os.fork(): os._exit(0)\n    os.setsid()\n\
               daemon(hop)";
    at_every_level(|bench| {
        for _ in 0..5 {
            let done = python(&bench, hop);
            assert_eq!(done.exit, Exit::Code(0));
            assert!(done.certificate.is_some());
            fs::remove_file(bench.work().join("escaped")).expect("the escapee ran");
        }
    });
}

#[test]
fn a_bounded_fork_bomb_is_caught() {
    let bomb = "def grow(depth):\n  for _ in range(depth):\n    if os.fork() == 0: grow(depth - 1)\n  \
                forever()\ndaemon(lambda: grow(7))\ntime.sleep(0.3)";
    at_every_level(|bench| {
        let done = python(&bench, bomb);
        assert_eq!(done.exit, Exit::Code(0));
        assert!(done.certificate.is_some());
    });
}

#[test]
fn an_orphan_that_ends_is_gone_while_the_command_still_runs() {
    let bench = Bench::new();
    let body = "daemon(lambda: None)\npid = open('escaped').read().strip()\n\
                while os.path.exists('/proc/' + pid): time.sleep(0.001)";
    assert_eq!(python(&bench, body).exit, Exit::Code(0));
}

#[test]
fn a_time_out_ends_the_whole_tree() {
    for body in [
        "daemon(forever)\nforever()",
        "signal.signal(15, signal.SIG_IGN)\ndaemon(forever)\nforever()",
        "daemon(forever)\nos.kill(os.getpid(), signal.SIGSTOP)",
        // Ending well when asked, after the limit, is still a time-out.
        "signal.signal(15, lambda *_: sys.exit(0))\ntold()\nforever()",
    ] {
        at_every_level(|mut bench| {
            let done = python_too_long(&mut bench, body);
            assert_eq!(done.exit, Exit::TimedOut, "{body}\n{}", bench.log());
            assert!(done.certificate.is_some(), "{body}");
        });
    }
}

#[test]
fn processes_are_asked_before_they_are_killed() {
    let mut bench = Bench::new();
    let body = "def asked(*_):\n  print('asked', flush=True)\n  open('asked', 'w').write('\\n')\n  \
                sys.exit(0)\nsignal.signal(15, asked)\ntold()\nforever()";
    assert_eq!(python_too_long(&mut bench, body).exit, Exit::TimedOut);
    bench.wait_for("asked");
    assert_eq!(bench.log(), "asked\n", "what is written in the grace reaches the log");
}

#[test]
fn a_status_that_is_there_at_the_deadline_wins() {
    let body = "daemon(forever)\nwhile not os.path.exists('go'): time.sleep(0.01)\nos._exit(5)";
    at_every_level(|mut bench| {
        for limit in [5, 25, 125] {
            bench.limit = Duration::from_secs(limit);
            if slept_over(&bench, body) == Some(Exit::Code(5)) {
                return;
            }
            // It came up too late, or the deadline won: then it wins with every limit.
            for name in ["escaped", "go"] {
                let _ = fs::remove_file(bench.work().join(name));
            }
        }
        panic!("the deadline wins")
    });
}

/// How a command ends whose helpers sleep over its end and the deadline, then see both at once; `None`
/// when it did not come up in time.
fn slept_over(bench: &Bench, body: &str) -> Option<Exit> {
    let signal = |helpers: &[String], signal| {
        for pid in helpers.iter().filter_map(|pid| Pid::from_raw(pid.parse().ok()?)) {
            // One that has just ended makes a result that is tried again.
            let _ = kill_process(pid, signal);
        }
    };
    std::thread::scope(|scope| {
        let running = scope.spawn(|| bench.run(&["python3", "-c", &format!("{PRELUDE}{body}")]));
        let escaped = || bench.work().join("escaped").exists();
        wait_until("escaped", || (escaped() || running.is_finished()).then_some(()));
        let helpers = bench.helpers();
        if helpers.is_empty() {
            return None;
        }
        signal(&helpers, Signal::STOP);
        fs::write(bench.work().join("go"), "").expect("a file");
        std::thread::sleep(bench.limit + Duration::from_millis(500));
        signal(&helpers, Signal::CONT);
        let done = nothing_left(bench, running.join().expect("the run"));
        assert!(done.certificate.is_some());
        Some(done.exit)
    })
}

#[test]
fn a_command_that_kills_its_helper_is_lost_and_its_daemons_end() {
    for (env, signal) in [("os.environ", 9), ("{}", 9), ("{}", 15)] {
        let bench = Bench::new();
        let body = format!(
            "daemon(lambda: os.execve('/bin/sh', ['sh', '-c', 'trap \"\" 15; sleep 600; :'], {env}))\n\
             os.kill(os.getppid(), {signal})\nforever()"
        );
        let done = python(&bench, &body);
        assert!(matches!(done.exit, Exit::Lost(ref why) if why.contains("died")), "{}", done.exit);
        assert!(done.certificate.is_none(), "nobody can vouch for it");
        assert_eq!(bench.run(&["true"]).exit, Exit::Code(0), "the next command runs");
    }
}

#[test]
fn runs_beside_a_killed_helper_are_left_alone() {
    let bench = Bench::new();
    std::thread::scope(|scope| {
        let other = scope.spawn(|| {
            bench.run_logged(
                &["sh", "-c", "echo > up; while test ! -e go; do sleep 0.01; done; exit 6"],
                "other",
            )
        });
        bench.wait_for("up");
        let done = bench.run(&["sh", "-c", "kill -9 $PPID"]);
        assert!(matches!(done.exit, Exit::Lost(_)));
        fs::write(bench.work().join("go"), "").expect("a file");
        let other = other.join().expect("the other thread");
        assert_eq!(other.exit, Exit::Code(6));
        assert!(other.certificate.is_some());
    });
}

#[test]
fn an_interrupt_ends_what_runs_and_what_would_run() {
    let bench = Bench::new();
    std::thread::scope(|scope| {
        let running = scope.spawn(|| python(&bench, "daemon(forever)\nforever()"));
        bench.wait_for("escaped");
        assert!(bench.spawner.survivors().len() >= 2, "the search finds what lives");
        bench.spawner.interrupt();
        let done = running.join().expect("the running command");
        assert_eq!(done.exit, Exit::Interrupted);
        assert!(done.certificate.is_some());
    });
    let later = bench.run(&["sh", "-c", "echo > later"]);
    assert_eq!(later.exit, Exit::Interrupted);
    assert!(!bench.work().join("later").exists());
}

#[test]
fn many_workers_at_once_get_their_own_answers() {
    let bench = Bench::new();
    std::thread::scope(|scope| {
        for worker in 0..6 {
            let bench = &bench;
            scope.spawn(move || {
                for round in 0..5 {
                    let code = worker * 10 + round;
                    let log = format!("log{worker}");
                    let line = format!("echo {code}; sleep 600 & exit {code}");
                    let done = bench.run_logged(&["sh", "-c", &line], &log);
                    assert_eq!(done.exit, Exit::Code(code));
                    assert!(done.certificate.is_some());
                    let log = fs::read_to_string(bench.folder.path().join(log)).expect("its log");
                    assert_eq!(log, format!("{code}\n"));
                }
            });
        }
    });
    assert_eq!(bench.alive(&[]), [""; 0]);
    assert_eq!(bench.spawner.survivors(), [0; 0]);
}

/// The engine of the next test, which starts itself once more in a process that can be killed.
fn engine(folder: &OsStr) {
    let level = std::env::var("ADEQUACY_TEST_LEVEL").expect("a level");
    let mut bench = Bench::held(&levels()[level.parse::<usize>().expect("a number")]);
    bench.set[0].1 = std::env::var("ADEQUACY_TEST_MARK_VALUE").expect("a mark");
    std::os::unix::fs::symlink(bench.work(), folder).expect("a link to the workspace");
    let body = "daemon(lambda: [signal.signal(15, signal.SIG_IGN), forever()])\nforever()";
    python(&bench, body);
}

/// Starts an engine whose command and its daemon run, and gives all their processes.
fn started_engine(bench: &Bench, level: usize) -> (Child, Vec<String>) {
    let link = bench.folder.path().join("link");
    let engine = Command::new(std::env::current_exe().expect("our own binary"))
        .args(["--exact", "escapes::nothing_outlives_a_killed_engine"])
        .env("ADEQUACY_TEST_FOLDER", &link)
        .env("ADEQUACY_TEST_LEVEL", level.to_string())
        .env("ADEQUACY_TEST_MARK_VALUE", &bench.set[0].1)
        .env("TMPDIR", bench.folder.path())
        .stdout(Stdio::null())
        .spawn()
        .expect("the engine starts");
    wait_until("escaped", || fs::exists(link.join("escaped")).unwrap_or(false).then_some(()));
    let lives = bench.alive(&[]);
    assert!(lives.len() >= 3, "the helper, the command and its daemon live: {lives:?}");
    (engine, lives)
}

#[test]
fn nothing_outlives_a_killed_engine() {
    if let Some(folder) = std::env::var_os("ADEQUACY_TEST_FOLDER") {
        return engine(&folder);
    }
    for level in 0..levels().len() {
        let bench = Bench::new();
        let (mut engine, _) = started_engine(&bench, level);
        engine.kill().expect("SIGKILL");
        engine.wait().expect("the engine is gone");
        wait_until("the end of all processes", || bench.alive(&[]).is_empty().then_some(()));
    }
}

#[test]
fn nothing_outlives_a_helper_that_is_killed_from_outside() {
    for level in 0..levels().len() {
        let bench = Bench::new();
        let (mut engine, lives) = started_engine(&bench, level);
        let helper = lives.iter().filter(|words| words.contains("__exec"));
        let helper = helper.map(|words| words.split(' ').next().expect("a pid"));
        // The parent of the other one, where there are two.
        let helper = helper.map(|pid| pid.parse::<i32>().expect("a pid")).min();
        let helper = helper.and_then(Pid::from_raw).expect("a helper");
        kill_process(helper, Signal::KILL).expect("it lives");
        // The engine's test fails at that, and it ends.
        engine.wait().expect("the engine ends");
        assert_eq!(bench.alive(&[]), [""; 0]);
    }
}

#[test]
fn a_command_cannot_answer_in_the_helpers_place() {
    // Root can open the helper's pipes below /proc; for others this is a failing open.
    let body = "import os, sys\nline = b'{\"token\":\"\",\"exit\":{\"code\":0},\"wall\":{\"secs\":0,\"nanos\":1},'\\\n\
                b'\"cpu\":{\"secs\":0,\"nanos\":1},\"peak_rss\":0,\"output_bytes\":0,\"ended\":true}\\n'\n\
                try:\n    os.write(os.open(f'/proc/{os.getppid()}/fd/1', os.O_WRONLY), line)\n\
                except OSError: pass\nsys.exit(1)";
    let bench = Bench::new();
    let done = bench.run(&["python3", "-c", body]);
    assert!(matches!(done.exit, Exit::Code(1) | Exit::Lost(_)), "{:?}", done.exit);
    assert!(done.certificate.is_none() || done.exit == Exit::Code(1));
    assert_eq!(bench.spawner.survivors(), [0; 0]);
}
