//! Interrupts of this process: the one handler, and all spawners it ends.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::run::Spawner;

static INTERRUPTS: Mutex<Interrupts> =
    Mutex::new(Interrupts { handled: false, happened: false, spawners: Vec::new() });

struct Interrupts {
    /// Whether the handler is in place; a process has one.
    handled: bool,
    happened: bool,
    spawners: Vec<Weak<Spawner>>,
}

fn interrupts() -> MutexGuard<'static, Interrupts> {
    INTERRUPTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on an interrupt is remembered, and ends nothing but the spawners that are known.
pub(super) fn handle() -> Result<(), ctrlc::Error> {
    let mut interrupts = interrupts();
    if !interrupts.handled {
        ctrlc::set_handler(end_all)?;
        interrupts.handled = true;
    }
    Ok(())
}

/// Lets an interrupt end this spawner and everything it has started.
pub(super) fn end_with(spawner: &Arc<Spawner>) -> Result<(), ctrlc::Error> {
    handle()?;
    let mut interrupts = interrupts();
    interrupts.spawners.retain(|known| known.strong_count() > 0);
    interrupts.spawners.push(Arc::downgrade(spawner));
    if interrupts.happened {
        spawner.interrupt();
    }
    Ok(())
}

/// Whether a person ended this process.
pub(super) fn happened() -> bool {
    interrupts().happened
}

fn end_all() {
    let mut interrupts = interrupts();
    interrupts.happened = true;
    interrupts.spawners.iter().filter_map(Weak::upgrade).for_each(|spawner| spawner.interrupt());
}
