//! One display for all tasks: how many are done, and what the open ones do.

use std::collections::BTreeMap;
use std::io::IsTerminal as _;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::super::progress::print;
use super::rows::Row;
use crate::base::{Event, Sink};
use crate::report::terminal::escaped;

/// Between two lines where stderr is no terminal.
const PAUSE: Duration = Duration::from_secs(5);

/// Open tasks that are shown.
const SHOWN: usize = 3;

/// Warnings that are kept of a task.
const KEPT: usize = 20;

/// The display.
pub(super) struct Board {
    quiet: bool,
    total: usize,
    state: Mutex<State>,
}

struct State {
    bar: Option<ProgressBar>,
    done: usize,
    failed: usize,
    /// By place in the order of the tasks.
    open: BTreeMap<usize, Open>,
    last: Instant,
}

struct Open {
    id: String,
    step: String,
    /// Units of the step: done, and all where that is known.
    units: (u64, Option<u64>),
}

impl Board {
    /// `quiet` shows nothing but what failed.
    pub(super) fn new(total: usize, quiet: bool) -> Self {
        let terminal = std::io::stderr().is_terminal() && !quiet;
        let bar = terminal.then(|| {
            let bar =
                ProgressBar::with_draw_target(Some(total as u64), ProgressDrawTarget::stderr());
            let template = "{spinner} tasks [{bar:20}] {pos}/{len} {wide_msg}";
            let style = ProgressStyle::with_template(template).expect("a good template");
            bar.set_style(style.progress_chars("=> "));
            bar.enable_steady_tick(Duration::from_millis(200));
            bar
        });
        let open = BTreeMap::new();
        let state = State { bar, done: 0, failed: 0, open, last: Instant::now() };
        Self { quiet, total, state: Mutex::new(state) }
    }

    /// A task begins.
    pub(super) fn open(&self, place: usize, id: &str) {
        let open = Open { id: escaped(id), step: String::new(), units: (0, None) };
        self.state().open.insert(place, open);
    }

    /// A task has ended, now or in an earlier call.
    pub(super) fn close(&self, place: usize, row: &Row) {
        let mut state = self.state();
        state.open.remove(&place);
        state.done += 1;
        if !row.is_done() {
            state.failed += 1;
            let exit = row.exit.unwrap_or_default();
            let line =
                format!("{}: exit {exit}: {}", escaped(&row.task), escaped(row.first_line()));
            state.say(&line);
        }
        state.show(self.total, self.quiet);
    }

    /// Takes the display away; lines that were printed stay.
    pub(super) fn finish(&self) {
        if let Some(bar) = &self.state().bar {
            bar.finish_and_clear();
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn say(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| print(line)),
            None => print(line),
        }
    }

    fn show(&mut self, total: usize, quiet: bool) {
        if let Some(bar) = &self.bar {
            bar.set_position(self.done as u64);
            bar.set_message(self.words());
        } else if !quiet && self.last.elapsed() >= PAUSE {
            self.last = Instant::now();
            print(&format!("tasks: {} of {total} done, {}", self.done, self.words()));
        }
    }

    fn words(&self) -> String {
        let open = self.open.values().take(SHOWN).map(|open| match open.units {
            (_, None) => format!("{}: {}", open.id, open.step),
            (done, Some(all)) => format!("{}: {} {done}/{all}", open.id, open.step),
        });
        let more = self.open.len().saturating_sub(SHOWN);
        let more = if more > 0 { format!("; and {more} more") } else { String::new() };
        let open = open.collect::<Vec<_>>().join("; ");
        format!("{} failed; {open}{more}", self.failed)
    }
}

/// What one task tells, on its way to the display.
pub(super) struct Told<'a> {
    pub(super) board: &'a Board,
    pub(super) place: usize,
    pub(super) warnings: Mutex<Vec<String>>,
}

impl Sink for Told<'_> {
    fn tell(&self, event: Event) {
        let mut state = self.board.state();
        let open = state.open.get_mut(&self.place);
        match (event, open) {
            (Event::Warning(text), _) => {
                let mut warnings = self.warnings.lock().unwrap_or_else(PoisonError::into_inner);
                if warnings.len() < KEPT {
                    warnings.push(text);
                }
            }
            (Event::Step { name, total }, Some(open)) => {
                open.step = name.into_owned();
                open.units = (0, total);
            }
            (Event::Progress { done, .. }, Some(open)) => open.units.0 = done,
            (Event::Baseline { .. }, Some(open)) => open.units.0 += 1,
            _ => {}
        }
        state.show(self.board.total, self.board.quiet);
    }
}
