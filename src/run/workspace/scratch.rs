//! The one private directory of a run, and what dead runs left behind.

use std::ffi::CString;
use std::fs::{self, DirBuilder, File, Permissions};
use std::io::{self, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{CWD, FlockOperation, Mode, OFlags, flock, openat, statvfs};
use rustix::io::Errno;
use tempfile::TempDir;

use super::WorkspaceError;
use super::remove::{self, remove};
use super::soundness::{Soundness, probe};
use super::store::Store;
use super::trash::{Sweeper, Trash};
use crate::tree::{Kind, Snapshot};

/// Names of scratch directories begin so; short, since paths of sockets and of some tools are limited.
const PREFIX: &str = "adequacy-";
const LOCK: &str = "lock";

/// The lock file before it is locked.
const UNLOCKED: &str = "unlocked";

/// Mode of a scratch directory, and how many random letters and digits its name ends with.
const PRIVATE: u32 = 0o700;
const RANDOM: usize = 6;

/// How often a directory is made before something else than a run that cleans must be in the way. On a
/// busy machine the same run may meet a new directory many times.
const ATTEMPTS: usize = 1000;

/// A private directory (mode 0700) that holds everything a run writes outside its output directory.
///
/// A lock file in it is held as long as this value lives, also by nothing else: a directory whose lock
/// is free belongs to a dead run ([`Scratch::leftovers`]). Removed on drop.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    soundness: Soundness,
    pub(super) fd: Arc<OwnedFd>,
    pub(super) store: Arc<Store>,
    /// Where directories go that are being removed.
    pub(super) trash: Arc<Trash>,
    sweeper: Option<Sweeper>,
    _lock: File,
}

/// A scratch directory whose run is dead; its lock is held as long as this value lives. One whose run died
/// before it had a lock, or after, is empty.
#[derive(Debug)]
pub struct Leftover {
    path: PathBuf,
    lock: Option<File>,
}

impl Scratch {
    /// Makes a scratch directory in `base`, for instance [`std::env::temp_dir`].
    ///
    /// # Errors
    /// [`WorkspaceError::InsideTree`] when `base` is one of `trees` or lies in one; otherwise what the
    /// system says.
    pub fn create(base: &Path, trees: &[&Path]) -> Result<Self, WorkspaceError> {
        let failed = |source: io::Error| WorkspaceError::io("make a directory in", base, 0, source);
        // Without links: commands see one name of a file, and Python derives cache paths from it.
        let base = base.canonicalize().map_err(failed)?;
        refuse_inside(&base, trees)?;
        let (made, lock) = make_locked(&base, PREFIX).map_err(failed)?;
        let path = made.path().to_owned();
        let make = |name: &str| -> Result<OwnedFd, io::Error> {
            DirBuilder::new().mode(0o700).create(path.join(name))?;
            open(&path.join(name))
        };
        let fd = Arc::new(open(&path).map_err(failed)?);
        let trash = Arc::new(Trash::new(make("trash").map_err(failed)?));
        let store = Arc::new(Store::new(make("golden").map_err(failed)?, path.join("golden")));
        let soundness = probe(trash.as_fd()).map_err(|errno| failed(errno.into()))?;
        let sweeper = Some(Sweeper::start(&trash));
        Ok(Self { path: made.keep(), soundness, fd, store, trash, sweeper, _lock: lock })
    }

    /// The directory, absolute and without links.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How workspaces here find out what a command changed.
    #[must_use]
    pub const fn soundness(&self) -> Soundness {
        self.soundness
    }

    /// Checks that the file system has room for the stored copy of `trees` and one for each of `jobs`.
    ///
    /// # Errors
    /// [`WorkspaceError::NoSpace`] or [`WorkspaceError::NoInodes`] with what is needed and what is free.
    pub fn check_space(&self, trees: &[&Snapshot], jobs: usize) -> Result<(), WorkspaceError> {
        let stat = statvfs(&self.path)
            .map_err(|source| WorkspaceError::io("look at", &self.path, 0, source))?;
        let block = stat.f_frsize.max(512);
        let (mut bytes, mut files) = (0_u64, 0_u64);
        for entry in trees.iter().flat_map(|tree| tree.entries()) {
            let size = if let Kind::File { size, .. } = entry.kind { size } else { 1 };
            bytes = bytes.saturating_add(size.div_ceil(block).saturating_mul(block));
            files += 1;
        }
        let copies = jobs as u64 + 1;
        let (bytes, files) = (bytes.saturating_mul(copies), files.saturating_mul(copies));
        let path = self.path.clone();
        let free = stat.f_bavail.saturating_mul(stat.f_frsize);
        if bytes > free {
            return Err(WorkspaceError::NoSpace { path, needed: bytes, free });
        }
        // Some file systems have no fixed number and say 0.
        if stat.f_files > 0 && files > stat.f_favail {
            return Err(WorkspaceError::NoInodes { path, needed: files, free: stat.f_favail });
        }
        Ok(())
    }

    /// How often the file system was full when the run made room on it: see [`Scratch::was_full`].
    #[must_use]
    pub fn times_full(&self) -> u64 {
        self.trash.times_full()
    }

    /// Whether the file system has no room left to speak of, or had none at some time since it was
    /// full that many `times`: a command that fails now may fail for that alone, even where another
    /// worker has made room since.
    #[must_use]
    pub fn was_full(&self, times: u64) -> bool {
        self.trash.is_full() || self.trash.times_full() != times
    }

    /// The scratch directories in `base` whose runs are dead: ours by name and owner, lock free.
    ///
    /// # Errors
    /// `base` cannot be listed.
    pub fn leftovers(base: &Path) -> Result<Vec<Leftover>, WorkspaceError> {
        let failed = |source: io::Error| WorkspaceError::io("list", base, 0, source);
        let own = rustix::process::geteuid().as_raw();
        let mut found = Vec::new();
        for entry in fs::read_dir(base).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let ours = entry.file_name().as_bytes().starts_with(PREFIX.as_bytes())
                && entry.metadata().is_ok_and(|met| met.is_dir() && met.uid() == own);
            if !ours {
                continue;
            }
            let path = entry.path();
            match free_lock(&path.join(LOCK)) {
                Ok(Some(lock)) => found.push(Leftover { path, lock: Some(lock) }),
                Err(Errno::NOENT) if is_bare(&path) => found.push(Leftover { path, lock: None }),
                Ok(None) | Err(_) => {}
            }
        }
        found.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(found)
    }

    /// Removes the directory now, to learn whether that worked.
    ///
    /// # Errors
    /// Something in it cannot be removed, for instance a file system that a command mounted there.
    pub fn remove(mut self) -> Result<(), WorkspaceError> {
        self.sweeper = None;
        remove_directory(&self.path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        self.sweeper = None;
        // Too late to tell anyone; a later run finds it by its free lock.
        let _ = remove_directory(&self.path);
    }
}

/// A private directory for what a run needs beside its scratch directory, such as a tree that a patch
/// makes. Removed on drop; where the run is killed before, a later one finds it by its free lock.
#[derive(Debug)]
pub struct Aside {
    path: PathBuf,
    _lock: File,
}

impl Aside {
    /// Makes one in `base`; `what` it holds is part of its name.
    ///
    /// # Errors
    /// What the system says.
    pub fn create(base: &Path, what: &str) -> io::Result<Self> {
        let (made, lock) = make_locked(base, &format!("{PREFIX}{what}-"))?;
        Ok(Self { path: made.keep(), _lock: lock })
    }

    /// Where it is. It holds a file `lock` of its own.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Aside {
    fn drop(&mut self) {
        // Too late to tell anyone; a later run finds it by its free lock.
        let _ = remove_directory(&self.path);
    }
}

impl Leftover {
    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes it.
    ///
    /// # Errors
    /// Something in it cannot be removed.
    pub fn remove(self) -> Result<(), WorkspaceError> {
        if self.lock.is_some() {
            return remove_directory(&self.path);
        }
        // Whoever is making it just now has locked its file, or finds it gone and makes another one.
        let unlocked = self.path.join(UNLOCKED);
        let removed = match free_lock(&unlocked) {
            Ok(None) => return Ok(()),
            Ok(Some(_held)) => rustix::fs::unlink(&unlocked),
            Err(errno) => Err(errno),
        };
        let removed = match removed {
            Ok(()) | Err(Errno::NOENT) => rustix::fs::rmdir(&self.path),
            Err(errno) => Err(errno),
        };
        match removed {
            Ok(()) | Err(Errno::NOENT | Errno::NOTEMPTY) => Ok(()),
            Err(errno) => Err(WorkspaceError::io("remove", &self.path, 0, io::Error::from(errno))),
        }
    }
}

/// Makes a directory, private from its first moment, with its lock held. A run that cleans may meet it before it has
/// one, and takes it away: then another one is made.
fn make_locked(base: &Path, prefix: &str) -> io::Result<(TempDir, File)> {
    let mut attempt = 0;
    loop {
        attempt += 1;
        let made = tempfile::Builder::new()
            .prefix(prefix)
            .permissions(Permissions::from_mode(PRIVATE))
            .tempdir_in(base)?;
        let private = fs::set_permissions(made.path(), Permissions::from_mode(PRIVATE));
        match private.and_then(|()| lock(made.path())) {
            Ok(lock) => return Ok((made, lock)),
            Err(error) if attempt < ATTEMPTS && is_taken(&error) => {}
            Err(error) => return Err(error),
        }
    }
}

/// Whether that is what one meets whose new directory is taken away: it, or its file, is gone or locked.
fn is_taken(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::WouldBlock)
}

/// A lock file that nobody holds, held now; `None` where somebody does.
fn free_lock(path: &Path) -> Result<Option<File>, Errno> {
    let flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let lock = openat(CWD, path, flags, Mode::empty())?;
    Ok(flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok().then(|| lock.into()))
}

/// Whether a directory is what a run leaves that dies before it has a lock, or when it has none any more:
/// private, with a name of ours and nothing in it.
fn is_bare(path: &Path) -> bool {
    let name = path.file_name().map(OsStrExt::as_bytes).unwrap_or_default();
    let random = name.rsplit(|&byte| byte == b'-').next().unwrap_or_default();
    let is_ours = random.len() == RANDOM && random.iter().all(u8::is_ascii_alphanumeric);
    let is_private = path.metadata().is_ok_and(|met| met.mode() & 0o7777 == PRIVATE);
    let is_empty =
        |mut names: fs::ReadDir| names.all(|one| one.is_ok_and(|one| one.file_name() == UNLOCKED));
    is_ours && is_private && fs::read_dir(path).is_ok_and(is_empty)
}

fn open(path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(openat(CWD, path, flags, Mode::empty())?)
}

/// Makes the lock file and locks it. It gets its name only when it is locked: under that name it is
/// never free while this run lives.
fn lock(directory: &Path) -> io::Result<File> {
    let unnamed = directory.join(UNLOCKED);
    let mut file = File::create_new(&unnamed)?;
    flock(&file, FlockOperation::NonBlockingLockExclusive)?;
    writeln!(file, "{}", std::process::id())?;
    fs::rename(unnamed, directory.join(LOCK))?;
    Ok(file)
}

/// Compares what the directories are, not how they are called: a bind mount has another name.
fn refuse_inside(base: &Path, trees: &[&Path]) -> Result<(), WorkspaceError> {
    let identity = |path: &Path| fs::metadata(path).ok().map(|met| (met.dev(), met.ino()));
    for tree in trees {
        let root = identity(tree);
        if root.is_some() && base.ancestors().any(|above| identity(above) == root) {
            let (scratch, tree) = (base.to_owned(), tree.to_path_buf());
            return Err(WorkspaceError::InsideTree { scratch, tree });
        }
    }
    Ok(())
}

fn remove_directory(path: &Path) -> Result<(), WorkspaceError> {
    let failed = |source: io::Error| WorkspaceError::io("remove", path, 0, source);
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return Ok(()) };
    let parent = open(parent).map_err(failed)?;
    let scratch = match open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        opened => opened.map_err(failed)?,
    };
    // What is inside goes first, so that the directory itself can take in what lies deep.
    for inner in remove::names(scratch.as_fd()).map_err(|errno| failed(errno.into()))? {
        // The lock file last: until then the directory can be recognised.
        if inner.as_bytes() != LOCK.as_bytes() {
            remove(scratch.as_fd(), &inner, scratch.as_fd())
                .map_err(|errno| failed(errno.into()))?;
        }
    }
    let name = CString::new(name.as_bytes()).expect("a path holds no NUL");
    match remove(parent.as_fd(), &name, scratch.as_fd()) {
        // Without its lock file, another run may have taken it away.
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(errno) => Err(failed(errno.into())),
    }
}
