//! `adequacy init`: a commented task file that fits the tree it stands in.

use super::args::InitArgs;
use super::fault::Fault;
use super::{Exit, Streams};

pub(crate) fn run(_args: &InitArgs, _streams: &mut Streams<'_>) -> Result<Exit, Fault> {
    Ok(Exit::Done)
}
