//! Which mutants stand in code that the commands build: an error of the compiler is put there, and a
//! command that passes all the same does not build it.

use std::collections::{BTreeMap, BTreeSet};

use adequacy_mutators::rust::{Conditional, build_outline};
use adequacy_mutators::{Control, Language, splice};

use super::{MeasureError, runners};
use crate::base::{Event, RelPath, Sink};
use crate::outcome::{self, Outcome, Terms};
use crate::plan::cargo::{Reach, Reached, reached};
use crate::plan::{Plan, PlanFile};
use crate::run::{Lab, Runner};
use crate::task::Task;

/// The places of the mutants among `todo` whose code no command builds. What undoes a change or a whole
/// function always counts, and is none of them.
pub(super) fn not_built(
    lab: &Lab<'_>,
    task: &Task,
    plan: &Plan,
    todo: &[usize],
    sink: &dyn Sink,
) -> Result<BTreeSet<usize>, MeasureError> {
    let mut by_file = BTreeMap::<usize, Vec<usize>>::new();
    for &place in todo {
        let mutant = &plan.mutants[place];
        let file = plan.file(mutant);
        if file.language == Language::Rust && !file.is_absent && !mutant.class.is_never_unviable() {
            by_file.entry(mutant.edit.file as usize).or_default().push(place);
        }
    }
    let mut found = BTreeSet::new();
    if by_file.is_empty() {
        return Ok(found);
    }
    sink.tell(Event::Step {
        name: "looking for code that the commands do not build".into(),
        total: None,
    });
    let reached = reached(lab.snapshot()).unwrap_or_default();
    let runners = runners(task);
    let mut probes =
        Probes { lab, runners: &runners, reached: &reached, known: BTreeMap::new(), count: 0 };
    for (file, places) in by_file {
        let file = &plan.files[file];
        let parts =
            if probes.builds(&file.path)? { probes.parts(file, plan, &places)? } else { places };
        if !parts.is_empty() {
            sink.tell(Event::Warning(format!(
                "`{}`: no command builds the code of {} mutants there; they are not counted",
                file.name,
                parts.len()
            )));
        }
        found.extend(parts);
    }
    Ok(found)
}

/// The files asked about so far.
struct Probes<'a> {
    lab: &'a Lab<'a>,
    runners: &'a [Option<Runner>],
    reached: &'a Reached,
    /// Whether a file is built.
    known: BTreeMap<RelPath, bool>,
    count: usize,
}

impl Probes<'_> {
    /// Whether a command builds the file at `path`.
    fn builds(&mut self, path: &RelPath) -> Result<bool, MeasureError> {
        if let Some(known) = self.known.get(path) {
            return Ok(*known);
        }
        // Files can name each other in a circle, of which none is built for that alone.
        self.known.insert(path.clone(), false);
        let node = self.reached.files.get(path);
        let is_built = match node.map(|node| (node.reach, &node.parents)) {
            Some((Reach::Always, parents)) => {
                let mut built = false;
                for parent in parents {
                    built = built || self.builds(parent)?;
                }
                built
            }
            Some((Reach::Root | Reach::Conditional, _)) | None => {
                let source = self.lab.snapshot().read(path)?;
                let edits = Language::Rust.control(Control::RaiseAtLoad, &source);
                let edits = edits.iter().map(|(span, text)| (span, text.as_slice()));
                let text = splice(&source, edits);
                !self.passes_with(path, text)?
            }
        };
        self.known.insert(path.clone(), is_built);
        Ok(is_built)
    }

    /// The mutants of a file that is built whose own part of it is not.
    fn parts(
        &mut self,
        file: &PlanFile,
        plan: &Plan,
        places: &[usize],
    ) -> Result<Vec<usize>, MeasureError> {
        let source = file.source(self.lab.snapshot())?;
        let mut left = places.to_vec();
        let mut found = Vec::new();
        for Conditional { span, probe } in build_outline(&source).conditional {
            let is_inside = |place: &usize| {
                let edit = plan.mutants[*place].edit.span();
                span.start <= edit.start && edit.end <= span.end
            };
            // What stands in a part that is not built has gone from `left` already.
            if !left.iter().any(is_inside) {
                continue;
            }
            let text = splice(&source, [(&(span.start..span.start), probe.as_bytes())]);
            if self.passes_with(&file.path, text)? {
                let (inside, others) = left.into_iter().partition(is_inside);
                found.extend::<Vec<_>>(inside);
                left = others;
            }
        }
        found.sort_unstable();
        Ok(found)
    }

    /// Whether every command passes with this text in the file at `path`. Where that cannot be told,
    /// the code counts as built.
    fn passes_with(&mut self, path: &RelPath, text: Vec<u8>) -> Result<bool, MeasureError> {
        self.count += 1;
        let name = format!("control-built-{}", self.count);
        let runs = self.lab.control(&name, &[(path.clone(), text)], false)?;
        let terms = Terms { runners: self.runners, flaky: &self.lab.flaky(), must_build: true };
        Ok(outcome::judge(&runs, &terms) == Outcome::Survived)
    }
}
