//! A mutant as a line of `mutants.jsonl`, which is also what `list --json` prints.

use serde::Serialize;

use super::{Class, Fate, Mutant, MutantId, Plan};

/// The members of a line of `mutants.jsonl`, in this order.
#[derive(Debug, Serialize)]
pub struct Row<'a> {
    /// The mutant's name.
    pub id: MutantId,
    /// The set it belongs to.
    pub class: Class,
    /// What made it.
    pub operator: &'static str,
    /// Its file.
    pub path: &'a str,
    /// The innermost function around it.
    pub function: Option<&'a str>,
    /// First byte replaced, and the byte after the last.
    pub span: [u32; 2],
    /// Line of the mutated node, from 1.
    pub line: u32,
    /// UTF-8 byte column of the mutated node, from 0.
    pub column: u32,
    /// The bytes replaced, as text.
    pub before: String,
    /// What stands there instead, as text.
    pub after: String,
    /// What it changes in further files; absent when it changes none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub more: Vec<FurtherEdit<'a>>,
    /// Why it is not counted; absent when it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_counted: Option<String>,
}

/// An edit of a file that is not the mutant's own.
#[derive(Debug, Serialize)]
pub struct FurtherEdit<'a> {
    /// The file.
    pub path: &'a str,
    /// First byte replaced, and the byte after the last.
    pub span: [u32; 2],
    /// What stands there instead, as text.
    pub after: String,
}

impl<'a> Row<'a> {
    /// The row of `mutant`, whose unmutated file is `source`.
    #[must_use]
    pub fn of(plan: &'a Plan, mutant: &'a Mutant, source: &[u8]) -> Self {
        let file = plan.file(mutant);
        let further = |edit: &'a super::Edit| FurtherEdit {
            path: &plan.files[edit.file as usize].name,
            span: [edit.start, edit.end],
            after: readable(&plan.replacement(edit)),
        };
        Self {
            id: mutant.id,
            class: mutant.class,
            operator: mutant.operator.name,
            path: &file.name,
            function: mutant.function.map(|place| file.functions[place as usize].as_str()),
            span: [mutant.edit.start, mutant.edit.end],
            line: mutant.line,
            column: mutant.column,
            before: readable(&source[mutant.edit.span()]),
            after: readable(&plan.replacement(&mutant.edit)),
            more: plan.further(mutant).iter().map(further).collect(),
            not_counted: mutant.fate.reason(|place| plan.mutants[place as usize].id),
        }
    }
}

/// Why a mutant at a line that is as it was is not counted.
pub const UNCHANGED: &str = "unchanged line";

impl Fate {
    /// Why the mutant is not counted; `None` when it is. `id` names the mutant at a place.
    pub(super) fn reason(&self, id: impl FnOnce(u32) -> MutantId) -> Option<String> {
        Some(match self {
            Self::Counted => return None,
            Self::Unviable(words) => format!("unviable: {words}"),
            Self::Equivalent => "equivalent: compiles to the original's code".to_owned(),
            Self::Duplicate(of) => format!("duplicate: compiles to the code of {}", id(*of)),
            Self::NotSampled => "not sampled".to_owned(),
            Self::Unchanged => UNCHANGED.to_owned(),
        })
    }
}

/// The lines of `source` that a mutant touches, before and after, as text.
///
/// A span says exactly what changed; a person wants to see it where it stands.
#[must_use]
pub fn lines(plan: &Plan, mutant: &Mutant, source: &[u8]) -> (String, String) {
    let span = mutant.edit.span();
    let start = source[..span.start].iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    let end = source[span.end..].iter().position(|&byte| byte == b'\n');
    let end = end.map_or(source.len(), |at| span.end + at);
    let after =
        [&source[start..span.start], &plan.replacement(&mutant.edit), &source[span.end..end]]
            .concat();
    (readable(&source[start..end]), readable(&after))
}

/// Source bytes as text; bytes that are not UTF-8 as `\xhh`.
#[must_use]
pub fn readable(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            text.push_str(&format!("\\x{byte:02x}"));
        }
    }
    text
}
