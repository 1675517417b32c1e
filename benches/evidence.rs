//! What evidence and receipt cost beside the run that they are of.
//!
//!     cargo bench --bench evidence -- RUN [RUN...]
//!
//! RUN is a finished run directory. Writes its records and its receipt again, ten times, to a copy of
//! the directory, and prints the median beside the wall time of all runs in it over the number of
//! workers. How to read it: the share is what evidence adds to the run; the aim is below 3 %.
#![expect(clippy::print_stdout, reason = "a bench prints its table")]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{env, fs, io};

use adequacy::measure::receipt::{self, Act};
use adequacy::measure::{OutputDir, evidence};

fn main() {
    let runs = env::args().skip(1).filter(|word| word != "--bench").map(PathBuf::from);
    let runs = runs.collect::<Vec<_>>();
    assert!(!runs.is_empty(), "give finished run directories");
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
