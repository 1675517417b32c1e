//! `tests.json`: which tests enter which functions, as far as that was seen. Reports show it; nothing is
//! decided by it.

use std::collections::BTreeMap;
use std::fs;

use serde::{Deserialize, Serialize};

use super::{OutputDir, OutputError, RunFile};
use crate::base::Sha256;
use crate::run::{Lab, Reach};
use crate::task::Task;

/// What `format` says.
const FORMAT: &str = "adequacy-tests/1";

/// Name of the file.
const NAME: &str = "tests.json";

#[derive(Serialize, Deserialize)]
struct TestsFile<R> {
    format: String,
    /// By id.
    commands: BTreeMap<String, R>,
}

impl OutputDir {
    /// Keeps what `lab` saw, with its digest in `run`, for who reads the run directory.
    pub(super) fn write_tests(
        &self,
        lab: &Lab<'_>,
        task: &Task,
        run: &mut RunFile,
    ) -> Result<(), OutputError> {
        let reach = lab.reach();
        if reach.is_empty() {
            return Ok(());
        }
        let of =
            |(place, reach): (&usize, _)| (task.commands[*place].id.clone(), AsRef::as_ref(reach));
        let commands = reach.iter().map(of).collect::<BTreeMap<_, &Reach>>();
        let file = TestsFile { format: FORMAT.to_owned(), commands };
        let text = serde_json::to_vec(&file).expect("plain values");
        self.replace(&self.path().join(NAME), &text)?;
        run.executors.tests_sha256 = Some(Sha256::of(&text));
        Ok(())
    }

    /// What tests enter, by id of the command; nothing where `run` has none, or the file is gone.
    ///
    /// # Errors
    /// [`OutputError`] when the file is not the one that `run` names.
    pub fn read_tests(&self, run: &RunFile) -> Result<BTreeMap<String, Reach>, OutputError> {
        let Some(digest) = run.executors.tests_sha256 else { return Ok(BTreeMap::new()) };
        let path = self.path().join(NAME);
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(BTreeMap::new());
            }
            Err(error) => return Err(OutputError::Io { path, error }),
        };
        if Sha256::of(&text) != digest {
            let message = "its digest is not the one in run.json".to_owned();
            return Err(OutputError::Damaged { path, message });
        }
        serde_json::from_slice::<TestsFile<Reach>>(&text)
            .map(|file| file.commands)
            .map_err(|error| OutputError::Damaged { path, message: error.to_string() })
    }
}
