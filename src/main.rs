//! The command line's entry: helper or program, and the one place that ends the process.

use std::process::ExitCode;

fn main() -> ExitCode {
    // First, before anything that costs time: one such process starts for every command of a run.
    let mut words = std::env::args_os().skip(1);
    if words.next().is_some_and(|word| word == adequacy::run::exec::WORD) {
        return adequacy::run::exec::main(words);
    }
    ExitCode::from(adequacy::cli::run(std::env::args_os()).code())
}
