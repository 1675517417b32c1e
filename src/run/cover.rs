//! Whether commands run in overlay mounts above the copies of the tree.

use std::sync::atomic::Ordering;

use super::lab::Lab;
use super::sandbox::Workspaces;
use super::seat::Seat;
use super::{RunError, Tier};
use crate::base::Event;

impl Lab<'_> {
    /// From now on commands run in overlay mounts, where those are what was chosen and the unmutated
    /// tree passes in one as it did without.
    ///
    /// # Errors
    /// [`RunError`] when the run itself cannot go on.
    pub fn cover(&self) -> Result<(), RunError> {
        if !self.spawner.sandbox().workspaces.is_overlay() {
            return Ok(());
        }
        self.covered.store(true, Ordering::SeqCst);
        match self.unmutated(0, "overlay", true, Tier::Exact) {
            Ok(_) => Ok(()),
            Err(RunError::Red(_) | RunError::NoAnswer { .. }) => {
                self.covered.store(false, Ordering::SeqCst);
                self.sink.tell(Event::Warning(
                    "the unmutated tree does not pass in an overlay mount as it does in a copy; the \
                     copies are brought back after each command instead"
                        .to_owned(),
                ));
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// How commands get a clean workspace now.
    #[must_use]
    pub fn workspaces(&self) -> Workspaces {
        match self.spawner.sandbox().workspaces {
            chosen if chosen.is_overlay() && !self.covered.load(Ordering::SeqCst) => {
                Workspaces::Reset
            }
            chosen => chosen,
        }
    }

    /// Whether the next command in this workspace runs in an overlay mount: what one writes there is
    /// never adopted, so first the caches must be.
    pub(super) fn runs_above(&self, seat: &Seat) -> bool {
        seat.warm && self.covered.load(Ordering::SeqCst)
    }
}
