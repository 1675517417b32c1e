//! Whole functions: where they are, and what can stand in their place.

mod cheats;
mod outline;
mod rename;

pub use cheats::{CHEATS, CONSTANTS, DEGENERATE};
pub(crate) use cheats::{bodies, cheats, stub};
pub(crate) use outline::outline;
pub(crate) use rename::renamed_locals;
