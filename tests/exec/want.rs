//! What runs out for the run itself: a helper that says so stands in for a system without processes
//! or memory left, once or for good.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::Mutex;

use adequacy::base::Silent;
use adequacy::plan::{Trees, plan};
use adequacy::run::sandbox::Sandbox;
use adequacy::run::workspace::Sources;
use adequacy::run::{Attempt, Exit, Lab, Run, Settings, Spawner};
use adequacy::task::{self, Overrides};
use adequacy::tree::{self, Choice};

use crate::bench::helper;

/// Runs two mutants under `true`. For the first of them the helper lacks processes; only the first time
/// when `once`.
fn runs_of_both(once: bool) -> [Vec<(Attempt, Exit)>; 2] {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join("tree");
    fs::create_dir(&root).expect("a folder");
    fs::write(root.join("product.py"), "X = 1 + 1\nY = 2 + 2\n").expect("a source");
    let overrides = Overrides {
        argv: vec!["true".to_owned()],
        operators: vec!["binop-swap".to_owned()],
        ..Overrides::default()
    };
    let task = task::load(&root, &overrides).expect("a tree and a command");
    let snapshot = tree::snapshot(&task.tree, &Choice::default(), &Silent).expect("a tree");
    let plan = plan(&task, Trees { base: &snapshot, start: None }).expect("a plan");
    assert_eq!(plan.mutants.len(), 2);
    let (logs, met) = (folder.path().join("logs"), folder.path().join("met"));
    fs::create_dir(&logs).expect("a folder");
    let only = if once { format!("[ ! -e '{}' ] && ", met.display()) } else { String::new() };
    let answer = r#"{"token":"%s","exit":{"starved":"no processes left"},"wall":{"secs":0,"nanos":0},"cpu":{"secs":0,"nanos":0},"peak_rss":0,"output_bytes":0,"ended":true}\n"#;
    let script = format!(
        "#!/bin/sh\ncase \"$7\" in */{}.*) if {only}: > '{}'; then read -r token; \
         printf '{answer}' \"$token\"; exit; fi;; esac\nexec '{}' \"$@\"\n",
        plan.mutants[0].id,
        met.display(),
        helper().display(),
    );
    let wrapper = folder.path().join("helper");
    fs::write(&wrapper, script).expect("a script");
    fs::set_permissions(&wrapper, fs::Permissions::from_mode(0o755)).expect("its mode");
    let spawner = Spawner::new(&wrapper, Sandbox::default()).expect("a spawner");
    let settings = Settings {
        jobs: 2,
        baselines: 1,
        scratch: folder.path().to_owned(),
        logs,
        output_limit: 1 << 20,
        full_matrix: false,
        flaky: None,
    };
    let sources = Sources { tree: &snapshot, heldout: None, links: &[], bytecode: None };
    let lab = Lab::open(&task, sources, &settings, &spawner, &Silent).expect("workspaces");
    lab.baseline().expect("`true` passes");
    let found = Mutex::new(BTreeMap::new());
    let keep = |place: usize, runs: &[Run]| {
        let runs = runs.iter().map(|run| (run.attempt, run.exit.clone())).collect::<Vec<_>>();
        assert!(found.lock().expect("no panic").insert(place, runs).is_none(), "decided once");
        Ok(())
    };
    lab.mutants(&plan, &[0, 1], &keep).expect("the run goes on");
    let mut found = found.into_inner().expect("no panic");
    [0, 1].map(|place| found.remove(&place).expect("every mutant is decided"))
}

#[test]
fn what_cannot_start_for_want_of_processes_is_run_again_alone() {
    let starved = || Exit::Starved("no processes left".to_owned());
    let passed = vec![(Attempt::First, Exit::Code(0))];
    let again = vec![(Attempt::First, starved()), (Attempt::Alone, Exit::Code(0))];
    assert_eq!(runs_of_both(true), [again, passed.clone()]);
    // Then it has no answer: see `outcome`, where two such runs are undecided.
    let never = vec![(Attempt::First, starved()), (Attempt::Alone, starved())];
    assert_eq!(runs_of_both(false), [never, passed]);
}
