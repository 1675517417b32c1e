//! Whole functions, what can stand in their place, and what the build knows of a file.

mod bodies;
mod build;
mod cheats;
mod hosts;
mod lints;
mod names;
mod outline;
mod syntax;

pub use bodies::{CONSTANTS, DEGENERATE};
pub(crate) use bodies::{bodies, stub};
pub use build::{BuildOutline, Conditional, Module, Parent, build_outline};
pub use cheats::CHEATS;
pub(crate) use cheats::cheats;
pub use hosts::{Host, hosts};
pub use lints::{ExternCrates, denied, extern_crates};
pub use names::cargo_mutants_names;
pub(crate) use outline::outline;
pub use syntax::syntax;
