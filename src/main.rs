//! The command line's entry.

use std::process::ExitCode;

fn main() -> ExitCode {
    // First, before anything that costs time: one such process starts for every command of a run.
    let mut words = std::env::args_os().skip(1);
    if words.next().is_some_and(|word| word == adequacy::run::exec::WORD) {
        return adequacy::run::exec::main(words);
    }
    ExitCode::SUCCESS
}
