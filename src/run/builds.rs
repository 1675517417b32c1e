//! What commands of cargo build, so that a mutant that does not compile passes for no kill.

use super::Step;
use crate::base::Argv;
use crate::task::{CargoBuild, Task};

/// The builds that a task's commands of cargo stand for.
pub(super) struct Builds {
    /// Of the product alone, in the order of [`Step::Product`].
    products: Vec<Argv>,
    /// Of the tests, by the place of the command.
    tests: Vec<Option<Argv>>,
}

impl Builds {
    pub(super) fn of(task: &Task) -> Self {
        let tests = |argv: &Argv| CargoBuild::of(argv).and_then(|build| build.tests);
        Self {
            products: task.products(),
            tests: task.commands.iter().map(|command| tests(&command.argv)).collect(),
        }
    }

    /// The steps that build the product.
    pub(super) fn steps(&self) -> impl Iterator<Item = Step> + use<> {
        (0..self.products.len()).map(Step::Product)
    }

    /// The words of [`Step::Product`].
    pub(super) fn product(&self, place: usize) -> &Argv {
        &self.products[place]
    }

    /// The words of [`Step::Tests`] of the command at `place`, if it is one of cargo.
    pub(super) fn tests(&self, place: usize) -> Option<&Argv> {
        self.tests[place].as_ref()
    }
}
