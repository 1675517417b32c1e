//! The rows of many tasks: a header, then one line whenever a task begins or ends. The last line of a
//! task is the one that holds.
//!
//! Append-only, and locked as long as it is open. A torn last line, as a killed program leaves it, is
//! taken away.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::Exit;
use super::super::fault::Fault;
use crate::base::Sha256;

/// What the header's `format` says.
const FORMAT: &str = "adequacy-all/1";

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Header {
    format: String,
    command: String,
}

/// How a task stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Row {
    /// Its name.
    pub(crate) task: String,
    /// Digest over everything that it was made from; none where that could not be read.
    pub(crate) inputs: Option<Sha256>,
    /// The exit code that the command ended with; none while it runs, or when it was killed.
    pub(crate) exit: Option<u8>,
    /// What it said last, or what went wrong.
    pub(crate) message: String,
    /// Warnings on the way.
    pub(crate) warnings: Vec<String>,
    /// What the command found, where it gives that as JSON.
    pub(crate) answer: Value,
}

impl Row {
    /// One that begins.
    pub(super) fn begun(task: &str, inputs: Option<Sha256>) -> Self {
        let (message, warnings, answer) = (String::new(), Vec::new(), Value::Null);
        Self { task: task.to_owned(), inputs, exit: None, message, warnings, answer }
    }

    /// The first line of what it said; further ones are hints for who runs this task alone.
    pub(crate) fn first_line(&self) -> &str {
        self.message.lines().next().unwrap_or_default()
    }

    /// Whether it was broken off, so that it is gone on with.
    pub(super) fn is_open(&self) -> bool {
        self.exit.is_none_or(|exit| exit == Exit::Interrupted.code())
    }

    /// Whether it ended well.
    pub(crate) fn is_done(&self) -> bool {
        self.exit == Some(Exit::Done.code())
    }
}

impl Row {
    /// Whether what ended is a whole measurement: it ended well, or a gate or an undecided mutant
    /// stands against it.
    pub(crate) fn is_measured(&self) -> bool {
        let whole = [Exit::Done, Exit::No, Exit::Undecided].map(Exit::code);
        self.exit.is_some_and(|exit| whole.contains(&exit))
    }
}

/// The open file.
#[derive(Debug)]
pub(super) struct Rows {
    path: PathBuf,
    file: Mutex<File>,
}

impl Rows {
    /// Opens the rows of `command` at `path`, and gives those that hold, by task.
    pub(super) fn open(path: &Path, command: &str) -> Result<(Self, HashMap<String, Row>), Fault> {
        let fault = |error| unusable(path, &error);
        let file = File::options().create(true).read(true).append(true).open(path);
        let mut file = file.map_err(fault)?;
        flock(&file, FlockOperation::NonBlockingLockExclusive).map_err(|_| {
            let words = "another call is writing to it; wait for it, or name another with `--rows`";
            Fault::new(Exit::Output, format!("`{}`: {words}", path.display()))
        })?;
        let header = Header { format: FORMAT.to_owned(), command: command.to_owned() };
        let (rows, whole) = read(&file, path, Some(&header))?;
        file.set_len(whole).map_err(fault)?;
        if whole == 0 {
            write_line(&mut file, &header).map_err(fault)?;
        }
        Ok((Self { path: path.to_owned(), file: Mutex::new(file) }, rows))
    }

    /// Adds a line.
    pub(super) fn add(&self, row: &Row) -> Result<(), Fault> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        write_line(&mut file, row).map_err(|error| unusable(&self.path, &error))
    }
}

/// The rows that hold, by task, of whatever command; none where there is no such file.
pub(super) fn of(path: &Path) -> Result<HashMap<String, Row>, Fault> {
    match File::open(path) {
        Ok(file) => Ok(read(&file, path, None)?.0),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(HashMap::new()),
        Err(error) => Err(unusable(path, &error)),
    }
}

/// The rows, and how many bytes the whole lines are.
fn read(
    file: &File,
    path: &Path,
    expected: Option<&Header>,
) -> Result<(HashMap<String, Row>, u64), Fault> {
    let mut reader = BufReader::new(file);
    let (mut rows, mut whole, mut number) = (HashMap::new(), 0, 0);
    let mut line = Vec::new();
    loop {
        line.clear();
        let count = reader.read_until(b'\n', &mut line).map_err(|error| unusable(path, &error))?;
        if line.pop() != Some(b'\n') {
            return Ok((rows, whole));
        }
        whole += count as u64;
        number += 1;
        if number == 1 {
            let header = serde_json::from_slice::<Header>(&line).ok();
            let header = header.filter(|found| found.format == FORMAT);
            if header.is_none() || expected.is_some_and(|it| header.as_ref() != Some(it)) {
                let words = "does not hold the rows of this command; name another with `--rows`";
                return Err(Fault::new(Exit::Output, format!("`{}` {words}", path.display())));
            }
            continue;
        }
        let row = serde_json::from_slice::<Row>(&line).map_err(|error| {
            let shown = path.display();
            Fault::new(Exit::Output, format!("`{shown}`, line {number}: {error}; take it away"))
        })?;
        rows.insert(row.task.clone(), row);
    }
}

fn write_line(file: &mut File, value: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    file.write_all(&line)
}

fn unusable(path: &Path, error: &io::Error) -> Fault {
    Fault::new(Exit::Output, format!("cannot use `{}`: {error}", path.display()))
}
