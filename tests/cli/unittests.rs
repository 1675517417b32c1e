//! `python -m unittest` by faster executors, with the standard library alone: the exact path's verdicts,
//! whatever form the command has and whatever a suite does, and by name what is left to the exact path.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::executors::{began, both_ways, executors, lines, seal};
use crate::harness::{Ran, Sandbox};

/// Fifty functions and ten flags, each a mutant.
fn product() -> String {
    let functions = (0..50).map(|at| format!("def f{at:02}(): return False\n\n"));
    functions.chain((0..10).map(|at| format!("F{at} = False\n"))).collect()
}

/// The functions and flags by the mutants of their lines.
fn names(sandbox: &Sandbox) -> BTreeMap<String, String> {
    let mutants = sandbox.lines("adequacy.out/mutants.jsonl").into_iter();
    let named = mutants.filter_map(|row| {
        let line = row["line"].as_u64()?;
        let name =
            if line <= 100 { format!("f{:02}", line / 2) } else { format!("F{}", line - 101) };
        Some((row["id"].as_str()?.to_owned(), name))
    });
    named.collect()
}

/// Who judged each mutant, by the name of what it changes.
fn judges(sandbox: &Sandbox) -> BTreeMap<String, Value> {
    let names = names(sandbox);
    let judged = lines(sandbox).into_iter().map(|line| {
        let id = line["id"].as_str().expect("an id");
        (names[id].clone(), json!([line["outcome"], line["executor"]]))
    });
    judged.collect()
}

fn task(commands: &[(&str, &[&str])], protected: &str) -> String {
    let command = |(id, words): &(&str, &[&str])| {
        format!("[[acceptance]]\nid = '{id}'\nargv = {}\n", json!(words))
    };
    let commands = commands.iter().map(command).collect::<String>();
    format!(
        "contract_id = 'contract-unittest'\n{commands}\
         [[protected]]\npath = '{protected}'\nkind = 'file'\n\
         [mutate]\ninclude = ['product.py']\noperators = ['boolean-flip']\n"
    )
}

/// What each command was offered of an executor, by its id.
fn offered(sandbox: &Sandbox, executor: &str) -> BTreeMap<String, Value> {
    let offered = executors(sandbox)["offered"].clone();
    let offered = offered.as_array().expect("a list").iter();
    let of = offered.filter(|one| one["executor"] == executor);
    of.map(|one| (one["command"].as_str().expect("an id").to_owned(), one["steps_aside"].clone()))
        .collect()
}

fn nobody_steps_aside(ran: &Ran<'_>, sandbox: &Sandbox, executor: &str, but: &[&str]) {
    for (command, why) in offered(sandbox, executor) {
        if !but.contains(&command.as_str()) {
            ran.same(why, Value::Null);
        }
    }
}

#[test]
fn every_form_of_a_command_and_whatever_a_suite_does_is_judged_as_on_the_exact_path() {
    let sandbox = Sandbox::with("unittest-forms");
    sandbox.write("tree/product.py", product()).write("state/x", "");
    let commands: [(&str, &[&str]); 6] = [
        ("filler", &["sh", "filler.sh"]),
        ("alone", &["python3", "-m", "unittest"]),
        ("start", &["python3", "-m", "unittest", "discover", "-s", "parts", "-p", "check_*.py"]),
        ("package", &["python3", "-B", "-m", "unittest", "discover", "pkg", "-t", ".", "-v", "-b"]),
        (
            "named",
            &["python3", "-m", "unittest", "-f", "pkg.named.First.test_one", "pkg.named.Second"],
        ),
        ("path", &["python3", "-m", "unittest", "-q", "-k", "alpha", "pkg/by_path.py"]),
    ];
    sandbox.write("tree/adequacy.toml", task(&commands, "test_top.py"));
    let ran = both_ways(&sandbox);
    for executor in ["sharpened", "hot", "warm"] {
        nobody_steps_aside(&ran, &sandbox, executor, &[]);
        ran.same(offered(&sandbox, executor).len(), 5);
    }
    let judges = judges(&sandbox);
    for (name, judge) in [
        ("f01", json!(["killed", "hot"])),
        ("f02", json!(["killed", "hot"])),
        ("f04", json!(["killed", "hot"])),
        ("f05", json!(["killed", "hot"])),
        ("f06", json!(["killed", "hot"])),
        ("f07", json!(["survived", "hot"])),
        ("f08", json!(["killed", "hot"])),
        ("f09", json!(["killed", "hot"])),
        ("f10", json!(["killed", "hot"])),
        ("f11", json!(["killed", "warm"])),
        ("f12", json!(["killed", "hot"])),
        ("f13", json!(["killed", "hot"])),
        ("f14", json!(["killed", "hot"])),
        ("f15", json!(["killed", "hot"])),
        ("f16", json!(["survived", "hot"])),
        ("f17", json!(["killed", "hot"])),
        ("f18", json!(["killed", "hot"])),
        ("f19", json!(["survived", "hot"])),
        ("f20", json!(["killed", "exact"])),
        ("F2", json!(["killed", "warm"])),
        ("F3", json!(["killed", "warm"])),
        ("F4", json!(["killed", "exact"])),
    ] {
        ran.same((name, &judges[name]), (name, &judge));
    }
    // A module that does not come to its tests: from 3.12 on that is another status for one that stops.
    ran.same(judges["f00"][0].clone(), json!("killed"));
    ran.same(judges["F0"].clone(), json!(["survived", "warm"]));
}

#[test]
fn what_unittest_or_a_fork_would_not_do_justice_to_steps_aside_by_name() {
    let sandbox = Sandbox::new();
    let test = "import os, unittest, product\n\n\
                class Usual(unittest.TestCase):\n    def test_it(self): assert not product.f00()\n\n";
    // What a module has beside that, further words for Python, and why the sharpened executor or a hot
    // worker steps aside.
    let ways = [
        (
            "runs",
            "class Own(unittest.TestCase):\n    def run(self, result=None): return super().run(result)\n    def test_it(self): pass\n",
            "`Own.run` is not unittest's own",
            "",
        ),
        (
            "suites",
            "class Own(unittest.TestSuite):\n    def run(self, *more): return super().run(*more)\n\n\
             def load_tests(loader, tests, pattern): return Own([tests])\n",
            "`Own.run` is not unittest's own",
            "",
        ),
        (
            "results",
            "class Own(unittest.TextTestResult): pass\n\nunittest.TextTestRunner.resultclass = Own\n",
            "`TextTestRunner.resultclass` is not unittest's own",
            "",
        ),
        (
            "patches",
            "def stop(self): pass\n\nunittest.TextTestResult.stop = stop\n",
            "`TextTestResult.stop` is not unittest's own",
            "",
        ),
        (
            "status",
            "import atexit\natexit.register(os._exit, 0)\n",
            "with every test failing it does not end with exit 1 but: exit 0",
            "",
        ),
        ("deaf", "", "the command does not let us in by its environment", ""),
        (
            "threads",
            "import threading, time\nthreading.Thread(target=time.sleep, args=(2,), daemon=True).start()\n",
            "",
            "it has threads",
        ),
        (
            "starts",
            "import subprocess\nsubprocess.run(['true'])\n",
            "",
            "it starts another program before the tests",
        ),
        (
            "shadows",
            "import socket\nassert socket.OURS\n",
            "",
            "`socket` is not the standard library's",
        ),
        ("leaves", "open('left', 'w').close()\n", "", "it leaves `"),
        (
            "pid",
            "PID = os.getpid()\n\nclass Own(unittest.TestCase):\n    def test_it(self): assert PID == os.getpid()\n",
            "",
            "the unmutated tree does not pass there: exit 1",
        ),
    ];
    let start = |way: &str| ["-m", "unittest", "discover", "-s", way].map(str::to_owned);
    let words = ways.map(|(way, more, ..)| {
        sandbox.write(format!("tree/{way}/test_{way}.py"), format!("{test}{more}"));
        let python = ["python3".to_owned()].into_iter();
        let deaf = (way == "deaf").then(|| "-E".to_owned());
        python.chain(deaf).chain(start(way)).collect::<Vec<_>>()
    });
    let words = words.iter().map(|words| words.iter().map(String::as_str).collect::<Vec<_>>());
    let words = words.collect::<Vec<_>>();
    let mut commands = vec![("filler", &["sh", "filler.sh"][..])];
    commands.extend(ways.iter().zip(&words).map(|((way, ..), words)| (*way, &words[..])));
    sandbox
        .write("tree/shadows/socket.py", "OURS = True\n")
        .write("tree/filler.sh", "! grep -q True product.py\n")
        .write("tree/product.py", product())
        .write("tree/adequacy.toml", task(&commands, "filler.sh"))
        .write("state/x", "");
    let ran = seal(&sandbox, &[]).run();
    ran.exits(0);
    let (sharpened, hot) = (offered(&sandbox, "sharpened"), offered(&sandbox, "hot"));
    for (way, _, why, why_not_hot) in ways {
        if why.is_empty() {
            ran.same((way, &sharpened[way]), (way, &Value::Null));
            ran.tells(&format!("note: `{way}` has no hot worker: {why_not_hot}"));
            let said = hot[way].as_str().is_some_and(|said| said.starts_with(why_not_hot));
            ran.same((way, said), (way, true));
        } else {
            ran.same((way, &sharpened[way]), (way, &json!(why)));
            ran.same((way, hot.contains_key(way)), (way, false));
        }
    }
    nobody_steps_aside(&ran, &sandbox, "warm", &["shadows"]);
    let why = "the unmutated tree does not pass there: `socket` is not the standard library's";
    ran.same(offered(&sandbox, "warm")["shadows"].clone(), json!(why));
}

/// What a test does when the function of its number is a mutant.
const DEEDS: &str = "\
import atexit, io, os, signal, sys, threading, time, unittest
import product


class Deeds(unittest.TestCase):
    def test_00_kills_its_parent(self):
        if product.f00():
            os.kill(os.getppid(), signal.SIGKILL)
            time.sleep(5)

    def test_01_hangs(self):
        if product.f01(): time.sleep(600)

    def test_02_leaves(self):
        if product.f02(): os._exit(0)

    def test_03_leaves(self):
        if product.f03(): os._exit(1)

    def test_04_exits(self):
        if product.f04(): sys.exit(0)

    def test_05_interrupts(self):
        if product.f05(): raise KeyboardInterrupt

    def test_06_leaves_a_daemon(self):
        if product.f06() and not os.fork():
            os.setsid()
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            time.sleep(60)

    def test_07_writes(self):
        if product.f07():
            with open('test_deeds.py', 'w') as file: file.write('nothing')
            os.remove('product.py')

    def test_08_ends_in_a_thread(self):
        if product.f08(): threading.Thread(target=lambda: (time.sleep(0.2), os._exit(7))).start()

    def test_09_ends_at_exit(self):
        if product.f09(): atexit.register(os._exit, 9)

    def test_10_closes_what_it_writes_to(self):
        if product.f10(): os.close(2)

    def test_11_lies(self):
        if product.f11():
            unittest.TextTestResult.wasSuccessful = lambda self: True
            self.fail()

    def test_12_runs_a_suite(self):
        inner = unittest.FunctionTestCase(lambda: self.assertFalse(product.f12()))
        runner = unittest.TextTestRunner()
        self.assertTrue(runner.run(inner).wasSuccessful())

    def test_13_finds_no_trace_of_us(self):
        traces = {'ADEQUACY_SERVE', 'ADEQUACY_PROBE', 'PYTHONPATH'} & os.environ.keys()
        traces |= {path for path in sys.path if path.endswith(('start', 'python'))}
        traces |= {type(finder).__name__ for finder in sys.meta_path} & {'Gate'}
        self.assertEqual(traces, set())
        self.assertFalse(product.f13())

    def test_14_loads_late(self):
        import late
        self.assertEqual(late.VALUE, product.f14)
        self.assertFalse(late.VALUE())


class Ends(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if product.f15(): os.abort()

    def test_it(self):
        pass
";

#[test]
fn whatever_ends_a_child_in_another_way_goes_down_the_ladder() {
    let sandbox = Sandbox::new();
    let more = "import sys, unittest, product\n\ndef setUpModule():\n    if product.f16(): sys.exit(0)\n\n\
                class More(unittest.TestCase):\n    def test_it(self): self.assertFalse(product.f17())\n";
    let filler = "! grep -Eq '(f1[89]|f[2-4].)\\(\\): return True|^F[0-7] = True' product.py\n";
    let commands: [(&str, &[&str]); 2] =
        [("filler", &["sh", "filler.sh"]), ("unit", &["python3", "-m", "unittest"])];
    sandbox
        .write("tree/test_deeds.py", DEEDS)
        .write("tree/test_more.py", more)
        .write("tree/late.py", "from product import f14 as VALUE\n")
        .write("tree/filler.sh", filler)
        .write("tree/product.py", product())
        .write("tree/adequacy.toml", task(&commands, "test_deeds.py"))
        .write("state/x", "");
    let ran = both_ways(&sandbox);
    let judges = judges(&sandbox);
    for (name, outcome, executor) in [
        ("f02", "survived", "sharpened"),
        ("f04", "killed", "hot"),
        ("f07", "survived", "hot"),
        ("f11", "survived", "sharpened"),
        ("f12", "killed", "hot"),
        ("f13", "killed", "hot"),
        ("f14", "killed", "hot"),
        ("f16", "survived", "sharpened"),
        ("f17", "killed", "hot"),
        ("F9", "survived", "warm"),
    ] {
        ran.same((name, &judges[name]), (name, &json!([outcome, executor])));
    }
    let names = names(&sandbox);
    let mut why = BTreeMap::new();
    for line in lines(&sandbox) {
        for run in line["runs"].as_array().expect("a list") {
            let declined = run["declined"].as_array().cloned().unwrap_or_default();
            let hot = declined.into_iter().find(|one| one["executor"] == "hot");
            if let Some(one) = hot {
                let name = &names[line["id"].as_str().expect("an id")];
                why.insert(name.clone(), one["why"].as_str().expect("words").to_owned());
            }
        }
    }
    for (name, words) in [
        ("f00", "the worker ended"),
        ("f01", "still running at the time limit"),
        ("f02", "exit 0 before the runner came to its end"),
        ("f03", "exit 1 before the runner came to its end"),
        ("f05", "ended by signal 2"),
        ("f08", "exit 7 before the runner came to its end"),
        ("f09", "exit 9 before the runner came to its end"),
        ("f11", "exit 0 with a failing test"),
        ("f15", "ended by signal 6"),
        ("f16", "exit 0 before the runner came to its end"),
        ("F9", "the body of the module changed"),
    ] {
        ran.same((name, why[name].as_str()), (name, words));
    }
}

/// Tests of three classes, of which the middle one takes a while; its last test and the fixture of the last
/// class enter functions of their own.
const CLASSES: &str = "\
import time, unittest
import product

class First(unittest.TestCase):
    def test_00(self): self.assertFalse(product.f00())

class Second(unittest.TestCase):
    @classmethod
    def setUpClass(cls): cls.value = product.f01()
    def test_02(self): self.assertFalse(product.f02())
    def test_03(self):
        end = time.process_time() + 0.1
        while time.process_time() < end: pass
        self.assertFalse(self.value)
    def test_04(self): self.assertFalse(product.f04())

class Third(unittest.IsolatedAsyncioTestCase):
    @classmethod
    def setUpClass(cls):
        if product.f05(): raise ValueError
    async def test_06(self): self.assertFalse(product.f06())
    async def test_07(self):
        inner = unittest.FunctionTestCase(lambda: self.assertFalse(product.f07()))
        self.assertTrue(unittest.TextTestRunner().run(unittest.TestSuite([inner])).wasSuccessful())
";

#[test]
fn a_hot_worker_begins_where_a_mutant_is_first_entered() {
    let sandbox = Sandbox::new();
    let commands: [(&str, &[&str]); 2] =
        [("filler", &["sh", "filler.sh"]), ("unit", &["python3", "-m", "unittest", "test_all"])];
    sandbox
        .write("tree/test_all.py", CLASSES)
        .write("tree/filler.sh", "! grep -Eq '^F[0-7] = True' product.py\n")
        .write("tree/product.py", product())
        .write("tree/adequacy.toml", task(&commands, "test_all.py"))
        .write("state/x", "");
    let ran = both_ways(&sandbox);
    let began = began(&sandbox);
    for (function, from, failed) in [
        ("f00", 0, Some("test_all.First.test_00")),
        ("f01", 0, Some("test_all.Second.test_03")),
        ("f02", 0, Some("test_all.Second.test_02")),
        ("f04", 3, Some("test_all.Second.test_04")),
        ("f05", 3, Some("setUpClass (test_all.Third)")),
        ("f06", 3, Some("test_all.Third.test_06")),
        ("f07", 3, Some("test_all.Third.test_07")),
        // No test enters it.
        ("f45", 6, None),
    ] {
        let tests = &began[function];
        ran.same(
            (function, &tests["from"], tests["failed"].as_str()),
            (function, &json!(from), failed),
        );
    }
    ran.same(judges(&sandbox)["f45"].clone(), json!(["survived", "hot"]));
}

#[test]
fn the_tests_that_enter_a_mutants_function_are_named() {
    let product = (0..4).map(|at| format!("def f{at:02}(): return False\n\n")).collect::<String>();
    let units = "import unittest, product\n\nclass Units(unittest.TestCase):\n    \
                 def test_a(self): self.assertFalse(product.f00())\n    \
                 def test_b(self): product.f00(); product.f01()\n";
    let sandbox = Sandbox::new();
    sandbox
        .write("tree/product.py", product)
        .write("tree/units.py", units)
        .write(
            "tree/adequacy.toml",
            task(&[("unit", &["python3", "-m", "unittest", "units"])], "units.py"),
        )
        .write("state/x", "");
    seal(&sandbox, &[]).run().exits(0);
    let ran = sandbox.call(["report", "--format", "full-json", "-o", "full.json"]).run();
    ran.exits(0);
    let full = sandbox.json("full.json");
    ran.same(&full["tests"]["unit"], &json!(["units.Units.test_a", "units.Units.test_b"]));
    let mutants = full["mutants"].as_array().expect("a list").iter();
    let of_functions = mutants.filter_map(|one| Some((one["function"].as_str()?, one)));
    let entered = of_functions.map(|(name, one)| (name, one["reached_by"]["unit"].clone()));
    let expected =
        [("f00", json!([0, 1])), ("f01", json!([1])), ("f02", json!([])), ("f03", json!([]))];
    ran.same(entered.collect::<BTreeMap<_, _>>(), BTreeMap::from(expected));
}
