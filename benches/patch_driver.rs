//! Applies patches to trees, for `.ci/patch-against-git`, which compares the result with git's.
//!
//! ```text
//! cargo bench --bench patch_driver < CASES
//! ```
//!
//! Every line of the input is a case: a directory to be patched in place, a tab, and a patch. The answer
//! is a line for each: `ok`, or what the patch is refused with.

use std::error::Error;
use std::fs;
use std::io::{self, BufRead as _, Write as _};
use std::path::Path;

use adequacy::base::Silent;
use adequacy::tree::patch::{Patch, write};
use adequacy::tree::{self, Choice};

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = io::stdout().lock();
    for case in io::stdin().lock().lines() {
        let case = case?;
        let (root, patch) = case.split_once('\t').ok_or("a case is a directory, a tab, a patch")?;
        match apply(Path::new(root), Path::new(patch)) {
            Ok(()) => writeln!(out, "ok")?,
            Err(error) => writeln!(out, "{error}")?,
        }
    }
    Ok(())
}

fn apply(root: &Path, patch: &Path) -> Result<(), Box<dyn Error>> {
    let snapshot = tree::snapshot(root, &Choice::default(), &Silent)?;
    let changes = Patch::parse(&fs::read(patch)?)?.apply(&|path| snapshot.state(path))?;
    Ok(write(&changes, root)?)
}
