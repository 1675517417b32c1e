//! Which functions of the tree, other than tests, some tests enter.

use std::collections::BTreeMap;
use std::path::Path;

use adequacy_mutators::Language;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Question, with_plugin};
use crate::base::RelPath;
use crate::plan::is_test;
use crate::run::lab::Lab;
use crate::run::{Environment, Exit, RunError};

/// The plugin.
const PLUGIN: &str = include_str!("adequacy_covered.py");

/// How pytest ends where it has no test to run.
const NO_TESTS: i32 = 5;

/// Tests by the first and last of lines that changed, in files of the tree.
pub type ChangedTests = BTreeMap<RelPath, Vec<(u32, u32)>>;

/// A function of the tree, in a source that can be mutated, that was entered.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Function {
    /// The file.
    pub path: RelPath,
    /// Its first line, from 1.
    pub first: u32,
    /// Its last.
    pub last: u32,
}

/// What the changed tests that a command runs enter.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Covered {
    /// How many tests were watched.
    pub tests: u64,
    /// What they entered, in order, each once.
    pub functions: Vec<Function>,
}

impl Covered {
    /// Adds what the tests of another command enter.
    pub(crate) fn add(&mut self, other: Self) {
        self.tests += other.tests;
        self.functions.extend(other.functions);
        self.functions.sort_unstable();
        self.functions.dedup();
    }
}

/// What the plugin tells: see there.
#[derive(Deserialize)]
struct Found {
    tests: u64,
    functions: Vec<(String, u32, u32)>,
}

impl Lab<'_> {
    /// Runs the changed tests alone, of those that the pytest command at `place` runs, and watches which
    /// functions of the tree they enter; where that cannot be known, why.
    ///
    /// # Errors
    /// [`RunError`] when the run itself cannot go on.
    pub fn watch_tests(
        &self,
        place: usize,
        changed: &ChangedTests,
    ) -> Result<Result<Covered, String>, RunError> {
        let tree = self.first_tree();
        let told = json!({ "root": tree, "changed": changed }).to_string();
        let files =
            [("adequacy_covered.py", PLUGIN.as_bytes()), ("question.json", told.as_bytes())];
        let environment = |usual: &Environment, report: &Path| {
            let folder = report.parent().expect("it is a file in a folder");
            with_plugin(usual, "", (folder, "adequacy_covered"))
        };
        let question = Question { name: "changed-tests", files: &files, environment: &environment };
        let told = self.ask(place, &question)?;
        let found = told.told::<Found>();
        Ok(match (found, told.exit) {
            (None, _) => Err("the command does not load a plugin from its environment".to_owned()),
            (Some(Found { tests: 0, .. }), Exit::Code(NO_TESTS)) => Ok(Covered::default()),
            // Such as that of a controller, whose tests run in other processes.
            (Some(Found { tests: 0, .. }), exit) => {
                Err(format!("no test was seen where the command runs its tests: {exit}"))
            }
            (Some(found), Exit::Code(0)) => Ok(covered(&found, &tree)),
            (Some(_), exit) => Err(format!("run alone, the changed tests do not pass: {exit}")),
        })
    }
}

fn covered(found: &Found, tree: &Path) -> Covered {
    let function = |(path, first, last): &(String, u32, u32)| {
        let path = Path::new(path).strip_prefix(tree).ok()?;
        let path = RelPath::new(path.as_os_str().as_encoded_bytes()).ok()?;
        let is_product = !is_test(&path) && Language::of_file_name(path.name()).is_some();
        is_product.then_some(Function { path, first: *first, last: *last })
    };
    let functions = found.functions.iter().filter_map(function).collect();
    Covered { tests: found.tests, functions }
}
