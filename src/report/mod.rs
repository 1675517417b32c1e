//! What people and programs are shown of a run. Everything derives from the run's own files.

mod count;
mod csv;
pub mod dataset;
mod entry;
mod escape;
mod executors;
mod explain;
mod format;
mod full_json;
mod github;
mod gitlab;
mod group;
mod headline;
mod html;
mod json;
mod junit;
mod log;
mod markdown;
mod matrix;
mod place;
mod prompt;
mod ratchet;
mod reached;
mod row;
mod sarif;
mod show;
mod style;
mod summary;
pub mod terminal;
pub mod text;
mod triage;

pub use count::{CommandCount, Count, share};
pub use entry::{Entry, Standing};
pub use explain::{explain, not_killed};
pub use format::{Format, Request, render};
pub use group::{Group, survivors};
pub use headline::headline;
pub use log::{ReportError, RunLog};
pub use place::{Place, Region, Source};
pub use ratchet::{content_keys, new_survivors};
pub use row::{Further, PlanRow, Row};
pub use show::{Evidence, show};
pub use style::Style;
pub use summary::{brief, summary};
pub use triage::{
    Classification, Edited, FILE as TRIAGE_FILE, Judgement, Triage, TriageError, TriageFile, drawn,
};
