//! Faster executors: they give the exact path's verdicts, say which mutants they cannot judge, and are
//! given up when they are caught.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::OnceLock;

use serde_json::{Value, json};

use crate::harness::{Call, Ran, Sandbox};

/// A tree of sixty flags, each a mutant; the tests look at the first forty, two at a time. Its command
/// behaves as pytest does, but for `quirks`.
fn sandbox(quirks: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    let flags = (0..60).map(|flag| format!("F{flag:02} = False\n")).collect::<String>();
    let test = |at: u32| {
        let (one, two) = (2 * at, 2 * at + 1);
        format!(
            "def test_{at:02}():\n    assert not product.F{one:02}\n    assert not product.F{two:02}\n"
        )
    };
    let tests = (0..20).map(test).collect::<String>();
    let usual = "import os\nimport product\nSET = [name for name, value in vars(product).items() if value is True]\n\
                 OPTIONS = {}\nSERVES = False\n\ndef hooks(name): return []\n\ndef before(stops, plugin): return None\n\n";
    let checks = format!("import product\n{tests}");
    project(sandbox, &flags, &checks, &format!("{usual}{quirks}"), TASK)
}

fn project(sandbox: Sandbox, product: &str, checks: &str, quirks: &str, task: &str) -> Sandbox {
    sandbox
        .write("tree/product.py", product)
        .write("tree/checks.py", checks)
        .write("tree/quirks.py", quirks)
        .write("tree/adequacy.toml", task)
        .write("tree/pytest", include_str!("fake_pytest.py"))
        .write("state/x", "");
    let mode = fs::Permissions::from_mode(0o755);
    fs::set_permissions(sandbox.path("tree/pytest"), mode).expect("our file");
    sandbox
}

pub(crate) const TASK: &str = "\
contract_id = 'contract-executors'
[[acceptance]]
id = 'unit'
argv = ['./pytest']
[[protected]]
path = 'checks.py'
kind = 'file'
[[protected]]
path = 'quirks.py'
kind = 'file'
[mutate]
include = ['product.py']
operators = ['boolean-flip']
";

pub(crate) fn seal<'a>(sandbox: &'a Sandbox, words: &[&str]) -> Call<'a> {
    let first = ["--env", "STATE", "--allow-write", "state"];
    let words = first.iter().chain(words).copied().collect::<Vec<_>>();
    sandbox.seal(&words).env("STATE", sandbox.path("state"))
}

pub(crate) fn executors(sandbox: &Sandbox) -> Value {
    sandbox.json("adequacy.out/run.json")["executors"].clone()
}

/// What a run on the exact path alone seals and decides.
fn exactly() -> &'static (Vec<u8>, Vec<String>) {
    static EXACT: OnceLock<(Vec<u8>, Vec<String>)> = OnceLock::new();
    EXACT.get_or_init(|| {
        let sandbox = sandbox("");
        let ran = seal(&sandbox, &["--exact"]).run();
        ran.exits(0).says("Verdicts by executor: 60 exact; survivors by basis: 20 ran\n");
        ran.never_says("Spot check");
        ran.same(
            executors(&sandbox),
            json!({
                "exact_only": true, "offered": [], "verdicts": {"exact": 60},
                "survivors": {"ran": 20}, "spot_check": null
            }),
        );
        (sandbox.bytes("adequacy.out/sealed/contract.json"), sandbox.outcomes())
    })
}

/// Whatever executors did, what is decided is what the exact path decides.
fn same_as_exact(ran: &Ran<'_>, sandbox: &Sandbox) {
    // Quirks are part of the tree, whose digest is sealed.
    let (contract, outcomes) = exactly();
    ran.exits(0).same(sandbox.outcomes(), outcomes.clone());
    if sandbox.read("tree/quirks.py").ends_with("return None\n\n") {
        ran.same(&sandbox.bytes("adequacy.out/sealed/contract.json"), contract);
    }
}

pub(crate) fn lines(sandbox: &Sandbox) -> Vec<Value> {
    sandbox.lines("adequacy.out/outcomes.jsonl").split_off(1)
}

#[test]
fn a_run_that_stops_at_the_first_failing_test_seals_the_same_bytes() {
    let sandbox = sandbox("");
    let ran = seal(&sandbox, &[]).run();
    same_as_exact(&ran, &sandbox);
    ran.says("Verdicts by executor: 60 sharpened; survivors by basis: 20 ran\n");
    ran.says(
        "Spot check: 10 of 60 mutants that faster executors judged (5 of them survivors) made again \
         on the exact path; none differs\n",
    );
    let found = executors(&sandbox);
    // The stand-in loads no plugin here, so there is no worker.
    let offered = found["offered"].as_array().expect("a list").iter();
    let offered = offered.map(|one| json!([one["executor"], one["steps_aside"]]));
    let nobody = "it ended before a worker was ready: exit 0";
    ran.same(
        offered.collect::<Vec<_>>(),
        vec![json!(["sharpened", null]), json!(["hot", nobody]), json!(["warm", nobody])],
    );
    ran.same(found["spot_check"]["differences"].clone(), json!([]));
    for line in lines(&sandbox) {
        // A second answer, where one is asked for, is the exact path's.
        let first = &line["runs"][0]["executor"];
        ran.same([&line["executor"], first], [&json!("sharpened"); 2]);
        ran.same(line["basis"].clone(), json!("ran"));
    }
    // A person who no longer wants that goes on from here on the exact path.
    let ran = seal(&sandbox, &["--resume", "--exact"]).run();
    ran.tells("note: resumed: 0 of 60 verdicts are taken over");
    same_as_exact(&ran, &sandbox);
    ran.same(executors(&sandbox)["verdicts"].clone(), json!({"exact": 60}));
}

#[test]
fn one_wrong_verdict_in_the_spot_check_discards_all_of_that_command() {
    let quirks =
        "def before(stops, plugin):\n    return 1 if stops and SET and SET[0] >= 'F40' else None\n";
    let sandbox = sandbox(quirks);
    let ran = seal(&sandbox, &[]).run();
    same_as_exact(&ran, &sandbox);
    ran.tells(
        "the spot check found a verdict of `unit` that the exact path does not give; 60 mutants",
    );
    ran.says("Verdicts by executor: 60 exact; survivors by basis: 20 ran\n");
    ran.says("so 60 mutants were decided again on the exact path\n");
    let check = executors(&sandbox)["spot_check"].clone();
    let differences = check["differences"].as_array().expect("a list");
    let said =
        |one: &Value| json!([one["command"], one["executor"], one["accepted"], one["exact"]]);
    assert!(!differences.is_empty());
    for one in differences {
        ran.same(said(one), json!(["unit", "sharpened", false, "accepts it"]));
    }
    // The ledger keeps both; the later one stands, also for who goes on from here.
    ran.same(lines(&sandbox).len(), 120);
    let ran = seal(&sandbox, &["--resume"]).run();
    same_as_exact(&ran, &sandbox);
    ran.tells("note: resumed: 60 of 60 verdicts are taken over");
    let found = executors(&sandbox);
    let why = json!("it gave a verdict that the exact path does not give");
    let offered = found["offered"].as_array().expect("a list").iter();
    let of_unit = offered.filter(|one| one["command"] == "unit" && one["executor"] == "sharpened");
    let why = vec![Value::Null, why];
    ran.same(of_unit.map(|one| one["steps_aside"].clone()).collect::<Vec<_>>(), why);
    ran.same(found["spot_check"].clone(), check);
}

#[test]
fn what_an_executor_cannot_judge_goes_to_the_exact_path() {
    let quirks = "def before(stops, plugin):\n    if not SET: return None\n    \
                  if SET[0] in ('F00', 'F01'): return 2 if stops else None\n    \
                  if SET[0] == 'F02' and stops: print('___ ERROR collecting checks.py ___')\n    \
                  return None\n";
    let sandbox = sandbox(quirks);
    let ran = seal(&sandbox, &[]).run();
    same_as_exact(&ran, &sandbox);
    ran.says("Verdicts by executor: 57 sharpened, 3 exact; survivors by basis: 20 ran\n");
    let declined = lines(&sandbox);
    let declined = declined.iter().filter_map(|line| line["runs"][0]["declined"].as_array());
    let why = declined.map(|all| json!([all.len(), all[0]["executor"], all[0]["why"]]));
    let mut why = why.map(|one| one.to_string()).collect::<Vec<_>>();
    why.sort();
    ran.same(
        why,
        vec![
            r#"[1,"sharpened","an error while collecting"]"#.to_owned(),
            r#"[1,"sharpened","exit 2"]"#.to_owned(),
            r#"[1,"sharpened","exit 2"]"#.to_owned(),
        ],
    );
}

#[test]
fn an_executor_that_fails_on_the_unmutated_tree_is_given_up_with_all_it_killed() {
    // Broken from the first mutant on, in a way that kills whatever it is asked.
    let quirks = "def before(stops, plugin):\n    mark = os.environ['STATE'] + '/begun'\n    \
                  if SET and SET[0].startswith('F'): open(mark, 'a').close()\n    \
                  return 1 if stops and os.path.exists(mark) else None\n";
    let sandbox = sandbox(quirks);
    let words = ["seal", "tree", "--baselines", "1", "-j", "1", "--env", "STATE", "--allow-write"];
    let call = sandbox.call(words.iter().chain(&["state"]));
    let ran = call.env("STATE", sandbox.path("state")).run();
    ran.tells("the unmutated tree did not pass beside the mutants; 50 mutants");
    ran.says("Verdicts by executor: 60 exact; survivors by basis: 20 ran\n");
    same_as_exact(&ran, &sandbox);
    let sentinels = sandbox.json("adequacy.out/run.json")["sentinels"].clone();
    ran.same(sentinels["failures"].clone(), json!(1));
}

#[test]
fn what_may_change_a_status_or_is_not_worth_it_keeps_the_exact_path() {
    let hook = "import types\nPLUGIN = types.ModuleType('conftest')\n\ndef hooks(name):\n    \
                mine = name == 'pytest_sessionfinish'\n    \
                return [types.SimpleNamespace(plugin=PLUGIN)] if mine else []\n";
    for (quirks, why) in [
        ("OPTIONS = {'stepwise': True}\n", "`stepwise` is on"),
        (hook, "`pytest_sessionfinish` of `conftest` may change the exit status"),
        (
            "def before(stops, plugin):\n    return 1 if stops else None\n",
            "the unmutated tree does not pass when pytest is told to stop early: exit 1",
        ),
        (
            "import atexit\nif 'ADEQUACY_PROBE_FAIL' in os.environ: atexit.register(lambda: os._exit(0))\n",
            "with every test failing it does not end with exit 1 but: exit 0",
        ),
    ] {
        let sandbox = sandbox(quirks);
        let ran = seal(&sandbox, &["--limit", "50"]).run();
        ran.exits(0).tells(&format!("note: `unit` runs to its end on every mutant: {why}\n"));
        ran.says("Verdicts by executor: 50 exact; survivors by basis: ");
        ran.same(executors(&sandbox)["offered"][0]["steps_aside"].clone(), json!(why));
    }
    let sandbox = sandbox("");
    let ran = seal(&sandbox, &["--limit", "49"]).run();
    ran.exits(0).says("Verdicts by executor: 49 exact;");
    let why = json!("too few mutants to gain by it");
    ran.same(executors(&sandbox)["offered"][0]["steps_aside"].clone(), why);
}

/// A tree of fifty functions and ten flags, each a mutant, of which the tests look at forty and eight. Its
/// command loads the plugin of a worker.
pub(crate) fn served(quirks: &str, task: &str) -> Sandbox {
    let functions = (0..50).map(|at| format!("def f{at:02}(): return False\n\n"));
    let flags = (0..10).map(|at| format!("F{at} = False\n"));
    let product = functions.chain(flags).collect::<String>();
    let test = |at: u32| {
        let flag = if at < 8 { format!("    assert not product.F{at}\n") } else { String::new() };
        format!("def test_{at:02}():\n    assert not product.f{at:02}()\n{flag}\n")
    };
    let tests = (0..40).map(test).collect::<String>();
    let usual = "import os, sys, time\nSERVES = True\nOPTIONS = {}\nPLUGINS = []\n\n\
                 def hooks(name): return []\n\ndef before(stops, plugin): return None\n\n\
                 def before_worker(): pass\n\ndef in_child(): pass\n\n";
    let checks = format!("import product\n\n{tests}");
    project(Sandbox::new(), &product, &checks, &format!("{usual}{quirks}"), task)
}

/// Runs both ways, and gives how the first went.
pub(crate) fn both_ways(sandbox: &Sandbox) -> Ran<'_> {
    seal(sandbox, &["--exact", "-o", "exact.out"]).run().exits(0);
    let verdicts = |run: &str| {
        let lines = sandbox.lines(&format!("{run}/outcomes.jsonl")).split_off(1);
        let verdict =
            |line: &Value| format!("{} {} {}", line["id"], line["outcome"], line["reason"]);
        let mut verdicts = lines.iter().map(verdict).collect::<Vec<_>>();
        verdicts.sort();
        verdicts
    };
    let ran = seal(sandbox, &[]).run();
    ran.exits(0).same(verdicts("adequacy.out"), verdicts("exact.out"));
    let contract = |run: &str| sandbox.bytes(&format!("{run}/sealed/contract.json"));
    ran.same(contract("adequacy.out"), contract("exact.out"));
    ran
}

#[test]
fn workers_judge_changed_functions_hot_and_what_loading_does_warm() {
    let sandbox = served("", TASK);
    let ran = both_ways(&sandbox);
    ran.says("Verdicts by executor: 50 hot, 10 warm; survivors by basis: 2 ran, 10 reach\n");
    ran.says("made again on the exact path; none differs\n");
    let steps = executors(&sandbox)["offered"].clone();
    let steps = steps.as_array().expect("a list").iter().map(|one| one["steps_aside"].clone());
    ran.same(steps.collect::<Vec<_>>(), vec![Value::Null; 3]);
    for line in lines(&sandbox) {
        let run = &line["runs"][0];
        let hot = json!([{"executor": "hot", "why": "the body of the module changed"}]);
        let mut declined = run["declined"].clone();
        if line["executor"] == "warm" {
            let one = declined[0].as_object_mut().expect("an object");
            one.retain(|name, _| name == "executor" || name == "why");
            ran.same(declined, hot);
        } else {
            ran.same(declined, Value::Null);
        }
        let log = run["log"].as_str().expect("a name");
        let killed = sandbox.read(&format!("adequacy.out/logs/{log}")).contains("FAILED test_");
        ran.same(killed, line["outcome"] == "killed");
    }
}

/// Three tests take a while, so that a worker may stand after each of them.
const SLOW: &str = "\
def before_test(name):
    if name in ('test_10', 'test_20', 'test_30'):
        end = time.process_time() + 0.03
        while time.process_time() < end: pass
";

/// The tests that mutants of functions began with and that failed, by function, of the runs that count.
pub(crate) fn began(sandbox: &Sandbox) -> BTreeMap<String, Value> {
    let plan = sandbox.lines("adequacy.out/mutants.jsonl");
    let function = |id: &Value| {
        let row = plan.iter().find(|row| row["id"] == *id).expect("it is in the plan");
        row["function"].as_str().map(ToOwned::to_owned)
    };
    let tests = |line: &Value| {
        let runs = line["runs"].as_array().expect("a list");
        runs.iter().map(|run| &run["tests"]).find(|tests| !tests.is_null()).cloned()
    };
    let lines = lines(sandbox).into_iter();
    lines.filter_map(|line| Some((function(&line["id"])?, tests(&line)?))).collect()
}

#[test]
fn a_hot_worker_begins_where_a_mutant_is_first_entered() {
    let sandbox = served(SLOW, TASK);
    let ran = both_ways(&sandbox);
    ran.says("Verdicts by executor: 50 hot, 10 warm; survivors by basis: 2 ran, 10 reach\n");
    ran.says("made again on the exact path; none differs\n");
    let began = began(&sandbox);
    for (function, [first, last], failed) in [
        ("f00", [0, 0], Some("test_00")),
        ("f10", [0, 10], Some("test_10")),
        ("f11", [11, 11], Some("test_11")),
        ("f20", [11, 20], Some("test_20")),
        ("f21", [21, 21], Some("test_21")),
        ("f39", [31, 39], Some("test_39")),
        // No test enters it.
        ("f45", [40, 40], None),
    ] {
        let tests = &began[function];
        ran.same(tests["failed"].as_str(), failed);
        let from = tests["from"].as_u64().expect("a number");
        ran.same((first..=last).contains(&from), true);
    }
    // What is known of the tests is told.
    sandbox.call(["report", "--format", "full-json", "-o", "full.json"]).run().exits(0);
    let full = sandbox.json("full.json");
    let mutants = full["mutants"].as_array().expect("a list");
    let of = |name: &str| mutants.iter().find(|one| one["function"] == name).expect("a mutant");
    ran.same(full["tests"]["unit"][12].clone(), json!("test_12"));
    ran.same(of("f12")["reached_by"].clone(), json!({"unit": [12]}));
    ran.same(of("f12")["failed_tests"].clone(), json!({"unit": "test_12"}));
    ran.same(of("f45")["reached_by"].clone(), json!({"unit": []}));
    sandbox.call(["report", "--format", "json", "-o", "schema.json"]).run().exits(0);
    let schema = sandbox.json("schema.json");
    let mutants = schema["files"]["product.py"]["mutants"].as_array().expect("a list").clone();
    let of = |id: &Value| mutants.iter().find(|one| one["id"] == *id).expect("a mutant").clone();
    let f12 = of(&of_function(&full, "f12"));
    ran.same(f12["coveredBy"].clone(), json!(["0", "0.12"]));
    ran.same(f12["killedBy"].clone(), json!(["0", "0.12"]));
    ran.same(
        schema["testFiles"]["test_12"]["tests"].clone(),
        json!([{"id": "0.12", "name": "test_12"}]),
    );
    let id = of_function(&full, "f12");
    let shown = sandbox.call(["show", id.as_str().expect("an id")]).run();
    shown.exits(0).says("failed    test_12 of `unit`\n");
    shown.says("tests     one test of `unit` enters its function: test_12\n");
    let prompt = sandbox.call(["report", "--format", "prompt"]).run();
    prompt.exits(0).says("No test of unit enters this function now.\n");
}

/// The id of the mutant of a function in a full report.
fn of_function(full: &Value, name: &str) -> Value {
    let mutants = full["mutants"].as_array().expect("a list");
    mutants.iter().find(|one| one["function"] == name).expect("a mutant")["id"].clone()
}

#[test]
fn tests_are_named_where_no_worker_is_worth_it() {
    let sandbox = served("", TASK);
    let ran = seal(&sandbox, &["--limit", "49"]).run();
    ran.exits(0).says("Verdicts by executor: 49 exact; survivors by basis: ");
    sandbox.call(["report", "--format", "full-json", "-o", "full.json"]).run().exits(0);
    let full = sandbox.json("full.json");
    let mutants = full["mutants"].as_array().expect("a list");
    let of_functions = mutants.iter().filter_map(|one| Some((one["function"].as_str()?, one)));
    let mut unreached = 0;
    for (name, one) in of_functions {
        let number = name[1..].parse::<u64>().expect("a number");
        let tests = if number < 40 { json!([number]) } else { json!([]) };
        unreached += usize::from(number >= 40);
        ran.same((name, &one["reached_by"]), (name, &json!({"unit": tests})));
    }
    ran.same(unreached > 0, true);
    let prompt = sandbox.call(["report", "--format", "prompt"]).run();
    prompt.exits(0).says("No test of unit enters this function now.\n");
}

/// [`served`] with [`SLOW`] and a test that starts a program, after fifteen others.
fn starting(program: &str) -> Sandbox {
    let sandbox = served(SLOW, TASK);
    let more = format!(
        "import subprocess, sys\n\ndef test_14_starts():\n    \
         assert subprocess.run({program}).returncode == 0\n"
    );
    let checks = sandbox.read("tree/checks.py") + &more;
    sandbox.write("tree/checks.py", checks);
    sandbox
}

/// Before which tests the mutants of functions began.
fn places(began: &BTreeMap<String, Value>) -> BTreeSet<u64> {
    began.values().map(|tests| tests["from"].as_u64().expect("a number")).collect()
}

#[test]
fn a_program_that_opens_no_source_of_the_tree_is_no_obstacle_to_begin_behind_it() {
    let sandbox = starting("['true']");
    let ran = both_ways(&sandbox);
    ran.says("Verdicts by executor: 50 hot, 10 warm; survivors by basis: 2 ran, 10 reach\n");
    let places = places(&began(&sandbox));
    ran.same(places.contains(&41) && places.iter().any(|at| (16..41).contains(at)), true);
}

#[test]
fn no_mutant_of_a_source_that_a_program_opens_begins_behind_that() {
    // What fails for `f30` is not the first test that enters it itself.
    let sandbox = starting("[sys.executable, '-c', 'import product; assert not product.f30()']");
    let ran = both_ways(&sandbox);
    ran.says("Verdicts by executor: 50 hot, 10 warm; survivors by basis: 12 ran\n");
    let began = began(&sandbox);
    ran.same(began["f30"]["failed"].clone(), json!("test_14_starts"));
    ran.same(began["f31"]["failed"].clone(), json!("test_31"));
    let places = places(&began);
    ran.same(places.len() > 1 && places.iter().all(|&at| at <= 15), true);
}

#[test]
fn what_tests_leave_among_temporary_files_is_there_for_those_behind_them() {
    let sandbox = served(SLOW, TASK);
    let more = "import os, pathlib, tempfile\nPLACE = pathlib.Path(tempfile.gettempdir(), 'kept')\n\n\
                def test_02_leaves():\n    assert not PLACE.exists()\n    PLACE.mkdir()\n    \
                PLACE.joinpath('file').write_text('text')\n\n\
                def test_29_finds():\n    assert PLACE.joinpath('file').read_text() == 'text'\n    \
                assert os.listdir(PLACE) == ['file']\n    PLACE.joinpath('more').touch()\n\n\
                def test_39_finds():\n    assert sorted(os.listdir(PLACE)) == ['file', 'more']\n";
    let checks = sandbox.read("tree/checks.py") + more;
    sandbox.write("tree/checks.py", checks);
    let ran = both_ways(&sandbox);
    ran.says("Verdicts by executor: 50 hot, 10 warm; survivors by basis: 2 ran, 10 reach\n");
    ran.says("made again on the exact path; none differs\n");
    ran.never_says("begins no mutant at");
    let places = places(&began(&sandbox));
    // Behind the last test, between the three, and before the first of them.
    ran.same(places.contains(&43) && places.iter().any(|at| (4..31).contains(at)), true);
}

#[test]
fn behind_what_cannot_be_put_there_again_no_mutant_begins() {
    let sandbox = served(SLOW, TASK);
    let more = "import os, socket, tempfile\nPLACE = os.path.join(tempfile.gettempdir(), 'socket')\n\n\
                def test_12_leaves():\n    socket.socket(socket.AF_UNIX).bind(PLACE)\n\n\
                def test_39_finds():\n    assert os.path.exists(PLACE)\n";
    let checks = sandbox.read("tree/checks.py") + more;
    sandbox.write("tree/checks.py", checks);
    let ran = both_ways(&sandbox);
    ran.says("Verdicts by executor: 50 hot, 10 warm; survivors by basis: 12 ran\n");
    ran.tells("the tests before leave temporary files that cannot be made again, or too many");
    ran.same(places(&began(&sandbox)).iter().all(|&at| at <= 12), true);
}

#[test]
fn a_failure_that_the_unmutated_tree_meets_there_too_is_judged_from_the_first_test() {
    // What a test remembers of its process is not so in a child of that.
    let quirks = format!(
        "{SLOW}    global PID\n    if name == 'test_05': PID = os.getpid()\n    \
         if name == 'test_35': assert PID == os.getpid()\n"
    );
    let sandbox = served(&quirks, TASK);
    let ran = both_ways(&sandbox);
    ran.says("Verdicts by executor: 50 hot, 10 warm; survivors by basis: 12 ran\n");
    ran.tells("a hot worker begins no mutant at `test_3");
    ran.tells("` or later: an unmutated child does not pass there");
    let began = began(&sandbox);
    ran.same(began["f12"]["failed"].clone(), json!("test_12"));
    ran.same(began["f12"]["from"] == json!(0), false);
    ran.same(began["f36"]["failed"].clone(), json!("test_36"));
}

#[test]
fn what_a_worker_cannot_vouch_for_goes_down_the_ladder() {
    let quirks = "\
def in_child():
    import product, signal
    if product.f00():
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(60)
    if product.f01(): time.sleep(60)
    if product.f02(): os._exit(0)
    if product.f03(): os._exit(1)
    if product.f45(): sys.exit(1)
    if product.f04() and not os.fork():
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(60)
    if product.f46():
        with open('checks.py', 'w') as file: file.write('nothing')
        os.remove('product.py')
";
    let sandbox = served(quirks, TASK);
    let ran = both_ways(&sandbox);
    ran.says(
        "Verdicts by executor: 45 hot, 10 warm, 5 sharpened; survivors by basis: 4 ran, 8 reach\n",
    );
    let why = lines(&sandbox);
    let why = why.iter().flat_map(|line| line["runs"][0]["declined"].as_array().cloned());
    let why = why.flatten().filter(|one| one["why"] != "the body of the module changed");
    let mut why = why.map(|one| format!("{} {}", one["executor"], one["why"])).collect::<Vec<_>>();
    why.sort();
    ran.same(
        why,
        [
            "exit 0 before the runner came to its end",
            "exit 1 before the runner came to its end",
            "exit 1 before the runner came to its end",
            "still running at the time limit",
            "the worker ended",
        ]
        .map(|why| format!("\"hot\" \"{why}\""))
        .to_vec(),
    );
}

#[test]
fn a_command_that_a_fork_would_not_do_justice_has_no_worker() {
    let quirks = "\
WAY = sys.argv[1]
if WAY == 'workers': PLUGINS = ['dsession']

def before_worker():
    if WAY == 'below':
        child = os.fork()
        if child: os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    if WAY == 'threads':
        import threading
        threading.Thread(target=time.sleep, args=(5,), daemon=True).start()
    if WAY == 'leaves': open('left', 'w').close()
    if WAY == 'writes':
        import tempfile
        global FILE
        FILE = open(os.path.join(tempfile.gettempdir(), 'log'), 'w')
    if WAY == 'silent': sys.exit(0)

def in_child():
    if WAY == 'fails': sys.exit(1)
";
    let ways = [
        ("workers", "pytest-xdist has workers"),
        ("below", "the tests run in a process below the command's"),
        ("threads", "it has threads"),
        ("writes", "a file is open for writing: "),
        ("leaves", "it leaves `"),
        ("silent", "it ended before a worker was ready: exit 0"),
        (
            "fails",
            "the unmutated tree does not pass there: exit 1 before the runner came to its end",
        ),
    ];
    let command = |(way, _): &(&str, &str)| {
        format!("[[acceptance]]\nid = '{way}'\nargv = ['./pytest', '{way}']\n")
    };
    let commands = ways.iter().map(command).collect::<String>();
    let (head, rest) = TASK.split_once("[[acceptance]]").expect("there is one");
    let (_, rest) = rest.split_once("[[protected]]").expect("there is one");
    let sandbox = served(quirks, &format!("{head}{commands}[[protected]]{rest}"));
    let ran = seal(&sandbox, &["--limit", "50"]).run();
    ran.exits(0);
    let offered = executors(&sandbox)["offered"].clone();
    for (way, why) in ways {
        ran.tells(&format!("note: `{way}` has no hot worker: {why}"));
        let offered = offered.as_array().expect("a list").iter();
        let hot = offered.filter(|one| one["command"] == way && one["executor"] == "hot");
        let why = hot.map(|one| one["steps_aside"].as_str().is_some_and(|it| it.contains(why)));
        ran.same(why.collect::<Vec<_>>(), vec![true]);
    }
}

#[test]
fn the_python_side_of_workers_passes_its_own_tests() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let tested = std::process::Command::new("python3")
        .args(["-m", "unittest", "discover", "-s", "tests/worker"])
        .current_dir(root)
        .env("PYTHONPATH", root.join("src/run/python"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .expect("python3 starts");
    let said = String::from_utf8_lossy(&tested.stderr);
    assert!(tested.status.success() && said.contains("\nOK"), "{said}");
}
