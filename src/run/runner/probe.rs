//! How a separate run of a runner is made to tell its tests to a machine, by its environment alone, and
//! what it then told. No verdict hangs on such a run.
//!
//! Sources: pytest's `--junitxml`; node's `--test-reporter` and `--test-reporter-destination`, which
//! `NODE_OPTIONS` may hold from 20 on; nextest's `--message-format libtest-json`; `go test -json`
//! (`go doc test2json`).

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use super::executed::tests_in_junit;
use super::{Runner, Tests, junit};

/// A variable of the separate run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::run) struct Variable {
    pub(in crate::run) name: &'static str,
    pub(in crate::run) value: String,
    /// Whether words of the task's own stay before it: they decide which tests there are.
    pub(in crate::run) adds: bool,
}

/// An output as long as this may have lost its middle.
const LONGEST_OUTPUT: usize = 200 << 10;

impl Runner {
    /// The variables that make this runner tell its tests: into `report`, or to its output. None for a
    /// runner that needs a flag for that, or has nothing of the kind.
    pub(in crate::run) fn probe(self, report: &Path) -> Option<Vec<Variable>> {
        let add = |name, value| vec![Variable { name, value, adds: true }];
        let set = |(name, value): &(&'static str, &str)| Variable {
            name,
            value: (*value).to_owned(),
            adds: false,
        };
        match self {
            Self::Pytest => {
                // It splits them as a shell does.
                let report = report.to_str()?.replace('\'', "'\\''");
                Some(add("PYTEST_ADDOPTS", format!("'--junitxml={report}'")))
            }
            Self::NodeTest => {
                let report = report.to_str()?.replace('\\', "\\\\").replace('"', "\\\"");
                let words =
                    format!("--test-reporter=junit \"--test-reporter-destination={report}\"");
                Some(add("NODE_OPTIONS", words))
            }
            Self::GoTest => Some(add("GOFLAGS", "-json".to_owned())),
            Self::CargoNextest => Some(NEXTEST.iter().map(set).collect()),
            Self::Unittest | Self::CargoTest => None,
        }
    }

    /// The tests of a run with these variables, by what it wrote to its report, if it wrote one, and to its
    /// output; `None` where that does not tell.
    pub(in crate::run) fn told(self, report: Option<&[u8]>, output: &[u8]) -> Option<Tests> {
        match self {
            Self::Pytest => tests_in_junit(report?),
            Self::NodeTest => junit::count(report?),
            Self::GoTest | Self::CargoNextest if output.len() >= LONGEST_OUTPUT => None,
            Self::GoTest => counted(&lines(output, go)),
            Self::CargoNextest => counted(&lines(output, nextest)),
            Self::Unittest | Self::CargoTest => None,
        }
    }

    /// What those totals are parsed from, in words.
    #[must_use]
    pub const fn source_of_totals(self) -> Option<&'static str> {
        match self {
            Self::Pytest | Self::NodeTest => {
                Some("the runner's JUnit report of a separate run that judged nothing")
            }
            Self::GoTest => {
                Some("the events of `go test -json` in a separate run that judged nothing")
            }
            Self::CargoNextest => {
                Some("nextest's libtest-json of a separate run that judged nothing")
            }
            Self::Unittest | Self::CargoTest => None,
        }
    }
}

/// Its events alone go to the output: what tests print would stand between them.
const NEXTEST: &[(&str, &str)] = &[
    ("NEXTEST_EXPERIMENTAL_LIBTEST_JSON", "1"),
    ("NEXTEST_MESSAGE_FORMAT", "libtest-json"),
    ("NEXTEST_SUCCESS_OUTPUT", "never"),
    ("NEXTEST_FAILURE_OUTPUT", "never"),
];

/// How a test ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ended {
    Passed,
    Failed,
    Skipped,
}

/// The last end of each test.
fn lines<T>(output: &[u8], read: impl Fn(&T) -> Option<(String, Ended)>) -> BTreeMap<String, Ended>
where
    T: for<'de> Deserialize<'de>,
{
    let lines = output.split(|byte| *byte == b'\n');
    let events = lines.filter_map(|line| serde_json::from_slice::<T>(line).ok());
    events.filter_map(|event| read(&event)).collect()
}

/// `None` where no test ended: that is also what an output without any event looks like.
fn counted(ends: &BTreeMap<String, Ended>) -> Option<Tests> {
    let count = |end| ends.values().filter(|found| **found == end).count() as u64;
    let [passed, failed, pending] = [Ended::Passed, Ended::Failed, Ended::Skipped].map(count);
    (!ends.is_empty()).then_some(Tests { tests: ends.len() as u64, passed, failed, pending })
}

#[derive(Deserialize)]
struct GoEvent {
    #[serde(rename = "Action")]
    action: String,
    #[serde(rename = "Package")]
    package: String,
    #[serde(rename = "Test")]
    test: String,
}

fn go(event: &GoEvent) -> Option<(String, Ended)> {
    let ended = match event.action.as_str() {
        "pass" => Ended::Passed,
        "fail" => Ended::Failed,
        "skip" => Ended::Skipped,
        _ => return None,
    };
    Some((format!("{} {}", event.package, event.test), ended))
}

#[derive(Deserialize)]
struct NextestEvent {
    r#type: String,
    event: String,
    name: String,
}

fn nextest(event: &NextestEvent) -> Option<(String, Ended)> {
    let ended = match (event.r#type.as_str(), event.event.as_str()) {
        ("test", "ok") => Ended::Passed,
        ("test", "failed") => Ended::Failed,
        ("test", "ignored") => Ended::Skipped,
        _ => return None,
    };
    Some((event.name.clone(), ended))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tests([tests, passed, failed, pending]: [u64; 4]) -> Option<Tests> {
        Some(Tests { tests, passed, failed, pending })
    }

    #[test]
    fn the_task_s_own_words_stay_where_a_variable_is_a_list() {
        let variables = |runner: Runner| runner.probe(Path::new("/a b/it's.xml"));
        let one = |runner| variables(runner).expect("a probe").remove(0);
        let pytest = one(Runner::Pytest);
        assert_eq!((pytest.name, pytest.adds), ("PYTEST_ADDOPTS", true));
        assert_eq!(pytest.value, r"'--junitxml=/a b/it'\''s.xml'");
        let node = one(Runner::NodeTest);
        assert_eq!((node.name, node.adds), ("NODE_OPTIONS", true));
        let words = r#"--test-reporter=junit "--test-reporter-destination=/a b/it's.xml""#;
        assert_eq!(node.value, words);
        assert_eq!(one(Runner::GoTest).value, "-json");
        assert!(variables(Runner::CargoNextest).expect("a probe").iter().all(|one| !one.adds));
        for runner in [Runner::Unittest, Runner::CargoTest] {
            assert_eq!((variables(runner), runner.source_of_totals()), (None, None));
        }
    }

    #[test]
    fn node_counts_the_cases_inside_and_outside_of_suites() {
        let report = br#"<?xml version="1.0" encoding="utf-8"?>
            <testsuites>
              <testcase name="one" time="0.001" classname="test"/>
              <testcase name="two" classname="test"><skipped type="skipped" message="true"/></testcase>
              <testsuite name="d" disabled="0" errors="0" tests="2" failures="1" skipped="0">
                <testcase name="x" classname="test"/>
                <testcase name="y" classname="test" failure="no"><failure type="f" message="no"/></testcase>
              </testsuite>
              <!-- tests 9 -->
            </testsuites>"#;
        assert_eq!(Runner::NodeTest.told(Some(report), b""), tests([4, 2, 1, 1]));
        assert_eq!(Runner::NodeTest.told(Some(b"<testsuites/>"), b""), tests([0; 4]));
        assert_eq!(Runner::NodeTest.told(Some(b"1..0"), b""), None);
        assert_eq!(Runner::NodeTest.told(None, report), None);
    }

    #[test]
    fn nextest_and_go_count_each_test_once_by_its_last_end() {
        let output = br#"    Finished `test` profile
{"type":"suite","event":"started","test_count":3}
{"type":"test","event":"started","name":"a::a$t::b"}
{"type":"test","event":"ignored","name":"a::a$t::b"}
{"type":"test","event":"ok","name":"a::a$t::c","exec_time":0.008}
{"type":"test","event":"failed","name":"a::a$t::d","exec_time":0.3,"stdout":"{\"type\":\"test\"}\n"}
{"type":"suite","event":"failed","passed":7,"failed":7,"ignored":7}
{"type":"suite","event":"started","test_count":3}
{"type":"test","event":"ignored","name":"a::a$t::b"}
     Summary [   0.329s] 9 tests run: 9 passed
"#;
        assert_eq!(Runner::CargoNextest.told(None, output), tests([3, 1, 1, 1]));
        let output =
            br#"{"Time":"2026-01-01T00:00:00Z","Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"--- PASS: TestB (0.00s)\n"}
{"Action":"pass","Package":"p","Test":"TestA","Elapsed":0}
{"Action":"skip","Package":"p","Test":"TestB","Elapsed":0}
{"Action":"pass","Package":"q","Test":"TestA","Elapsed":0}
{"Action":"pass","Package":"p","Elapsed":0.01}
"#;
        assert_eq!(Runner::GoTest.told(None, output), tests([3, 2, 0, 1]));
        for runner in [Runner::GoTest, Runner::CargoNextest] {
            assert_eq!(runner.told(None, b"ok   p  0.01s\n2 passed\n"), None, "prose");
            let long = [output.as_slice(), &vec![b'\n'; LONGEST_OUTPUT]].concat();
            assert_eq!(runner.told(None, &long), None, "it may have lost its middle");
        }
    }
}
