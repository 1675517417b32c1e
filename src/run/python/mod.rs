//! The Python side of what runs in the processes of commands, written where their interpreters find it.

use std::fs;
use std::path::{Path, PathBuf};

/// The files of the package, by name.
const FILES: [(&str, &str); 19] = [
    ("__init__.py", include_str!("adequacy_worker/__init__.py")),
    ("census.py", include_str!("adequacy_worker/census.py")),
    ("course.py", include_str!("adequacy_worker/course.py")),
    ("cover.py", include_str!("adequacy_worker/cover.py")),
    ("hazards.py", include_str!("adequacy_worker/hazards.py")),
    ("network.py", include_str!("adequacy_worker/network.py")),
    ("noting.py", include_str!("adequacy_worker/noting.py")),
    ("plugin.py", include_str!("adequacy_worker/plugin.py")),
    ("readers.py", include_str!("adequacy_worker/readers.py")),
    ("serve.py", include_str!("adequacy_worker/serve.py")),
    ("start/sitecustomize.py", include_str!("adequacy_worker/start/sitecustomize.py")),
    ("swap.py", include_str!("adequacy_worker/swap.py")),
    ("tiers.py", include_str!("adequacy_worker/tiers.py")),
    ("traces.py", TRACES),
    ("unittest_gate.py", include_str!("adequacy_worker/unittest_gate.py")),
    ("unittest_loop.py", include_str!("adequacy_worker/unittest_loop.py")),
    ("unittest_noting.py", include_str!("adequacy_worker/unittest_noting.py")),
    ("unittest_probe.py", include_str!("adequacy_worker/unittest_probe.py")),
    ("unittest_tests.py", include_str!("adequacy_worker/unittest_tests.py")),
];

/// Takes what let us in out of what a test could see: also beside modules that are loaded alone.
pub(super) const TRACES: &str = include_str!("adequacy_worker/traces.py");

/// The folder below `scratch` that is to be on the interpreter's path.
pub(super) fn folder(scratch: &Path) -> PathBuf {
    scratch.join("python")
}

/// Writes the package there.
///
/// # Errors
/// Why it cannot be written.
pub(super) fn install(scratch: &Path) -> Result<(), String> {
    let folder = folder(scratch);
    let package = folder.join("adequacy_worker");
    let write = |(name, text): &(&str, &str)| fs::write(package.join(name), text);
    fs::create_dir_all(package.join("start"))
        .and_then(|()| FILES.iter().try_for_each(write))
        .map_err(|error| format!("`{}`: {error}", folder.display()))
}
