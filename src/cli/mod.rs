//! The command line: one file a command.

mod batch;
mod exit;
mod keygen;
mod member;
mod terminal;
mod vectors;
mod verify;

pub use exit::Exit;

use std::ffi::OsString;
use std::io::Write;

use clap::Parser as _;

#[derive(Debug, clap::Parser)]
#[command(name = "adequacy", version, about)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Keygen(keygen::Args),
    Vectors(vectors::Args),
    Verify(verify::Args),
}

/// Runs one command line; data goes to `out`, the rest to `err`.
pub fn run(
    words: impl IntoIterator<Item = OsString>,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Exit {
    let command = match CommandLine::try_parse_from(words) {
        Ok(line) => line.command,
        Err(error) => {
            let exit = if error.use_stderr() { Exit::Usage } else { Exit::Done };
            return if error.print().is_ok() { exit } else { Exit::Resources };
        }
    };
    match command {
        Command::Keygen(args) => keygen::run(&args, out, err),
        Command::Vectors(args) => vectors::run(&args, out, err),
        Command::Verify(args) => verify::run(&args, out, err),
    }
}
