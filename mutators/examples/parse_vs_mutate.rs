//! Compares listing every mutation of the Python files below a folder with parsing them once.
//!
//! `cargo run --release -p adequacy-mutators --example parse_vs_mutate -- DIR`
//!
//! Both are timed file by file in turns, and the fastest of several rounds counts, so that a busy
//! machine disturbs little. The last line is the ratio; 1.5 or less is the aim.

use std::hint::black_box;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};
use std::{env, fs, io};

use adequacy_mutators::Language;

const ROUNDS: usize = 5;

fn main() -> io::Result<()> {
    let folder = env::args_os().nth(1).unwrap_or_else(|| ".".into());
    let mut sources = Vec::new();
    read(Path::new(&folder), &mut sources)?;
    let bytes: usize = sources.iter().map(Vec::len).sum();
    let mut mutations = 0;
    let (mut parsing, mut listing) = (Duration::ZERO, Duration::ZERO);
    for source in &sources {
        let rounds = (0..ROUNDS).map(|_| {
            let parse = time(|| parse(source));
            let list = time(|| mutations += list(source));
            (parse, list)
        });
        let (parse, list) = rounds.fold((Duration::MAX, Duration::MAX), |fastest, round| {
            (fastest.0.min(round.0), fastest.1.min(round.1))
        });
        parsing += parse;
        listing += list;
    }
    let mut out = io::stdout();
    writeln!(out, "{} files, {bytes} bytes, {} mutations", sources.len(), mutations / ROUNDS)?;
    writeln!(out, "parse {parsing:?}, list {listing:?}")?;
    writeln!(out, "ratio {:.2}", listing.as_secs_f64() / parsing.as_secs_f64())
}

fn time(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

fn parse(source: &[u8]) {
    let mut parser = tree_sitter::Parser::new();
    parser
        .set_language(&tree_sitter_python::LANGUAGE.into())
        .expect("the grammar fits the library it is built with");
    black_box(parser.parse(source, None));
}

fn list(source: &[u8]) -> usize {
    black_box(Language::Python.mutations(source, &|_| true)).mutations.len()
}

fn read(folder: &Path, sources: &mut Vec<Vec<u8>>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            read(&entry.path(), sources)?;
        } else if Language::of_file_name(entry.file_name().as_encoded_bytes()).is_some() {
            sources.push(fs::read(entry.path())?);
        }
    }
    Ok(())
}
