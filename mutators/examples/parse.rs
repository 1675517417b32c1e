//! Parses every Python file below a folder once, with all processors: what listing is measured against
//! (see `benches/list-stdlib`).
//!
//! `cargo run --release -p adequacy-mutators --example parse -- DIR`

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs, io, thread};

use adequacy_mutators::Language;

fn main() -> io::Result<()> {
    let mut files = Vec::new();
    for folder in env::args_os().skip(1) {
        find(Path::new(&folder), &mut files)?;
    }
    let next = AtomicUsize::new(0);
    let work = || -> io::Result<()> {
        while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            let source = fs::read(file)?;
            let mut parser = tree_sitter::Parser::new();
            parser
                .set_language(&tree_sitter_python::LANGUAGE.into())
                .expect("the grammar fits the library it is built with");
            black_box(parser.parse(&source, None));
        }
        Ok(())
    };
    let threads = thread::available_parallelism()?.get();
    thread::scope(|scope| {
        let workers = (0..threads).map(|_| scope.spawn(work)).collect::<Vec<_>>();
        workers.into_iter().try_for_each(|worker| worker.join().expect("parsing does not panic"))
    })
}

fn find(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            find(&entry.path(), files)?;
        } else if Language::of_file_name(entry.file_name().as_encoded_bytes()).is_some() {
            files.push(entry.path());
        }
    }
    Ok(())
}
