//! What keeps cargo from building a copy of the tree, told before anything is copied.

use super::MeasureError;
use crate::base::{Event, RelPath, Sink};
use crate::plan::cargo::{Outside, reached};
use crate::task::{CargoBuild, Task};
use crate::tree::Snapshot;

/// Refuses a tree that no copy of can be built where commands of cargo are to run in it, and says what
/// of another tool's settings is not read.
pub(super) fn check(task: &Task, tree: &Snapshot, sink: &dyn Sink) -> Result<(), MeasureError> {
    let cargo = task.commands.iter().find(|command| CargoBuild::of(&command.argv).is_some());
    let Some(command) = cargo else { return Ok(()) };
    let Some(reached) = reached(tree) else {
        let (id, root) = (command.id.clone(), tree.root().to_owned());
        return Err(MeasureError::NoManifest { id, root });
    };
    if let Some(Outside { manifest, name, path }) = reached.outside.into_iter().next() {
        return Err(MeasureError::OutsideTree { manifest, name, path });
    }
    let settings = RelPath::new(b".cargo/mutants.toml").expect("a plain path");
    if tree.file(&settings).is_some() {
        sink.tell(Event::Warning(format!(
            "`{settings}` is not read: what it leaves out is mutated here; `[mutate] exclude`, \
             `// adequacy: skip` and `#[mutants::skip]` leave code alone"
        )));
    }
    Ok(())
}
