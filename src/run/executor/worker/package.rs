//! The Python side of a worker, written where its interpreter finds it.

use std::fs;
use std::io;
use std::path::Path;

/// The module that pytest is told to load.
pub(super) const PLUGIN: &str = "adequacy_worker.plugin";

/// The files of the package, by name.
const FILES: [(&str, &str); 6] = [
    ("__init__.py", include_str!("adequacy_worker/__init__.py")),
    ("census.py", include_str!("adequacy_worker/census.py")),
    ("hazards.py", include_str!("adequacy_worker/hazards.py")),
    ("plugin.py", include_str!("adequacy_worker/plugin.py")),
    ("serve.py", include_str!("adequacy_worker/serve.py")),
    ("swap.py", include_str!("adequacy_worker/swap.py")),
];

/// Writes the package below `folder`, which is to be on the interpreter's path.
///
/// # Errors
/// What the system says.
pub(super) fn write(folder: &Path) -> io::Result<()> {
    let package = folder.join("adequacy_worker");
    fs::create_dir_all(&package)?;
    FILES.iter().try_for_each(|(name, text)| fs::write(package.join(name), text))
}
