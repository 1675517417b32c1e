//! Compares listing every mutation of the Python files below a folder with parsing them once.
//!
//! `cargo run --release -p adequacy-mutators --example parse_vs_mutate -- DIR`
//!
//! The last line is the ratio of the two fastest of several rounds; about 1.5 or less is the aim.

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
    let (mut parsing, mut mutating) = (Duration::MAX, Duration::MAX);
    for _ in 0..ROUNDS {
        parsing = parsing.min(time(|| sources.iter().for_each(|source| parse(source))));
        mutating = mutating.min(time(|| {
            let found = |source: &Vec<u8>| Language::Python.mutations(source, &|_| true);
            mutations = sources.iter().map(|source| black_box(found(source)).mutations.len()).sum();
        }));
    }
    let mut out = io::stdout();
    writeln!(out, "{} files, {bytes} bytes, {mutations} mutations", sources.len())?;
    writeln!(out, "parse {parsing:?}, list {mutating:?}")?;
    writeln!(out, "ratio {:.2}", mutating.as_secs_f64() / parsing.as_secs_f64())
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
