//! What people and programs are shown of a run. Everything derives from the run's own files.

mod count;
mod csv;
mod entry;
mod escape;
mod executors;
mod format;
mod full_json;
mod github;
mod group;
mod headline;
mod html;
mod json;
mod junit;
mod log;
mod markdown;
mod place;
mod prompt;
mod ratchet;
mod sarif;
mod style;
mod summary;
pub mod terminal;
pub mod text;

pub use count::{CommandCount, Count, share};
pub use entry::{Entry, Further, PlanRow, Standing};
pub use format::{Format, Request, render};
pub use group::{Group, survivors};
pub use headline::headline;
pub use log::{ReportError, RunLog};
pub use place::{Place, Region, Source};
pub use ratchet::{content_keys, new_survivors};
pub use style::Style;
pub use summary::summary;
