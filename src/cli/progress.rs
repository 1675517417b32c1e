//! Progress: a bar on a terminal, a line every few seconds elsewhere.

use std::borrow::Cow;
use std::io::IsTerminal as _;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::Streams;
use crate::base::{Event, Sink};
use crate::report::terminal::escaped;

/// Between two lines where stderr is no terminal.
const PAUSE: Duration = Duration::from_secs(5);

/// Tells a person on stderr how far the run is.
pub(crate) struct Progress<'a> {
    quiet: bool,
    /// Who tells it in our place.
    instead: Option<&'a dyn Sink>,
    state: Mutex<State>,
}

struct State {
    bar: Option<ProgressBar>,
    step: Cow<'static, str>,
    total: Option<u64>,
    last: Instant,
    began: Instant,
}

impl<'a> Progress<'a> {
    /// That of a command which may be one of many.
    pub(crate) fn of(streams: &Streams<'a>, quiet: bool) -> Self {
        let instead = streams.beside.map(|beside| beside.sink);
        Self { instead, ..Self::new(quiet || instead.is_some()) }
    }

    /// `quiet` drops all but warnings.
    pub(crate) fn new(quiet: bool) -> Self {
        let terminal = std::io::stderr().is_terminal() && !quiet;
        let bar = terminal.then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            bar.enable_steady_tick(Duration::from_millis(200));
            bar
        });
        let now = Instant::now();
        let state = State { bar, step: "".into(), total: None, last: now, began: now };
        Self { quiet, instead: None, state: Mutex::new(state) }
    }

    /// Takes the bar away; lines that were printed stay.
    pub(crate) fn finish(&self) {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bar) = &state.bar {
            bar.finish_and_clear();
        }
    }
}

impl Sink for Progress<'_> {
    fn tell(&self, event: Event) {
        if let Some(sink) = self.instead {
            return sink.tell(event);
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::Warning(text) => state.say(&format!("warning: {}", escaped(&text))),
            _ if self.quiet => {}
            Event::Note(text) => state.say(&format!("note: {}", escaped(&text))),
            Event::Step { name, total } => state.begin(name, total),
            Event::Baseline { round, wall } => {
                let wall = wall.as_secs_f64();
                let line = format!("the unmutated tree passed in {wall:.1} s (run {round})");
                match &state.bar {
                    Some(bar) => bar.inc(1),
                    None => print(&line),
                }
            }
            Event::Progress { done, killed } => state.progress(done, killed),
        }
    }
}

impl State {
    fn say(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| print(line)),
            None => print(line),
        }
    }

    fn begin(&mut self, step: Cow<'static, str>, total: Option<u64>) {
        let now = Instant::now();
        (self.step, self.total, self.began, self.last) = (step, total, now, now);
        let step = &self.step;
        let Some(bar) = &self.bar else {
            print(&total.map_or_else(|| step.to_string(), |total| format!("{step}: {total}")));
            return;
        };
        let template = match total {
            Some(_) => "{spinner} {prefix} [{bar:30}] {pos}/{len} {msg} {eta}",
            None => "{spinner} {prefix} {msg}",
        };
        let style = ProgressStyle::with_template(template).expect("a good template");
        bar.set_style(style.progress_chars("=> "));
        bar.reset();
        bar.set_prefix(step.to_string());
        bar.set_message("");
        match total {
            Some(total) => bar.set_length(total),
            None => bar.unset_length(),
        }
    }

    fn progress(&mut self, done: u64, killed: u64) {
        if let Some(bar) = &self.bar {
            bar.set_position(done);
            bar.set_message(format!("{killed} killed"));
            return;
        }
        if self.last.elapsed() < PAUSE {
            return;
        }
        self.last = Instant::now();
        let total = self.total.unwrap_or(done);
        #[expect(clippy::cast_precision_loss, reason = "a guess for people")]
        let left = self.began.elapsed().as_secs_f64() / done.max(1) as f64
            * total.saturating_sub(done) as f64;
        print(&format!(
            "{}: {done} of {total}, {killed} killed, about {left:.0} s left",
            self.step
        ));
    }
}

#[expect(clippy::print_stderr, reason = "progress is what stderr is for")]
pub(super) fn print(line: &str) {
    eprintln!("{line}");
}
