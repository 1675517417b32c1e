//! The command line's entry.

use std::io;

#[expect(clippy::exit, reason = "the only place where the process ends")]
fn main() {
    let exit = adequacy::cli::run(std::env::args_os(), &mut io::stdout(), &mut io::stderr());
    std::process::exit(exit.code().into());
}
