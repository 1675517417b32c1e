//! What evidence and receipt cost beside the run that they are of.
//!
//!     cargo bench --bench evidence -- RUN [RUN...] [--tree TREE]
//!
//! RUN is a finished run directory. Writes its records and its receipt again, ten times, to a copy of
//! the directory, and prints the median beside the wall time of all runs in it over the number of
//! workers. How to read it: the share is what evidence adds to the run; the aim is below 3 %.
//!
//! With TREE it also lists and hashes that tree, as the manifest of a run does, and reads the same files
//! one after the other without hashing, each five times in turns; least of each. The disk's cache is warm.
//! How to read it: at 1 or more, hashing keeps up with reading.
#![expect(clippy::print_stdout, reason = "a bench prints its table")]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{env, fs, io};

use adequacy::base::Silent;
use adequacy::measure::receipt::{self, Act};
use adequacy::measure::{OutputDir, evidence};
use adequacy::tree::{Choice, snapshot};

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

/// What the manifest of a tree costs beside reading it.
fn hashing(root: &Path) {
    let hash = || {
        let began = Instant::now();
        let listed = snapshot(root, &Choice::default(), &Silent).expect("a tree");
        (began.elapsed().as_secs_f64(), listed)
    };
    let (_, listed) = hash();
    let (mut least_hash, mut least_read) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..5 {
        least_hash = least_hash.min(hash().0);
        let began = Instant::now();
        for (path, ..) in listed.files() {
            std::hint::black_box(fs::read(path.below(root)).expect("a file"));
        }
        least_read = least_read.min(began.elapsed().as_secs_f64());
    }
    let megabytes = f64::from(u32::try_from(listed.bytes() >> 10).expect("not so much")) / 1024.0;
    println!(
        "{:>8} {:>8} {:>12} {:>12} {:>8}",
        "files", "MiB", "hash MiB/s", "read MiB/s", "ratio"
    );
    println!(
        "{:>8} {megabytes:>8.1} {:>12.0} {:>12.0} {:>8.2}\n",
        listed.files().count(),
        megabytes / least_hash,
        megabytes / least_read,
        least_read / least_hash
    );
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
