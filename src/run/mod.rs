//! Stage 4.

pub mod certificate;
pub mod workspace;
