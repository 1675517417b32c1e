//! The command line: one file a command. It alone talks to people and ends with an exit code.

mod args;
mod audit;
mod batch;
mod bundle;
mod check;
mod clean;
mod evidence;
mod exit;
mod explain;
mod fault;
mod found;
mod gate;
mod import;
mod init;
mod interrupts;
mod isolation;
mod keygen;
mod list;
mod many;
mod measure;
mod member;
mod merge;
mod probes;
mod progress;
mod receipt;
mod receipt_file;
mod replay;
mod report;
mod seal;
mod sealed;
mod setup;
mod shell;
mod show;
mod summary;
#[cfg(test)]
mod tests;
mod triage;
mod vectors;
mod verify;

use std::ffi::OsString;
use std::io::{self, IsTerminal as _, Write};

use clap::Parser as _;

pub use exit::Exit;

use crate::report::Style;
use crate::report::terminal::escaped;
use args::{Cli, Command};

/// Where a command writes: data to `out`, all else to `err`.
pub(crate) struct Streams<'a> {
    pub(crate) out: &'a mut dyn Write,
    pub(crate) err: &'a mut dyn Write,
    pub(crate) out_style: Style,
    pub(crate) err_style: Style,
    /// Where the command is one of many that run beside each other.
    pub(crate) beside: Option<&'a many::Beside<'a>>,
}

/// Runs the program with these words, the first of them its own name, and says how it ends.
#[must_use]
pub fn run(words: impl IntoIterator<Item = OsString>) -> Exit {
    let cli = match Cli::try_parse_from(words) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are data and no fault; clap knows where each goes.
            let exit = if error.use_stderr() { Exit::Usage } else { Exit::Done };
            return if error.print().is_ok() { exit } else { Exit::Internal };
        }
    };
    let no_color = std::env::var_os("NO_COLOR");
    let style = |terminal| Style::of(terminal, no_color.as_deref());
    let mut streams = Streams {
        out_style: wide(style(io::stdout().is_terminal())),
        err_style: style(io::stderr().is_terminal()),
        out: &mut io::stdout().lock(),
        err: &mut io::stderr(),
        beside: None,
    };
    match command(&cli.command, &mut streams) {
        Ok(exit) => exit,
        // As in `list | head`: who reads it has had enough.
        Err(fault)
            if fault.reader_gone
                && matches!(
                    cli.command,
                    Command::List(_)
                        | Command::Report(_)
                        | Command::Show(_)
                        | Command::Explain(_)
                        | Command::Completions(_)
                        | Command::Man(_)
                        | Command::Summary(_)
                ) =>
        {
            Exit::Done
        }
        Err(fault) => {
            let label = streams.err_style.red("error:");
            let shown = writeln!(streams.err, "{label} {}", escaped(&fault.message));
            // When stderr is gone, the exit code still says it.
            shown.map_or(fault.exit, |()| fault.exit)
        }
    }
}

/// The style with the width of the terminal that stdout is, if it is one.
fn wide(style: Style) -> Style {
    let size = rustix::termios::tcgetwinsize(io::stdout());
    match size {
        Ok(size) if size.ws_col > 0 => style.columns(usize::from(size.ws_col)),
        _ => style,
    }
}

fn command(command: &Command, streams: &mut Streams<'_>) -> Result<Exit, fault::Fault> {
    match command {
        Command::List(args) => list::run(args, streams),
        Command::Measure(args) => measure::run(args, streams),
        Command::Seal(args) => seal::run(args, streams),
        Command::Merge(args) => merge::run(args, streams),
        Command::Clean(args) => clean::run(args, streams),
        Command::Init(args) => init::run(args, streams),
        Command::Import(args) => import::run(args, streams),
        Command::Probes(args) => probes::run(args, streams),
        Command::Audit(args) => audit::run(args, streams),
        Command::Check(args) => check::run(args, streams),
        Command::Bundle(args) => bundle::run(args, streams),
        Command::Replay(args) => replay::run(args, streams),
        Command::Gate(args) => gate::run(args, streams),
        Command::Receipt(args) => receipt::run(args, streams),
        Command::Evidence(args) => evidence::run(args, streams),
        Command::Report(args) => report::run(args, streams),
        Command::Summary(args) => summary::run(args, streams),
        Command::Estimate(args) => measure::estimate(args, streams),
        Command::Verify(args) => Ok(verify::run(args, streams.out, streams.err)),
        Command::Vectors(args) => Ok(vectors::run(args, streams.out, streams.err)),
        Command::Show(args) => show::run(args, streams),
        Command::Triage(args) => triage::run(args, streams),
        Command::Explain(args) => explain::run(args, streams),
        Command::Completions(args) => shell::completions(args, streams),
        Command::Man(args) => shell::manual(args, streams),
        Command::Keygen(args) => Ok(keygen::run(args, streams.out, streams.err)),
    }
}
