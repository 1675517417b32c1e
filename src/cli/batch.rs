//! `adequacy verify --batch`: every member below a folder, one line each, sorted, in parallel.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use rayon::prelude::*;

use super::Exit;
use super::verify::{Refusal, json_line, read_pair, refusal_members};
use crate::base::code::Code;
use crate::base::json::Value;
use crate::report::terminal::plain;
use crate::verify::verify;

/// Folders judged before their lines are written.
const CHUNK: usize = 512;

/// The names a Statement may have; the first is that of a corpus, the second that of `seal`.
const STATEMENTS: [&str; 2] = ["statement.json", "contract.statement.json"];

/// Judges every folder below `root`.
pub(super) fn run(
    root: &Path,
    json: bool,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> io::Result<Exit> {
    if let Err(error) = fs::read_dir(root) {
        let shown = plain(root.as_os_str().as_bytes());
        writeln!(err, "error: the folder `{shown}` cannot be read: {error}")?;
        return Ok(Exit::Refused);
    }
    let mut walk = Walk { root, pending: BTreeSet::from([Vec::new()]) };
    let mut totals = [0_u64; 3];
    loop {
        let folders: Vec<Folder> = walk.by_ref().take(CHUNK).collect();
        if folders.is_empty() {
            break;
        }
        let judged: Vec<_> = folders.par_iter().map(|folder| folder.judge(root)).collect();
        for (folder, judged) in folders.iter().zip(judged) {
            totals[match &judged {
                Ok(()) => 0,
                Err(Refusal::Broken(_)) => 1,
                Err(Refusal::Unread(..)) => 2,
            }] += 1;
            folder.tell(&judged, json, out, err)?;
        }
        out.flush()?;
    }
    let [valid, invalid, refused] = totals;
    writeln!(
        err,
        "{} folders: {valid} valid, {invalid} invalid, {refused} refused",
        totals.iter().sum::<u64>()
    )?;
    Ok(match totals {
        [0, 0, 0] => Exit::NothingToDo,
        [_, 0, 0] => Exit::Done,
        _ => Exit::No,
    })
}

/// A folder that holds a member, or should be looked into and cannot.
struct Folder {
    /// Below the root; empty for the root itself.
    path: Vec<u8>,
    /// The names it holds of those that make a member; or why it could not be listed.
    holds: Result<Holds, io::Error>,
}

#[derive(Default)]
struct Holds {
    contract: bool,
    statements: [bool; 2],
}

impl Folder {
    fn judge(&self, root: &Path) -> Result<(), Refusal> {
        let holds = self.holds.as_ref().map_err(|error| {
            Refusal::Unread(Code::MemberUnreadable, format!("the folder cannot be read: {error}"))
        })?;
        if holds.statements == [true, true] {
            let message = format!("it holds both {} and {}", STATEMENTS[0], STATEMENTS[1]);
            return Err(Refusal::Unread(Code::MemberAmbiguous, message));
        }
        let folder = root.join(OsStr::from_bytes(&self.path));
        let statement = STATEMENTS[usize::from(holds.statements[1])];
        let (statement, contract) =
            read_pair(&folder.join(statement), &folder.join("contract.json"))?;
        verify(&statement, &contract)?;
        Ok(())
    }

    fn tell(
        &self,
        judged: &Result<(), Refusal>,
        json: bool,
        out: &mut dyn Write,
        err: &mut dyn Write,
    ) -> io::Result<()> {
        let name = if self.path.is_empty() { ".".to_owned() } else { plain(&self.path) };
        if json {
            let mut members = match judged {
                Ok(()) => vec![("verdict", Value::from("valid"))],
                Err(refusal) => refusal_members(refusal),
            };
            members.push(("folder", name.into()));
            return writeln!(out, "{}", json_line(members));
        }
        let Err(refusal) = judged else { return writeln!(out, "{name} valid") };
        if let Refusal::Unread(code, message) = refusal {
            writeln!(err, "{name}: {code}: {message}")?;
        }
        writeln!(out, "{name} {}", refusal.code())
    }
}

/// Every folder below a root, in the order of their paths' bytes; links are not followed.
struct Walk<'r> {
    root: &'r Path,
    /// Folders to look into. What lies below one comes after it and is added when it is taken.
    pending: BTreeSet<Vec<u8>>,
}

impl Iterator for Walk<'_> {
    type Item = Folder;

    fn next(&mut self) -> Option<Folder> {
        while let Some(path) = self.pending.pop_first() {
            let holds = self.list(&path);
            if holds.as_ref().map_or(true, |holds| holds.contract || holds.statements != [false; 2])
            {
                return Some(Folder { path, holds });
            }
        }
        None
    }
}

impl Walk<'_> {
    fn list(&mut self, path: &[u8]) -> io::Result<Holds> {
        let mut holds = Holds::default();
        for entry in fs::read_dir(self.root.join(OsStr::from_bytes(path)))? {
            let entry = entry?;
            let name = entry.file_name();
            match name.as_bytes() {
                b"contract.json" => holds.contract = true,
                name if name == STATEMENTS[0].as_bytes() => holds.statements[0] = true,
                name if name == STATEMENTS[1].as_bytes() => holds.statements[1] = true,
                name if entry.file_type()?.is_dir() => {
                    let slash: &[u8] = if path.is_empty() { b"" } else { b"/" };
                    self.pending.insert([path, slash, name].concat());
                }
                _ => {}
            }
        }
        Ok(holds)
    }
}
