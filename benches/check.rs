//! What a check costs besides its commands: a final tree of 3,000 files, and the digest of what is protected.
//!
//! How to read it: `check/3000 files` is wall time of `adequacy::check` with `no_commands`: the contract, every
//! protected entry, and the tree listed with digests before and after; aim: under 200 ms on two cores. `digest/...`
//! is the throughput of a protected directory's digest on files that are in memory; `read/...` reads the same files
//! whole on as many threads and does nothing with them, which is the speed of the disk at its best: the ratio is what
//! hashing costs. Aim: the digest is as fast as the reading, or as SHA-256 on all cores where that is slower.

use std::fs;
use std::path::Path;
use std::time::Duration;

use adequacy::base::{RelPath, Silent};
use adequacy::check::{self, Options, Word};
use adequacy::run::Spawner;
use adequacy::run::sandbox::Sandbox;
use adequacy::{statement, tree};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rayon::prelude::*;
use serde_json::json;

/// Files of a folder.
const FOLDER: usize = 30;

fn generate(root: &Path, files: usize, bytes: usize) {
    for number in 0..files {
        let folder = root.join(format!("tests/part{}", number / FOLDER));
        fs::create_dir_all(&folder).expect("a folder");
        let text = format!("# {number}\n").repeat(bytes.div_ceil(4));
        fs::write(folder.join(format!("m{number}.py")), &text[..bytes]).expect("a file");
    }
}

/// A contract that protects `tests` of the tree.
fn contract(folder: &Path, root: &Path) {
    let path = RelPath::new(b"tests").expect("a path");
    let sha256 = tree::directory(root, &path, &[]).expect("a directory").sha256;
    let record = json!({
        "schema_version": "probity-done-contract/v1",
        "contract_id": "bench",
        "protected_paths": [{"path": "tests", "kind": "directory", "sha256": sha256.to_string()}],
        "acceptance": [{"id": "a", "argv": ["true"]}],
        "adequacy": {"mutants": 1, "killed": 1},
    });
    let record = serde_json::to_vec(&record).expect("plain values");
    let statement = statement::seal(&record).expect("a good record");
    fs::write(folder.join("contract.json"), record).expect("a file");
    fs::write(folder.join("contract.statement.json"), statement).expect("a file");
}

fn checks(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let root = folder.path().join("tree");
    generate(&root, 3000, 2000);
    contract(folder.path(), &root);
    let helper = Path::new(env!("CARGO_BIN_EXE_adequacy"));
    let spawner = Spawner::new(helper, Sandbox::default()).expect("a spawner");
    let options = Options {
        timeout: Duration::from_secs(900),
        env: Vec::new(),
        scratch: std::env::temp_dir(),
        output_limit: 1 << 20,
        no_commands: true,
        key: None,
        workspace: None,
        links_from: None,
        mutate_change: None,
    };
    criterion.bench_function("check/3000 files", |bencher| {
        bencher.iter(|| {
            let answer = check::check(folder.path(), &root, &options, &spawner, &Silent);
            assert_eq!(answer.expect("an answer").word, Word::NotEstablished);
        });
    });
}

fn digests(criterion: &mut Criterion) {
    for (files, bytes) in [(3000, 10_000), (64, 2_000_000)] {
        let folder = tempfile::tempdir().expect("a scratch folder");
        generate(folder.path(), files, bytes);
        let path = RelPath::new(b"tests").expect("a path");
        let covered = tree::directory(folder.path(), &path, &[]).expect("a directory");
        let places = covered.files.iter().map(|(path, _)| path.below(folder.path()));
        let places = places.collect::<Vec<_>>();
        let mut group = criterion.benchmark_group("protected");
        group.throughput(Throughput::Bytes((files * bytes) as u64)).sample_size(20);
        group.bench_function(format!("digest/{files} files of {bytes} bytes"), |bencher| {
            bencher.iter(|| tree::directory(folder.path(), &path, &[]).expect("a directory"));
        });
        group.bench_function(format!("read/{files} files of {bytes} bytes"), |bencher| {
            bencher.iter(|| {
                let lengths = places.par_iter().map(|place| fs::read(place).expect("a file").len());
                lengths.sum::<usize>()
            });
        });
        group.finish();
    }
}

criterion_group!(all, checks, digests);
criterion_main!(all);
