//! `adequacy probes`: adds generated commands to a task.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::args::{RunArgs, TaskArgs};
use super::fault::Fault;
use super::progress::Progress;
use super::{Exit, Streams, setup};
use crate::measure::{self, Probes};
use crate::report::terminal::escaped;
use crate::run::workspace::Aside;
use crate::task::{Command, Prepatch, Probe, Task, TaskFile};

/// Add generated commands to a task: probes, and twins that ask its functions from another process
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    task: TaskArgs,
    #[command(flatten)]
    run: RunArgs,
    /// Print what would be added to the task file, and write nothing
    #[arg(long)]
    stdout: bool,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> Result<Exit, Fault> {
    let task = setup::task(&args.task, &setup::overrides(&args.task, Some(&args.run), &[]))?;
    let Some(file) = task.file.clone() else {
        let shown = args.task.path.display();
        let message = format!("`{shown}` has no task file; probes are added to one");
        return Err(Fault::new(Exit::Usage, message));
    };
    task.some_commands()?;
    let options = setup::options(&task, &args.task, &args.run, None)?;
    let spawner = setup::spawner(&task, &options, &args.run.isolation, true, streams)?;
    let fault = |error: io::Error| unwritten(&options.scratch, &error);
    let logs = Aside::create(&options.scratch, "logs").map_err(fault)?;
    let progress = Progress::new(false);
    let prepared = measure::prepare(&task, &options.wanted(), &progress);
    let probes = prepared
        .and_then(|it| measure::generate(&task, &options, &it, logs.path(), &spawner, &progress));
    progress.finish();
    let probes = probes?;
    for (what, why) in &probes.refused {
        writeln!(streams.err, "not generated: {}: {}", escaped(what), escaped(why))?;
    }
    if probes.commands.is_empty() {
        let message = "nothing to add: no probe and no twin holds for this task";
        return Err(Fault::new(Exit::NothingToDo, message));
    }
    let added = entries(&probes.commands);
    if args.stdout {
        write!(streams.out, "{added}")?;
        return Ok(Exit::Done);
    }
    let text = extended(&task, &file, &added)?;
    write(&task, &probes, (&file, &text))?;
    for command in &probes.commands {
        writeln!(streams.out, "{}", escaped(&command.id))?;
    }
    writeln!(
        streams.err,
        "added to `{}`; next: `adequacy seal`",
        escaped(&file.display().to_string())
    )?;
    Ok(Exit::Done)
}

/// The commands as entries of a task file.
fn entries(commands: &[Command]) -> String {
    let quoted = |text: &str| toml::Value::String(text.to_owned()).to_string();
    let mut text = String::new();
    for command in commands {
        let words = command.argv.words().iter().map(|word| quoted(word)).collect::<Vec<_>>();
        let _ = write!(
            text,
            "\n[[acceptance]]\nid = {}\nargv = [{}]\nrole = \"heldout\"\n",
            quoted(&command.id),
            words.join(", ")
        );
        if let Some(probe) = command.probe {
            let word = match probe {
                Probe::Determinism => "determinism",
                Probe::TypeStrict => "type_strict",
                Probe::ImportSideEffects => "import_side_effects",
            };
            let _ = writeln!(text, "probe = \"{word}\"");
        }
        if let Some(other) = &command.in_process_twin_of {
            let _ = writeln!(text, "in_process_twin_of = {}", quoted(other));
        }
        if command.prepatch == Prepatch::Pass {
            text.push_str("prepatch = \"pass\"\n");
        }
    }
    text
}

/// Where held-out files go that a task has none of yet.
const HELD_OUT: &str = "heldout";

/// The text of the task file with these entries.
fn extended(task: &Task, file: &Path, added: &str) -> Result<String, Fault> {
    let fault = |error: io::Error| {
        Fault::new(Exit::Usage, format!("cannot read `{}`: {error}", file.display()))
    };
    let own = fs::read_to_string(file).map_err(fault)?;
    let key = match task.heldout {
        Some(_) => String::new(),
        None => format!("heldout = \"{HELD_OUT}\"\n"),
    };
    let end = if own.ends_with('\n') || own.is_empty() { "" } else { "\n" };
    let text = format!("{key}{own}{end}{added}");
    if let Err(error) = toml::from_str::<TaskFile>(&text) {
        let message = format!(
            "cannot add entries to `{}`: {}; add what `--stdout` prints by hand",
            file.display(),
            error.message()
        );
        return Err(Fault::new(Exit::Usage, message));
    }
    Ok(text)
}

/// Writes the held-out files, then the task file, each whole or not at all.
fn write(task: &Task, probes: &Probes, (file, text): (&Path, &str)) -> Result<(), Fault> {
    let folder = task.heldout.clone().unwrap_or_else(|| beside(file).join(HELD_OUT));
    fs::create_dir_all(&folder).map_err(|error| unwritten(&folder, &error))?;
    for (name, text) in &probes.files {
        put(&folder.join(name), text)?;
    }
    put(file, text)
}

fn beside(file: &Path) -> PathBuf {
    file.parent().expect("a file has a directory").to_owned()
}

fn put(path: &Path, text: &str) -> Result<(), Fault> {
    use std::os::unix::fs::PermissionsExt as _;
    let fault = |error: &io::Error| unwritten(path, error);
    // As it is, or as `File::create` would make it; a temporary file is private by default.
    let mode = fs::metadata(path).map_or(0o666, |met| met.permissions().mode());
    let mut made = tempfile::Builder::new();
    made.prefix(".adequacy-").permissions(fs::Permissions::from_mode(mode));
    let mut made = made.tempfile_in(beside(path)).map_err(|error| fault(&error))?;
    made.write_all(text.as_bytes()).map_err(|error| fault(&error))?;
    made.persist(path).map_err(|error| fault(&error.error))?;
    Ok(())
}

fn unwritten(path: &Path, error: &io::Error) -> Fault {
    Fault::new(Exit::Output, format!("cannot write `{}`: {error}", path.display()))
}
