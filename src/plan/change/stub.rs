//! The change undone, with its new names left in place: do the commands test that names exist, or
//! what they do?

use std::collections::BTreeMap;
use std::ops::Range;

use adequacy_mutators::{Definition, Language, Outline, splice};

use super::lines::Changed;

/// `after` with every touched function as it was before: one that is new gets a body that does
/// nothing, one whose header is new keeps it. What stands outside of functions stays, names that
/// are imported, assigned or declared there among it. Where `before` cannot be read whole, no body of it
/// is known, and all are taken for new.
pub(super) fn stub(
    language: Language,
    (before, old): (&[u8], &Outline),
    (after, new): (&[u8], &Outline),
    changed: &Changed,
    raises: bool,
) -> Vec<u8> {
    // A property and its setter share a name: the k-th of a name stands for the k-th.
    let known = if old.unreadable.is_none() { by_name(old) } else { BTreeMap::new() };
    let there = by_name(new);
    let mut edits = Vec::<(Range<usize>, Vec<u8>)>::new();
    let mut end = 0;
    for definition in new.definitions.iter().filter(|it| changed.touches(it)) {
        // What stands inside a function goes with it.
        if definition.span.start < end {
            continue;
        }
        end = definition.span.end;
        let name = definition.name.as_str();
        let all = (known.get(name), &there[name]);
        let earlier = match all {
            (Some(known), there) if known.len() == there.len() => {
                let place = there.iter().position(|it| it.span == definition.span);
                place.map(|place| known[place])
            }
            _ => None,
        };
        let body = earlier.and_then(|earlier| body_of(before, earlier, after, definition));
        let body = body.unwrap_or_else(|| language.stub(raises).to_vec());
        edits.push((definition.body.clone(), body));
    }
    splice(after, edits.iter().map(|(span, text)| (span, text.as_slice())))
}

/// The definitions by their names, those of one name in source order.
fn by_name(outline: &Outline) -> BTreeMap<&str, Vec<&Definition>> {
    let mut all = BTreeMap::<&str, Vec<&Definition>>::new();
    for definition in &outline.definitions {
        all.entry(definition.name.as_str()).or_default().push(definition);
    }
    all
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

#[cfg(test)]
mod tests {
    use super::super::lines::Lines;
    use super::*;

    fn stubbed(before: &str, after: &str) -> String {
        let language = Language::Python;
        let (old, new) = (language.outline(before.as_bytes()), language.outline(after.as_bytes()));
        let lines = |text: &'static [u8]| Lines::of(text);
        let leak = |text: &str| -> &'static [u8] { Vec::leak(text.as_bytes().to_vec()) };
        let changed = Changed::of(&lines(leak(before)), &lines(leak(after)), &new);
        let text =
            stub(language, (before.as_bytes(), &old), (after.as_bytes(), &new), &changed, true);
        String::from_utf8(text).expect("text")
    }

    #[test]
    fn new_functions_do_nothing_and_changed_ones_do_what_they_did() {
        let before = "def f(x):\n    return x\n";
        let after = "import re\n\ndef f(x, y=1):\n    return x + y\n\ndef g():\n    return re\n";
        let expected = "import re\n\ndef f(x, y=1):\n    return x\n\ndef g():\n    raise NotImplementedError\n";
        assert_eq!(stubbed(before, after), expected);
    }

    #[test]
    fn of_a_start_that_does_not_parse_no_body_is_known() {
        let before = "def f(x):\n    return (x\n\ndef g():\n    return 1\n";
        let after = "def f(x):\n    return (x)\n\ndef g():\n    return 2\n";
        let raises = "    raise NotImplementedError\n";
        let expected = format!("def f(x):\n{raises}\ndef g():\n{raises}");
        assert_eq!(stubbed(before, after), expected);
    }

    #[test]
    fn a_property_and_its_setter_keep_their_own_bodies() {
        let class = |get: &str, set: &str| {
            format!(
                "class A:\n    @property\n    def v(self):\n        {get}\n\n    @v.setter\n    def v(self, x):\n        {set}\n"
            )
        };
        let before = class("return self._v", "self._v = x");
        let after = class("return self._v + 1", "self._v = x - 1");
        assert_eq!(stubbed(&before, &after), before);
    }
}
