//! `// adequacy: skip`: which comments ask for it and what each covers.

use std::ops::Range;

use super::parse::Source;

pub(crate) const MARK: &str = "adequacy:";

/// Whether a comment asks to leave something alone; it may stand among other notes.
fn is_skip_comment(comment: &str) -> bool {
    comment.split("//").flat_map(|note| note.split("/*")).any(|note| {
        let note = note.trim().trim_start_matches(['*', '/', ' ']);
        let asked = note.strip_prefix(MARK).map(str::trim_start);
        asked
            .and_then(|note| note.strip_prefix("skip"))
            .is_some_and(|rest| !rest.starts_with(|next: char| next.is_ascii_alphanumeric()))
    })
}

/// The bytes that skip comments cover; `units` are the items, statements, arms and fields.
///
/// A comment behind code on its line covers the units that end on that line before it, else the
/// innermost unit around it, such as a function behind whose header it stands. On a line of its own
/// it covers the next unit.
pub(crate) fn covered(source: &Source<'_>, units: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for at in comments(source) {
        let line = source.text[..at].rfind('\n').map_or(0, |end| end + 1);
        let is_alone =
            source.text[line..at].trim_start_matches(super::parse::BOM).trim().is_empty();
        if is_alone {
            let next = units.iter().filter(|unit| unit.start > at);
            found.extend(next.min_by_key(|unit| (unit.start, usize::MAX - unit.end)).cloned());
            continue;
        }
        let before = units.iter().filter(|unit| (line..=at).contains(&unit.end));
        let before = before.cloned().collect::<Vec<_>>();
        if before.is_empty() {
            let around = units.iter().filter(|unit| unit.contains(&at));
            found.extend(around.min_by_key(|unit| unit.len()).cloned());
        } else {
            found.extend(before);
        }
    }
    found
}

/// Where skip comments begin: they stand between tokens, never inside one.
fn comments(source: &Source<'_>) -> Vec<usize> {
    let mut found = Vec::new();
    let mut at = 0;
    let ends = source.tokens.iter().map(|token| (token.start, token.end));
    for (start, end) in ends.chain([(source.text.len(), source.text.len())]) {
        // A doc comment is several tokens on one place.
        if start > at {
            in_gap(source.text, at..start, &mut found);
        }
        at = at.max(end);
    }
    found
}

fn in_gap(text: &str, gap: Range<usize>, found: &mut Vec<usize>) {
    let mut at = gap.start;
    while let Some(next) = text[at..gap.end].find('/') {
        let start = at + next;
        let rest = &text[start..gap.end];
        let length = if rest.starts_with("/*") {
            block(rest)
        } else {
            rest.find('\n').unwrap_or(rest.len())
        };
        if is_skip_comment(&rest[..length]) {
            found.push(start);
        }
        at = start + length.max(1);
    }
}

/// The length of a block comment, which may hold others.
fn block(text: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while at < text.len() {
        let rest = &text.as_bytes()[at..];
        if rest.starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                break;
            }
        } else {
            at += 1;
        }
    }
    at.min(text.len())
}

#[cfg(test)]
mod tests {
    use crate::Language;

    fn left(source: &str) -> (Vec<u32>, u32) {
        let only = |operator: &crate::Operator| operator.name == "integer-shift";
        let found = Language::Rust.mutations(source.as_bytes(), &only);
        (found.mutations.iter().map(|it| it.line).collect(), found.skipped)
    }

    #[test]
    fn a_comment_covers_what_it_stands_at() {
        for (source, lines, skipped) in [
            ("fn f() {\n  g(1); // adequacy: skip\n  g(2);\n}\n", vec![3], 1),
            ("fn f() { // adequacy: skip\n  g(1);\n}\nfn h() { g(1) }\n", vec![4], 1),
            ("// adequacy: skip, because\nfn f() {\n  g(1);\n}\nfn h() { g(1) }\n", vec![5], 1),
            ("/* adequacy: skip */\n#[a]\npub fn f() { g(1) }\n", vec![], 1),
            (
                "fn f() {\n  match x {\n    1 => 2, // adequacy: skip\n    _ => 3,\n  }\n}\n",
                vec![4],
                1,
            ),
            ("fn f() {\n  // adequacy: skip\n  if a {\n    g(1);\n  }\n  g(2)\n}\n", vec![6], 1),
            ("const A: u8 = 1 + 2; // x // adequacy: skip\nconst B: u8 = 4;\n", vec![2], 2),
            ("fn f() { g(\"// adequacy: skip\", 1); }\n", vec![1], 0),
            ("fn f() { g(1); /* a /* adequacy: */ skip */ }\n", vec![1], 0),
            ("fn f() { g(1); } // adequacy: skipping\n", vec![1], 0),
            (
                "#[mutants::skip]\nfn f() { g(1); }\n#[cfg_attr(test, mutants::skip)]\nconst A: u8 = 1;\n",
                vec![],
                2,
            ),
            ("#![mutants::skip]\nfn f() { g(1); }\n", vec![], 1),
        ] {
            assert_eq!(left(source), (lines, skipped), "{source}");
        }
    }
}
