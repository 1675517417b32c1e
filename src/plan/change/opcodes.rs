//! Where two lists of lines differ, as Python's `difflib.SequenceMatcher` with `autojunk` off says.
//!
//! Section 11 of the record rules counts hunks so, and another way to compare would count others:
//! the longest common block first, the earliest of equals, then the same on both of its sides.

use std::collections::HashMap;
use std::ops::Range;

/// A stretch that differs: lines of the first list, and what stands in their place in the second.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hunk {
    /// Lines of the first list, from 0; empty for an insertion.
    pub(super) before: Range<usize>,
    /// Lines of the second list; empty for a deletion.
    pub(super) after: Range<usize>,
}

/// The stretches of `before` and `after` that differ, in order.
pub(super) fn hunks(before: &[&[u8]], after: &[&[u8]]) -> Vec<Hunk> {
    let mut places = HashMap::<&[u8], Vec<usize>>::new();
    for (place, line) in after.iter().enumerate() {
        places.entry(line).or_default().push(place);
    }
    let mut blocks = Vec::new();
    let mut todo = vec![(0..before.len(), 0..after.len())];
    while let Some((old, new)) = todo.pop() {
        let Some(block) = longest(before, &places, old.clone(), new.clone()) else { continue };
        todo.push((old.start..block.before, new.start..block.after));
        todo.push((block.before + block.length..old.end, block.after + block.length..new.end));
        blocks.push(block);
    }
    blocks.sort_unstable_by_key(|block| block.before);
    blocks.push(Block { before: before.len(), after: after.len(), length: 0 });
    let (mut old, mut new) = (0, 0);
    let mut hunks = Vec::new();
    for block in blocks {
        if (old, new) != (block.before, block.after) {
            hunks.push(Hunk { before: old..block.before, after: new..block.after });
        }
        (old, new) = (block.before + block.length, block.after + block.length);
    }
    hunks
}

struct Block {
    before: usize,
    after: usize,
    length: usize,
}

/// The longest block common to both ranges, the first of equals in `before`, then in `after`.
fn longest(
    before: &[&[u8]],
    places: &HashMap<&[u8], Vec<usize>>,
    old: Range<usize>,
    new: Range<usize>,
) -> Option<Block> {
    let mut best = Block { before: old.start, after: new.start, length: 0 };
    // How long a common block is that ends at the line before, by its place in the second list.
    let mut lengths = HashMap::<usize, usize>::new();
    for line in old {
        let mut next = HashMap::new();
        let all = places.get(before[line]).map_or(&[][..], Vec::as_slice);
        let first = all.partition_point(|place| *place < new.start);
        for &place in all[first..].iter().take_while(|place| **place < new.end) {
            let before_it = place.checked_sub(1).and_then(|at| lengths.get(&at));
            let length = before_it.copied().unwrap_or(0) + 1;
            next.insert(place, length);
            if length > best.length {
                best = Block { before: line + 1 - length, after: place + 1 - length, length };
            }
        }
        lengths = next;
    }
    (best.length > 0).then_some(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(before: &str, after: &str) -> Vec<(Range<usize>, Range<usize>)> {
        let lines = |text: &'static str| text.split(' ').map(str::as_bytes).collect::<Vec<_>>();
        let leak = |text: &str| &*Box::leak(text.to_owned().into_boxed_str());
        let hunks = hunks(&lines(leak(before)), &lines(leak(after)));
        hunks.into_iter().map(|hunk| (hunk.before, hunk.after)).collect()
    }

    #[test]
    fn hunks_are_those_of_difflib() {
        // Each answer is what `difflib.SequenceMatcher(None, a, b, autojunk=False)` gave.
        assert_eq!(shown("a b c", "a b c"), []);
        assert_eq!(shown("q a b x c d", "a b y c d f"), [(0..1, 0..0), (3..4, 2..3), (6..6, 5..6)]);
        assert_eq!(shown("a b c d", "c d a b"), [(0..0, 0..2), (2..4, 4..4)]);
        assert_eq!(shown("x x a x x", "x a x x x"), [(0..1, 0..0), (5..5, 4..5)]);
        assert_eq!(shown("a", "b"), [(0..1, 0..1)]);
    }
}
