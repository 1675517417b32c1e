//! Layer 0: values every stage shares. No file system, no process, no clock, no console.

pub mod any_path;
mod argv;
pub mod canonical;
pub mod code;
mod digest;
pub mod json;
mod lowest;
mod path;
pub mod seconds;
mod sink;

pub use argv::{Argv, ArgvError};
pub use digest::{DigestError, Digesting, Sha256};
pub use lowest::lowest;
pub use path::{PathError, RelPath};
pub use sink::{Event, Silent, Sink};
