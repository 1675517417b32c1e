//! The command line's entry: helper or program, and the one place that ends the process.

use std::process::ExitCode;

use adequacy::run::exec;

fn main() -> ExitCode {
    // First, before anything that costs time: one such process starts for every command of a run.
    let mut words = std::env::args_os().skip(1);
    match words.next() {
        Some(word) if word == exec::WORD => return exec::main(words),
        Some(word) if word == exec::LOOK => return exec::look(words),
        _ => {}
    }
    ExitCode::from(adequacy::cli::run(std::env::args_os()).code())
}
