//! The change undone, with its new names left in place: do the commands test that names exist, or
//! what they do?

use std::collections::BTreeMap;
use std::ops::Range;

use adequacy_mutators::{Definition, Language, Outline, splice};

use super::lines::Changed;

/// `after` with every touched function as it was before: one that is new gets a body that does
/// nothing, one whose header is new keeps it. What stands outside of functions stays, names that
/// are imported, assigned or declared there among it.
pub(super) fn stub(
    language: Language,
    (before, old): (&[u8], &Outline),
    (after, new): (&[u8], &Outline),
    changed: &Changed,
    raises: bool,
) -> Vec<u8> {
    let known = old.definitions.iter().map(|it| (it.name.as_str(), it)).collect::<BTreeMap<_, _>>();
    let mut edits = Vec::<(Range<usize>, Vec<u8>)>::new();
    let mut end = 0;
    for definition in new.definitions.iter().filter(|it| changed.touches(it)) {
        // What stands inside a function goes with it.
        if definition.span.start < end {
            continue;
        }
        end = definition.span.end;
        let earlier = known.get(definition.name.as_str());
        let body = earlier.and_then(|earlier| body_of(before, earlier, after, definition));
        let body = body.unwrap_or_else(|| language.stub(raises).to_vec());
        edits.push((definition.body.clone(), body));
    }
    splice(after, edits.iter().map(|(span, text)| (span, text.as_slice())))
}

/// The body of `earlier`, when it can stand in the place of that of `definition`: both start a line
/// with the same white space before, or both stand behind their header.
fn body_of(
    before: &[u8],
    earlier: &Definition,
    after: &[u8],
    definition: &Definition,
) -> Option<Vec<u8>> {
    let lead = |text: &[u8], span: &Range<usize>| {
        let before = &text[..span.start];
        let start = before.iter().rposition(|byte| matches!(byte, b'\n' | b'\r'));
        before[start.map_or(0, |end| end + 1)..].to_vec()
    };
    let (here, there) = (lead(after, &definition.body), lead(before, &earlier.body));
    let blank = |lead: &[u8]| lead.iter().all(|byte| matches!(byte, b' ' | b'\t'));
    let fits = if blank(&here) || blank(&there) { here == there } else { true };
    fits.then(|| before[earlier.body.clone()].to_vec())
}
