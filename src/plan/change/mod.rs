//! A change from a start tree to a right solution: the sets of section 11 of the record rules
//! (profile `done/1`), and ours after them.

mod lines;
mod opcodes;
mod stub;

use std::collections::{BTreeMap, HashMap};

use adequacy_mutators::{Bodies, Cheats, Family, Found, Mutation, Outline, Unfit, patch};
use rayon::prelude::*;

pub(super) use self::lines::Changed;
use self::lines::{Lines, difference};
use super::{Class, Edit, Mutant, Plan, PlanError, PlanFile, Uncovered, choose, source};
use crate::task::Task;
use crate::tree::Snapshot;

/// The plan of the change from `start` to `base`.
pub(super) fn plan(task: &Task, base: &Snapshot, start: &Snapshot) -> Result<Plan, PlanError> {
    let operators = choose::operators(&task.mutate.operators)?;
    let (chosen, ignored) = choose::changed_files(task, base, start)?;
    let targets = chosen
        .into_par_iter()
        .enumerate()
        .map(|(place, chosen)| Target::of(place, chosen, base, start, &operators))
        .collect::<Result<Vec<_>, PlanError>>()?;
    let mut plan = Plan { ignored, ..Plan::default() };
    plan.mutants.extend(null_patch(&targets));
    plan.mutants.extend(stub_patches(&targets));
    plan.mutants.extend(file_reverts(&targets));
    for target in targets {
        plan.mutants.extend(target.mutants);
        plan.uncovered.extend(target.uncovered);
        plan.files.push(target.file);
    }
    Ok(plan)
}

/// A changed file.
struct Target {
    place: u32,
    file: PlanFile,
    before: Vec<u8>,
    after: Vec<u8>,
    /// What it becomes with each kind of stub.
    stubs: [Vec<u8>; 2],
    mutants: Vec<Mutant>,
    uncovered: Vec<Uncovered>,
}

impl Target {
    fn of(
        place: usize,
        (path, language): choose::Chosen,
        base: &Snapshot,
        start: &Snapshot,
        operators: &BTreeMap<&str, ()>,
    ) -> Result<Self, PlanError> {
        let place = u32::try_from(place).expect("fewer than 2^32 files");
        let text = |snapshot: &Snapshot| match snapshot.file(&path) {
            Some(_) => source(snapshot, &path),
            None => Ok(Vec::new()),
        };
        let (before, after) = (text(start)?, text(base)?);
        let (old, new) = (language.outline(&before), language.outline(&after));
        let (old_lines, new_lines) = (Lines::of(&before), Lines::of(&after));
        let changed = Changed::of(&old_lines, &new_lines, &new);
        let found = language.mutations(&after, &|operator| operators.contains_key(operator.name));
        let mut file = PlanFile::new(path.clone(), language, &after);
        file.is_absent = base.file(&path).is_none();
        file.note(&found);
        if language.is_compiled() {
            // Of others their interpreter is asked.
            file.refused_before = old.unreadable.map(super::cannot_read);
        }
        file.functions = new.definitions.iter().map(|it| it.name.clone()).collect();
        let cheats = language.cheats(&after, &new, &|it| changed.touches(it));
        let constants = language.bodies(&after, &new, Bodies::Constant, &|it| {
            changed.touches(it) && matches!(it.unfit, None | Some(Unfit::Property))
        });
        let stubs = [true, false]
            .map(|raises| stub::stub(language, (&before, &old), (&after, &new), &changed, raises));
        let mut mutants = hunk_reverts(place, &changed, &old_lines, (&new_lines, &after));
        mutants.extend(edited(place, found, &new, &changed));
        let uncovered = uncovered(place, &cheats, &new);
        let made = [(Class::Cheat, cheats.mutations), (Class::CheatExtra, constants)];
        for (class, mutations) in made {
            mutants.extend(mutations.into_iter().map(|it| Mutant::new(class, place, it)));
        }
        Ok(Self { place, file, before, after, stubs, mutants, uncovered })
    }

    /// The edit that makes `text` of this file; `None` when that changes nothing.
    fn edit(&self, text: &[u8]) -> Option<Edit> {
        let (span, replacement) = difference(&self.after, text);
        let nothing = span.is_empty() && replacement.is_empty();
        (!nothing).then(|| Edit::new(self.place, span, replacement))
    }
}

/// One mutant a hunk: its lines as they were.
fn hunk_reverts(
    place: u32,
    changed: &Changed,
    old: &Lines<'_>,
    (new, after): (&Lines<'_>, &[u8]),
) -> Vec<Mutant> {
    let revert = |hunk: &opcodes::Hunk| {
        let span = new.span(hunk.after.clone());
        let mut replacement = old.whole(hunk.before.clone());
        if span.start == after.len() && !matches!(after.last(), None | Some(b'\n' | b'\r')) {
            replacement.insert(0, b'\n');
        }
        let line = u32::try_from(hunk.after.start + 1).unwrap_or(u32::MAX);
        let operator = &patch::HUNK_REVERT;
        let mutation = Mutation { operator, span, replacement, line, column: 0, function: None };
        Mutant::new(Class::HunkRevert, place, mutation)
    };
    changed.hunks.iter().map(revert).collect()
}

/// The operator mutants, each in its set; those beyond section 11 only at changed lines, and the
/// statement operators there alone.
fn edited<'a>(
    place: u32,
    found: Found,
    outline: &'a Outline,
    changed: &'a Changed,
) -> impl Iterator<Item = Mutant> + use<'a> {
    let starts = outline.definitions.iter().enumerate();
    let starts = starts.map(|(at, it)| (it.header.start, at)).collect::<HashMap<_, _>>();
    let named = found.functions.iter().map(|it| starts.get(&it.span.start).copied());
    let named = named.collect::<Vec<_>>();
    let touched = outline.definitions.iter().filter(|it| changed.touches(it));
    let touched = touched.map(|it| it.first..=it.last).collect::<Vec<_>>();
    found.mutations.into_iter().filter_map(move |mutation| {
        let line = mutation.line;
        let inside = touched.iter().any(|lines| lines.contains(&line));
        let class = match (mutation.operator.family, changed.holds(line)) {
            (Family::Done1, true) => Class::Change,
            (Family::Extra, true) => Class::Extra,
            (Family::Done1, false) if mutation.operator.statement => return None,
            (Family::Done1, false) if inside => Class::Function,
            (Family::Done1, false) => Class::Rest,
            (Family::Extra, false) => return None,
        };
        let function = mutation.function.and_then(|at| *named.get(at as usize)?);
        let function = function.and_then(|at| u32::try_from(at).ok());
        Some(Mutant::new(class, place, Mutation { function, ..mutation }))
    })
}

fn uncovered(place: u32, cheats: &Cheats, outline: &Outline) -> Vec<Uncovered> {
    let one = |&(at, why): &(usize, Unfit)| {
        let definition = &outline.definitions[at];
        let (function, line) = (definition.name.clone(), definition.first);
        Uncovered { file: place, function, line, why: why.words() }
    };
    cheats.uncovered.iter().map(one).collect()
}

/// A mutant of these edits, each of another file in path order.
fn whole(
    class: Class,
    operator: &'static adequacy_mutators::Operator,
    edits: impl Iterator<Item = Edit>,
) -> Option<Mutant> {
    let mut edits = edits;
    let edit = edits.next()?;
    Some(Mutant {
        id: super::MutantId::default(),
        class,
        operator,
        edit,
        more: edits.collect(),
        line: 0,
        column: 0,
        function: None,
        fate: super::Fate::Counted,
    })
}

/// Every target as it was; a file that is new becomes empty, as section 11 wants it.
fn null_patch(targets: &[Target]) -> Option<Mutant> {
    let edits = targets.iter().filter_map(|target| target.edit(&target.before));
    whole(Class::NullPatch, &patch::NULL_PATCH, edits)
}

/// Where a file alone is not the whole change: each file as it was.
fn file_reverts(targets: &[Target]) -> Vec<Mutant> {
    if targets.len() < 2 {
        return Vec::new();
    }
    let revert = |target: &Target| {
        let edit = target.edit(&target.before);
        whole(Class::FileRevert, &patch::FILE_REVERT, edit.into_iter())
    };
    targets.iter().filter_map(revert).collect()
}

/// The two stubs; none that is the solution or the null patch, and the second only where it differs.
fn stub_patches(targets: &[Target]) -> Vec<Mutant> {
    let is_null = |kind: usize| targets.iter().all(|target| target.stubs[kind] == target.before);
    let is_first = targets.iter().all(|target| target.stubs[0] == target.stubs[1]);
    let operators = [&patch::STUB_RAISE, &patch::STUB_NONE];
    let kinds = (0..2).filter(|&kind| !is_null(kind) && (kind == 0 || !is_first));
    let stub = |kind: usize| {
        let edits = targets.iter().filter_map(move |target| target.edit(&target.stubs[kind]));
        whole(Class::StubPatch, operators[kind], edits)
    };
    kinds.filter_map(stub).collect()
}
