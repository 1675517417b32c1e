//! Why a tree or a command is left to the exact path: what could make one build of many mutants differ
//! from a build of each.

use adequacy_mutators::rust::denied;
use toml::{Table, Value};

use super::super::Lab;
use crate::plan::cargo::reached;
use crate::run::Environment;
use crate::tree::Snapshot;

/// Lints that no mutated body can be the first to meet.
const HARMLESS: &[&str] = &[
    "bare_trait_objects",
    "missing_copy_implementations",
    "missing_debug_implementations",
    "missing_docs",
    "nonstandard_style",
    "unreachable_pub",
    "unsafe_code",
    "unsafe_op_in_unsafe_fn",
];

/// Words in a settings file of cargo that change how things are built or run.
const SETTINGS: &[&str] = &["build-std", "runner", "rustc", "rustdoc", "rustflags", "target-dir"];

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

/// Why no command of this task is run on one build, if so.
pub(super) fn of(lab: &Lab<'_>, environment: &Environment) -> Option<String> {
    let task = lab.task;
    if task.setup.is_some() || task.build.is_some() {
        return Some("the task has a `[setup]` or `[build]` of its own".to_owned());
    }
    variable(environment)
        .or_else(|| settings(lab.snapshot, environment))
        .or_else(|| lint(lab.snapshot))
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

/// A lint that is an error: a mutant may meet it that compiles beside the others.
fn lint(tree: &Snapshot) -> Option<String> {
    for path in reached(tree)?.files.keys() {
        let source = tree.read(path).ok()?;
        if let Some(lint) = denied(&source).into_iter().find(|lint| !is_harmless(lint)) {
            return Some(format!("`{path}` makes an error of the lint `{lint}`"));
        }
    }
    let manifests = tree.files().filter(|(path, _, _)| path.name() == b"Cargo.toml");
    for (path, _, _) in manifests {
        let table = String::from_utf8(tree.read(path).ok()?).ok()?.parse::<Table>();
        let Ok(table) = table else { continue };
        let own = table.get("lints");
        let all = table.get("workspace").and_then(|workspace| workspace.get("lints"));
        let lints = own.into_iter().chain(all).filter_map(|lints| lints.get("rust")?.as_table());
        let denied = |value: &Value| {
            let level = value.get("level").unwrap_or(value).as_str();
            matches!(level, Some("deny" | "forbid"))
        };
        for (lint, value) in lints.flatten() {
            if denied(value) && !is_harmless(lint) {
                return Some(format!("`{path}` makes an error of the lint `{lint}`"));
            }
        }
    }
    None
}

fn is_harmless(lint: &str) -> bool {
    let lint = lint.replace('-', "_");
    HARMLESS.contains(&lint.as_str())
        || lint.starts_with("clippy::")
        || lint.starts_with("rustdoc::")
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
    fn a_lint_that_a_body_may_meet_is_an_objection() {
        let package = "[package]\nname = \"a\"\n";
        for (manifest, source, expected) in [
            ("", "#![deny(missing_docs)]\n#![forbid(unsafe_code, clippy::all)]\n", None),
            ("", "#![deny(warnings)]", Some("`src/lib.rs` makes an error of the lint `warnings`")),
            ("[lints.rust]\nunsafe_code = \"forbid\"\nunused = \"warn\"\n", "", None),
            (
                "[lints.rust]\nunused = { level = \"deny\", priority = -1 }\n",
                "",
                Some("`Cargo.toml` makes an error of the lint `unused`"),
            ),
        ] {
            let manifest = format!("{package}{manifest}");
            let (tree, _folder) = tree(&[("Cargo.toml", &manifest), ("src/lib.rs", source)]);
            assert_eq!(lint(&tree).as_deref(), expected, "{manifest} {source}");
        }
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
