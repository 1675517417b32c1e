//! Whether two tasks are one: what they ask and seal, whatever the places their trees are at.

use std::path::PathBuf;

use crate::task::{Mutate, Solution, Task, Variant};

/// Whether `one` and `other` ask the same of the same trees, which may be at different places. What is
/// mutated is not compared: the plan says that.
pub(super) fn same(one: &Task, other: &Task) -> bool {
    without_places(one) == without_places(other)
}

/// The task `measured` with its trees at the places of `here`, the same task as it is on this machine;
/// `None` when that is another one. What flags may have said when it was measured stays: limits,
/// variables, what is mutated, and for a bare tree the command and the contract's id.
pub(super) fn moved(measured: &Task, here: &Task) -> Option<Task> {
    let mut expected = here.clone();
    expected.env_pass.clone_from(&measured.env_pass);
    if here.file.is_none() {
        expected.commands.clone_from(&measured.commands);
        expected.contract_id.clone_from(&measured.contract_id);
    }
    for (command, then) in expected.commands.iter_mut().zip(&measured.commands) {
        command.timeout = then.timeout;
    }
    same(&expected, measured).then(|| Task {
        file: here.file.clone(),
        tree: here.tree.clone(),
        solution: here.solution.clone(),
        heldout: here.heldout.clone(),
        must_pass: here.must_pass.clone(),
        known_wrong: here.known_wrong.clone(),
        ..measured.clone()
    })
}

/// A task as it is whatever the places of its trees; what is mutated is left out.
pub(super) fn without_places(task: &Task) -> Task {
    let nowhere = PathBuf::new;
    let variants = |variants: &[Variant]| {
        let variants = variants.iter().cloned();
        variants.map(|variant| Variant { path: nowhere(), ..variant }).collect()
    };
    Task {
        file: task.file.as_ref().map(|_| nowhere()),
        tree: nowhere(),
        solution: match &task.solution {
            Solution::Tree => Solution::Tree,
            Solution::From(_) => Solution::From(nowhere()),
            Solution::Patch(_) => Solution::Patch(nowhere()),
            Solution::None => Solution::None,
        },
        heldout: task.heldout.as_ref().map(|_| nowhere()),
        must_pass: variants(&task.must_pass),
        known_wrong: variants(&task.known_wrong),
        mutate: Mutate::default(),
        ..task.clone()
    }
}
