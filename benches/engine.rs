//! The engine's own cost per mutant: what a run adds to the time of the commands themselves.
//!
//! The command is `true`, so nearly all of the time is ours: put the mutant in place, start the helper
//! and the command, end it with a certificate, bring the workspace back, and the sentinels between. A
//! whole run would refuse `true` (it passes when no file can be loaded), so the bench drives the
//! library's [`Lab`] below the controls.
//!
//! How to read it: the time of `engine/...` is wall time per mutant. Divide it by `plain/true`, a
//! process start as `std` makes it, in the same output: seconds differ between machines, that ratio
//! little. `1 worker` against `2 workers` says how much of the cost overlaps, `300 files` against
//! `3000 files` how it grows with the tree. The word after `engine/` is how a reset finds changes on
//! the file system of `TMPDIR`: `Stat` looks at every file, `Content` reads every file.
//!
//! Aim: under 25 ms at 300 files on two cores.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use adequacy::base::Silent;
use adequacy::plan::{Plan, Trees, plan};
use adequacy::run::sandbox::Sandbox;
use adequacy::run::workspace::Sources;
use adequacy::run::{Lab, Run, Settings, Spawner};
use adequacy::task::{self, Overrides};
use adequacy::tree::{self, Choice};
use criterion::{BenchmarkGroup, Criterion, SamplingMode, criterion_group, criterion_main};

/// Files of a folder of the generated tree.
const FOLDER: usize = 20;

/// A package of `files` modules of about 2 KB in folders of [`FOLDER`].
fn generate(root: &Path, files: usize) {
    for number in 0..files {
        let folder = root.join(format!("part{}", number / FOLDER));
        fs::create_dir_all(&folder).expect("a folder");
        let mut text = format!("\"\"\"Module {number}.\"\"\"\n");
        for function in 0..20 {
            write!(
                text,
                "\n\ndef f{function}(a, b):\n    if a < b + {number}:\n        return a\n"
            )
            .expect("writing to a string");
            text.push_str("    return b - a * 2  # neither more nor less\n");
        }
        fs::write(folder.join(format!("m{number}.py")), text).expect("a module");
    }
}

/// Mutants spread over the whole tree.
fn places(plan: &Plan, count: u64) -> Vec<usize> {
    let all = plan.mutants.len();
    (0..count).map(|number| usize::try_from(number).expect("few") * 997 % all).collect()
}

fn engine(group: &mut BenchmarkGroup<'_, criterion::measurement::WallTime>, files: usize) {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let root = folder.path().join("tree");
    generate(&root, files);
    let overrides = Overrides { argv: vec!["true".to_owned()], ..Overrides::default() };
    let task = task::load(&root, &overrides).expect("a tree and a command");
    let snapshot = tree::snapshot(&task.tree, &Choice::default(), &Silent).expect("a tree");
    let plan = plan(&task, Trees { base: &snapshot, start: None }).expect("a plan");
    let helper = Path::new(env!("CARGO_BIN_EXE_adequacy"));
    let spawner = Spawner::new(helper, Sandbox::default()).expect("a spawner");
    for jobs in [1, 2] {
        let logs = folder.path().join(format!("logs{jobs}"));
        fs::create_dir(&logs).expect("a folder");
        let settings = Settings {
            jobs,
            baselines: 1,
            scratch: std::env::temp_dir(),
            logs,
            output_limit: 1 << 20,
            full_matrix: false,
            flaky: None,
        };
        let sources = Sources { tree: &snapshot, heldout: None, links: &[], bytecode: None };
        let lab = Lab::open(&task, sources, &settings, &spawner, &Silent).expect("workspaces");
        lab.baseline().expect("`true` passes");
        let how = lab.soundness();
        let workers = if jobs == 1 { "worker" } else { "workers" };
        group.bench_function(format!("{how:?}/{files} files/{jobs} {workers}"), |bencher| {
            bencher.iter_custom(|count| {
                let todo = places(&plan, count);
                let begun = Instant::now();
                lab.mutants(&plan, &todo, &|_: usize, _: &[Run]| Ok(())).expect("`true` runs");
                begun.elapsed()
            });
        });
    }
}

fn benches(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("plain");
    group.bench_function("true", |bencher| {
        bencher.iter(|| Command::new("true").status().expect("`true` starts"));
    });
    group.finish();
    let mut group = criterion.benchmark_group("engine");
    // Long runs of mutants, as in a real run: two sentinels weigh little in 50.
    group.sample_size(10).sampling_mode(SamplingMode::Flat);
    engine(&mut group, 300);
    engine(&mut group, 3000);
    group.finish();
}

criterion_group!(all, benches);
criterion_main!(all);
