//! Time limits of trees that have no baseline of their own.

use std::fs;
use std::time::Duration;

use adequacy::base::Silent;
use adequacy::run::sandbox::Sandbox;
use adequacy::run::workspace::Sources;
use adequacy::run::{Exit, Lab, Settings, Spawner};
use adequacy::task::{self, Overrides};
use adequacy::tree::{self, Choice};

use crate::bench::helper;

#[test]
fn a_tree_beside_the_right_one_gets_no_more_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let (root, logs) = (folder.path().join("tree"), folder.path().join("logs"));
    fs::create_dir_all(&root).expect("a folder");
    fs::create_dir(&logs).expect("a folder");
    fs::write(root.join("file"), "").expect("a file");
    let argv = ["sleep", "60"].map(str::to_owned).to_vec();
    let task = task::load(&root, &Overrides { argv, ..Overrides::default() });
    let task = task.expect("a tree and a command");
    let snapshot = tree::snapshot(&task.tree, &Choice::default(), &Silent).expect("a tree");
    let spawner = Spawner::new(&helper(), Sandbox::default()).expect("a spawner");
    let settings = Settings {
        jobs: 1,
        baselines: 1,
        scratch: folder.path().to_owned(),
        logs,
        output_limit: 1 << 20,
        full_matrix: false,
        flaky: None,
    };
    let sources = Sources { tree: &snapshot, heldout: None, links: &[], bytecode: None };
    let lab = Lab::open(&task, sources, &settings, &spawner, &Silent).expect("workspaces");
    let lab = lab.with_limits(&[Duration::from_millis(100)]);
    let rounds = lab.observe("start", 1).expect("it is observed");
    let exits = rounds[0].iter().map(|run| &run.exit).collect::<Vec<_>>();
    // Once, and again alone with twice the time.
    assert_eq!(exits, [&Exit::TimedOut, &Exit::TimedOut]);
}
