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
    let mut numbers = HashMap::new();
    let mut number = |line: &&'_ [u8]| {
        let next = numbers.len();
        *numbers.entry(line.to_vec()).or_insert(next)
    };
    let old = before.iter().map(&mut number).collect::<Vec<_>>();
    let new = after.iter().map(&mut number).collect::<Vec<_>>();
    let mut blocks = Vec::new();
    let mut todo = vec![(0..old.len(), 0..new.len())];
    let mut automaton = Automaton::new(numbers.len());
    while let Some((left, right)) = todo.pop() {
        let found = automaton.longest(&old[left.clone()], &new[right.clone()]);
        let Some(Block { before, after, length }) = found else { continue };
        let (before, after) = (left.start + before, right.start + after);
        todo.push((left.start..before, right.start..after));
        todo.push((before + length..left.end, after + length..right.end));
        blocks.push(Block { before, after, length });
    }
    blocks.sort_unstable_by_key(|block| block.before);
    blocks.push(Block { before: old.len(), after: new.len(), length: 0 });
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

#[derive(Debug, Clone, Copy)]
struct Block {
    before: usize,
    after: usize,
    length: usize,
}

/// A suffix automaton of a list of lines: it follows every stretch that the list holds, and knows
/// where each ends first. Comparing takes time in the lengths of the two lists, however often a line
/// such as an empty one repeats.
struct Automaton {
    states: Vec<State>,
    /// The transitions of the first state, by line.
    first: Vec<usize>,
    used: Vec<usize>,
}

#[derive(Debug, Clone, Default)]
struct State {
    length: usize,
    link: usize,
    /// Where the stretches of this state end first.
    first_end: usize,
    next: Vec<(usize, usize)>,
}

const ROOT: usize = 0;
const NONE: usize = usize::MAX;

impl Automaton {
    fn new(lines: usize) -> Self {
        Self { states: Vec::new(), first: vec![NONE; lines], used: Vec::new() }
    }

    /// The longest stretch common to both, the first of equals in `before`, then in `after`.
    fn longest(&mut self, before: &[usize], after: &[usize]) -> Option<Block> {
        if before.is_empty() || after.is_empty() {
            return None;
        }
        self.build(after);
        let mut best = Block { before: 0, after: 0, length: 0 };
        let (mut state, mut length) = (ROOT, 0);
        for (end, &line) in before.iter().enumerate() {
            while state != ROOT && self.step(state, line) == NONE {
                state = self.states[state].link;
                length = self.states[state].length;
            }
            state = match self.step(state, line) {
                NONE => ROOT,
                next => {
                    length += 1;
                    next
                }
            };
            if length > best.length {
                let after = self.states[state].first_end + 1 - length;
                best = Block { before: end + 1 - length, after, length };
            }
        }
        (best.length > 0).then_some(best)
    }

    fn step(&self, state: usize, line: usize) -> usize {
        if state == ROOT {
            return self.first[line];
        }
        let next = &self.states[state].next;
        next.iter().find(|(known, _)| *known == line).map_or(NONE, |(_, to)| *to)
    }

    fn set(&mut self, state: usize, line: usize, to: usize) {
        if state == ROOT {
            if self.first[line] == NONE {
                self.used.push(line);
            }
            self.first[line] = to;
            return;
        }
        let next = &mut self.states[state].next;
        match next.iter_mut().find(|(known, _)| *known == line) {
            Some((_, old)) => *old = to,
            None => next.push((line, to)),
        }
    }

    /// Takes up the lines one by one (Blumer and others, 1985).
    fn build(&mut self, lines: &[usize]) {
        for line in std::mem::take(&mut self.used) {
            self.first[line] = NONE;
        }
        self.states.clear();
        self.states.push(State { link: NONE, ..State::default() });
        let mut last = ROOT;
        for (end, &line) in lines.iter().enumerate() {
            let length = self.states[last].length + 1;
            let new = self.states.len();
            self.states.push(State { length, link: ROOT, first_end: end, next: Vec::new() });
            let mut state = last;
            while state != NONE && self.step(state, line) == NONE {
                self.set(state, line, new);
                state = self.states[state].link;
            }
            if state != NONE {
                self.states[new].link = self.split(state, line);
            }
            last = new;
        }
    }

    /// The state that `state` leads to by `line`, cut to the stretches that continue `state`'s own.
    fn split(&mut self, state: usize, line: usize) -> usize {
        let next = self.step(state, line);
        let length = self.states[state].length + 1;
        if self.states[next].length == length {
            return next;
        }
        let copy = self.states.len();
        self.states.push(State { length, ..self.states[next].clone() });
        let mut back = state;
        while back != NONE && self.step(back, line) == next {
            self.set(back, line, copy);
            back = self.states[back].link;
        }
        self.states[next].link = copy;
        copy
    }
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

    /// What Python's own `difflib` says of pseudo-random lists of few different lines.
    #[test]
    fn python_itself_finds_the_same_hunks() {
        const ASK: &str = "
import difflib, json, sys
for line in sys.stdin:
    a, b = json.loads(line)
    codes = difflib.SequenceMatcher(None, a, b, autojunk=False).get_opcodes()
    print([list(code[1:]) for code in codes if code[0] != 'equal'])
";
        let mut seed = 1_u64;
        let mut random = |below: u64| {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        };
        let mut list =
            |lines: u64| (0..random(30)).map(|_| random(lines).to_string()).collect::<Vec<_>>();
        let pairs = (0..600).map(|it| (list(2 + it % 9), list(2 + it % 9))).collect::<Vec<_>>();
        let text = pairs.iter().map(|it| serde_json::to_string(it).expect("text") + "\n");
        let mut python = std::process::Command::new("python3")
            .args(["-c", ASK])
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .expect("python3 starts");
        let mut stdin = python.stdin.take().expect("it is piped");
        let text = text.collect::<String>();
        let writer = std::thread::spawn(move || {
            std::io::Write::write_all(&mut stdin, text.as_bytes()).expect("it reads");
        });
        let output = python.wait_with_output().expect("it ends");
        writer.join().expect("all is written");
        let output = String::from_utf8(output.stdout).expect("text");
        assert_eq!(output.lines().count(), pairs.len());
        for ((before, after), expected) in pairs.iter().zip(output.lines()) {
            let lines =
                |list: &'static [String]| list.iter().map(String::as_bytes).collect::<Vec<_>>();
            let leak = |list: &[String]| &*Vec::leak(list.to_vec());
            let found = hunks(&lines(leak(before)), &lines(leak(after)));
            let found = found.iter().map(|it| {
                format!(
                    "[{}, {}, {}, {}]",
                    it.before.start, it.before.end, it.after.start, it.after.end
                )
            });
            let found = format!("[{}]", found.collect::<Vec<_>>().join(", "));
            assert_eq!(found, expected, "{before:?} {after:?}");
        }
    }
}
