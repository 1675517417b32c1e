//! The Python side of a worker, written where its interpreter finds it.

use std::fs;
use std::io;
use std::path::Path;

/// The files of the package, by name.
const FILES: [(&str, &str); 13] = [
    ("__init__.py", include_str!("adequacy_worker/__init__.py")),
    ("census.py", include_str!("adequacy_worker/census.py")),
    ("course.py", include_str!("adequacy_worker/course.py")),
    ("hazards.py", include_str!("adequacy_worker/hazards.py")),
    ("plugin.py", include_str!("adequacy_worker/plugin.py")),
    ("serve.py", include_str!("adequacy_worker/serve.py")),
    ("start/sitecustomize.py", include_str!("adequacy_worker/start/sitecustomize.py")),
    ("swap.py", include_str!("adequacy_worker/swap.py")),
    ("tiers.py", include_str!("adequacy_worker/tiers.py")),
    ("traces.py", include_str!("adequacy_worker/traces.py")),
    ("unittest_gate.py", include_str!("adequacy_worker/unittest_gate.py")),
    ("unittest_loop.py", include_str!("adequacy_worker/unittest_loop.py")),
    ("unittest_probe.py", include_str!("adequacy_worker/unittest_probe.py")),
];

/// Writes the package below `folder`, which is to be on the interpreter's path.
///
/// # Errors
/// What the system says.
pub(super) fn write(folder: &Path) -> io::Result<()> {
    let package = folder.join("adequacy_worker");
    fs::create_dir_all(package.join("start"))?;
    FILES.iter().try_for_each(|(name, text)| fs::write(package.join(name), text))
}
