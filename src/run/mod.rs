//! Stage 4: running commands.
//!
//! Everything a run starts goes through one [`spawn::Spawner`], which starts one helper process
//! ([`exec`]) a command; the helper ends the whole tree of the command's processes and certifies
//! that none of them lives.

pub mod certificate;
pub mod environment;
pub mod exec;
pub mod exit;
mod orphans;
mod processes;
pub mod runner;
pub mod spawn;
pub mod workspace;
