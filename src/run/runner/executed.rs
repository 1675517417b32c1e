//! How many tests a run of the unmutated tree executed. Outputs are bytes in any encoding.

use serde::{Deserialize, Serialize};

/// From the summary of `python -m unittest`. `Ran N tests` counts skipped tests, but not a class
/// or module skipped as a whole, which `skipped=N` counts once: where that leaves it open whether
/// any test ran, the marks of the single tests tell.
pub(super) fn in_unittest(output: &[u8]) -> Option<u64> {
    let lines: Vec<_> = lines(output).collect();
    // The last: a test may run a suite of its own and print its summary.
    let at = lines.iter().rposition(|line| ran(line).is_some())?;
    let ran = ran(&lines[at])?;
    let verdict =
        |line: &&String| ["OK", "FAILED", "NO TESTS RUN"].iter().any(|word| line.starts_with(word));
    let skipped = lines[at..].iter().find(verdict).and_then(|line| number_after(line, "skipped="));
    match skipped.unwrap_or(0) {
        skipped if skipped < ran || ran == 0 => Some(ran - skipped.min(ran)),
        _ => Some(ran.min(lines[..at].iter().map(|line| marks(line)).sum())),
    }
}

fn ran(line: &str) -> Option<u64> {
    let (count, rest) = line.strip_prefix("Ran ")?.split_once(' ')?;
    rest.starts_with("test").then(|| count.parse().ok())?
}

/// Executed tests on one line of the progress: `.s.x` when brief, `test_a (t.T) ... ok` else.
fn marks(line: &str) -> u64 {
    if !line.is_empty() && line.chars().all(|c| ".FEsxu".contains(c)) {
        return line.chars().filter(|c| *c != 's').count() as u64;
    }
    let words = ["ok", "FAIL", "ERROR", "expected failure", "unexpected success"];
    u64::from(line.rsplit_once(" ... ").is_some_and(|(_, word)| words.contains(&word)))
}

/// From the `test result:` lines of `cargo test`, one a test binary: those passed and failed.
pub(super) fn in_cargo_test(output: &[u8]) -> Option<u64> {
    let lines = lines(output);
    let results = lines.filter_map(|line| Some(line.strip_prefix("test result:")?.to_owned()));
    let counts = results.map(|line| count(&line, "passed") + count(&line, "failed"));
    counts.reduce(|sum, more| sum + more)
}

/// The number before `word` in `ok. 3 passed; 0 failed; ...`.
fn count(line: &str, word: &str) -> u64 {
    let part = line.split(';').find_map(|part| part.trim_end().strip_suffix(word));
    part.and_then(|part| part.split_ascii_whitespace().last()?.parse().ok()).unwrap_or(0)
}

/// The tests of a run, by the runner's own report: `passed`, `failed` and `pending` make up `tests`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tests {
    /// All of them.
    pub tests: u64,
    /// Those that passed.
    pub passed: u64,
    /// Those that failed or broke.
    pub failed: u64,
    /// Those that were skipped.
    pub pending: u64,
}

impl Tests {
    /// Those that ran.
    #[must_use]
    pub fn executed(self) -> u64 {
        self.tests - self.pending
    }
}

/// From a JUnit report, over all `<testsuite>` elements; `None` when there is no such element with a
/// count. Tolerant of anything else.
#[must_use]
pub(in crate::run) fn tests_in_junit(xml: &[u8]) -> Option<Tests> {
    let text = String::from_utf8_lossy(xml);
    let tags = text.split('<').filter_map(|tag| tag.strip_prefix("testsuite"));
    let counts = tags.filter(|rest| rest.starts_with(char::is_whitespace)).filter_map(|rest| {
        let number = |name: &str| attribute(rest, name)?.parse::<u64>().ok();
        let tests = number("tests")?;
        // pytest before 5.1 wrote `skips`.
        let pending = number("skipped").or_else(|| number("skips")).unwrap_or(0).min(tests);
        let failed = number("failures").unwrap_or(0).saturating_add(number("errors").unwrap_or(0));
        let failed = failed.min(tests - pending);
        Some(Tests { tests, passed: tests - pending - failed, failed, pending })
    });
    counts.reduce(|sum, more| Tests {
        tests: sum.tests.saturating_add(more.tests),
        passed: sum.passed.saturating_add(more.passed),
        failed: sum.failed.saturating_add(more.failed),
        pending: sum.pending.saturating_add(more.pending),
    })
}

/// The value of an attribute in ` a="1" b='2'>...`.
fn attribute<'a>(tag: &'a str, wanted: &str) -> Option<&'a str> {
    let mut rest = tag;
    loop {
        rest = rest.trim_start();
        let (name, after) = rest.split_once('=').filter(|(name, _)| !name.contains(['>', '/']))?;
        let after = after.trim_start();
        let quote = after.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let (value, more) = after[1..].split_once(quote)?;
        if name.trim_end() == wanted {
            return Some(value);
        }
        rest = more;
    }
}

fn lines(output: &[u8]) -> impl Iterator<Item = String> {
    let end = |line: &&[u8]| !line.is_empty();
    output
        .split(|byte| matches!(byte, b'\n' | b'\r'))
        .filter(end)
        .map(|line| String::from_utf8_lossy(line).into_owned())
}

fn number_after(line: &str, word: &str) -> Option<u64> {
    let rest = line.split_once(word)?.1;
    rest[..rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len())].parse().ok()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Command;

    use super::*;

    /// What the real `python3 -m unittest` says of a test file with this body.
    fn unittest(body: &str, flags: &[&str]) -> Option<u64> {
        let folder = tempfile::tempdir().expect("a scratch folder");
        fs::write(folder.path().join("test_it.py"), format!("import unittest, sys\n{body}"))
            .expect("a test file");
        let output = Command::new("python3")
            .args(["-m", "unittest"])
            .args(flags)
            .current_dir(folder.path())
            .output()
            .expect("python3 starts");
        in_unittest(&[output.stdout, output.stderr].concat())
    }

    #[test]
    fn the_real_unittest_is_counted() {
        let case = "class T(unittest.TestCase):\n";
        let passes = "  def test_a(self): sys.stderr.buffer.write(b'\\xe9\\n')\n";
        let skips = "  @unittest.skip('x')\n  def test_b(self): pass\n";
        let expected = "  @unittest.expectedFailure\n  def test_c(self): self.fail()\n";
        let whole = "class S(unittest.TestCase):\n  @classmethod\n  def setUpClass(cls): \
                     raise unittest.SkipTest('x')\n  def test_d(self): pass\n";
        for flags in [&[][..], &["-v"]] {
            assert_eq!(unittest("", flags), Some(0), "none at all");
            assert_eq!(unittest(&format!("{case}{passes}"), flags), Some(1));
            assert_eq!(unittest(&format!("{case}{skips}"), flags), Some(0), "all skipped");
            assert_eq!(unittest(&format!("{case}{passes}{skips}{expected}"), flags), Some(2));
            assert_eq!(unittest(whole, flags), Some(0), "a class skipped as a whole");
            let quiet = "  def test_a(self): pass\n";
            assert_eq!(unittest(&format!("{case}{quiet}{whole}"), flags), Some(1));
        }
        assert_eq!(unittest("raise unittest.SkipTest('x')", &[]), Some(0));
        assert_eq!(unittest(&format!("{case}  def test_a(self): self.fail()\n"), &[]), Some(1));
    }

    #[test]
    fn the_last_summary_counts_and_none_is_unknown() {
        let nested = b"Ran 9 tests in 0.1s\n\nOK\n.\n----\nRan 1 test in 0.2s\n\nOK\n";
        assert_eq!(in_unittest(nested), Some(1));
        assert_eq!(in_unittest(b"Ran into trouble\nRan out\n"), None);
        assert_eq!(in_unittest(b"Ran 0 tests in 0.0s\n\nNO TESTS RUN (skipped=1)\n"), Some(0));
        assert_eq!(in_unittest(b""), None);
    }

    #[test]
    fn cargo_test_is_counted_over_all_binaries() {
        let output = b"running 3 tests\ntest a ... ok\n\xff\n\
            test result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 4 filtered out; finished in 0.00s\n\
            test result: FAILED. 10 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out\n\
            test result: \x1b[32mok\x1b(B\x1b[m. 3 passed; 0 failed; 0 ignored; 0 measured\n";
        assert_eq!(in_cargo_test(output), Some(16));
        let none = b"test result: ok. 0 passed; 0 failed; 5 ignored; 0 measured; 0 filtered out\n";
        assert_eq!(in_cargo_test(none), Some(0));
        assert_eq!(in_cargo_test(b"custom harness: fine\n"), None);
    }

    #[test]
    fn a_junit_report_is_counted() {
        let pytest = br#"<?xml version="1.0" encoding="utf-8"?><testsuites name="pytest tests">
            <testsuite name="a>b tests='9'" errors="0" skipped="1" tests="3" hostname='x'>
            <testcase name="t" tests="7"/></testsuite></testsuites>"#;
        let executed = |xml: &[u8]| tests_in_junit(xml).map(Tests::executed);
        assert_eq!(executed(pytest), Some(2));
        let two = b"<testsuite\ntests = '2' /><testsuite tests=\"5\" skips=\"5\"></testsuite>\xff";
        assert_eq!(executed(two), Some(2));
        let skipped = br#"<testsuites tests="4"><testsuite tests="2" skipped="2"/></testsuites>"#;
        assert_eq!(executed(skipped), Some(0));
        let failing = br#"<testsuite tests="9" failures="2" errors="1" skipped="3"/>"#;
        let tests = Tests { tests: 9, passed: 3, failed: 3, pending: 3 };
        assert_eq!(tests_in_junit(failing), Some(tests));
        for text in ["", "<testsuites tests='3'/>", "<testsuite name='x'>tests='3'", "<testsuite a"]
        {
            assert_eq!(executed(text.as_bytes()), None, "{text}");
        }
    }
}
