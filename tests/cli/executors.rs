//! Faster executors: they give the exact path's verdicts, say which mutants they cannot judge, and are
//! given up when they are caught.

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
                 OPTIONS = {}\n\ndef hooks(name): return []\n\ndef before(stops, plugin): return None\n\n";
    sandbox
        .write("tree/product.py", flags)
        .write("tree/checks.py", format!("import product\n{tests}"))
        .write("tree/quirks.py", format!("{usual}{quirks}"))
        .write("tree/adequacy.toml", TASK)
        .write("tree/pytest", include_str!("fake_pytest.py"))
        .write("state/x", "");
    let mode = fs::Permissions::from_mode(0o755);
    fs::set_permissions(sandbox.path("tree/pytest"), mode).expect("our file");
    sandbox
}

const TASK: &str = "\
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

fn seal<'a>(sandbox: &'a Sandbox, words: &[&str]) -> Call<'a> {
    let first = ["--env", "STATE", "--allow-write", "state"];
    let words = first.iter().chain(words).copied().collect::<Vec<_>>();
    sandbox.seal(&words).env("STATE", sandbox.path("state"))
}

fn executors(sandbox: &Sandbox) -> Value {
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

fn lines(sandbox: &Sandbox) -> Vec<Value> {
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
    ran.same(
        found["offered"].clone(),
        json!([{"command": "unit", "executor": "sharpened", "steps_aside": null}]),
    );
    ran.same(found["spot_check"]["differences"].clone(), json!([]));
    for line in lines(&sandbox) {
        let last = line["runs"].as_array().and_then(|runs| runs.last()).expect("a run");
        ran.same([&line["executor"], &last["executor"]], [&json!("sharpened"); 2]);
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
    let offered = [0, 1].map(|part| found["offered"][part]["steps_aside"].clone());
    ran.same(offered, [Value::Null, why]);
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
