//! Where the receipt of a check or an audit goes.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::fault::Fault;
use super::receipt::{read, replace};
use super::{Exit, args};
use crate::base::Sha256;
use crate::receipt::{Draft, RECEIPT, validate_value};

/// What becomes of the receipt.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct ReceiptArgs {
    /// Write a receipt of it to this file (docs/receipt.md); with --all to NAME.json in this directory
    #[arg(long, value_name = "FILE")]
    receipt: Option<PathBuf>,
    /// Where you keep receipt and answer so that they outlive this machine; the receipt then says so
    #[arg(long, value_name = "REF", requires = "receipt", value_parser = args::durable)]
    durable: Option<String>,
}

impl ReceiptArgs {
    /// For the one of many whose name this is.
    pub(super) fn of_one(&self, below: &Path) -> Self {
        let place = |folder: &PathBuf| file_in(folder, below);
        Self { receipt: self.receipt.as_ref().map(place), durable: self.durable.clone() }
    }

    /// The same without the place, which changes nothing in a receipt.
    pub(super) fn without_place(&self) -> Self {
        let receipt = self.receipt.as_ref().map(|_| PathBuf::new());
        Self { receipt, durable: self.durable.clone() }
    }

    /// Makes the folder that it goes to, for one of many.
    pub(super) fn make_above(&self) -> Result<(), Fault> {
        self.receipt.as_deref().map_or(Ok(()), make_above)
    }

    /// Whether it is where it shall be.
    pub(super) fn is_kept(&self) -> bool {
        self.receipt.as_ref().is_none_or(|place| is_receipt(place))
    }

    /// Writes the receipt of what has begun, so that what is broken off claims nothing: in none of
    /// these trees, and over nothing but an earlier receipt.
    pub(super) fn begin(&self, draft: &Draft<'_>, outside: &[&Path]) -> Result<(), Fault> {
        let Some(place) = &self.receipt else { return Ok(()) };
        let shown = place.display();
        let above = place.parent().filter(|above| !above.as_os_str().is_empty());
        let above = above.unwrap_or(Path::new(".")).canonicalize().map_err(|error| {
            Fault::new(Exit::Output, format!("cannot write `{shown}`: {error}"))
        })?;
        if let Some(tree) = outside.iter().find(|tree| above.starts_with(tree)) {
            let tree = tree.display();
            let message = format!(
                "`{shown}` would stand in `{tree}`, which is only read; name another place"
            );
            return Err(Fault::new(Exit::Usage, message));
        }
        if fs::symlink_metadata(place).is_ok() && !is_receipt(place) {
            let message = format!("`{shown}` is there and no receipt; name another file");
            return Err(Fault::new(Exit::Output, message));
        }
        replace(place, &draft.begun())
    }

    /// Writes the receipt of what has ended.
    pub(super) fn end(&self, receipt: impl FnOnce(Option<&str>) -> Value) -> Result<(), Fault> {
        let Some(place) = &self.receipt else { return Ok(()) };
        let receipt = receipt(self.durable.as_deref());
        if let Some(fault) = validate_value(&receipt).faults.first() {
            let shown = place.display();
            let message = format!(
                "the receipt at `{shown}` stays that of a run without an end, for the whole one would not be valid: {fault}"
            );
            return Err(Fault::new(Exit::Refused, message));
        }
        replace(place, &receipt)
    }
}

/// A JSON file in a folder for the one of many whose name this is.
pub(super) fn file_in(folder: &Path, below: &Path) -> PathBuf {
    let mut name = folder.join(below).into_os_string();
    name.push(".json");
    name.into()
}

/// Makes the folders above a place.
pub(super) fn make_above(place: &Path) -> Result<(), Fault> {
    let above = place.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(above).map_err(|error| {
        Fault::new(Exit::Output, format!("cannot make `{}`: {error}", above.display()))
    })
}

fn is_receipt(place: &Path) -> bool {
    holds(place, "schema", RECEIPT)
}

/// Whether a file is a JSON object whose member of that name is this word.
pub(super) fn holds(place: &Path, name: &str, word: &str) -> bool {
    let value = read(place).ok().and_then(|text| serde_json::from_slice::<Value>(&text).ok());
    value.is_some_and(|value| value[name] == word)
}

/// The draft of what a call of `command` with these words does.
pub(super) fn draft(
    command: &'static str,
    words: &impl std::fmt::Debug,
    effect: &'static str,
) -> Draft<'static> {
    Draft {
        id: Sha256::of(format!("{command} {words:?}").as_bytes()).to_string(),
        tool: concat!("adequacy ", env!("CARGO_PKG_VERSION")),
        command,
        authority: "OBSERVE",
        effect,
    }
}
