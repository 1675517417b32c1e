//! `adequacy completions` and `adequacy man`: what a shell and a reader of manuals want, made from the
//! arguments themselves.

use clap::{Args as Arguments, CommandFactory as _};
use clap_complete::Shell;
use clap_mangen::Man;

use super::args::Cli;
use super::fault::Fault;
use super::{Exit, Streams};

/// Print the completions of a shell
#[derive(Debug, Arguments)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Print the manual page of the program, or of one of its commands
#[derive(Debug, Arguments)]
pub(crate) struct Manual {
    /// The command, such as `measure` or `import swe`
    command: Vec<String>,
}

pub(crate) fn completions(args: &Completions, streams: &mut Streams<'_>) -> Result<Exit, Fault> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "adequacy", &mut text);
    streams.out.write_all(&text)?;
    Ok(Exit::Done)
}

pub(crate) fn manual(args: &Manual, streams: &mut Streams<'_>) -> Result<Exit, Fault> {
    let mut whole = Cli::command();
    // Gives the commands their whole names and the arguments that all share.
    whole.build();
    let mut found = &whole;
    for word in &args.command {
        found = found.find_subcommand(word).ok_or_else(|| {
            let message = format!("there is no command `{}`", args.command.join(" "));
            Fault::new(Exit::Usage, message)
        })?;
    }
    let mut text = Vec::new();
    Man::new(found.clone()).render(&mut text)?;
    if args.command.is_empty() {
        codes(&mut text)?;
    }
    streams.out.write_all(&text)?;
    Ok(Exit::Done)
}

/// The exit codes, as a section of the program's own page.
fn codes(text: &mut Vec<u8>) -> std::io::Result<()> {
    use std::io::Write as _;
    writeln!(text, ".SH \"EXIT STATUS\"")?;
    for exit in Exit::ALL {
        writeln!(text, ".TP\n{}\n{}", exit.code(), exit.meaning())?;
    }
    Ok(())
}
