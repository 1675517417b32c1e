//! What evidence and receipt cost beside the run that they are of.
//!
//!     cargo bench --bench evidence -- RUN [RUN...] [--tree TREE]
//!
//! RUN is a finished run directory. Writes its records and its receipt again, ten times, to a copy of
//! the directory, and prints the median beside the wall time of all runs in it over the number of
//! workers. How to read it: the share is what evidence adds to the run; the aim is below 3 %.
//!
//! With TREE it also lists and hashes that tree, as the manifest of a run does, and reads the same files
//! on as many threads without hashing, each five times in turns; least of each. Once with the files in
//! memory, and once, where this is root, with the kernel's cache emptied before each.
//! How to read it: cold, a ratio of 1 is the speed of the disk; warm, the ratio is what hashing takes.
#![expect(clippy::print_stdout, reason = "a bench prints its table")]

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{env, fs, io};

use adequacy::base::Silent;
use adequacy::measure::receipt::{self, Act};
use adequacy::measure::{OutputDir, evidence};
use adequacy::tree::{Choice, snapshot};
use rayon::prelude::*;

fn main() {
    let words = env::args().skip(1).filter(|word| word != "--bench").collect::<Vec<_>>();
    let mut words = words.into_iter();
    let (mut runs, mut tree) = (Vec::new(), None);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--tree" => tree = words.next().map(PathBuf::from),
            _ => runs.push(PathBuf::from(word)),
        }
    }
    assert!(!runs.is_empty() || tree.is_some(), "give finished run directories, or `--tree TREE`");
    if let Some(tree) = &tree {
        hashing(tree);
    }
    println!("{:<24} {:>8} {:>12} {:>10} {:>8}", "run", "mutants", "evidence ms", "run s", "share");
    for run in &runs {
        let copied = tempfile::tempdir().expect("a temporary folder");
        copy(run, copied.path()).expect("the run can be copied");
        let output = OutputDir::existing(copied.path()).expect("a run directory");
        let record = output.read_run().expect("a run");
        let (lines, _) = output.read_outcomes(&record).expect("its verdicts");
        let walls = lines.iter().flat_map(|line| &line.runs).map(|run| run.wall);
        let wall = walls.sum::<Duration>().as_secs_f64()
            / f64::from(u32::try_from(record.jobs).expect("few"));
        let mut times = (0..10).map(|_| {
            let began = Instant::now();
            evidence::finish(&output, &record).expect("written");
            let act = Act { command: "measure", ..Act::default() };
            receipt::finish(&output, &record, &act).expect("written");
            began.elapsed().as_secs_f64()
        });
        let mut times = times.by_ref().collect::<Vec<_>>();
        times.sort_by(f64::total_cmp);
        let median = times[times.len() / 2];
        println!(
            "{:<24} {:>8} {:>12.2} {:>10.2} {:>7.3}%",
            run.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
            lines.len(),
            median * 1e3,
            wall,
            100.0 * median / wall
        );
    }
}

/// What the manifest of a tree costs beside reading it on as many threads.
fn hashing(root: &Path) {
    let listed = snapshot(root, &Choice::default(), &Silent).expect("a tree");
    let hash = || {
        black_box(snapshot(root, &Choice::default(), &Silent).expect("a tree"));
    };
    let read = || {
        let paths = listed.files().map(|(path, ..)| path.below(root)).collect::<Vec<_>>();
        paths.par_iter().for_each(|path| {
            black_box(fs::read(path).expect("a file"));
        });
    };
    let (files, megabytes) = (listed.files().count(), listed.bytes() as f64 / f64::from(1 << 20));
    println!("{files} files, {megabytes:.1} MiB");
    println!("{:>8} {:>12} {:>12} {:>8}", "cache", "hash MiB/s", "read MiB/s", "ratio");
    for (cache, begin) in [("warm", (|| true) as fn() -> bool), ("cold", empty_the_cache)] {
        let mut least = [f64::INFINITY; 2];
        for _ in 0..5 {
            for (least, work) in least.iter_mut().zip([&hash as &dyn Fn(), &read]) {
                if !begin() {
                    println!("{cache:>8} not measured: only root may empty the cache\n");
                    return;
                }
                let began = Instant::now();
                work();
                *least = least.min(began.elapsed().as_secs_f64());
            }
        }
        let [hash, read] = least.map(|seconds| megabytes / seconds);
        println!("{cache:>8} {hash:>12.0} {read:>12.0} {:>8.2}", hash / read);
    }
    println!();
}

/// Makes the kernel forget what it has read; false where it will not.
fn empty_the_cache() -> bool {
    rustix::fs::sync();
    fs::write("/proc/sys/vm/drop_caches", "3").is_ok()
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            fs::create_dir_all(&to)?;
            copy(&entry.path(), &to)?;
        } else {
            fs::copy(entry.path(), to)?;
        }
    }
    Ok(())
}
