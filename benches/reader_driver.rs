//! Drives the reader harder than a test should: a million structure-aware cases, speed in Statements
//! a second, cases for another reader to answer too, and an envelope for another opener.
//!
//! ```text
//! cargo bench --bench reader_driver -- fuzz COUNT SEED        check every case, print the answers
//! cargo bench --bench reader_driver -- speed CORPUS SECONDS   Statements a second, one core and all
//! cargo bench --bench reader_driver -- cases COUNT SEED       one line a case: Statement, record, answer
//! cargo bench --bench reader_driver -- envelope SEED_FILE CONTRACT
//! ```

#[path = "../tests/reader/cases.rs"]
mod cases;
#[path = "../tests/reader/holds.rs"]
mod holds;

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::hint::black_box;
use std::io::{self, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use adequacy::base::code::Code;
use adequacy::envelope::{self, SecretKey};
use adequacy::verify::verify;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

fn main() -> Result<(), Box<dyn Error>> {
    // Cargo adds `--bench`.
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        [] => fuzz(1_000, 1),
        ["fuzz", count, seed] => fuzz(count.parse()?, seed.parse()?),
        ["speed", corpus, seconds] => speed(Path::new(corpus), seconds.parse()?),
        ["cases", count, seed] => write_cases(count.parse()?, seed.parse()?),
        ["envelope", seed, contract] => {
            let key = SecretKey::from_seed_file(&fs::read_to_string(seed)?)?;
            io::stdout().write_all(&envelope::seal(&fs::read(contract)?, &key)?)?;
            Ok(())
        }
        _ => Err("see the head of benches/reader_driver.rs".into()),
    }
}

fn fuzz(count: usize, seed: u64) -> Result<(), Box<dyn Error>> {
    let mut answers = BTreeMap::new();
    let start = Instant::now();
    for case in cases::Cases::new(seed).take(count) {
        let answer = holds::check(&case).map_or_else(Code::text, |()| "valid");
        *answers.entry(answer).or_insert(0_u64) += 1;
    }
    let mut out = io::stdout().lock();
    for (answer, times) in &answers {
        writeln!(out, "{times:>9} {answer}")?;
    }
    writeln!(
        out,
        "{count} cases of seed {seed} in {:.1} s, {} answers",
        start.elapsed().as_secs_f64(),
        answers.len()
    )?;
    Ok(())
}

fn write_cases(count: usize, seed: u64) -> Result<(), Box<dyn Error>> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for case in cases::Cases::new(seed).take(count) {
        let answer = verify(&case.statement, &case.contract).map_or_else(Code::text, |_| "valid");
        let [statement, contract] =
            [&case.statement, &case.contract].map(|bytes| STANDARD.encode(bytes));
        writeln!(out, "{statement} {contract} {answer}")?;
    }
    Ok(out.flush()?)
}

/// The Statement and the record of every member.
fn corpus(root: &Path) -> io::Result<Vec<(Vec<u8>, Vec<u8>)>> {
    let read = |entry: io::Result<fs::DirEntry>| {
        let folder = entry?.path();
        Ok((fs::read(folder.join("statement.json"))?, fs::read(folder.join("contract.json"))?))
    };
    fs::read_dir(root.join("cases"))?.map(read).collect()
}

fn speed(root: &Path, seconds: f64) -> Result<(), Box<dyn Error>> {
    let members = corpus(root)?;
    let time = Duration::from_secs_f64(seconds);
    let one = rate(&members, time);
    let cores = std::thread::available_parallelism()?.get();
    let all: f64 = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..cores).map(|_| scope.spawn(|| rate(&members, time))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no reader panics")).sum()
    });
    writeln!(io::stdout(), "{one:.0} {all:.0} {cores}")?;
    Ok(())
}

/// Statements a second on this thread.
fn rate(members: &[(Vec<u8>, Vec<u8>)], time: Duration) -> f64 {
    let start = Instant::now();
    let mut rounds = 0_u32;
    while start.elapsed() < time {
        for (statement, contract) in members {
            black_box(verify(black_box(statement), black_box(contract)).is_ok());
        }
        rounds += 1;
    }
    f64::from(rounds) * members.len() as f64 / start.elapsed().as_secs_f64()
}
