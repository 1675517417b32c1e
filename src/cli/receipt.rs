//! `adequacy receipt`: validate receipts, print what they are made from, and prove the rules.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::fault::Fault;
use super::{Exit, Streams};
use crate::receipt;
use crate::report::terminal::escaped;

/// Validate receipts of runs, and print the schema and the rules they are held to
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Name every rule that a receipt breaks; print `valid` when it breaks none
    Validate {
        /// The receipt
        file: PathBuf,
        /// Refuse members that the shape does not know
        #[arg(long)]
        strict: bool,
        /// Set `receipt_complete` in the file, under a stamp, when all holds
        #[arg(long)]
        stamp: bool,
    },
    /// Print the JSON Schema, for structured output and for validators
    Schema {
        /// Leave the conditionals out, for providers whose strict mode has none
        #[arg(long)]
        reduced: bool,
        /// Print the definition of a tool whose one call is the receipt
        #[arg(long)]
        tool: bool,
    },
    /// Print the rules as a text to put before an agent's prompt
    Rules,
    /// Show that each rule refuses a violation and that honest receipts pass
    Conformance {
        /// Also write the example receipts, which are cases of it, to this directory
        #[arg(long, value_name = "DIR")]
        emit_examples: Option<PathBuf>,
    },
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> Result<Exit, Fault> {
    match &args.what {
        What::Validate { file, strict, stamp } => validate(file, *strict, *stamp, streams),
        What::Schema { reduced, tool } => {
            let schema = if *reduced { receipt::reduced() } else { receipt::schema() };
            let value = if *tool { receipt::tool(&schema) } else { schema };
            print(&value, streams)?;
            Ok(Exit::Done)
        }
        What::Rules => {
            write!(streams.out, "{}", receipt::rules_for_prompts())?;
            Ok(Exit::Done)
        }
        What::Conformance { emit_examples } => conformance(emit_examples.as_deref(), streams),
    }
}

pub(super) fn print(value: &Value, streams: &mut Streams<'_>) -> Result<(), Fault> {
    let text = serde_json::to_string_pretty(value).expect("plain values");
    Ok(writeln!(streams.out, "{text}")?)
}

fn validate(
    file: &Path,
    strict: bool,
    stamp: bool,
    streams: &mut Streams<'_>,
) -> Result<Exit, Fault> {
    let text = read(file)?;
    let verdict = receipt::validate(&text);
    let refused = verdict.faults.iter().chain(verdict.unknown.iter().filter(|_| strict));
    for fault in refused {
        writeln!(streams.out, "{}", escaped(&fault.to_string()))?;
    }
    if !strict {
        let label = streams.err_style.red("warning:");
        for fault in &verdict.unknown {
            writeln!(streams.err, "{label} {}", escaped(&fault.to_string()))?;
        }
    }
    if !verdict.holds(strict) {
        return Ok(Exit::No);
    }
    if stamp {
        let value = serde_json::from_slice(&text).expect("it was read as JSON");
        let stamped = receipt::stamp(&value).expect("it holds");
        replace(file, &stamped)?;
    }
    writeln!(streams.out, "valid")?;
    Ok(Exit::Done)
}

pub(super) fn read(file: &Path) -> Result<Vec<u8>, Fault> {
    fs::read(file).map_err(|error| {
        Fault::new(Exit::Usage, format!("cannot read `{}`: {error}", file.display()))
    })
}

/// Puts the new text in place whole, or leaves the old one.
pub(super) fn replace(file: &Path, value: &Value) -> Result<(), Fault> {
    let fault = |error: std::io::Error| {
        Fault::new(Exit::Output, format!("cannot write `{}`: {error}", file.display()))
    };
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut new =
        tempfile::NamedTempFile::new_in(folder.unwrap_or(Path::new("."))).map_err(fault)?;
    let permissions = match fs::metadata(file) {
        Ok(old) => old.permissions(),
        Err(_) => fs::Permissions::from_mode(0o644),
    };
    let text = serde_json::to_string_pretty(value).expect("plain values");
    writeln!(new, "{text}").map_err(fault)?;
    new.as_file().set_permissions(permissions).map_err(fault)?;
    new.persist(file).map_err(|error| fault(error.error))?;
    Ok(())
}

/// Refuses a run directory whose receipt is missing or breaks a rule; what a reader must know where
/// `--allow no-receipt` lets it through.
pub(super) fn demanded(run: &Path, allow: &[String]) -> Result<Option<String>, Fault> {
    if !run.join("run.json").exists() {
        return Ok(None); // no run directory at all, which its reader says better
    }
    let why = match fs::read(run.join("receipt.json")) {
        Err(error) => Some(format!("receipt.json: {error}")),
        Ok(text) => receipt::validate(&text).faults.first().map(ToString::to_string),
    };
    match why {
        None => Ok(None),
        Some(why) if allow.iter().any(|allowed| allowed == NO_RECEIPT) => {
            Ok(Some(format!("No valid receipt ({why}); let through by `--allow {NO_RECEIPT}`.")))
        }
        Some(why) => {
            let shown = run.display();
            let message = format!(
                "`{shown}` has no valid receipt ({why}); a run without one did not happen: measure again, \
                 or let it through with `--allow {NO_RECEIPT}`"
            );
            Err(Fault::new(Exit::Refused, message))
        }
    }
}

/// What `--allow` takes for a run directory without a valid receipt.
pub(super) const NO_RECEIPT: &str = "no-receipt";

fn conformance(examples: Option<&Path>, streams: &mut Streams<'_>) -> Result<Exit, Fault> {
    let cases = receipt::cases();
    let wrong = cases.iter().filter(|case| !case.is_right()).collect::<Vec<_>>();
    for case in &wrong {
        writeln!(streams.out, "wrong: {}", escaped(&case.name))?;
    }
    let accepted = cases.iter().filter(|case| case.refused_by.is_none()).count();
    let refused = cases.len() - accepted;
    writeln!(
        streams.out,
        "{refused} violations and {accepted} honest receipts; {} answered otherwise than they must be",
        wrong.len()
    )?;
    if !wrong.is_empty() {
        return Ok(Exit::Internal);
    }
    if let Some(folder) = examples {
        let fault = |path: &Path, error: std::io::Error| {
            Fault::new(Exit::Output, format!("cannot write `{}`: {error}", path.display()))
        };
        fs::create_dir_all(folder).map_err(|error| fault(folder, error))?;
        for (place, (name, value)) in receipt::receipts().iter().take(receipt::EXAMPLES).enumerate()
        {
            let path = folder.join(format!("{:02}-{name}.json", place + 1));
            let text = serde_json::to_string_pretty(value).expect("plain values");
            fs::write(&path, format!("{text}\n")).map_err(|error| fault(&path, error))?;
        }
    }
    Ok(Exit::Done)
}

#[cfg(test)]
mod tests {
    use super::super::{Exit, audit, check};
    use crate::audit::AuditWord;
    use crate::check::Word;

    #[test]
    fn the_page_maps_the_three_vocabularies() {
        let mut table = String::from("| command | says | receipt | exit |\n|---|---|---|---|\n");
        let mut add = |command: &str, says: &str, receipt: &str, exit: Exit| {
            let exit = exit.code();
            table.push_str(&format!("| `{command}` | {says} | {receipt} | {exit} |\n"));
        };
        for word in [Word::Supported, Word::Contradicted, Word::NotEstablished, Word::Refused] {
            add("check", word.text(), word.in_receipt(), check::exit_of(word));
        }
        for word in [AuditWord::Agrees, AuditWord::Differs, AuditWord::CannotRebuild] {
            add("audit", word.text(), word.in_receipt(), audit::exit_of(word));
        }
        crate::evidence::assert_page_holds("docs/receipt.md", "VOCABULARIES", &table);
    }
}
