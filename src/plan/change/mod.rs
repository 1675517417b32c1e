//! A change from a start tree to a right solution: the sets of section 11 of the record rules
//! (profile `done/1`), and ours after them.

mod lines;
mod opcodes;
mod stub;

use std::collections::{BTreeMap, HashMap};

use adequacy_mutators::{Bodies, Cheats, Family, Found, Mutation, Outline, Unfit, patch};

pub(super) use self::lines::Changed;
use self::lines::{Lines, difference};
use super::{
    Class, Edit, Mutant, Plan, PlanError, PlanFile, Texts, Uncovered, choose, in_order, source,
};
use crate::task::Task;
use crate::tree::Snapshot;

/// The plan of the change from `start` to `base`.
pub(super) fn plan(task: &Task, base: &Snapshot, start: &Snapshot) -> Result<Plan, PlanError> {
    let operators = choose::operators(&task.mutate.operators)?;
    let (chosen, ignored) = choose::changed_files(task, base, start)?;
    let mut plan = Plan { ignored, ..Plan::default() };
    let mut whole = Vec::new();
    let one = |place, chosen| Target::of(place, chosen, base, start, &operators);
    in_order(chosen, one, |target| {
        plan.mutants.extend(target.mutants);
        plan.uncovered.extend(target.uncovered);
        plan.files.push(target.file);
        whole.push(target.whole);
    })?;
    null_patch(&whole, &mut plan);
    stub_patches(&whole, &mut plan);
    file_reverts(&whole, &mut plan);
    Ok(plan)
}

/// A changed file.
struct Target {
    file: PlanFile,
    mutants: Vec<Mutant>,
    uncovered: Vec<Uncovered>,
    whole: Whole,
}

/// The edits of a file that are its part of a mutant of the whole change; `None` where one changes
/// nothing.
struct Whole {
    /// It as it was.
    undone: Option<Edit>,
    /// It with each kind of stub.
    stubs: [Option<Edit>; 2],
}

impl Target {
    fn of(
        place: u32,
        (path, language): choose::Chosen,
        base: &Snapshot,
        start: &Snapshot,
        operators: &BTreeMap<&str, ()>,
    ) -> Result<Self, PlanError> {
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
        let mut texts = Texts::default();
        let cheats = language.cheats(&after, &new, &|it| changed.touches(it));
        let constants = language.bodies(&after, &new, Bodies::Constant, &|it| {
            changed.touches(it) && matches!(it.unfit, None | Some(Unfit::Property))
        });
        let mut whole = |text: &[u8]| {
            let (span, replacement) = difference(&after, text);
            let nothing = span.is_empty() && replacement.is_empty();
            (!nothing).then(|| Edit::new(place, span, &replacement, &mut texts))
        };
        let stub = |raises| stub::stub(language, (&before, &old), (&after, &new), &changed, raises);
        let whole = Whole {
            undone: whole(&before),
            stubs: [true, false].map(|raises| whole(&stub(raises))),
        };
        let uncovered = uncovered(place, &cheats, &new);
        let reverts = hunk_reverts(&changed, &old_lines, (&new_lines, &after));
        let reverts = reverts.map(|it| (Class::HunkRevert, it));
        let edited = edited(found, &new, &changed);
        let cheats = cheats.mutations.into_iter().map(|it| (Class::Cheat, it));
        let constants = constants.into_iter().map(|it| (Class::CheatExtra, it));
        let mutations = reverts.chain(edited).chain(cheats).chain(constants);
        let mutants = mutations.map(|(class, it)| Mutant::new(class, place, it, &mut texts));
        let mutants = mutants.collect();
        file.texts = texts.whole();
        Ok(Self { file, mutants, uncovered, whole })
    }
}

/// One mutation a hunk: its lines as they were.
fn hunk_reverts<'a>(
    changed: &'a Changed,
    old: &'a Lines<'_>,
    (new, after): (&'a Lines<'_>, &'a [u8]),
) -> impl Iterator<Item = Mutation> + use<'a> {
    changed.hunks.iter().map(move |hunk| {
        let span = new.span(hunk.after.clone());
        let mut replacement = old.whole(hunk.before.clone());
        if span.start == after.len() && !matches!(after.last(), None | Some(b'\n' | b'\r')) {
            replacement.insert(0, b'\n');
        }
        let line = u32::try_from(hunk.after.start + 1).unwrap_or(u32::MAX);
        let operator = &patch::HUNK_REVERT;
        Mutation { operator, span, replacement, line, column: 0, function: None }
    })
}

/// The mutations of operators, each with its set; those beyond section 11 only at changed lines, and the
/// statement operators there alone.
fn edited<'a>(
    found: Found,
    outline: &'a Outline,
    changed: &'a Changed,
) -> impl Iterator<Item = (Class, Mutation)> + use<'a> {
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
        Some((class, Mutation { function, ..mutation }))
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

/// Every target as it was; a file that is new becomes empty, as section 11 wants it.
fn null_patch(targets: &[Whole], plan: &mut Plan) {
    let edits = targets.iter().filter_map(|target| target.undone.clone());
    plan.add_whole(Class::NullPatch, &patch::NULL_PATCH, edits);
}

/// Where a file alone is not the whole change: each file as it was.
fn file_reverts(targets: &[Whole], plan: &mut Plan) {
    if targets.len() < 2 {
        return;
    }
    for target in targets {
        let edit = target.undone.clone().into_iter();
        plan.add_whole(Class::FileRevert, &patch::FILE_REVERT, edit);
    }
}

/// The two stubs; none that is the solution or the null patch, and the second only where it differs.
fn stub_patches(targets: &[Whole], plan: &mut Plan) {
    let is_null = |kind: usize| targets.iter().all(|target| target.stubs[kind] == target.undone);
    let is_first = targets.iter().all(|target| target.stubs[0] == target.stubs[1]);
    for (kind, operator) in [&patch::STUB_RAISE, &patch::STUB_NONE].into_iter().enumerate() {
        if !is_null(kind) && (kind == 0 || !is_first) {
            let edits = targets.iter().filter_map(|target| target.stubs[kind].clone());
            plan.add_whole(Class::StubPatch, operator, edits);
        }
    }
}
