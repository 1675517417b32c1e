//! Why a tree or a command is left to the exact path: what could make one build of many mutants differ
//! from a build of each.

use super::super::Lab;
use super::lints;
use crate::run::Environment;
use crate::tree::Snapshot;

/// Words in a settings file of cargo that change how things are built or run.
const SETTINGS: &[&str] =
    &["build-std", "include", "runner", "rustc", "rustdoc", "rustflags", "target-dir", "warnings"];

/// Variables of cargo and its tools that change neither.
const USUAL: &[&str] = &[
    "CARGO_HOME",
    "CARGO_INCREMENTAL",
    "CARGO_NET_OFFLINE",
    "CARGO_TARGET_DIR",
    "CARGO_TERM_COLOR",
    "RUST_BACKTRACE",
    "RUST_LOG",
    "RUST_MIN_STACK",
    "RUST_TEST_THREADS",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
];

/// Why no command of this task is run on one build, if so; else the lints that must stay errors.
pub(super) fn of(lab: &Lab<'_>, environment: &Environment) -> Result<Vec<String>, String> {
    let task = lab.task;
    if task.setup.is_some() || task.build.is_some() {
        return Err("the task has a `[setup]` or `[build]` of its own".to_owned());
    }
    match variable(environment).or_else(|| settings(lab.snapshot, environment)) {
        Some(why) => Err(why),
        None => lints::denied(lab.snapshot),
    }
}

fn variable(environment: &Environment) -> Option<String> {
    let names = environment.iter().map(|(name, _)| name.to_string_lossy().into_owned());
    let mut unusual = names.filter(|name| {
        (name.starts_with("CARGO_") || name.starts_with("RUST")) && !USUAL.contains(&name.as_str())
    });
    unusual.next().map(|name| format!("`{name}` is set"))
}

fn settings(tree: &Snapshot, environment: &Environment) -> Option<String> {
    let names = [".cargo/config.toml", ".cargo/config"];
    let is_settings =
        |path: &str| names.iter().any(|name| path == *name || path.ends_with(&format!("/{name}")));
    let unusual = |text: &[u8]| {
        let text = String::from_utf8_lossy(text).into_owned();
        SETTINGS.iter().find(|word| text.contains(**word)).copied()
    };
    for (path, _, _) in tree.files() {
        if path.as_str().is_some_and(is_settings)
            && let Some(word) = tree.read(path).ok().and_then(|text| unusual(&text))
        {
            return Some(format!("`{path}` has a `{word}`"));
        }
    }
    let home = std::path::PathBuf::from(environment.get("CARGO_HOME")?);
    let own =
        ["config.toml", "config"].iter().find_map(|name| std::fs::read(home.join(name)).ok())?;
    unusual(&own).map(|word| format!("the settings in CARGO_HOME have a `{word}`"))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::base::Silent;
    use crate::run::environment::Places;
    use crate::tree::{Choice, snapshot};

    fn tree(files: &[(&str, &str)]) -> (Snapshot, tempfile::TempDir) {
        let folder = tempfile::tempdir().expect("a temporary directory");
        for (path, text) in files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().expect("below")).expect("folders");
            std::fs::write(path, text).expect("a file");
        }
        (snapshot(folder.path(), &Choice::default(), &Silent).expect("a tree"), folder)
    }

    #[test]
    fn what_changes_how_things_are_built_is_an_objection() {
        let places = Places::below(Path::new("/w"), 0);
        let with = |name: &str| {
            let set = [(name.to_owned(), "x".to_owned())];
            Environment::for_run(|_| None, &places, &set, &[])
        };
        assert_eq!(variable(&with("RUST_LOG")), None);
        assert_eq!(variable(&with("RUSTFLAGS")).as_deref(), Some("`RUSTFLAGS` is set"));
        let text = "[build]\nrustflags = [\"-Dwarnings\"]\n";
        let (strict, _folder) = tree(&[("a/.cargo/config.toml", text)]);
        let said = settings(&strict, &with("A"));
        assert_eq!(said.as_deref(), Some("`a/.cargo/config.toml` has a `rustflags`"));
        let (plain, _folder) = tree(&[(".cargo/config.toml", "[net]\noffline = true\n")]);
        assert_eq!(settings(&plain, &with("A")), None);
    }
}
