//! Bad input for workers, and runs that are broken off while workers live: the mutants go down the ladder,
//! the reason is known, nothing is counted twice or lost, and no process is left.

use std::fs;
use std::thread::sleep;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::executors::{TASK, both_ways, executors, lines, seal, served};
use crate::harness::{Call, Sandbox};

/// Why an executor handed mutants down, with how many there were of each.
fn declined(sandbox: &Sandbox, executor: &str) -> Vec<(String, usize)> {
    let mut counts = std::collections::BTreeMap::new();
    for line in lines(sandbox) {
        let runs = line["runs"].as_array().expect("a list").iter();
        for one in runs.flat_map(|run| run["declined"].as_array().into_iter().flatten()) {
            if one["executor"] == executor {
                *counts.entry(one["why"].as_str().expect("words").to_owned()).or_insert(0) += 1;
            }
        }
    }
    counts.into_iter().collect()
}

fn steps_aside(sandbox: &Sandbox, executor: &str) -> Value {
    let offered = executors(sandbox)["offered"].clone();
    let mut offered = offered.as_array().expect("a list").iter();
    let one = offered.find(|one| one["executor"] == executor);
    one.map_or(json!("not offered"), |one| one["steps_aside"].clone())
}

#[test]
fn an_old_pytest_is_left_to_the_exact_path() {
    let sandbox = served("VERSION = '5.4.3'\nSERVES = False\n", TASK);
    let ran = both_ways(&sandbox);
    ran.same(steps_aside(&sandbox, "sharpened"), json!("pytest 5 is older than 6"));
    ran.same(steps_aside(&sandbox, "hot"), json!("not offered"));
    ran.says("Verdicts by executor: 60 exact;");
}

#[test]
fn no_pytest_at_all_is_a_command_that_does_not_pass() {
    let sandbox = served("", &TASK.replace("['./pytest']", "['python3', '-S', '-m', 'pytest']"));
    fs::remove_file(sandbox.path("tree/pytest")).expect("it is there");
    let ran = seal(&sandbox, &[]).run();
    ran.exits(3).tells("No module named pytest");
}

#[test]
fn what_breaks_one_kind_of_worker_leaves_the_other() {
    let quirks = "def before_worker():\n    if '\"warm\"' in os.environ['ADEQUACY_SERVE']: raise OSError('broken')\n";
    let sandbox = served(quirks, TASK);
    let ran = both_ways(&sandbox);
    ran.says("Verdicts by executor: 50 hot, 10 sharpened; survivors by basis: 2 ran, 10 reach\n");
    ran.same(steps_aside(&sandbox, "hot"), Value::Null);
    let why = json!("it ended before a worker was ready: exit 1");
    ran.same(steps_aside(&sandbox, "warm"), why);
}

#[test]
fn tests_that_cannot_be_collected_and_a_conftest_that_exits_are_judged_as_on_the_exact_path() {
    let sandbox = served("", TASK);
    let checks = sandbox.read("tree/checks.py").replace(
        "import product\n",
        "import product, sys\nif product.F8: raise ImportError\nif product.F9: sys.exit(4)\n",
    );
    sandbox.write("tree/checks.py", checks);
    let ran = both_ways(&sandbox);
    ran.same(
        declined(&sandbox, "warm"),
        vec![
            ("exit 1 before the runner came to its end".to_owned(), 1),
            ("exit 4 before the runner came to its end".to_owned(), 1),
        ],
    );
    ran.says("Verdicts by executor: 50 hot, 8 warm, 1 sharpened, 1 exact;");
}

#[test]
fn a_worker_that_never_comes_back_is_asked_no_more() {
    // The first worker of each kind serves; a test ends the hot one, and no other starts.
    let quirks = "\
def before_worker():
    if '\"hot\"' in os.environ['ADEQUACY_SERVE']:
        started = os.path.join(os.environ['STATE'], 'started')
        if os.path.exists(started):
            with open(started, 'a') as file: file.write('again\\n')
            os._exit(3)
        open(started, 'w').close()

def in_child():
    import product, signal
    if product.f05():
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(60)
";
    let sandbox = served(quirks, TASK);
    seal(&sandbox, &["--exact", "-o", "exact.out"]).run().exits(0);
    let words = ["seal", "tree", "--baselines", "1", "-j", "1", "--env", "STATE"];
    let call = sandbox.call(words.iter().chain(&["--allow-write", "state"]));
    let ran = call.env("STATE", sandbox.path("state")).run();
    ran.exits(0);
    // What it killed cannot be vouched for any more; of what the warm worker accepted then, each row says why.
    ran.tells("the unmutated tree did not pass beside the mutants; 40 mutants");
    let why = "it ended before a worker was ready: exit 3".to_owned();
    ran.same(declined(&sandbox, "hot"), vec![(why, 10)]);
    ran.same(sandbox.read("state/started").lines().count(), 3);
    let contract = |run: &str| sandbox.bytes(&format!("{run}/sealed/contract.json"));
    ran.same(contract("adequacy.out"), contract("exact.out"));
}

/// Waits while the file `at` in STATE says so.
const WAITS: &str = "\
import os, subprocess, sys, time

def wait_at(place):
    at = os.path.join(os.environ['STATE'], 'at')
    if os.path.exists(at) and open(at).read() == place:
        subprocess.Popen(['sleep', '600'], start_new_session=True)
        open(os.path.join(os.environ['STATE'], 'waits'), 'w').close()
        while os.path.exists(at): time.sleep(0.01)
";

/// The functions of `checks.py` for unittest, after a test that may wait.
const UNITS: &str = "\
import sys, unittest
import checks, product, waits

SERVES = 'adequacy_worker.serve' in sys.modules
if SERVES: waits.wait_at('start')


class Waits(unittest.TestCase):
    def test_waits(self):
        if SERVES and product.f05(): waits.wait_at('child')


def load_tests(loader, tests, pattern):
    names = [name for name in sorted(dir(checks)) if name.startswith('test_')]
    tests.addTests(unittest.FunctionTestCase(getattr(checks, name)) for name in names)
    return tests
";

/// A tree whose hot worker waits before it is ready, at `start`, and in a child at the mutant of f05, at
/// `child`; nobody else waits.
fn waiting(runner: &str) -> Sandbox {
    let quirks = "import waits\n\ndef before_worker(): waits.wait_at('start')\n\n\
                  def in_child():\n    import product\n    if product.f05(): waits.wait_at('child')\n";
    let units = "['python3', '-m', 'unittest', 'units']";
    let task =
        if runner == "unittest" { TASK.replace("['./pytest']", units) } else { TASK.to_owned() };
    let sandbox = served(quirks, &task);
    sandbox.write("tree/waits.py", WAITS).write("tree/units.py", UNITS);
    sandbox
}

/// `seal` with one worker: the order of things is the same each time.
fn alone<'a>(sandbox: &'a Sandbox, words: &[&str]) -> Call<'a> {
    let first = ["seal", "tree", "--baselines", "1", "-j", "1", "--env", "STATE"];
    let words = first.iter().chain(&["--allow-write", "state"]).chain(words);
    sandbox.call(words).env("STATE", sandbox.path("state"))
}

/// What was planned, sealed and decided, by whom.
fn end(sandbox: &Sandbox) -> (Vec<Vec<u8>>, Vec<String>) {
    let names = ["mutants.jsonl", "sealed/contract.json", "sealed/contract.statement.json"];
    let bytes = names.map(|name| sandbox.bytes(&format!("adequacy.out/{name}"))).to_vec();
    let decided = lines(sandbox).into_iter().map(|line| {
        let kept = ["id", "outcome", "reason", "command", "executor", "basis"];
        json!(kept.map(|name| line[name].clone())).to_string()
    });
    let mut decided = decided.collect::<Vec<_>>();
    decided.sort();
    (bytes, decided)
}

#[test]
fn runs_that_are_broken_off_while_workers_live_leave_nothing_and_are_gone_on_with() {
    for runner in ["pytest", "unittest"] {
        let whole = {
            let sandbox = waiting(runner);
            let ran = alone(&sandbox, &[]).run();
            ran.exits(0).says("Verdicts by executor: 50 hot, 10 warm;");
            end(&sandbox)
        };
        for (place, signal) in [
            ("start", Signal::KILL),
            ("child", Signal::KILL),
            ("start", Signal::INT),
            ("child", Signal::INT),
        ] {
            let sandbox = waiting(runner);
            sandbox.write("state/at", place);
            let mut started = alone(&sandbox, &[]).start();
            started.until(place, || sandbox.path("state/waits").exists());
            started.signal(signal);
            let ran = started.wait();
            if signal == Signal::INT {
                ran.nothing_left().exits(130).tells("interrupted");
            } else {
                ran.dies_of(9);
                for _ in 0..3000 {
                    if sandbox.processes().is_empty() {
                        break;
                    }
                    sleep(Duration::from_millis(10));
                }
                ran.same(sandbox.processes(), Vec::new());
            }
            assert!(!sandbox.path("adequacy.out/sealed").exists(), "nothing is sealed");
            fs::remove_file(sandbox.path("state/at")).expect("it is there");
            // `run` checks that the scratch directory of the killed run is gone too.
            let ran = alone(&sandbox, &["--resume"]).run();
            ran.exits(0).same(end(&sandbox), whole.clone());
        }
    }
}

#[test]
fn a_worker_that_hangs_is_ended_and_another_serves_on() {
    let quirks = "\
def in_child():
    import product, signal
    if product.f05():
        os.kill(os.getppid(), signal.SIGSTOP)
        time.sleep(600)
";
    let sandbox = served(quirks, TASK);
    let ran = both_ways(&sandbox);
    ran.says(
        "Verdicts by executor: 49 hot, 10 warm, 1 sharpened; survivors by basis: 2 ran, 10 reach\n",
    );
    let said = declined(&sandbox, "hot");
    let hung = said.iter().find(|(why, _)| why == "the worker did not answer in time");
    ran.same(hung.map(|(_, count)| *count), Some(1));
}

/// A first test that opens a connection on the loopback and closes it, at this port.
fn connects(port: u16) -> Sandbox {
    let sandbox = served("", TASK);
    let first = format!(
        "import product\nimport socket\n\ndef test_00_connects():\n    \
         with socket.create_server(('127.0.0.1', {port})) as server:\n        \
         with socket.create_connection(server.getsockname()):\n            \
         server.accept()[0].close()\n"
    );
    let checks = sandbox.read("tree/checks.py").replace("import product\n", &first);
    sandbox.write("tree/checks.py", checks);
    sandbox
}

#[test]
fn closed_connections_between_ports_that_the_kernel_chose_stay_with_a_worker() {
    let sandbox = connects(0);
    let ran = both_ways(&sandbox);
    ran.says("Verdicts by executor: 50 hot, 10 warm;");
    ran.same(
        [steps_aside(&sandbox, "hot"), steps_aside(&sandbox, "warm")],
        [Value::Null, Value::Null],
    );
}

#[test]
fn a_port_that_is_bound_by_its_number_is_for_processes_with_a_network_of_their_own() {
    // One that the kernel could have chosen.
    let sandbox = connects(40_000);
    let ran = both_ways(&sandbox);
    ran.says("Verdicts by executor: 60 sharpened;");
    for executor in ["hot", "warm"] {
        let why = "the unmutated tree does not pass there: it binds a port by its number, and \
                   connections that were closed before are remembered";
        ran.same(steps_aside(&sandbox, executor), json!(why));
    }
}

#[test]
fn what_the_compiler_warns_of_is_loaded_as_on_the_exact_path() {
    // As pytest's `filterwarnings = error` does.
    let quirks = "import warnings\nwarnings.simplefilter('error', SyntaxWarning)\n";
    let task = TASK.replace("['boolean-flip']", "['boolean-flip', 'call-none']");
    let sandbox = served(quirks, &task);
    let product = sandbox.read("tree/product.py") + "\ndef unused(): return hash(1)[0]\n";
    sandbox.write("tree/product.py", product);
    let ran = both_ways(&sandbox);
    let warns = ("compiling it warns of something else".to_owned(), 1);
    let declined = declined(&sandbox, "hot");
    assert!(declined.contains(&warns), "{declined:?}");
    // `None[0]` cannot be loaded there; nothing else of that function is tested.
    let (outcome, reason) = (json!("killed"), json!("exit"));
    let plan = sandbox.lines("adequacy.out/mutants.jsonl");
    let none = plan.iter().find(|row| row["operator"] == "call-none").expect("it is planned");
    let lines = lines(&sandbox);
    let line = lines.iter().find(|line| line["id"] == none["id"]).expect("it is decided");
    ran.same([&line["outcome"], &line["reason"]], [&outcome, &reason]);
}
