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
mod planned;
mod row;
mod sample;
mod script;
mod since;

use std::ops::Range;

use adequacy_mutators::{Control, Language, Mutation, Operator, splice};

pub use choose::{Ignored, WhyNot, is_test};
pub use class::Class;
pub use id::{MutantId, Places};
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

/// One mutant: edits of one or several files, with a name that lasts.
#[derive(Debug)]
pub struct Mutant {
    /// Its name.
    pub id: MutantId,
    /// The set it belongs to.
    pub class: Class,
    /// What made it.
    pub operator: &'static Operator,
    /// The edit of its own file.
    pub edit: Edit,
    /// Edits of further files, one a file, in path order.
    pub more: Box<[Edit]>,
    /// Line of the mutated node, from 1; 0 for a mutant that has no one place.
    pub line: u32,
    /// UTF-8 byte column of the mutated node, from 0.
    pub column: u32,
    /// Place of the enclosing function in [`PlanFile::functions`].
    pub function: Option<u32>,
    /// Whether it counts.
    pub fate: Fate,
}

/// A span of a file and what stands there instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// Its file's place in [`Plan::files`].
    pub file: u32,
    /// The first byte replaced.
    pub start: u32,
    /// End of the bytes replaced.
    pub end: u32,
    /// What stands there instead.
    pub replacement: Box<[u8]>,
}

/// Whether a mutant counts, and why not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// It is run and counted.
    Counted,
    /// It does not compile under the interpreter of the task; with the interpreter's words.
    Unviable(String),
    /// It compiles to the same code as the original.
    Equivalent,
    /// It compiles to the same code as an earlier mutant.
    Duplicate(MutantId),
    /// The sampler left it out.
    NotSampled,
    /// Its line is as it was, and only changed lines are asked for.
    Unchanged,
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
    #[error("`{0}` is larger than 1 GiB; leave it out with `--exclude`")]
    TooLarge(RelPath),
}

/// Bytes of a source that a plan's spans reach.
const LARGEST: u64 = 1 << 30;

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
    pub fn counted(&self) -> impl Iterator<Item = usize> {
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
            Ok((file.path.clone(), edit.apply(&file.source(snapshot)?)))
        };
        mutant.edits().map(text).collect()
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

    /// A plan of one class, from what was found in each file.
    fn of_files(
        class: Class,
        ignored: Vec<Ignored>,
        found: Vec<(PlanFile, Vec<Mutation>)>,
    ) -> Self {
        let total = found.iter().map(|(_, mutations)| mutations.len()).sum();
        let mut plan = Self { ignored, ..Self::default() };
        // Whole from the start: growing would hold the mutants twice.
        plan.mutants.reserve_exact(total);
        for (file, mutations) in found {
            let place = u32::try_from(plan.files.len()).expect("fewer than 2^32 files");
            plan.mutants.extend(mutations.into_iter().map(|it| Mutant::new(class, place, it)));
            plan.files.push(file);
        }
        plan
    }

    /// Sorts the mutants.
    fn put_in_order(&mut self) {
        let key =
            |mutant: &Mutant| (mutant.class, mutant.edit.file, mutant.edit.start, mutant.edit.end);
        // Stable: what one language found for one span is in registry order already.
        self.mutants.sort_by_key(key);
        self.tell_files();
    }

    /// Tells each file which mutants are its own.
    fn tell_files(&mut self) {
        self.files.iter_mut().for_each(|file| file.mutants.clear());
        for (place, mutant) in self.mutants.iter().enumerate() {
            let place = u32::try_from(place).expect("fewer than 2^32 mutants");
            self.files[mutant.edit.file as usize].mutants.push(place);
        }
    }
}

impl Mutant {
    fn new(class: Class, file: u32, mutation: Mutation) -> Self {
        let Mutation { operator, span, replacement, line, column, function } = mutation;
        Self {
            id: MutantId::default(),
            class,
            operator,
            edit: Edit::new(file, span, replacement),
            more: Box::default(),
            line,
            column,
            function,
            fate: Fate::Counted,
        }
    }

    /// All its edits, that of its own file first.
    pub fn edits(&self) -> impl Iterator<Item = &Edit> {
        std::iter::once(&self.edit).chain(&self.more)
    }
}

impl Edit {
    fn new(file: u32, span: Range<usize>, replacement: Vec<u8>) -> Self {
        let at = |at: usize| u32::try_from(at).expect("sources are smaller than 1 GiB");
        Self { file, start: at(span.start), end: at(span.end), replacement: replacement.into() }
    }

    /// The bytes replaced.
    #[must_use]
    pub fn span(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// `source` with this edit applied.
    #[must_use]
    pub fn apply(&self, source: &[u8]) -> Vec<u8> {
        splice(source, [(&self.span(), &*self.replacement)])
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
            "`a.py` is larger than 1 GiB; leave it out with `--exclude`"
        );
    }
}
