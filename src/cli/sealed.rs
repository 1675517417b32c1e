//! A sealed record as a command's argument: read, judged, and with its Statement where one is there.

use std::path::Path;

use super::Exit;
use super::fault::Fault;
use super::member;
use crate::bundle::STATEMENT;
use crate::contract::{self, Record};
use crate::report::terminal::escaped;
use crate::verify;

/// A record that breaks no rule.
pub(crate) struct SealedRecord {
    pub(crate) record: Record,
    /// Who sealed it, as far as that is known; one sentence.
    pub(crate) origin: String,
}

/// Reads the record at `path`. A Statement beside it must be one of this record.
pub(crate) fn read(path: &Path) -> Result<SealedRecord, Fault> {
    let shown = escaped(&path.display().to_string());
    let refused = |error: member::ReadError| Fault::new(Exit::Refused, error.to_string());
    let bytes = member::read(path).map_err(refused)?;
    let broken = |what: &str, code: crate::base::code::Code| {
        let rule = code.rule();
        Fault::new(Exit::No, format!("{what} does not hold: {code} ({rule})"))
    };
    let record = contract::parse(&bytes).map_err(|code| broken(&format!("`{shown}`"), code))?;
    let statement = path.with_file_name(STATEMENT);
    let origin = if statement.exists() {
        let statement = member::read(&statement).map_err(refused)?;
        let what = format!("the Statement beside `{shown}`");
        let verified = verify::verify(&statement, &bytes).map_err(|code| broken(&what, code))?;
        format!(
            "Its Statement holds for this record (sha256 {}). Who sealed it is not established: the Statement \
             is unsigned.",
            verified.contract_sha256
        )
    } else {
        "No Statement stands beside it: that it is what was sealed is not established.".to_owned()
    };
    Ok(SealedRecord { record, origin })
}
