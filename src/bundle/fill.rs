//! A bundle by reference made whole: the start tree taken from a checkout, file by file, where each is
//! the listed one.

use std::fs::{self, Permissions};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Component, Path, PathBuf};

use tempfile::TempDir;

use super::compile::Listed;
use super::publish::{WORKSPACE_FORMAT, WorkspaceRecord};
use super::{Bundle, BundleError, WORKSPACE, WORKSPACE_RECORD, open};
use crate::base::Sha256;

/// Reads `workspace.json`, where a bundle has one.
pub(super) fn record(root: &Path) -> Result<Option<WorkspaceRecord>, BundleError> {
    let path = root.join(WORKSPACE_RECORD);
    let Some(text) = open::regular(&path)? else { return Ok(None) };
    let bad = |what: String| BundleError::Unreadable { path: path.clone(), what };
    let record = serde_json::from_slice::<WorkspaceRecord>(&text)
        .map_err(|error| bad(format!("is no record of this version: {error}")))?;
    if record.format != WORKSPACE_FORMAT {
        return Err(bad(format!("is in the format `{}`, not `{WORKSPACE_FORMAT}`", record.format)));
    }
    let plain = |one: &Listed| one.path.components().all(|it| matches!(it, Component::Normal(_)));
    if !record.files.iter().all(plain) {
        return Err(bad("names a path that leads out of the tree".to_owned()));
    }
    Ok(Some(record))
}

impl Bundle {
    /// Takes the start tree from `checkout`, a copy of the commit that the bundle names; what is listed
    /// must be there as it is listed, and nothing else is looked at. It is put in `scratch`.
    ///
    /// # Errors
    /// [`BundleError::Files`] names what is not as listed; [`BundleError::Place`] when the bundle holds
    /// its start tree itself, or has none.
    pub fn fill(&mut self, checkout: &Path, scratch: &Path) -> Result<(), BundleError> {
        let Some(record) = &self.by_reference else {
            let what = "is not needed: the bundle names no commit that a start tree comes from";
            return Err(BundleError::Place { place: checkout.to_owned(), what });
        };
        let folder = tempfile::Builder::new().prefix("adequacy-workspace-").tempdir_in(scratch);
        let folder = folder.map_err(|error| BundleError::io("write in", scratch, error))?;
        let root = folder.path().join(WORKSPACE);
        fs::create_dir(&root).map_err(|error| BundleError::io("make", &root, error))?;
        let mut faults = Vec::new();
        for one in &record.files {
            if let Some(fault) = take(one, checkout, &root)? {
                faults.push(format!("`{}` {fault}", one.path.display()));
            }
        }
        if !faults.is_empty() {
            let origin = &record.origin;
            let few = open::few(&faults);
            let message = format!(
                "`{}` is not the start tree, {} at {}: {few}",
                checkout.display(),
                origin.repository,
                origin.commit
            );
            return Err(BundleError::Files(message));
        }
        self.filled = Some(Filled { root, _folder: folder });
        Ok(())
    }
}

/// A start tree that was put beside its bundle.
#[derive(Debug)]
pub(super) struct Filled {
    pub(super) root: PathBuf,
    _folder: TempDir,
}

/// Copies an entry if it is the listed one; else says what is wrong. No link is followed.
fn take(one: &Listed, checkout: &Path, root: &Path) -> Result<Option<&'static str>, BundleError> {
    let (from, to) = (checkout.join(&one.path), root.join(&one.path));
    let above = from.ancestors().skip(1).take_while(|above| *above != checkout);
    let is_directory = |path: &Path| fs::symlink_metadata(path).is_ok_and(|met| met.is_dir());
    if !above.into_iter().all(is_directory) {
        return Ok(Some("is missing"));
    }
    let Ok(met) = fs::symlink_metadata(&from) else { return Ok(Some("is missing")) };
    let read = |error| BundleError::io("read", &from, error);
    let write = |error| BundleError::io("write", &to, error);
    if one.kind == "directory" {
        if !met.is_dir() {
            return Ok(Some("is no directory"));
        }
        fs::create_dir(&to).map_err(write)?;
    } else if one.kind == "link" {
        let target = if met.is_symlink() { fs::read_link(&from).map_err(read)? } else { "".into() };
        if Some(Sha256::of(target.as_os_str().as_bytes())) != one.sha256 {
            return Ok(Some("is another"));
        }
        symlink(&target, &to).map_err(write)?;
    } else {
        if !met.is_file() {
            return Ok(Some("is another"));
        }
        let bytes = fs::read(&from).map_err(read)?;
        if Some(Sha256::of(&bytes)) != one.sha256 {
            return Ok(Some("is another"));
        }
        fs::write(&to, bytes).map_err(write)?;
        let mode = if one.kind == "executable" { 0o755 } else { 0o644 };
        fs::set_permissions(&to, Permissions::from_mode(mode)).map_err(write)?;
    }
    Ok(None)
}
