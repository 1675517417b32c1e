//! A mutant, and the texts that mutants put into a file.

use std::collections::HashMap;
use std::ops::Range;

use adequacy_mutators::{Mutation, Operator};

use super::{Class, MutantId};

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
    /// Places in `Plan::further` of its edits of other files, one a file, in path order.
    pub(super) further: Range<u32>,
    /// Line of the mutated node, from 1; 0 for a mutant that has no one place.
    pub line: u32,
    /// UTF-8 byte column of the mutated node, from 0.
    pub column: u32,
    /// Place of the enclosing function in [`PlanFile::functions`](super::PlanFile::functions).
    pub function: Option<u32>,
    /// Whether it counts.
    pub fate: Fate,
}

/// A span of a file and what stands there instead, which is one of the file's [`Texts`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// Its file's place in [`Plan::files`](super::Plan::files).
    pub file: u32,
    /// The first byte replaced.
    pub start: u32,
    /// End of the bytes replaced.
    pub end: u32,
    /// Where in the texts of the file the replacement stands.
    text: Range<u32>,
}

/// Whether a mutant counts, and why not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// It is run and counted.
    Counted,
    /// It does not compile under the interpreter of the task; with the interpreter's words.
    Unviable(Box<str>),
    /// It compiles to the same code as the original.
    Equivalent,
    /// It compiles to the same code as the earlier mutant at this place of the plan.
    Duplicate(u32),
    /// The sampler left it out.
    NotSampled,
    /// Its line is as it was, and only changed lines are asked for.
    Unchanged,
}

impl Mutant {
    /// A mutant of one file.
    pub(super) fn new(class: Class, file: u32, mutation: Mutation, texts: &mut Texts) -> Self {
        let Mutation { operator, span, replacement, line, column, function } = mutation;
        let edit = Edit::new(file, span, &replacement, texts);
        Self { line, column, function, ..Self::whole(class, operator, edit) }
    }

    /// A mutant that has no one place.
    pub(super) fn whole(class: Class, operator: &'static Operator, edit: Edit) -> Self {
        Self {
            id: MutantId::default(),
            class,
            operator,
            edit,
            further: 0..0,
            line: 0,
            column: 0,
            function: None,
            fate: Fate::Counted,
        }
    }

    /// Whether it changes no file but its own.
    #[must_use]
    pub fn is_of_one_file(&self) -> bool {
        self.further.is_empty()
    }
}

impl Edit {
    pub(super) fn new(
        file: u32,
        span: Range<usize>,
        replacement: &[u8],
        texts: &mut Texts,
    ) -> Self {
        let text = texts.add(replacement);
        Self { file, start: small(span.start), end: small(span.end), text }
    }

    /// The bytes replaced.
    #[must_use]
    pub fn span(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// The replacements of a file's mutants, each line of them once: most are alike, and a plan has many.
#[derive(Debug, Default)]
pub struct Texts {
    /// All lines that differ.
    bytes: Vec<u8>,
    /// The stretches of these that texts are made of.
    stretches: Vec<Range<u32>>,
    /// Where each text stands in `stretches`, and each line in `bytes`, while they are gathered.
    known: [HashMap<Box<[u8]>, Range<u32>>; 2],
}

impl Texts {
    fn add(&mut self, text: &[u8]) -> Range<u32> {
        let Self { bytes, stretches, known: [texts, lines] } = self;
        if let Some(known) = texts.get(text) {
            return known.clone();
        }
        let first = stretches.len();
        for line in text.split_inclusive(|&byte| byte == b'\n') {
            let place = lines.entry(line.into()).or_insert_with(|| {
                let start = small(bytes.len());
                bytes.extend_from_slice(line);
                start..small(bytes.len())
            });
            match stretches[first..].last_mut() {
                Some(before) if before.end == place.start => before.end = place.end,
                _ => stretches.push(place.clone()),
            }
        }
        let place = small(first)..small(stretches.len());
        texts.insert(text.into(), place.clone());
        place
    }

    /// Them, with nothing kept to add more.
    pub(super) fn whole(self) -> Self {
        let Self { mut bytes, mut stretches, .. } = self;
        bytes.shrink_to_fit();
        stretches.shrink_to_fit();
        Self { bytes, stretches, known: Default::default() }
    }

    /// What stands in the place of the bytes that `edit` replaces.
    pub(super) fn of(&self, edit: &Edit) -> Vec<u8> {
        let stretches = &self.stretches[edit.text.start as usize..edit.text.end as usize];
        let parts =
            stretches.iter().map(|part| &self.bytes[part.start as usize..part.end as usize]);
        parts.collect::<Vec<_>>().concat()
    }
}

fn small(at: usize) -> u32 {
    u32::try_from(at).expect("the sources of a plan and the texts of a file are smaller than 4 GiB")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_given_back_and_a_line_is_kept_once() {
        let mut texts = Texts::default();
        let given: [&[u8]; 8] = [
            b"",
            b"a\nb\nc\n",
            b"b\nc\n",
            b"a\nx\nc\n",
            b"\n",
            b"c",
            b"a\nb\nc\n",
            b"\xff\r\n\xff",
        ];
        let edits = given.map(|text| Edit::new(0, 0..0, text, &mut texts));
        assert_eq!(edits[1], edits[6]);
        let texts = texts.whole();
        assert_eq!(edits.map(|edit| texts.of(&edit)), given.map(<[u8]>::to_vec));
        assert_eq!(texts.bytes, b"a\nb\nc\nx\n\nc\xff\r\n\xff");
        // What stood together once stands together again.
        assert_eq!(texts.stretches[..3], [0..6, 2..6, 0..2]);
    }
}
