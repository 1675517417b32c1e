//! What people and programs are shown of a run. Everything derives from the run's own files.

mod headline;
mod style;
pub mod terminal;
pub mod text;

pub use headline::headline;
pub use style::Style;
