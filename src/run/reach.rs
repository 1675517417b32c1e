//! Which tests of a command enter which functions of the tree: what one run of all tests showed.
//!
//! No verdict hangs on it. It says where a worker best begins, and reports tell it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What a command's tests enter.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Reach {
    /// The tests in the order in which they run: the name of each and its CPU time in that run, in seconds.
    pub tests: Vec<(String, f64)>,
    /// The functions that a test enters, by the path of their file.
    pub functions: BTreeMap<String, Vec<Function>>,
}

/// A function, and who enters it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Function {
    /// Its own name.
    pub name: String,
    /// Its first and its last line, decorators in it.
    pub lines: [u32; 2],
    /// The tests that enter it, as ranges of their numbers.
    pub tests: Vec<[u32; 2]>,
}

/// What the run writes of itself.
#[derive(Deserialize)]
struct Found {
    /// Why it is not enough.
    lost: Option<String>,
    tests: Vec<(String, f64)>,
    functions: Vec<(String, u32, u32, String, Vec<u32>)>,
}

/// The parts of the tests' time that a worker may stop after.
const PARTS: f64 = 16.0;

/// Time of tests, in seconds, below which it is not worth to stop after them.
const SHORTEST: f64 = 0.02;

impl Reach {
    /// Reads what the run wrote, of the files that `is_mutated`.
    ///
    /// # Errors
    /// Why nothing can be taken from it.
    pub(super) fn parse(text: &[u8], is_mutated: impl Fn(&str) -> bool) -> Result<Self, String> {
        let found = serde_json::from_slice::<Found>(text).map_err(|error| error.to_string())?;
        if let Some(why) = found.lost {
            return Err(why);
        }
        let mut functions = BTreeMap::<_, Vec<_>>::new();
        for (path, first, last, name, numbers) in found.functions {
            let (tests, rest) = numbers.as_chunks::<2>();
            let in_order = numbers.is_sorted() && rest.is_empty() && !tests.is_empty();
            if !in_order || numbers.last().is_none_or(|&end| end as usize > found.tests.len()) {
                return Err(format!("it names tests that are none for `{name}`"));
            }
            if is_mutated(&path) {
                let function = Function { name, lines: [first, last], tests: tests.to_vec() };
                functions.entry(path).or_default().push(function);
            }
        }
        functions.values_mut().for_each(|them| them.sort_by_key(|one| one.lines));
        Ok(Self { tests: found.tests, functions })
    }

    /// The innermost function that has this line in it and that a test enters: one with a name, where
    /// there is any.
    fn function(&self, path: &str, line: u32) -> Option<&Function> {
        let around = self.functions.get(path)?.iter();
        let around = around.filter(|one| (one.lines[0]..=one.lines[1]).contains(&line));
        around.max_by_key(|one| (!one.name.starts_with('<'), one.lines[0]))
    }

    /// The numbers of the tests that enter the innermost function around this line, which has this name.
    pub fn tests_of(
        &self,
        path: &str,
        line: u32,
        name: &str,
    ) -> impl Iterator<Item = usize> + use<'_> {
        let function = self.function(path, line).filter(|one| one.name == name);
        let ranges = function.map(|one| one.tests.as_slice()).unwrap_or_default().iter();
        ranges.flat_map(|&[begin, end]| begin as usize..end as usize)
    }

    /// The first test that enters a function around this line; where there is none, the number of tests.
    pub(super) fn first_test(&self, path: &str, line: u32) -> usize {
        let function = self.function(path, line);
        function.map_or(self.tests.len(), |one| one.tests[0][0] as usize)
    }

    /// Where a worker may stop on its way through the tests: at first tests of functions, as far apart
    /// as makes it worth it, and after the last test.
    pub(super) fn stops(&self) -> Vec<usize> {
        let functions = self.functions.values().flatten();
        let mut firsts = functions.map(|one| one.tests[0][0] as usize).collect::<Vec<_>>();
        firsts.sort_unstable();
        let all = self.tests.iter().map(|(_, cpu)| cpu).sum::<f64>();
        let (mut stops, mut last) = (Vec::new(), 0);
        for first in firsts {
            let between = self.tests[last..first.max(last)].iter().map(|(_, cpu)| cpu).sum::<f64>();
            if between >= SHORTEST.max(all / PARTS) {
                stops.push(first);
                last = first;
            }
        }
        stops.extend((!self.tests.is_empty()).then_some(self.tests.len()));
        stops
    }
}

/// The first line that differs between two texts, from 1.
pub(super) fn changed_line(before: &[u8], after: &[u8]) -> u32 {
    let same = before.iter().zip(after).take_while(|(one, other)| one == other).count();
    let lines = before[..same].iter().filter(|&&byte| byte == b'\n').count();
    u32::try_from(lines + 1).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FOUND: &str = r#"{"lost": null,
        "tests": [["a", 0.1], ["b", 0.1], ["c", 0.1], ["d", 0.1], ["e", 0.001], ["f", 0.5]],
        "functions": [["p.py", 10, 20, "inner", [2, 3, 4, 5]], ["p.py", 5, 30, "outer", [1, 5]],
            ["p.py", 12, 12, "<lambda>", [3, 4]], ["p.py", 40, 40, "<lambda>", [5, 6]],
            ["test_p.py", 1, 2, "a", [0, 1]]]}"#;

    fn reach() -> Reach {
        Reach::parse(FOUND.as_bytes(), |path| path == "p.py").expect("it is right")
    }

    #[test]
    fn a_line_is_reached_by_the_tests_that_enter_the_innermost_function_with_a_name() {
        let reach = reach();
        assert_eq!(reach.functions.keys().collect::<Vec<_>>(), ["p.py"]);
        for (line, name, first, tests) in [
            (5, "outer", 1, vec![1, 2, 3, 4]),
            (12, "inner", 2, vec![2, 4]),
            (20, "inner", 2, vec![2, 4]),
            // One that nothing enters, in one that something does.
            (20, "idle", 2, vec![]),
            (21, "outer", 1, vec![1, 2, 3, 4]),
            (40, "<lambda>", 5, vec![5]),
            (41, "idle", 6, vec![]),
        ] {
            let found = reach.tests_of("p.py", line, name).collect::<Vec<_>>();
            assert_eq!((reach.first_test("p.py", line), found), (first, tests), "{line}");
        }
        assert_eq!(reach.first_test("q.py", 5), 6);
    }

    #[test]
    fn a_worker_stops_where_functions_begin_and_time_has_passed() {
        // Not before `e`, which is short, and after the last test in any case.
        assert_eq!(reach().stops(), [1, 2, 3, 5, 6]);
        let short = FOUND.replace("0.1", "0.001").replace("0.5", "0.001");
        let short = Reach::parse(short.as_bytes(), |_| true).expect("it is right");
        assert_eq!(short.stops(), [6]);
        assert_eq!(Reach::default().stops(), Vec::<usize>::new());
    }

    #[test]
    fn what_the_run_cannot_have_seen_is_refused() {
        let lost = FOUND.replace("null", r#""something else stopped it""#);
        let more = FOUND.replace("[1, 5]", "[1, 7]");
        let torn = FOUND.replace("[1, 5]", "[1]");
        for (text, why) in [
            (lost, "something else stopped it"),
            (more, "it names tests that are none for `outer`"),
            (torn, "it names tests that are none for `outer`"),
        ] {
            let found = Reach::parse(text.as_bytes(), |_| true);
            assert_eq!(found.expect_err("it is wrong"), why);
        }
    }

    #[test]
    fn the_first_changed_line_is_found() {
        assert_eq!(changed_line(b"a\nb\nc\n", b"a\nx\nc\n"), 2);
        assert_eq!(changed_line(b"a\nb\n", b"a\nb\nc\n"), 3);
        assert_eq!(changed_line(b"", b"x"), 1);
    }
}
