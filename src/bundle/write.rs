//! A bundle's contents as a directory or an archive, whole at its place or not there at all.

use std::fs::{self, File, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use super::contents::{Content, Contents};
use super::{BundleError, Part, archive};
use crate::base::RelPath;

impl Contents {
    /// Writes a part of the bundle to `place`: an archive where that ends in `.tar.zst`, else a
    /// directory, which must be new or empty.
    ///
    /// # Errors
    /// [`BundleError`]: something is there, a source changed meanwhile, or it cannot be written.
    pub fn write(&self, part: Part, place: &Path) -> Result<(), BundleError> {
        let above = match place.parent() {
            Some(above) if above.as_os_str().is_empty() => Path::new("."),
            Some(above) => above,
            None => {
                return Err(BundleError::Place { place: place.into(), what: "is no place for it" });
            }
        };
        if archive::is_archive(place) {
            self.archive(part, place, above)
        } else {
            self.folder(part, place, above)
        }
    }

    fn archive(&self, part: Part, place: &Path, above: &Path) -> Result<(), BundleError> {
        let fault = |error| BundleError::io("write", place, error);
        let usual = Permissions::from_mode(0o666);
        let file = tempfile::Builder::new().permissions(usual).tempfile_in(above);
        let mut file = file.map_err(fault)?;
        archive::write(self.of(part), file.as_file_mut(), above)?;
        file.as_file_mut().flush().map_err(fault)?;
        file.persist_noclobber(place).map_err(|error| match error.error.kind() {
            io::ErrorKind::AlreadyExists => BundleError::Place {
                place: place.into(),
                what: "is there already; name a new file",
            },
            _ => fault(error.error),
        })?;
        Ok(())
    }

    fn folder(&self, part: Part, place: &Path, above: &Path) -> Result<(), BundleError> {
        let fault = |error| BundleError::io("make", place, error);
        let inside = fs::read_dir(place).map(|mut inside| inside.next().is_none());
        match inside {
            Ok(true) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Ok(false) | Err(_) => {
                let what = "is there and not an empty directory; name a new one";
                return Err(BundleError::Place { place: place.into(), what });
            }
        }
        let around = tempfile::Builder::new().prefix(".adequacy-bundle-").tempdir_in(above);
        let around = around.map_err(fault)?;
        // What a temporary directory is made with only its owner may read.
        let root = around.path().join("bundle");
        fs::create_dir(&root).map_err(fault)?;
        for (path, content) in self.of(part) {
            put(&root, path, content)?;
        }
        fs::rename(&root, place).map_err(fault)
    }
}

fn put(root: &Path, path: &RelPath, content: &Content) -> Result<(), BundleError> {
    let place = path.below(root);
    let done = match content {
        Content::Directory => {
            fs::create_dir(&place).and_then(|()| fs::set_permissions(&place, mode(true)))
        }
        Content::Link(target) => symlink(target, &place),
        Content::File { source, executable } => {
            let bytes = source.bytes()?;
            File::create_new(&place)
                .and_then(|mut file| file.write_all(&bytes))
                .and_then(|()| fs::set_permissions(&place, mode(*executable)))
        }
    };
    done.map_err(|error| BundleError::io("write", &place, error))
}

/// One of the two modes that a bundle knows.
fn mode(executable: bool) -> Permissions {
    Permissions::from_mode(if executable { 0o755 } else { 0o644 })
}
