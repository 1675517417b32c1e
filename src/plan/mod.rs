//! Stage 3: from the trees of a task to the ordered list of mutants.
//!
//! Pure, but for [`compile`], which starts one interpreter to ask it which mutants compile and
//! which compile to the same code. A mutant is kept as byte spans and replacements; its text is
//! made when it is needed, so memory does not grow with the size of the sources.

pub mod cargo;
mod change;
mod choose;
mod class;
pub mod compile;
mod degenerate;
pub mod duplicate;
mod full;
mod id;
pub mod interpreter;
mod mutant;
mod planned;
mod row;
mod sample;
mod script;
mod since;

use adequacy_mutators::{Control, Language, Mutation, Operator, splice};
use rayon::prelude::*;

pub use choose::{Ignored, WhyNot, is_test};
pub use class::Class;
pub use id::{MutantId, Places};
pub use mutant::{Edit, Fate, Mutant, Texts};
pub use planned::{FateKind, Planned, PlannedRow};
pub use row::{Row, UNCHANGED, lines, readable};
pub use sample::SAMPLER;
pub use script::named as named_files;
pub use since::{Before, Kept, changed_lines};

use crate::base::{RelPath, Sha256};
use crate::task::{Pattern, Solution, Task};
use crate::tree::{Kind, Snapshot, TreeError};

/// The trees a plan is made from.
#[derive(Debug, Clone, Copy)]
pub struct Trees<'a> {
    /// The tree that is mutated: a right solution, or without one what the agent gets.
    pub base: &'a Snapshot,
    /// What the agent gets, beside a right solution.
    pub start: Option<&'a Snapshot>,
}

/// The mutants of a task in sealed order, and the files they are in.
#[derive(Debug, Default)]
pub struct Plan {
    /// The files that are mutated, in path order.
    pub files: Vec<PlanFile>,
    /// Source files of a known language that are not mutated, and why.
    pub ignored: Vec<Ignored>,
    /// Every mutant: class order, path, span start, span end, registry order, replacement bytes.
    pub mutants: Vec<Mutant>,
    /// The edits of other files than their own that mutants make; few make any.
    further: Vec<Edit>,
    /// Functions that the change touches and that no cheat takes the place of.
    pub uncovered: Vec<Uncovered>,
    /// Counted mutants before the sampler; 0 when there was no sample.
    pub population: usize,
}

/// A file that is mutated.
#[derive(Debug)]
pub struct PlanFile {
    /// Where it is.
    pub path: RelPath,
    /// `path` as text, which ids and records hold.
    pub name: String,
    /// What it is written in.
    pub language: Language,
    /// Digest of its unmutated bytes.
    pub sha256: Sha256,
    /// Whether the tree has no such file: the change took it away, and undoing the change brings it
    /// back. Its unmutated bytes are none.
    pub is_absent: bool,
    /// Names of its functions, in source order.
    pub functions: Vec<String>,
    /// What its mutants put there.
    texts: Texts,
    /// The places in [`Plan::mutants`] of those whose own file it is, ascending.
    pub mutants: Vec<u32>,
    /// Sites left alone because of a skip comment.
    pub skipped: u32,
    /// Mutations that the settings of cargo-mutants leave out.
    pub left_out: u32,
    /// Mutations not made because a piece of source is too long for its operator.
    pub too_long: u32,
    /// Mutations refused because the grammar could not read that part, with its first line.
    pub unreadable: Option<(u32, u32)>,
    /// The interpreter's words, when the unmutated file does not compile: no mutant of it counts,
    /// not even one that would mend it.
    pub refused: Option<String>,
    /// Why the file as it was before the change does not compile.
    pub refused_before: Option<String>,
}

/// A function that no cheat takes the place of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Uncovered {
    /// Its file's place in [`Plan::files`].
    pub file: u32,
    /// Its dotted name.
    pub function: String,
    /// Line of its definition, from 1.
    pub line: u32,
    /// Why not.
    pub why: &'static str,
}

/// Why there is no plan.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// A source could not be read.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// A pattern or a name of the task fits nothing, or is no pattern.
    #[error("{}: `{}` {message}", pattern.origin, pattern.text)]
    Pattern {
        /// What was typed, and where.
        pattern: Pattern,
        /// What is wrong with it.
        message: String,
    },
    /// A source is too large for the spans of a plan.
    #[error("`{0}` is larger than 256 MiB; leave it out with `--exclude`")]
    TooLarge(RelPath),
}

/// Bytes of a source that a plan's spans reach.
const LARGEST: u64 = 1 << 28;

/// Makes the plan of `task` on its trees: what a change calls for where there is a start, the
/// degenerate bodies where there is no right solution, else every mutant of every chosen file.
///
/// # Errors
/// [`PlanError`] when a pattern fits nothing or a source cannot be read.
pub fn plan(task: &Task, trees: Trees<'_>) -> Result<Plan, PlanError> {
    let mut plan = match (&task.solution, trees.start) {
        (Solution::None, _) => degenerate::plan(task, trees.base)?,
        (_, Some(start)) => change::plan(task, trees.base, start)?,
        (_, None) => full::plan(task, trees.base)?,
    };
    plan.put_in_order();
    id::assign(&mut plan);
    Ok(plan)
}

impl PlanFile {
    fn new(path: RelPath, language: Language, source: &[u8]) -> Self {
        Self {
            name: path.as_str().expect("only files with UTF-8 names are chosen").to_owned(),
            path,
            language,
            sha256: Sha256::of(source),
            is_absent: false,
            functions: Vec::new(),
            texts: Texts::default(),
            mutants: Vec::new(),
            skipped: 0,
            left_out: 0,
            too_long: 0,
            unreadable: None,
            refused: None,
            refused_before: None,
        }
    }

    /// Why mutants of it are missing, where it could not be read whole.
    #[must_use]
    pub fn unparsed(&self) -> Option<String> {
        let refused = self.refused.clone();
        refused.or_else(|| self.unreadable.map(|(_, line)| cannot_read(line)))
    }

    /// Takes over what a language found in the file.
    fn note(&mut self, found: &adequacy_mutators::Found) {
        self.functions = found.functions.iter().map(|function| function.name.clone()).collect();
        self.skipped = found.skipped;
        self.too_long = found.too_long;
        let first_line = found.unreadable_lines.first().copied();
        self.unreadable = first_line.map(|line| (found.unreadable, line));
    }

    /// What stands in the place of the bytes that an edit of it replaces.
    #[must_use]
    pub fn replacement(&self, edit: &Edit) -> Vec<u8> {
        self.texts.of(edit)
    }

    /// Its unmutated bytes, `source`, with an edit of it applied.
    #[must_use]
    pub fn with(&self, edit: &Edit, source: &[u8]) -> Vec<u8> {
        splice(source, [(&edit.span(), &*self.replacement(edit))])
    }

    /// Its unmutated bytes.
    ///
    /// # Errors
    /// [`TreeError`] when it can no longer be read as it was.
    pub fn source(&self, snapshot: &Snapshot) -> Result<Vec<u8>, TreeError> {
        if self.is_absent { Ok(Vec::new()) } else { snapshot.read(&self.path) }
    }
}

/// What is wrong with a source of which the grammar cannot read this line.
fn cannot_read(line: u32) -> String {
    format!("line {line}: the grammar cannot read this")
}

/// Makes something of each file, given its place, and hands it on in order. A few files are in work at a
/// time, for what the search in a file takes up is many times what the plan keeps of it.
fn in_order<T: Send>(
    chosen: Vec<choose::Chosen>,
    make: impl Fn(u32, choose::Chosen) -> Result<T, PlanError> + Sync,
    mut take: impl FnMut(T),
) -> Result<(), PlanError> {
    let numbered = (0..).zip(chosen).collect::<Vec<_>>();
    for some in numbered.chunks(4 * rayon::current_num_threads()) {
        let made = some.par_iter().map(|(place, chosen)| make(*place, chosen.clone()));
        made.collect::<Result<Vec<_>, _>>()?.into_iter().for_each(&mut take);
    }
    Ok(())
}

/// The bytes of a chosen file, small enough for the spans of a plan.
fn source(snapshot: &Snapshot, path: &RelPath) -> Result<Vec<u8>, PlanError> {
    let size = snapshot.get(path).map(|entry| &entry.kind);
    if matches!(size, Some(Kind::File { size, .. }) if *size > LARGEST) {
        return Err(PlanError::TooLarge(path.clone()));
    }
    Ok(snapshot.read(path)?)
}

impl Plan {
    /// The places of the mutants that count, in sealed order.
    pub fn counted(&self) -> impl Iterator<Item = usize> + Clone {
        let places = self.mutants.iter().enumerate();
        places.filter(|(_, mutant)| mutant.fate == Fate::Counted).map(|(place, _)| place)
    }

    /// Where each mutant stands, by its name.
    #[must_use]
    pub fn places(&self) -> Places {
        self.mutants.iter().map(|mutant| mutant.id).collect()
    }

    /// A mutant's own file.
    #[must_use]
    pub fn file(&self, mutant: &Mutant) -> &PlanFile {
        &self.files[mutant.edit.file as usize]
    }

    /// The edits of a mutant of other files than its own, in path order.
    #[must_use]
    pub fn further(&self, mutant: &Mutant) -> &[Edit] {
        &self.further[mutant.further.start as usize..mutant.further.end as usize]
    }

    /// All edits of a mutant, that of its own file first.
    pub fn edits<'p>(&'p self, mutant: &'p Mutant) -> impl Iterator<Item = &'p Edit> {
        std::iter::once(&mutant.edit).chain(self.further(mutant))
    }

    /// What stands in the place of the bytes that `edit` replaces.
    #[must_use]
    pub fn replacement(&self, edit: &Edit) -> Vec<u8> {
        self.files[edit.file as usize].replacement(edit)
    }

    /// The files a mutant changes, its own first, each with its mutated bytes.
    ///
    /// # Errors
    /// [`TreeError`] when a source can no longer be read as it was.
    pub fn texts(
        &self,
        mutant: &Mutant,
        snapshot: &Snapshot,
    ) -> Result<Vec<(RelPath, Vec<u8>)>, TreeError> {
        let text = |edit: &Edit| {
            let file = &self.files[edit.file as usize];
            Ok((file.path.clone(), file.with(edit, &file.source(snapshot)?)))
        };
        self.edits(mutant).map(text).collect()
    }

    /// The files with the edits of a control applied, without those it leaves as they were.
    ///
    /// # Errors
    /// [`TreeError`] when a source can no longer be read as it was.
    pub fn control(
        &self,
        control: Control,
        files: &[usize],
        snapshot: &Snapshot,
    ) -> Result<Vec<(RelPath, Vec<u8>)>, TreeError> {
        let edited = files.iter().map(|&place| {
            let file = &self.files[place];
            let source = file.source(snapshot)?;
            let edits = file.language.control(control, &source);
            let text = splice(&source, edits.iter().map(|(span, text)| (span, text.as_slice())));
            Ok((file.path.clone(), text))
        });
        edited.collect()
    }

    /// Gives every mutant in sealed order with the unmutated bytes of its own file. A source is read
    /// once for the mutants of it that stand together.
    ///
    /// # Errors
    /// [`TreeError`] when a source can no longer be read as it was.
    pub fn each(
        &self,
        snapshot: &Snapshot,
        mut take: impl FnMut(&Mutant, &[u8]),
    ) -> Result<(), TreeError> {
        let mut source = (u32::MAX, Vec::new());
        for mutant in &self.mutants {
            if source.0 != mutant.edit.file {
                source = (mutant.edit.file, self.file(mutant).source(snapshot)?);
            }
            take(mutant, &source.1);
        }
        Ok(())
    }

    /// Keeps at most `limit` counted mutants, by the documented sampler.
    pub fn sample(&mut self, limit: usize, seed: u64) {
        sample::apply(self, limit, seed);
    }

    /// A plan of the mutants of one class that `find` finds in each file.
    fn of_class(
        class: Class,
        (chosen, ignored): (Vec<choose::Chosen>, Vec<Ignored>),
        find: impl Fn(choose::Chosen) -> Result<(PlanFile, Vec<Mutation>), PlanError> + Sync,
    ) -> Result<Self, PlanError> {
        let mut plan = Self { ignored, ..Self::default() };
        let one = |place: u32, chosen: choose::Chosen| {
            let (mut file, found) = find(chosen)?;
            let mut texts = Texts::default();
            let mutants = found.into_iter().map(|it| Mutant::new(class, place, it, &mut texts));
            let mutants = mutants.collect::<Vec<_>>();
            file.texts = texts.whole();
            Ok((file, mutants))
        };
        in_order(chosen, one, |(file, mutants)| {
            plan.files.push(file);
            plan.mutants.extend(mutants);
        })?;
        Ok(plan)
    }

    /// Adds a mutant of these edits, each of another file in path order, if there is any.
    fn add_whole(
        &mut self,
        class: Class,
        operator: &'static Operator,
        edits: impl Iterator<Item = Edit>,
    ) {
        let mut edits = edits;
        let Some(edit) = edits.next() else { return };
        let place = |further: &Vec<Edit>| u32::try_from(further.len()).expect("fewer than 2^32");
        let start = place(&self.further);
        self.further.extend(edits);
        let further = start..place(&self.further);
        self.mutants.push(Mutant { further, ..Mutant::whole(class, operator, edit) });
    }

    /// Sorts the mutants.
    fn put_in_order(&mut self) {
        let key =
            |mutant: &Mutant| (mutant.class, mutant.edit.file, mutant.edit.start, mutant.edit.end);
        let Self { files, mutants, .. } = self;
        let text = |mutant: &Mutant| files[mutant.edit.file as usize].replacement(&mutant.edit);
        let rank = |mutant: &Mutant| adequacy_mutators::rank(mutant.operator);
        // In place: a stable sort would hold them all twice.
        mutants.sort_unstable_by(|one, other| {
            let order = key(one).cmp(&key(other)).then_with(|| rank(one).cmp(&rank(other)));
            order.then_with(|| text(one).cmp(&text(other)))
        });
        self.tell_files();
    }

    /// Tells each file which mutants are its own.
    fn tell_files(&mut self) {
        let mut counts = vec![0; self.files.len()];
        self.mutants.iter().for_each(|mutant| counts[mutant.edit.file as usize] += 1);
        for (file, count) in self.files.iter_mut().zip(counts) {
            file.mutants = Vec::with_capacity(count);
        }
        for (place, mutant) in self.mutants.iter().enumerate() {
            let place = u32::try_from(place).expect("fewer than 2^32 mutants");
            self.files[mutant.edit.file as usize].mutants.push(place);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::base::Silent;
    use crate::task::{Overrides, load};
    use crate::tree::{Choice, snapshot, testing};

    #[test]
    fn a_source_that_is_too_large_is_refused_before_it_is_read() {
        let folder = tempfile::tempdir().expect("a temporary directory");
        let file = folder.path().join("a.py");
        fs::write(&file, "X = 1 + 1\n").expect("a file");
        let task = load(folder.path(), &Overrides::default()).expect("a bare tree");
        let mut listed = snapshot(folder.path(), &Choice::default(), &Silent).expect("a tree");
        let path = RelPath::new(b"a.py").expect("a name");
        fs::remove_file(&file).expect("it is there");
        testing::claim_size(&mut listed, &path, LARGEST);
        assert!(
            matches!(plan(&task, Trees { base: &listed, start: None }), Err(PlanError::Tree(_))),
            "it is read"
        );
        testing::claim_size(&mut listed, &path, LARGEST + 1);
        let refused = plan(&task, Trees { base: &listed, start: None }).expect_err("too large");
        assert_eq!(
            refused.to_string(),
            "`a.py` is larger than 256 MiB; leave it out with `--exclude`"
        );
    }
}
