//! Stage 3: from a snapshot to the ordered list of mutants.
//!
//! Pure, but for [`compile`], which starts one interpreter to ask it which mutants compile and
//! which compile to the same code. A mutant is kept as byte spans and replacements; its text is
//! made when it is needed, so memory does not grow with the size of the sources.

mod choose;
pub mod compile;
mod id;
pub mod interpreter;
mod row;
mod sample;
mod script;

use std::collections::BTreeMap;
use std::ops::Range;

use adequacy_mutators::{Control, Language, Operator, splice};
use rayon::prelude::*;
use serde::Serialize;

pub use choose::{Ignored, WhyNot};
pub use id::MutantId;
pub use row::{Row, lines, readable};
pub use sample::SAMPLER;

use crate::base::{RelPath, Sha256};
use crate::task::{Pattern, Task};
use crate::tree::{Kind, Snapshot, TreeError};

/// The mutants of a tree in sealed order, and the files they are in.
#[derive(Debug)]
pub struct Plan {
    /// The files that are mutated, in path order.
    pub files: Vec<PlanFile>,
    /// Source files of a known language that are not mutated, and why.
    pub ignored: Vec<Ignored>,
    /// Every mutant: class order, path, span start, span end, registry order, replacement bytes.
    pub mutants: Vec<Mutant>,
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
    /// Names of its functions, in source order.
    pub functions: Vec<String>,
    /// Its mutants' places in [`Plan::mutants`].
    pub mutants: Range<usize>,
    /// Sites left alone because of a skip comment.
    pub skipped: u32,
    /// Mutations not made because a piece of source is too long for its operator.
    pub too_long: u32,
    /// Mutations refused because the grammar could not read that part, with its first line.
    pub unreadable: Option<(u32, u32)>,
    /// The interpreter's words, when the unmutated file does not compile: no mutant of it counts,
    /// not even one that would mend it.
    pub refused: Option<String>,
}

/// One mutant: an edit of a file, with a name that lasts.
#[derive(Debug)]
pub struct Mutant {
    /// Its name.
    pub id: MutantId,
    /// The set it belongs to.
    pub class: Class,
    /// What made it.
    pub operator: &'static Operator,
    /// Its file's place in [`Plan::files`].
    pub file: u32,
    /// The bytes replaced.
    pub start: u32,
    /// End of the bytes replaced.
    pub end: u32,
    /// What stands there instead.
    pub replacement: Box<[u8]>,
    /// Line of the mutated node, from 1.
    pub line: u32,
    /// UTF-8 byte column of the mutated node, from 0.
    pub column: u32,
    /// Place of the enclosing function in [`PlanFile::functions`].
    pub function: Option<u32>,
    /// Whether it counts.
    pub fate: Fate,
}

/// The set a mutant belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// All operators on the chosen files: a tree without a start has this one class.
    Full,
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

/// Makes the plan of `task` on `snapshot`: every mutant of every chosen file.
///
/// # Errors
/// [`PlanError`] when a pattern fits nothing or a source cannot be read.
pub fn plan(task: &Task, snapshot: &Snapshot) -> Result<Plan, PlanError> {
    let operators = choose::operators(&task.mutate.operators)?;
    let (chosen, ignored) = choose::files(task, snapshot)?;
    let found = chosen
        .into_par_iter()
        .map(|(path, language)| mutate_file(snapshot, path, language, &operators))
        .collect::<Result<Vec<_>, _>>()?;
    let total = found.iter().map(|(_, mutants)| mutants.len()).sum();
    let mut plan = Plan {
        files: Vec::with_capacity(found.len()),
        ignored,
        // Whole from the start: growing would hold the mutants twice.
        mutants: Vec::with_capacity(total),
        population: 0,
    };
    for (mut file, mutants) in found {
        let first = plan.mutants.len();
        let place = u32::try_from(plan.files.len()).expect("fewer than 2^32 files");
        plan.mutants.extend(mutants.into_iter().map(|mutant| Mutant { file: place, ..mutant }));
        file.mutants = first..plan.mutants.len();
        plan.files.push(file);
    }
    id::assign(&mut plan);
    Ok(plan)
}

fn mutate_file(
    snapshot: &Snapshot,
    path: RelPath,
    language: Language,
    operators: &BTreeMap<&str, ()>,
) -> Result<(PlanFile, Vec<Mutant>), PlanError> {
    let size = snapshot.get(&path).map(|entry| &entry.kind);
    if matches!(size, Some(Kind::File { size, .. }) if *size > LARGEST) {
        return Err(PlanError::TooLarge(path));
    }
    let source = snapshot.read(&path)?;
    let found = language.mutations(&source, &|operator| operators.contains_key(operator.name));
    let span = |at: usize| u32::try_from(at).expect("sources are smaller than 1 GiB");
    let mutants = found.mutations.into_iter().map(|mutation| Mutant {
        id: MutantId::default(),
        class: Class::Full,
        operator: mutation.operator,
        file: 0,
        start: span(mutation.span.start),
        end: span(mutation.span.end),
        replacement: mutation.replacement.into(),
        line: mutation.line,
        column: mutation.column,
        function: mutation.function,
        fate: Fate::Counted,
    });
    let mutants = mutants.collect::<Vec<_>>();
    let first_line = found.unreadable_lines.first().copied();
    let file = PlanFile {
        name: path.as_str().expect("only files with UTF-8 names are chosen").to_owned(),
        path,
        language,
        sha256: Sha256::of(&source),
        functions: found.functions.into_iter().map(|function| function.name).collect(),
        mutants: 0..0,
        skipped: found.skipped,
        too_long: found.too_long,
        unreadable: first_line.map(|line| (found.unreadable, line)),
        refused: None,
    };
    Ok((file, mutants))
}

impl Plan {
    /// The places of the mutants that count, in sealed order.
    pub fn counted(&self) -> impl Iterator<Item = usize> {
        let places = self.mutants.iter().enumerate();
        places.filter(|(_, mutant)| mutant.fate == Fate::Counted).map(|(place, _)| place)
    }

    /// The file a mutant is in.
    #[must_use]
    pub fn file(&self, mutant: &Mutant) -> &PlanFile {
        &self.files[mutant.file as usize]
    }

    /// The bytes of the mutated file.
    ///
    /// # Errors
    /// [`TreeError`] when the source can no longer be read as it was.
    pub fn text(&self, mutant: &Mutant, snapshot: &Snapshot) -> Result<Vec<u8>, TreeError> {
        let source = snapshot.read(&self.file(mutant).path)?;
        Ok(mutant.apply(&source))
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
            let source = snapshot.read(&file.path)?;
            let edits = file.language.control(control, &source);
            let text = splice(&source, edits.iter().map(|(span, text)| (span, text.as_slice())));
            Ok((file.path.clone(), text))
        });
        edited.collect()
    }

    /// Keeps at most `limit` counted mutants, by the documented sampler.
    pub fn sample(&mut self, limit: usize, seed: u64) {
        sample::apply(self, limit, seed);
    }

    /// How many mutants have this fate.
    #[must_use]
    pub fn count(&self, fate: impl Fn(&Fate) -> bool) -> usize {
        self.mutants.iter().filter(|mutant| fate(&mutant.fate)).count()
    }
}

impl Mutant {
    /// The bytes replaced.
    #[must_use]
    pub fn span(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// `source` with this mutant's edit applied.
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
        assert!(matches!(plan(&task, &listed), Err(PlanError::Tree(_))), "it is read");
        testing::claim_size(&mut listed, &path, LARGEST + 1);
        let refused = plan(&task, &listed).expect_err("too large");
        assert_eq!(
            refused.to_string(),
            "`a.py` is larger than 1 GiB; leave it out with `--exclude`"
        );
    }
}
