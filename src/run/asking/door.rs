//! How a command of Python lets us in: by its environment alone, so that its words stay as sealed. pytest
//! takes words and plugins from variables; into `python -m unittest` leads a `sitecustomize` of ours.

use std::path::{Path, PathBuf};

use super::{with_first, with_plugin, with_words};
use crate::run::Runner;
use crate::run::environment::Environment;

/// Stop at the first failing test; leave tracebacks to the interpreter, as laying them out well costs
/// more than most tests do.
const SHARP: &str = "-x --tb=native";

/// The module that pytest is told to load to be a worker.
const PLUGIN: &str = "adequacy_worker.plugin";

/// The same to note what its tests enter.
const NOTING: &str = "adequacy_worker.noting";

/// A runner's way in. The folder holds the Python side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::run) enum Door {
    Pytest(PathBuf),
    Unittest(PathBuf),
}

impl Door {
    /// That of a runner, if it has one, where the Python side is in `folder`.
    pub(in crate::run) fn of(runner: Option<Runner>, folder: PathBuf) -> Option<Self> {
        match runner? {
            Runner::Pytest => Some(Self::Pytest(folder)),
            Runner::Unittest => Some(Self::Unittest(folder)),
            _ => None,
        }
    }

    /// The runner's name.
    pub(in crate::run) const fn runner(&self) -> &'static str {
        match self {
            Self::Pytest(_) => "pytest",
            Self::Unittest(_) => "unittest",
        }
    }

    /// `usual` with what makes the command stop at its first failing test.
    pub(in crate::run) fn sharp(&self, usual: &Environment) -> Environment {
        match self {
            Self::Pytest(_) => with_words(usual, SHARP),
            Self::Unittest(folder) => with_first(usual, "PYTHONPATH", &start(folder), ':'),
        }
    }

    /// The same, telling what could stand against that to the file `report`. pytest's plugin, a `module`,
    /// is in the folder of the report.
    pub(in crate::run) fn probe(
        &self,
        usual: &Environment,
        module: &str,
        report: &Path,
    ) -> Environment {
        let told = report.display().to_string();
        let sharp = match self {
            Self::Pytest(_) => {
                let folder = report.parent().expect("it is a file in a folder");
                with_plugin(usual, SHARP, (folder, module))
            }
            Self::Unittest(_) => self.sharp(usual),
        };
        sharp.with("ADEQUACY_PROBE", &told)
    }

    /// `usual` with what makes the command note which functions its tests enter; `place` is the folder of
    /// the question and of the report.
    pub(in crate::run) fn note(&self, usual: &Environment, place: &Path) -> Environment {
        self.load(usual, NOTING).with("ADEQUACY_NOTE", &place.display().to_string())
    }

    /// `usual` with what makes the command's process a worker, which is `told` what it is.
    pub(in crate::run) fn serve(&self, usual: &Environment, told: &str) -> Environment {
        self.load(usual, PLUGIN).with("ADEQUACY_SERVE", told)
    }

    /// `usual` with what makes the command load the Python side; of pytest's plugins, `plugin`.
    fn load(&self, usual: &Environment, plugin: &str) -> Environment {
        match self {
            Self::Pytest(folder) => {
                let loads = with_first(usual, "PYTEST_PLUGINS", plugin, ',');
                with_first(&loads, "PYTHONPATH", &folder.display().to_string(), ':')
            }
            Self::Unittest(folder) => with_first(usual, "PYTHONPATH", &start(folder), ':'),
        }
    }
}

/// Where the interpreter is to look for `sitecustomize`.
fn start(folder: &Path) -> String {
    folder.join("adequacy_worker/start").display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::asking::WORDS;
    use crate::run::environment::Places;

    fn usual(set: &[(&str, &str)]) -> Environment {
        let set = set.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let places = Places::below(Path::new("/w"), 0);
        Environment::for_run(|_| None, &places, &set.collect::<Vec<_>>(), &[])
    }

    /// What `changed` has that `usual` has not.
    fn more(usual: &Environment, changed: &Environment) -> Vec<String> {
        let differs = |(name, value): &(&std::ffi::OsStr, &std::ffi::OsStr)| {
            usual.get(&name.to_string_lossy()) != Some(*value)
        };
        let shown = changed.iter().filter(differs);
        shown.map(|(name, value)| format!("{}={}", name.display(), value.display())).collect()
    }

    #[test]
    fn the_tasks_own_values_stay_and_words_for_pytest_come_first() {
        let pytest = Door::of(Some(Runner::Pytest), "/p".into()).expect("it has a door");
        let unittest = Door::of(Some(Runner::Unittest), "/p".into()).expect("it has a door");
        assert_eq!(Door::of(Some(Runner::GoTest), "/p".into()), None);
        assert_eq!(Door::of(None, "/p".into()), None);
        let (none, report) = (usual(&[]), Path::new("/tmp/it/report"));
        let own = [(WORDS, "--maxfail=3"), ("PYTEST_PLUGINS", "theirs"), ("PYTHONPATH", "src")];
        let own = usual(&own);
        let start = "PYTHONPATH=/p/adequacy_worker/start";
        for (door, sharp, probe, serve) in [
            (
                &pytest,
                vec!["PYTEST_ADDOPTS=-x --tb=native"],
                vec!["PYTEST_ADDOPTS=-x --tb=native -p it", "PYTHONPATH=/tmp/it"],
                vec!["PYTEST_PLUGINS=adequacy_worker.plugin", "PYTHONPATH=/p"],
            ),
            (&unittest, vec![start], vec![start], vec![start]),
        ] {
            assert_eq!(more(&none, &door.sharp(&none)), sharp);
            let probe = [vec!["ADEQUACY_PROBE=/tmp/it/report"], probe].concat();
            assert_eq!(more(&none, &door.probe(&none, "it", report)), probe);
            let note = serve.iter().map(|one| one.replace("worker.plugin", "worker.noting"));
            let note = std::iter::once("ADEQUACY_NOTE=/q".to_owned()).chain(note);
            let noting = more(&none, &door.note(&none, Path::new("/q")));
            assert_eq!(noting, note.collect::<Vec<_>>());
            let serve = [vec!["ADEQUACY_SERVE=hot"], serve].concat();
            assert_eq!(more(&none, &door.serve(&none, "hot")), serve);
        }
        assert_eq!(
            more(&own, &pytest.serve(&pytest.sharp(&own), "hot")),
            [
                "ADEQUACY_SERVE=hot",
                "PYTEST_ADDOPTS=--maxfail=3 -x --tb=native",
                "PYTEST_PLUGINS=adequacy_worker.plugin,theirs",
                "PYTHONPATH=/p:src",
            ]
        );
        assert_eq!(more(&own, &unittest.sharp(&own)), [format!("{start}:src")]);
    }
}
