//! `--all`: a command for each of many tasks, on workers that all of them share.
//!
//! A task begins when those before it leave a worker idle ([`Turns`]), so there are never more tasks
//! open than workers, and the last task has all of them. What goes wrong in one is
//! a row of its own; the others go on.

mod board;
mod find;
mod inputs;
mod rows;
mod work;

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread;

use serde_json::Value;

use super::fault::Fault;
use super::{Exit, Streams, interrupts};
use crate::base::{Sha256, Sink};
use crate::report::Style;
use crate::report::terminal::escaped;
use crate::run::{Share, Turns};
use board::{Board, Told};
use find::Item;
pub(crate) use find::{Run, runs};
use rows::{Row, Rows};
pub(crate) use work::{audit, check, estimate, measure, seal};

/// Whether a command is for many tasks.
#[derive(Debug, Default, Clone, clap::Args)]
pub(crate) struct ManyArgs {
    /// Do it for each of many: PATH is a folder of them (docs/many-tasks.md); call again to go on
    #[arg(long)]
    pub(crate) all: bool,
    /// With --all: run those again too that failed
    #[arg(long, requires = "all")]
    retry_failed: bool,
    /// With --all: where the rows are kept, one a task [default: COMMAND-all.jsonl in the folder]
    #[arg(long, value_name = "FILE", requires = "all")]
    rows: Option<PathBuf>,
}

/// What a command that is one of many has of the others.
pub(crate) struct Beside<'a> {
    /// Its part in the workers, until it has begun.
    share: Mutex<Option<Share>>,
    /// What takes its events.
    pub(crate) sink: &'a dyn Sink,
}

impl Beside<'_> {
    /// Its part in the workers; once.
    pub(crate) fn share(&self) -> Option<Share> {
        self.share.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// A command as it is done for each of many.
trait Work: Sync {
    /// The word of the command.
    fn name(&self) -> &'static str;

    /// Digest over everything that decides what comes of it.
    fn inputs(&self, item: &Item) -> Result<Sha256, Fault>;

    /// Whether what it made is still there, for one that ended well.
    fn stands(&self, _item: &Item, _row: &Row) -> bool {
        true
    }

    /// Whether the files that it writes beside an answer, whatever that is, are still there.
    fn is_kept(&self, _item: &Item) -> bool {
        true
    }

    /// Does it. With `resume` an earlier call was broken off while it did.
    fn run(&self, item: &Item, resume: bool, streams: &mut Streams<'_>) -> Result<Exit, Fault>;

    /// What it found, from what it wrote to stdout.
    fn found(&self, item: &Item, out: &str) -> Found;

    /// A line on all of them together.
    fn totals(&self, _rows: &[&Row]) -> Option<String> {
        None
    }
}

/// What a command found for one of many.
struct Found {
    /// As JSON, where it gives that.
    answer: Value,
    /// In a line, where that is not the last that it wrote.
    message: Option<String>,
}

/// How many are done.
struct How<'a> {
    many: &'a ManyArgs,
    /// Where the rows are kept, where no flag says.
    folder: &'a Path,
    jobs: usize,
    quiet: bool,
    json: bool,
}

/// The rows that `seal --all` or `measure --all` left in a folder, by task.
pub(crate) fn rows_of(folder: &Path) -> Result<HashMap<String, Row>, Fault> {
    let path = |command: &str| folder.join(format!("{command}-all.jsonl"));
    let mut rows = rows::of(&path("measure"))?;
    rows.extend(rows::of(&path("seal"))?);
    Ok(rows)
}

/// Does `work` for each of `items`, and says what came of it.
fn run(
    work: &dyn Work,
    items: &[Item],
    how: &How<'_>,
    streams: &mut Streams<'_>,
) -> Result<Exit, Fault> {
    let default = || how.folder.join(format!("{}-all.jsonl", work.name()));
    let path = how.many.rows.clone().unwrap_or_else(default);
    let (rows, earlier) = Rows::open(&path, work.name())?;
    interrupts::handle().map_err(|error| {
        Fault::new(Exit::Resources, format!("cannot prepare for interrupts: {error}"))
    })?;
    let board = Board::new(items.len(), how.quiet);
    let all = All { work, how, rows: &rows, earlier: &earlier, board: &board };
    let turns = Turns::new(how.jobs);
    let ended = Mutex::new(items.iter().map(|_| None).collect::<Vec<_>>());
    let begun = thread::scope(|scope| {
        for (place, item) in items.iter().enumerate() {
            let share = turns.share(place);
            if interrupts::happened() {
                break;
            }
            board.open(place, &item.id);
            let (all, ended) = (&all, &ended);
            let task = move || {
                let end = all.one(place, item, share);
                ended.lock().unwrap_or_else(PoisonError::into_inner)[place] = Some(end);
            };
            // Those that are under way are waited for in any case.
            thread::Builder::new().spawn_scoped(scope, task)?;
        }
        Ok(())
    });
    board.finish();
    begun.map_err(|error: std::io::Error| {
        let message = format!("cannot start one more task: {error}; use fewer workers");
        Fault::new(Exit::Resources, message)
    })?;
    let ended = ended.into_inner().unwrap_or_else(PoisonError::into_inner);
    // A row that could not be written is no end of a task.
    let ended = ended.into_iter().map(Option::transpose).collect::<Result<Vec<_>, Fault>>()?;
    tell(work, items, &ended, how, streams)
}

/// What every task needs.
struct All<'a> {
    work: &'a dyn Work,
    how: &'a How<'a>,
    rows: &'a Rows,
    earlier: &'a HashMap<String, Row>,
    board: &'a Board,
}

/// The row of a task, and whether it is that of an earlier call.
type End = (Row, bool);

impl All<'_> {
    fn one(&self, place: usize, item: &Item, share: Share) -> Result<End, Fault> {
        let inputs = catch_unwind(AssertUnwindSafe(|| self.work.inputs(item).ok())).ok().flatten();
        let before = self.earlier.get(&item.id);
        // What cannot be read has no digest, and says so again when it is run.
        let same = before.filter(|row| row.inputs.is_some() && row.inputs == inputs);
        if let Some(row) = same.filter(|row| self.holds(item, row)) {
            self.board.close(place, row);
            return Ok((row.clone(), true));
        }
        let resume = same.is_some_and(Row::is_open);
        self.rows.add(&Row::begun(&item.id, inputs))?;
        let told = Told { board: self.board, place, warnings: Mutex::default() };
        let done = self.done(item, resume, share, &told);
        let warnings = told.warnings.into_inner().unwrap_or_else(PoisonError::into_inner);
        let row = Row { inputs, warnings, ..done };
        self.rows.add(&row)?;
        self.board.close(place, &row);
        Ok((row, false))
    }

    /// Whether a row of an earlier call, for these inputs, is all there is to do.
    fn holds(&self, item: &Item, row: &Row) -> bool {
        !row.is_open()
            && (row.answer.is_null() || self.work.is_kept(item))
            && if row.is_done() { self.work.stands(item, row) } else { !self.how.many.retry_failed }
    }

    fn done(&self, item: &Item, resume: bool, share: Share, told: &Told<'_>) -> Row {
        let beside = Beside { share: Mutex::new(Some(share)), sink: told };
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let ended = catch_unwind(AssertUnwindSafe(|| {
            let mut streams = Streams {
                out: &mut out,
                err: &mut err,
                out_style: Style::PLAIN,
                err_style: Style::PLAIN,
                beside: Some(&beside),
            };
            self.work.run(item, resume, &mut streams)
        }));
        let [out, err] = [out, err].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let Found { answer, message } = self.work.found(item, &out);
        let last = |text: &str| text.lines().last().unwrap_or_default().to_owned();
        let (exit, message) = match ended {
            Ok(Ok(Exit::Done)) => (Exit::Done, message.unwrap_or_else(|| last(&out))),
            Ok(Ok(exit)) => {
                let said = if err.is_empty() { &out } else { &err };
                (exit, message.unwrap_or_else(|| last(said)))
            }
            Ok(Err(fault)) => (fault.exit, fault.message),
            Err(_) => (Exit::Internal, "a fault of this program; see stderr".to_owned()),
        };
        Row { exit: Some(exit.code()), message, answer, ..Row::begun(&item.id, None) }
    }
}

/// Prints the rows in the order of the tasks, and how many there are of which kind.
fn tell(
    work: &dyn Work,
    items: &[Item],
    ended: &[Option<End>],
    how: &How<'_>,
    streams: &mut Streams<'_>,
) -> Result<Exit, Fault> {
    let (mut done, mut failed, mut earlier, mut open) = (0, 0, 0, 0);
    for (item, end) in items.iter().zip(ended) {
        let Some((row, before)) = end.as_ref().filter(|(row, _)| !row.is_open()) else {
            open += 1;
            continue;
        };
        done += usize::from(row.is_done());
        failed += usize::from(!row.is_done());
        earlier += usize::from(*before);
        if how.json {
            let text = serde_json::to_string(row).expect("plain values");
            writeln!(streams.out, "{text}")?;
        } else if !how.quiet || !row.is_done() {
            let exit = row.exit.unwrap_or_default();
            let (id, message) = (escaped(&item.id), escaped(row.first_line()));
            writeln!(streams.out, "{id}: exit {exit}: {message}")?;
        }
    }
    let all = ended.iter().flatten().map(|(row, _)| row).collect::<Vec<_>>();
    if let Some(line) = work.totals(&all).filter(|_| !how.json) {
        writeln!(streams.out, "{line}")?;
    }
    let line = format!(
        "{} tasks: {done} done, {failed} failed, {open} not ended; {earlier} of them in an earlier call",
        items.len()
    );
    let totals = if how.json { &mut streams.err } else { &mut streams.out };
    writeln!(totals, "{line}")?;
    Ok(match (interrupts::happened(), failed + open) {
        (true, _) => Exit::Interrupted,
        (false, 0) => Exit::Done,
        (false, _) => Exit::No,
    })
}
