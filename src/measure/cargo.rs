//! What keeps cargo from building a copy of the tree, told before anything is copied.

use super::MeasureError;
use crate::base::{Event, RelPath, Sink};
use crate::plan::cargo::{Outside, SETTINGS, Settings, reached};
use crate::task::{CargoBuild, Solution, Task};
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
    tell_settings(task, tree, sink)
}

/// Says what of another tool's settings is read here.
fn tell_settings(task: &Task, tree: &Snapshot, sink: &dyn Sink) -> Result<(), MeasureError> {
    let settings = RelPath::new(SETTINGS.as_bytes()).expect("a plain path");
    if tree.file(&settings).is_none() {
        return Ok(());
    }
    if !matches!(task.solution, Solution::Tree) {
        sink.tell(Event::Warning(format!(
            "`{SETTINGS}` is not read: what counts of a change is not for its tree to say"
        )));
        return Ok(());
    }
    let others = Settings::of(tree)?.others;
    if !others.is_empty() {
        let others = others.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
        sink.tell(Event::Note(format!(
            "`{SETTINGS}` is read for what it leaves out; {others} there say nothing here"
        )));
    }
    Ok(())
}
